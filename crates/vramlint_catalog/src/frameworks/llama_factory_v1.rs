//! LLaMA-Factory under `USE_V1=1`, whose arguments, trainer and distribution are its own.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{Accumulation, BatchArithmetic, COMMON, ConfigFiles, ConfigLoader, EstimateTraits, FILES, Framework, Weights};
use super::evidence::{
    Evidence,
    KeyTest::{Has, HasInside},
};
use crate::Concept::{self as C};
use crate::dialect::{Dialect, Form::*, Row};
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// LLaMA-Factory v1: plugins are blocks with a `name`.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "llamafactory-v1",
    name: "LLaMA-Factory v1",
    package: "llamafactory",
    keys: &[KEYS],
    second: SECOND,
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: true,
            key: Some("train_dataset"),
            all: &[Has("model"), Has("train_dataset")],
            any: &[
                HasInside("dist_config", "name"),
                HasInside("peft_config", "name"),
                HasInside("kernel_config", "name"),
                HasInside("quant_config", "name"),
                HasInside("optim_config", "name"),
            ],
        }],
        loader: ConfigLoader::OmegaConf,
        refuses_tags: true,
        ..FILES
    }),
    tasks: &[(&["sft"], "sft"), (&["dpo"], "dpo"), (&["rm"], "reward")],
    deepspeed_key: &["dist_config", "config_file"],
    batch: BatchArithmetic {
        accumulation: Accumulation::OfWholeElseOne,
        whole: &["global_batch_size"],
        source: "LLaMA-Factory 0.9.6.dev0 src/llamafactory/v1/core/utils/batching.py",
        ..COMMON.batch
    },
    is_standalone: true,
    divides_ranks: true,
    estimate: EstimateTraits {
        is_language_modelling: true,
        // v1/core/base_trainer.py runs without autocast; plugins/trainer_plugins/distributed/fsdp2.py gathers shards in the type that
        // `bf16` gives, and plugins/model_plugins/deepspeed_utils.py starts the engine in bf16.
        computes_as_stored: true,
        shards_compute_in_precision: true,
        // v1/core/model_engine.py.
        weights: Weights::StoredUnlessTrained,
        no_dropout: true,
        // v1/plugins/model_plugins/peft.py, `_find_all_linear_modules`.
        lists_linear_layers: true,
        ..COMMON.estimate
    },
    ..COMMON
};

/// `llamafactory-cli sft`.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "llamafactory-cli",
    commands: &[command(&["llamafactory-cli", "lmf"]).starting(&[&["sft", "dpo", "rm"]])],
    dialect: Some(Dialect::LlamaFactoryV1),
    config: ConfigArgument { is_first: true, ..COMMAND.config },
    is_enough: true,
    processes: ProcessCount::VariablesElseGpus,
    ..COMMAND
};

/// LLaMA-Factory 0.9.6.dev0 src/llamafactory/v1/config/*.py and plugins/*.
const KEYS: &[Row] = &[
    ("model", C::Model, Name),
    ("micro_batch_size", C::MicroBatch, Given),
    ("global_batch_size", C::EffectiveBatch, Given),
    ("cutoff_len", C::SequenceLength, Given),
    ("learning_rate", C::LearningRate, Given),
    ("num_train_epochs", C::Epochs, Given),
    ("max_steps", C::MaxSteps, Positive),
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("bf16", C::MixedPrecision, Either("bf16", "no")),
    ("enable_activation_checkpointing", C::GradientCheckpointing, Truth),
    ("flash_attn", C::Attention, Attention),
    ("batching_strategy", C::PaddingFree, Word("padding_free")),
    ("cp_size", C::ContextParallelSize, Given),
    ("peft_config.name", C::Method, Method),
    ("peft_config.r", C::LoraR, Given),
    ("peft_config.lora_alpha", C::LoraAlpha, Given),
    ("peft_config.lora_dropout", C::LoraDropout, Given),
    ("peft_config.target_modules", C::LoraTargets, Names),
    ("peft_config.use_dora", C::UseDora, Truth),
    ("peft_config.modules_to_save", C::LoraModulesToSave, Names),
    ("peft_config.freeze_trainable_layers", C::Freeze, FreezeLayers),
    ("quant_config.quantization_bit", C::Quantization, Bits("nf4-double")),
    ("optim_config.name", C::Optimizer, Name),
    ("dist_config.name", C::FsdpSharding, WordIs("fsdp2", "FULL_SHARD")),
];

const SECOND: &[Row] = &[
    ("dist_config.name", C::FsdpWrap, WordIs("fsdp2", "TRANSFORMER_BASED_WRAP")),
    ("dist_config.name", C::FsdpSharding, WordIs("fsdpturbo", "FULL_SHARD")),
    ("dist_config.name", C::FsdpWrap, WordIs("fsdpturbo", "TRANSFORMER_BASED_WRAP")),
    ("batching_strategy", C::PaddingFree, Word("dynamic_padding_free")),
];
