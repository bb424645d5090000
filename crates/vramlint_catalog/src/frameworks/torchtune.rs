//! torchtune: its recipes' YAML, and `tune run`.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, ConfigLoader, EstimateTraits, FILES, FileTypes, FixKeys, Framework, Loss,
};
use super::evidence::{Evidence, KeyTest::{Has, HasInSomeBlock}};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};
use crate::launchers::torchrun;

/// torchtune.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "torchtune",
    name: "torchtune",
    package: "torchtune",
    keys: &[KEYS, KEYS_OF_MEMORY],
    second: SECOND,
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: true,
            key: Some("_component_"),
            all: &[],
            any: &[HasInSomeBlock("_component_"), Has("_component_")],
        }],
        loader: ConfigLoader::OmegaConf,
        refuses_tags: true,
        ..FILES
    }),
    classes: ArgumentClasses { usual: Some("torchtune.recipe"), ..COMMON.classes },
    // torchtune 0.6.1 recipes, read.
    file_types: FileTypes::Computed(&["batch_size", "epochs", "gradient_accumulation_steps"]),
    batch: BatchArithmetic { source: "torchtune 0.7.0 recipes/full_finetune_distributed.py", ..COMMON.batch },
    // torchtune 0.7.0 config/_parse.py: `--config` is required.
    parsing_decorators: &["torchtune.config.parse"],
    is_standalone: true,
    divides_ranks: true,
    fixes: FixKeys { accumulation: Some("gradient_accumulation_steps"), ..COMMON.fixes },
    estimate: EstimateTraits {
        is_recipe: true,
        computes_as_stored: true,
        is_language_modelling: true,
        no_dropout: true,
        loss: Loss::PiecesOffered,
        layer_names: &[
            ("output_proj", "o_proj"),
            ("w1", "gate_proj"),
            ("w2", "down_proj"),
            ("w3", "up_proj"),
            ("output", "lm_head"),
        ],
        // torchtune 0.7.0 modules/peft/_utils.py, models/llama3/_component_builders.py.
        adapter_switches: &[("apply_lora_to_mlp", &["w1", "w2", "w3"]), ("apply_lora_to_output", &["output"])],
        adapters_as_weights: true,
        ..COMMON.estimate
    },
    ..COMMON
};

/// `tune run`, which takes over torchrun's parser (torchtune/_cli/run.py).
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "tune",
    commands: &[command(&["tune"]).then(&[&["run"]])],
    flags: torchrun::FLAGS,
    abbreviates: true,
    dialect: Some(Dialect::Torchtune),
    config: ConfigArgument { option: Some("config"), bundled: Some("recipes/configs"), ..COMMAND.config },
    processes: ProcessCount::TorchrunIfAsked,
    ..COMMAND
};

/// torchtune 0.7.0 recipes/configs and recipes/*.py.
const KEYS: &[Row] = &[
    ("batch_size", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("epochs", C::Epochs, Given),
    ("tokenizer.max_seq_len", C::SequenceLength, GivenOrNull),
    ("dataset.packed", C::Packing, Truth),
    ("dtype", C::WeightsDtype, Dtype),
    ("optimizer._component_", C::Optimizer, Given),
    ("optimizer.lr", C::LearningRate, Given),
    ("model._component_", C::Method, ModelBuilder),
    ("model.lora_rank", C::LoraR, Given),
    ("model.lora_alpha", C::LoraAlpha, Given),
    ("model.lora_attn_modules", C::LoraTargets, Names),
    ("checkpointer.checkpoint_dir", C::Model, Name),
    ("enable_activation_checkpointing", C::GradientCheckpointing, Truth),
    ("grpo_samples", C::NumGenerations, Given),
    ("max_generated_tokens", C::MaxCompletionLength, Given),
];

/// torchtune 0.7.0 recipes/configs and recipes/*.py.
const KEYS_OF_MEMORY: &[Row] = &[
    ("loss._component_", C::FusedLoss, Loss),
    ("model.lora_dropout", C::LoraDropout, Given),
    ("model.use_dora", C::UseDora, Truth),
    ("clip_grad_norm", C::MaxGradNorm, Given),
    ("fsdp_cpu_offload", C::FsdpOffload, Truth),
    ("fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("tensor_parallel_dim", C::TensorParallelSize, Given),
    ("context_parallel_dim", C::ContextParallelSize, Given),
];

const SECOND: &[Row] = &[("model._component_", C::UseDora, DoraBuilder)];
