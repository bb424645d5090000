//! LLaMA-Factory: its YAML, and `llamafactory-cli train`.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, ConfigLoader, EntryModule, EstimateTraits, FILES, FileTypes, FixKeys, FixValue, Framework,
    RayWorkers, Unknown, UnknownKeys, Weights,
};
use super::evidence::{Evidence, KeyTest::{Has, IsValueOf}};
use super::transformers::{ARGUMENTS, ARGUMENTS_OF_MEMORY, FSDP_WORDS, TRAINING_FLAGS};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// LLaMA-Factory.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "llamafactory",
    name: "LLaMA-Factory",
    package: "llamafactory",
    keys: &[ARGUMENTS, KEYS, ARGUMENTS_OF_MEMORY, KEYS_OF_MEMORY],
    second: FSDP_WORDS,
    files: Some(ConfigFiles {
        evidence: &[
            Evidence { is_certain: true, key: Some("finetuning_type"), all: &[Has("finetuning_type")], any: &[] },
            Evidence {
                is_certain: true,
                key: Some("stage"),
                all: &[Has("model_name_or_path"), IsValueOf("stage", "llamafactory.train")],
                any: &[Has("template"), Has("cutoff_len")],
            },
        ],
        loader: ConfigLoader::OmegaConf,
        refuses_tags: true,
        ..FILES
    }),
    // Its other commands fill other classes.
    classes: ArgumentClasses {
        usual: Some("llamafactory.train"),
        by_key: &[("do_train", "llamafactory.train")],
        complete: true,
        ..COMMON.classes
    },
    modules: &[EntryModule { path: "llamafactory.", takes_file: false }],
    // `llmtuner` before 0.8.0 (src/train.py, src/train_bash.py).
    programs: &[("llamafactory", "run_exp"), ("llmtuner", "run_exp")],
    unknown_keys: UnknownKeys {
        in_file: Unknown::StopsUnlessNew,
        on_command_line: Unknown::StopsUnlessNew,
        let_pass_by_variable: &["ALLOW_EXTRA_ARGS", "USE_MCA"],
        ..COMMON.unknown_keys
    },
    // llamafactory 0.9.4 hparams, data/loader.py, model/adapter.py, read.
    file_types: FileTypes::Computed(&["cutoff_len", "lora_rank", "lora_dropout", "val_size", "max_samples"]),
    batch: BatchArithmetic { source: "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/parser.py", ..COMMON.batch },
    is_hf_trainer: true,
    is_standalone: true,
    spreads_rows: true,
    // LLaMA-Factory 0.9.6 extras/misc.py, train/tuner.py.
    ray_workers: Some(RayWorkers { key: None, variable: Some("USE_RAY"), number: "ray_num_workers" }),
    fixes: FixKeys {
        accumulation: Some("gradient_accumulation_steps"),
        // LLaMA-Factory 0.9.6 hparams/model_args.py.
        liger: Some("enable_liger_kernel"),
        optimizer: Some("optim"),
        four_bit: &[(C::Quantization, "quantization_bit", FixValue::Number(4))],
        // LLaMA-Factory 0.9.6 hparams/finetuning_args.py; adapters have no dropout by default.
        adapters: &[
            (C::Method, "finetuning_type", FixValue::Word("lora")),
            (C::LoraR, "lora_rank", FixValue::Number(16)),
            (C::LoraTargets, "lora_target", FixValue::Word("all")),
        ],
        ..COMMON.fixes
    },
    estimate: EstimateTraits {
        trains_if: Some("do_train"),
        no_dropout: true,
        // LLaMA-Factory 0.9.6 hparams/parser.py: the computing type; model/adapter.py: what is trained is fp32.
        weights: Weights::ComputingUnlessTrained,
        // llamafactory 0.9.5 model/loader.py: `AutoModelForCausalLMWithValueHead`.
        value_head_rewards: true,
        // LLaMA-Factory 0.9.6 model/model_utils/misc.py, `find_all_linear_modules`.
        lists_linear_layers: true,
        ..COMMON.estimate
    },
    ..COMMON
};

/// `llamafactory-cli train`.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "llamafactory-cli train",
    commands: &[command(&["llamafactory-cli", "lmf"]).then(&[&["train"]])],
    modules: &[("llamafactory.cli", Some("train"))],
    flags: FLAGS,
    hands_on: &[TRAINING_FLAGS],
    dialect: Some(Dialect::LlamaFactory),
    config: ConfigArgument { is_first: true, ..COMMAND.config },
    is_all_arguments: true,
    is_enough: true,
    processes: ProcessCount::VariablesElseGpus,
    ..COMMAND
};

/// LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/*_args.py.
const KEYS: &[Row] = &[
    ("model_name_or_path", C::Model, Name),
    ("stage", C::Task, Task),
    ("finetuning_type", C::Method, Method),
    ("cutoff_len", C::SequenceLength, Given),
    ("packing", C::Packing, Truth),
    ("neat_packing", C::Packing, OnlyTrue),
    ("lora_rank", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("lora_target", C::LoraTargets, Names),
    ("quantization_bit", C::Quantization, Bits("nf4-double")),
    ("disable_gradient_checkpointing", C::GradientCheckpointing, NotTruth),
    ("flash_attn", C::Attention, Attention),
    ("pure_bf16", C::WeightsDtype, Switch("bf16")),
    ("fp8", C::MixedPrecision, Switch("fp8")),
    ("max_new_tokens", C::MaxCompletionLength, Given),
    ("ref_model", C::ReferenceModel, Name),
    ("reward_model", C::RewardModel, Name),
    ("use_galore", C::Optimizer, Switch("galore_adamw")),
    ("use_apollo", C::Optimizer, Switch("apollo_adamw")),
    ("use_badam", C::Optimizer, Switch("badam")),
    ("use_adam_mini", C::Optimizer, Switch("adam_mini")),
    ("use_muon", C::Optimizer, Switch("muon")),
    ("NPROC_PER_NODE", C::NumProcesses, Given),
    ("NNODES", C::NumMachines, Given),
];

/// LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/*_args.py.
const KEYS_OF_MEMORY: &[Row] = &[
    ("enable_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("additional_target", C::LoraModulesToSave, Names),
    ("use_reentrant_gc", C::CheckpointingReentrant, Truth),
    ("freeze_trainable_layers", C::Freeze, FreezeLayers),
    ("pref_beta", C::KlBeta, Given),
];

/// `llamafactory-cli train [FILE] [--key value | key=value]`.
static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::many(&["--disable_gradient_checkpointing", "--disable-gradient-checkpointing"]),
    Flag::many(&["--double_quantization", "--double-quantization"]),
    Flag::many(&["--neat_packing", "--neat-packing"]),
    Flag::many(&["--pure_bf16", "--pure-bf16"]),
    Flag::many(&["--use_unsloth", "--use-unsloth"]),
    Flag::many(&["--use_galore", "--use-galore"]),
    Flag::many(&["--use_badam", "--use-badam"]),
    Flag::many(&["--overwrite_cache", "--overwrite-cache"]),
    Flag::many(&["--plot_loss", "--plot-loss"]),
    Flag::many(&["--enable_liger_kernel", "--enable-liger-kernel"]),
];
