//! ms-swift: `swift sft` and its YAML.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    Accumulation, ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, FILES, FixKeys, FixValue, Framework, Unknown, UnknownKeys, VllmShare, EstimateTraits,
};
use super::evidence::{Evidence, KeyTest::Has};
use super::transformers::{ARGUMENTS, ARGUMENTS_OF_MEMORY, HF_FIXES, TRAINING_FLAGS};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::spec::{FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// ms-swift.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "swift",
    name: "ms-swift",
    package: "ms-swift",
    keys: &[ARGUMENTS, KEYS, ARGUMENTS_OF_MEMORY, KEYS_OF_MEMORY],
    second: SECOND,
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: false,
            key: Some("tuner_type"),
            all: &[Has("model")],
            any: &[Has("tuner_type"), Has("train_type"), Has("sft_type"), Has("rlhf_type")],
        }],
        ..FILES
    }),
    classes: ArgumentClasses {
        usual: Some("swift.sft"),
        by_command: &[(&["sft", "pt"], "swift.sft"), (&["rlhf"], "swift.rlhf")],
        complete: true,
        ..COMMON.classes
    },
    // ms-swift 4.6.0.dev0 swift/cli; `swift.llm` before 4.0.
    programs: &[("swift", "sft_main"), ("swift", "rlhf_main"), ("swift", "pretrain_main"), ("swift", "pt_main")],
    unknown_keys: UnknownKeys {
        on_command_line: Unknown::Stops,
        let_pass_by_key: Some("ignore_args_error"),
        ..COMMON.unknown_keys
    },
    zero_presets: &[("zero0", 0), ("zero1", 1), ("zero2", 2), ("zero2_offload", 2), ("zero3", 3), ("zero3_offload", 3)],
    vllm_shares: &[VllmShare {
        key: "vllm_gpu_memory_utilization",
        if_on: "use_vllm",
        if_text: Some(("vllm_mode", "colocate")),
    }],
    batch: BatchArithmetic {
        accumulation: Accumulation::UpTo(16),
        counts_completions: true,
        source: "ms-swift 4.6.0.dev0 swift/trainers/arguments.py:285",
        ..COMMON.batch
    },
    is_hf_trainer: true,
    is_standalone: true,
    divides_ranks: true,
    // ms-swift 4.6.0.dev0 swift/model/register.py, `get_default_device_map`.
    estimate: EstimateTraits {
        // ms-swift 4.6.0.dev0 swift/arguments/base_args/model_args.py:130.
        autocast_of_checkpoint: true, spreads_models: true,
        // ms-swift 4.6.0.dev0 swift/utils/transformers_utils.py, `find_all_linears`.
        lists_linear_layers: true, ..COMMON.estimate },
    fixes: FixKeys {
        liger: Some("use_liger_kernel"),
        // ms-swift 4.6.0.dev0 swift/arguments/base_args/quant_args.py.
        four_bit: &[
            (C::Quantization, "quant_method", FixValue::Word("bnb")),
            (C::Quantization, "quant_bits", FixValue::Number(4)),
        ],
        // ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py.
        adapters: &[
            (C::Method, "tuner_type", FixValue::Word("lora")),
            (C::LoraR, "lora_rank", FixValue::Number(16)),
            (C::LoraDropout, "lora_dropout", FixValue::Number(0)),
            (C::LoraTargets, "target_modules", FixValue::Word("all-linear")),
        ],
        ..HF_FIXES
    },
    ..COMMON
};

/// `swift sft` and the other commands that train.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "swift",
    commands: &[
        command(&["swift"]).starting(&[&["sft", "pt", "rlhf"]]),
        command(&["swift"]).starting(&[&["rm", "ppo", "grpo"]]),
    ],
    flags: FLAGS,
    hands_on: &[TRAINING_FLAGS],
    dialect: Some(Dialect::MsSwift),
    is_enough: true,
    processes: ProcessCount::VariablesElseOne,
    ..COMMAND
};

