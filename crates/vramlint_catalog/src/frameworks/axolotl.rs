//! Axolotl: its YAML, and `axolotl train`.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, EntryModule, EstimateTraits, FILES, FileTypes, FixKeys, FixValue, Framework, OffloadedInstead, Processes, RayWorkers,
    Unknown, UnknownKeys, VllmShare, Weights,
};
use super::evidence::{Evidence, KeyTest::Has};
use super::transformers::HF_FIXES;
use crate::Concept::{self as C, NumProcesses};
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};
use crate::launchers::{accelerate, torchrun};

/// Axolotl. Where nothing gives accumulation, `batch_size // micro_batch_size` does (axolotl 0.18.0 utils/config/__init__.py:202);
/// rules that know `batch_size` say so.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "axolotl",
    name: "Axolotl",
    package: "axolotl",
    keys: &[KEYS, KEYS_OF_MEMORY],
    second: SECOND,
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: true,
            key: Some("base_model"),
            all: &[Has("base_model")],
            any: &[
                Has("micro_batch_size"),
                Has("sequence_len"),
                Has("adapter"),
                Has("datasets"),
                Has("pretraining_dataset"),
                Has("load_in_8bit"),
                Has("rl"),
            ],
        }],
        // By pydantic.
        text_becomes_number: true,
        refuses_tags: true,
        ..FILES
    }),
    classes: ArgumentClasses { usual: Some("axolotl.config"), complete: true, ..COMMON.classes },
    modules: &[EntryModule { path: "axolotl.cli.train", takes_file: true }],
    unknown_keys: UnknownKeys { in_file: Unknown::Dropped, extended_by: Some("plugins"), borrowed: BORROWED, ..COMMON.unknown_keys },
    file_types: FileTypes::Pydantic,
    vllm_shares: &[VllmShare { key: "vllm.gpu_memory_utilization", if_on: "trl.use_vllm", if_text: None }],
    batch: BatchArithmetic {
        counts_completions: true,
        source: "axolotl 0.18.0 src/axolotl/utils/config/__init__.py:202",
        ..COMMON.batch
    },
    is_hf_trainer: true,
    is_standalone: true,
    divides_ranks: true,
    processes: Processes::AlwaysOne,
    // Axolotl 0.18.0 loaders/model.py `_apply_activation_checkpointing` and core/builders/base.py; 0.17.0 wraps the blocks of adapted
    // models too.
    offloads_instead: Some(OffloadedInstead {
        key: "activation_offloading",
        but: &["hidden_states"],
        words: &["offload", "offload_disk"],
        adapters: "adapter",
        since: "0.18.0",
    }),
    // Axolotl 0.18.0 cli/train.py.
    ray_workers: Some(RayWorkers { key: Some("use_ray"), variable: None, number: "ray_num_workers" }),
    fixes: FixKeys {
        optimizer: Some("optimizer"),
        // Axolotl 0.18.0 loaders/model.py: `load_in_4bit` counts only with the adapter `qlora`.
        four_bit: &[(C::Method, "adapter", FixValue::Word("qlora")), (C::Quantization, "load_in_4bit", FixValue::True)],
        // Axolotl 0.18.0 utils/schemas/peft.py; adapters have no dropout by default.
        adapters: &[
            (C::Method, "adapter", FixValue::Word("lora")),
            (C::LoraR, "lora_r", FixValue::Number(16)),
            (C::LoraAlpha, "lora_alpha", FixValue::Number(32)),
            (C::LoraTargets, "lora_target_linear", FixValue::True),
        ],
        ..HF_FIXES
    },
    estimate: EstimateTraits {
        is_language_modelling: true,
        // Axolotl 0.18.0 loaders/model.py.
        prepares_quantized: true,
        no_dropout: true,
        bf16_where_possible: true,
        // Axolotl 0.18.0 utils/schemas/validation.py, `_resolve_fsdp_version`.
        first_fsdp: true,
        // Axolotl 0.18.0 utils/config/__init__.py: `torch_dtype` follows bf16 and fp16.
        weights: Weights::Computing,
        // Axolotl 0.18.0 loaders/adapter.py adds every linear layer to what is listed.
        adapter_switches: &[("lora_target_linear", &["all-linear"])],
        // Axolotl 0.18.0 loaders/adapter.py, `find_all_linear_names`.
        lists_linear_layers: true,
        ..COMMON.estimate
    },
    ..COMMON
};

/// `axolotl train`. What stands after `--` goes to the launcher that `--launcher` names.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "axolotl train",
    commands: &[command(&["axolotl"]).then(&[&["train"]])],
    flags: FLAGS,
    hands_on: &[accelerate::FLAGS, torchrun::FLAGS],
    dialect: Some(Dialect::Axolotl),
    config: ConfigArgument { is_first: true, ..COMMAND.config },
    starts_accelerate: true,
    processes: ProcessCount::Chosen,
    ..COMMAND
};

/// Keys of transformers' trainer that people write in Axolotl's file, and what Axolotl calls them.
const BORROWED: &[(&str, &str)] = &[
    ("per_device_train_batch_size", "micro_batch_size"),
    ("train_batch_size", "micro_batch_size"),
    ("per_device_eval_batch_size", "eval_batch_size"),
    ("num_train_epochs", "num_epochs"),
    ("max_seq_length", "sequence_len"),
    ("max_length", "sequence_len"),
    ("cutoff_len", "sequence_len"),
    ("optim", "optimizer"),
    ("lr_scheduler_type", "lr_scheduler"),
    ("model_name_or_path", "base_model"),
    ("packing", "sample_packing"),
    ("lora_rank", "lora_r"),
    ("lora_target", "lora_target_modules"),
    ("target_modules", "lora_target_modules"),
];

