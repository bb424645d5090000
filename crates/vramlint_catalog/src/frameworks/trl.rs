//! TRL: its configurations, and `trl sft`.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, ConfigFiles, ConfigLoader, EntryModule, EstimateTraits, FILES, Framework, Loss};
use super::evidence::{Evidence, KeyTest::{self, Has}};
use super::transformers::{
    ARGUMENTS, ARGUMENTS_OF_MEMORY, FSDP_WORDS, HF_BATCH, HF_FIXES, LOADING, LOADING_OF_MEMORY, TRAINING_FLAGS, USUAL_THREE,
};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::accelerate;
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// TRL.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "trl",
    name: "TRL",
    package: "trl",
    keys: &[ARGUMENTS, LOADING, KEYS, ARGUMENTS_OF_MEMORY, LOADING_OF_MEMORY, KEYS_OF_MEMORY],
    second: SECOND,
    // trl 1.16.0 trainer/model_config.py.
    four_bits: ("nf4", false),
    files: Some(ConfigFiles {
        evidence: &[
            Evidence { is_certain: false, key: None, all: &[Has("per_device_train_batch_size")], any: OWN },
            Evidence { is_certain: false, key: None, all: USUAL_THREE, any: OWN },
        ],
        loader: ConfigLoader::TrlParser,
        text_becomes_number: true,
        ..FILES
    }),
    // trl 1.16.0 cli/main.py.
    tasks: &[
        (&["sft"], "sft"),
        (&["dpo"], "dpo"),
        (&["grpo"], "grpo"),
        (&["kto"], "kto"),
        (&["reward"], "reward"),
        (&["rloo"], "rloo"),
    ],
    // trl 1.16.0 trl/scripts: the scripts behind the commands.
    modules: &[EntryModule { path: "trl.scripts.", takes_file: false }],
    batch: BatchArithmetic { source: "trl 1.16.0 trainer/grpo_config.py", ..HF_BATCH },
    is_hf_trainer: true,
    has_vllm_mode_of_trl: true,
    fixes: HF_FIXES,
    estimate: EstimateTraits { loss: Loss::PiecesOffered, ..COMMON.estimate },
    ..COMMON
};

/// `trl sft`. What it does not know goes to `accelerate launch` as it is (trl cli: the remaining strings are its arguments).
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "trl",
    commands: &[command(&["trl"]).starting(&[&["sft", "dpo", "grpo", "kto", "reward", "rloo"]])],
    flags: FLAGS,
    hands_on: &[accelerate::FLAGS, TRAINING_FLAGS],
    dialect: Some(Dialect::Trl),
    config: ConfigArgument { option: Some("config"), accelerate_option: Some("accelerate_config"), ..COMMAND.config },
    starts_accelerate: true,
    processes: ProcessCount::AccelerateAndFile,
    ..COMMAND
};

/// Keys of TRL that `TrainingArguments` lacks.
const OWN: &[KeyTest] = &[
    Has("dataset_name"),
    Has("dataset_mixture"),
    Has("max_length"),
    Has("max_seq_length"),
    Has("num_generations"),
    Has("beta"),
    Has("use_peft"),
    Has("lora_r"),
    Has("reward_funcs"),
    Has("max_completion_length"),
    Has("packing"),
    Has("dataset_train_split"),
];

/// trl 1.16.0 trainer/*_config.py, trainer/model_config.py, with the names that earlier versions had.
pub(super) const KEYS: &[Row] = &[
    ("max_length", C::SequenceLength, GivenOrNull),
    ("max_seq_length", C::SequenceLength, GivenOrNull),
    ("packing", C::Packing, Truth),
    ("num_generations", C::NumGenerations, Given),
    ("rloo_k", C::NumGenerations, Given),
    ("steps_per_generation", C::StepsPerGeneration, Given),
    ("generation_batch_size", C::GenerationBatch, Given),
    ("max_completion_length", C::MaxCompletionLength, GivenOrNull),
    ("response_length", C::MaxCompletionLength, Given),
    ("max_new_tokens", C::MaxCompletionLength, Given),
    ("max_prompt_length", C::MaxPromptLength, GivenOrNull),
    ("model", C::Model, Name),
    ("model_init_kwargs.dtype", C::WeightsDtype, Dtype),
    ("model_init_kwargs.torch_dtype", C::WeightsDtype, Dtype),
    ("model_init_kwargs.attn_implementation", C::Attention, Attention),
    ("model_init_kwargs.device_map", C::DeviceMap, Given),
    ("use_peft", C::Method, Either("lora", "full")),
    ("lora_r", C::LoraR, Given),
    ("lora_dropout", C::LoraDropout, Given),
    ("lora_target_modules", C::LoraTargets, Names),
    ("load_in_4bit", C::Quantization, Switch("nf4")),
    ("ref_model", C::ReferenceModel, Name),
    ("ref_model_name_or_path", C::ReferenceModel, Name),
    ("teacher_model", C::TeacherModel, Name),
    ("teacher_model_name_or_path", C::TeacherModel, Name),
    ("reward_model_path", C::RewardModel, Name),
    ("reward_model_name_or_path", C::RewardModel, Name),
];

/// trl 1.16.0 trainer/*_config.py and model_config.py; `use_liger_loss` was there from 0.19 to 0.24.
pub(super) const KEYS_OF_MEMORY: &[Row] = &[
    ("use_liger_loss", C::FusedLoss, Either("liger", "none")),
    ("loss_type", C::FusedLoss, Loss),
    ("padding_free", C::PaddingFree, Truth),
    ("disable_dropout", C::DisableDropout, Truth),
    ("lora_modules_to_save", C::LoraModulesToSave, Names),
    ("lora_target_parameters", C::LoraTargetParameters, Names),
    ("beta", C::KlBeta, Given),
    ("precompute_ref_log_probs", C::PrecomputeRefLogProbs, Truth),
    ("use_vllm", C::VllmMode, Either("in use", "none")),
    ("vllm_mode", C::VllmMode, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm_enable_sleep_mode", C::VllmSleep, Truth),
    ("model_init_kwargs.use_cache", C::UseCache, Truth),
];

/// `trl sft`: `--config` is a YAML of defaults, `--accelerate_config` a file or the name of one that TRL ships.
static FLAGS: &[Flag] = &[Flag::switch(&["-h", "--help"]), Flag::with_value(&["--config"]), Flag::with_value(&["--accelerate_config", "--accelerate-config"])];

/// TRL turns bf16 on where nothing is said (trl 1.16.0 trainer/base_config.py:68): `false` says something.
const SECOND: &[Row] = &[("bf16", C::MixedPrecision, OffOnly("no")), FSDP_WORDS[0], FSDP_WORDS[1]];