/// ms-swift 4.6.0.dev0 swift/arguments/**; its 4 bits are nf4 with nested constants.
const KEYS: &[Row] = &[
    ("model", C::Model, Name),
    ("model_id_or_path", C::Model, Name),
    ("max_length", C::SequenceLength, GivenOrNull),
    ("tuner_type", C::Method, Method),
    ("train_type", C::Method, Method),
    ("sft_type", C::Method, Method),
    ("lora_rank", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("target_modules", C::LoraTargets, Names),
    ("torch_dtype", C::WeightsDtype, Dtype),
    ("quant_bits", C::Quantization, Bits("nf4-double")),
    ("quantization_bit", C::Quantization, Bits("nf4-double")),
    ("attn_impl", C::Attention, Attention),
    ("packing", C::Packing, Truth),
    ("deepspeed", C::ZeroStage, PresetStage),
    ("device_map", C::DeviceMap, Given),
    ("rlhf_type", C::Task, Task),
    ("task_type", C::Task, OtherTask),
    ("num_generations", C::NumGenerations, Given),
    ("steps_per_generation", C::StepsPerGeneration, Given),
    ("generation_batch_size", C::GenerationBatch, Given),
    ("max_completion_length", C::MaxCompletionLength, Given),
    ("ref_model", C::ReferenceModel, Name),
    ("reward_model", C::RewardModel, Names),
    ("teacher_model", C::TeacherModel, Name),
    ("NPROC_PER_NODE", C::NumProcesses, Given),
    ("NNODES", C::NumMachines, Given),
];

/// ms-swift 4.6.0.dev0 swift/arguments/**. Its sequence parallelism divides rows as context parallelism does.
const KEYS_OF_MEMORY: &[Row] = &[
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("modules_to_save", C::LoraModulesToSave, Names),
    ("target_parameters", C::LoraTargetParameters, Names),
    ("freeze_llm", C::Freeze, Switch("llm")),
    ("padding_free", C::PaddingFree, Truth),
    ("beta", C::KlBeta, Given),
    ("use_vllm", C::VllmMode, Either("in use", "none")),
    ("vllm_mode", C::VllmMode, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("sleep_level", C::VllmSleep, Level),
    ("sequence_parallel_size", C::ContextParallelSize, Given),
];

/// Words of `fsdp`, what presets of DeepSpeed offload (swift/config/*.json), and the autocast that follows from the type of the weights (ms-swift 4.6.0.dev0
/// swift/arguments/base_args/model_args.py:130).
const SECOND: &[Row] = &[
    ("fsdp", C::FsdpOffload, Word("offload")),
    ("fsdp", C::FsdpWrap, WordIs("auto_wrap", "TRANSFORMER_BASED_WRAP")),
    ("torch_dtype", C::MixedPrecision, AutocastOfDtype),
    ("deepspeed", C::OffloadOptimizer, Preset("zero2_offload", "cpu")),
    ("deepspeed", C::OffloadOptimizer, Preset("zero3_offload", "cpu")),
    ("deepspeed", C::OffloadParam, Preset("zero3_offload", "cpu")),
];

/// `swift sft` and the other commands of ms-swift.
static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::with_value(&["--config"]),
    Flag::many(&["--dataset"]),
    Flag::many(&["--val_dataset", "--val-dataset"]),
    Flag::many(&["--target_modules", "--target-modules"]),
    Flag::many(&["--modules_to_save", "--modules-to-save"]),
    Flag::many(&["--adapters"]),
    Flag::many(&["--reward_funcs", "--reward-funcs"]),
    Flag::many(&["--reward_model", "--reward-model"]),
    Flag::many(&["--reward_weights", "--reward-weights"]),
    Flag::many(&["--model_kwargs", "--model-kwargs"]),
    Flag::many(&["--external_plugins", "--external-plugins"]),
    Flag::many(&["--freeze_vit", "--freeze-vit"]),
    Flag::many(&["--freeze_aligner", "--freeze-aligner"]),
    Flag::many(&["--padding_free", "--padding-free"]),
    Flag::many(&["--lazy_tokenize", "--lazy-tokenize"]),
    Flag::many(&["--use_hf", "--use-hf"]),
    Flag::many(&["--use_vllm", "--use-vllm"]),
];