/// Axolotl 0.18.0 src/axolotl/utils/schemas/*.py; its 4 bits are nf4 with nested constants (loaders/model.py).
/// `batch_size` is micro batch times accumulation, before the processes: no concept.
const KEYS: &[Row] = &[
    ("base_model", C::Model, Name),
    ("micro_batch_size", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("num_epochs", C::Epochs, Given),
    ("max_steps", C::MaxSteps, Positive),
    ("sequence_len", C::SequenceLength, Given),
    ("sample_packing", C::Packing, Truth),
    ("learning_rate", C::LearningRate, Given),
    ("optimizer", C::Optimizer, Given),
    ("adapter", C::Method, Method),
    ("lora_r", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("lora_target_modules", C::LoraTargets, Names),
    ("lora_target_linear", C::LoraTargets, Switch("all-linear")),
    ("load_in_4bit", C::Quantization, Switch("nf4-double")),
    ("load_in_8bit", C::Quantization, Switch("int8")),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("fp8", C::MixedPrecision, Switch("fp8")),
    ("bfloat16", C::WeightsDtype, Switch("bf16")),
    ("float16", C::WeightsDtype, Switch("fp16")),
    ("gradient_checkpointing", C::GradientCheckpointing, Checkpointing),
    ("attn_implementation", C::Attention, Attention),
    ("flash_attention", C::Attention, Switch("flash_attention_2")),
    ("sdp_attention", C::Attention, Switch("sdpa")),
    ("eager_attention", C::Attention, Switch("eager")),
    ("flex_attention", C::Attention, Switch("flex_attention")),
    ("xformers_attention", C::Attention, Switch("xformers")),
    ("device_map", C::DeviceMap, Given),
    ("dataloader_num_workers", C::DataloaderWorkers, Given),
    ("rl", C::Task, Task),
    ("reward_model", C::Task, Switch("reward")),
    ("trl.num_generations", C::NumGenerations, Given),
    ("trl.generation_batch_size", C::GenerationBatch, Given),
    ("trl.steps_per_generation", C::StepsPerGeneration, Given),
    ("trl.max_completion_length", C::MaxCompletionLength, Given),
    ("max_prompt_len", C::MaxPromptLength, Given),
];

/// Axolotl 0.18.0 src/axolotl/utils/schemas/*.py and integrations/*/args.py. The liger plugin alone does not fuse the loss.
const KEYS_OF_MEMORY: &[Row] = &[
    ("liger_fused_linear_cross_entropy", C::FusedLoss, Switch("liger")),
    ("cut_cross_entropy", C::FusedLoss, Either("cut-cross-entropy", "none")),
    ("chunked_cross_entropy", C::FusedLoss, Switch("chunked")),
    ("lora_dropout", C::LoraDropout, Given),
    ("peft_use_dora", C::UseDora, Truth),
    ("lora_modules_to_save", C::LoraModulesToSave, Names),
    ("lora_target_parameters", C::LoraTargetParameters, Names),
    ("unfrozen_parameters", C::Freeze, Fixed("all-but-listed")),
    ("gradient_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("dataloader_prefetch_factor", C::DataloaderPrefetchFactor, Given),
    ("rl_beta", C::KlBeta, Given),
    ("trl.beta", C::KlBeta, Given),
    ("precompute_ref_log_probs", C::PrecomputeRefLogProbs, Truth),
    ("trl.use_vllm", C::VllmMode, Either("in use", "none")),
    ("trl.vllm_mode", C::VllmMode, Given),
    ("trl.vllm_enable_sleep_mode", C::VllmSleep, Truth),
    ("vllm.gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("tensor_parallel_size", C::TensorParallelSize, Given),
    ("context_parallel_size", C::ContextParallelSize, Given),
    ("fsdp", C::FsdpSharding, Sharding),
    ("fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.fsdp_sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.fsdp_auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.fsdp_offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.fsdp_activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.state_dict_type", C::FsdpStateDict, Given),
    ("fsdp_config.fsdp_state_dict_type", C::FsdpStateDict, Given),
];

const SECOND: &[Row] = &[
    ("fsdp", C::FsdpOffload, Word("offload")),
    ("fsdp", C::FsdpWrap, WordIs("auto_wrap", "TRANSFORMER_BASED_WRAP")),
    ("plugins", C::FusedLoss, Plugins),
];

/// `axolotl train CONFIG`: axolotl/cli/main.py and its `TrainerCliArgs`.
static FLAGS: &[Flag] = &[
    Flag::switch(&["--help"]),
    Flag::with_value(&["--launcher"]),
    Flag::switch(&["--accelerate"]),
    Flag::switch(&["--no-accelerate"]),
    Flag::with_value(&["--cloud"]),
    Flag::with_value(&["--sweep"]),
    Flag::switch(&["--debug"]),
    Flag::switch(&["--no-debug"]),
    Flag::switch(&["--debug-text-only"]),
    Flag::with_value(&["--debug-num-examples"]),
    Flag::with_value(&["--prompter"]),
    Flag::switch(&["--shard"]),
    Flag::with_value(&["--main-process-port"]),
    Flag::sets(&["--num-processes"], NumProcesses),
];
