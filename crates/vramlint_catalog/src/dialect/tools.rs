//! The keys of the tools: exact, with their nesting.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::value::Form::{self, *};
use super::{Concept, Dialect, memory};
use crate::Concept as C;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A key of a tool: its path with dots, what it sets, how its value is read.
pub(super) type Row = (&'static str, Concept, Form);

/// The row of this path in the dialect's vocabulary.
pub(super) fn row(dialect: Dialect, path: &str) -> Option<&'static Row> {
    TABLES.get(&dialect)?.get(path).copied()
}

/// Whether the dialect's vocabulary has this path.
pub(super) fn knows(dialect: Dialect, path: &str) -> bool {
    row(dialect, path).is_some() || also(dialect, path).next().is_some()
}

/// What this path says of a second concept: one key may speak of several things.
pub(super) fn also(dialect: Dialect, path: &str) -> impl Iterator<Item = &'static Row> {
    memory::also(dialect).iter().filter(move |row| row.0 == path)
}

type Table = HashMap<&'static str, &'static Row>;

static TABLES: LazyLock<HashMap<Dialect, Table>> = LazyLock::new(|| {
    // Later lists overrule earlier ones.
    let lists: [(Dialect, &[&'static [Row]]); 11] = [
        (Dialect::HfTrainer, &[ARGUMENTS, LOADING, memory::ARGUMENTS, memory::LOADING]),
        (Dialect::Trl, &[ARGUMENTS, LOADING, TRL, memory::ARGUMENTS, memory::LOADING, memory::TRL]),
        (Dialect::LlamaFactory, &[ARGUMENTS, LLAMA_FACTORY, memory::ARGUMENTS, memory::LLAMA_FACTORY]),
        (Dialect::Axolotl, &[AXOLOTL, memory::AXOLOTL]),
        (Dialect::MsSwift, &[ARGUMENTS, MS_SWIFT, memory::ARGUMENTS, memory::MS_SWIFT]),
        (Dialect::Torchtune, &[TORCHTUNE, memory::TORCHTUNE]),
        (Dialect::OpenRlhf, &[OPEN_RLHF, memory::OPEN_RLHF]),
        (Dialect::Unsloth, &[ARGUMENTS, LOADING, TRL, UNSLOTH, memory::ARGUMENTS, memory::LOADING, memory::TRL, memory::UNSLOTH]),
        (Dialect::Lightning, &[LIGHTNING, memory::LIGHTNING]),
        (Dialect::Accelerate, &[ACCELERATE, memory::ACCELERATE]),
        (Dialect::DeepSpeed, &[DEEPSPEED, memory::DEEPSPEED]),
    ];
    let table = |parts: &[&'static [Row]]| parts.iter().flat_map(|part| part.iter()).map(|row| (row.0, row)).collect();
    lists.iter().map(|(dialect, parts)| (*dialect, table(parts))).collect()
});

/// transformers 5.23.0 training_args.py, with the names that earlier versions had.
const ARGUMENTS: &[Row] = &[
    ("per_device_train_batch_size", C::MicroBatch, Given),
    ("per_gpu_train_batch_size", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("num_train_epochs", C::Epochs, Given),
    ("max_steps", C::MaxSteps, Positive),
    ("learning_rate", C::LearningRate, Given),
    ("optim", C::Optimizer, Given),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("gradient_checkpointing", C::GradientCheckpointing, Checkpointing),
    ("activation_checkpointing", C::GradientCheckpointing, Checkpointing),
    ("dataloader_num_workers", C::DataloaderWorkers, Given),
];

/// `from_pretrained` of transformers 5.23.0, `BitsAndBytesConfig`, peft 0.21.2 `LoraConfig`.
const LOADING: &[Row] = &[
    ("pretrained_model_name_or_path", C::Model, Name),
    ("model_name_or_path", C::Model, Name),
    ("dtype", C::WeightsDtype, Dtype),
    ("torch_dtype", C::WeightsDtype, Dtype),
    ("attn_implementation", C::Attention, Attention),
    ("use_flash_attention_2", C::Attention, Switch("flash_attention_2")),
    ("device_map", C::DeviceMap, Given),
    ("load_in_4bit", C::Quantization, Switch("fp4")),
    ("load_in_8bit", C::Quantization, Switch("int8")),
    ("quantization_config.load_in_4bit", C::Quantization, Switch("fp4")),
    ("quantization_config.load_in_8bit", C::Quantization, Switch("int8")),
    ("r", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("target_modules", C::LoraTargets, Names),
    ("peft_config.r", C::LoraR, Given),
    ("peft_config.lora_alpha", C::LoraAlpha, Given),
    ("peft_config.target_modules", C::LoraTargets, Names),
    ("lora_config.r", C::LoraR, Given),
    ("lora_config.lora_alpha", C::LoraAlpha, Given),
    ("lora_config.target_modules", C::LoraTargets, Names),
];

/// trl 1.16.0 trainer/*_config.py, trainer/model_config.py, with the names that earlier versions had.
const TRL: &[Row] = &[
    ("max_length", C::SequenceLength, GivenOrNull),
    ("max_seq_length", C::SequenceLength, GivenOrNull),
    ("packing", C::Packing, Truth),
    ("num_generations", C::NumGenerations, Given),
    ("rloo_k", C::NumGenerations, Given),
    ("steps_per_generation", C::StepsPerGeneration, Given),
    ("generation_batch_size", C::GenerationBatch, Given),
    ("max_completion_length", C::MaxCompletionLength, GivenOrNull),
    ("response_length", C::MaxCompletionLength, Given),
    ("max_prompt_length", C::MaxPromptLength, GivenOrNull),
    ("model", C::Model, Name),
    ("model_init_kwargs.dtype", C::WeightsDtype, Dtype),
    ("model_init_kwargs.torch_dtype", C::WeightsDtype, Dtype),
    ("model_init_kwargs.attn_implementation", C::Attention, Attention),
    ("model_init_kwargs.device_map", C::DeviceMap, Given),
    ("use_peft", C::Method, Either("lora", "full")),
    ("lora_r", C::LoraR, Given),
    ("lora_target_modules", C::LoraTargets, Names),
    ("load_in_4bit", C::Quantization, Switch("nf4")),
    ("ref_model", C::ReferenceModel, Name),
    ("ref_model_name_or_path", C::ReferenceModel, Name),
    ("reward_model_path", C::RewardModel, Name),
    ("reward_model_name_or_path", C::RewardModel, Name),
];

/// LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/*_args.py.
const LLAMA_FACTORY: &[Row] = &[
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
    ("NPROC_PER_NODE", C::NumProcesses, Given),
    ("NNODES", C::NumMachines, Given),
];

/// Axolotl 0.18.0 src/axolotl/utils/schemas/*.py; its 4 bits are nf4 with nested constants (loaders/model.py).
/// `batch_size` is micro batch times accumulation, before the processes: no concept.
const AXOLOTL: &[Row] = &[
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

/// ms-swift 4.6.0.dev0 swift/arguments/**; its 4 bits are nf4 with nested constants.
const MS_SWIFT: &[Row] = &[
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
    ("num_generations", C::NumGenerations, Given),
    ("steps_per_generation", C::StepsPerGeneration, Given),
    ("generation_batch_size", C::GenerationBatch, Given),
    ("max_completion_length", C::MaxCompletionLength, Given),
    ("ref_model", C::ReferenceModel, Name),
    ("reward_model", C::RewardModel, Names),
    ("NPROC_PER_NODE", C::NumProcesses, Given),
    ("NNODES", C::NumMachines, Given),
];

/// torchtune 0.7.0 recipes/configs and recipes/*.py.
const TORCHTUNE: &[Row] = &[
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

/// OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py and train_sft.py, then the spellings before the dotted command line.
/// `rollout.batch_size` counts prompts of a round that may serve several steps: no concept.
const OPEN_RLHF: &[Row] = &[
    ("train.micro_batch_size", C::MicroBatch, Given),
    ("micro_train_batch_size", C::MicroBatch, Given),
    ("train.batch_size", C::EffectiveBatch, Given),
    ("train_batch_size", C::EffectiveBatch, Given),
    ("train.max_epochs", C::Epochs, Given),
    ("max_epochs", C::Epochs, Given),
    ("data.max_len", C::SequenceLength, Given),
    ("max_len", C::SequenceLength, Given),
    ("prompt_max_len", C::MaxPromptLength, Given),
    ("rollout.max_new_tokens", C::MaxCompletionLength, Given),
    ("generate_max_len", C::MaxCompletionLength, Given),
    ("rollout.n_samples_per_prompt", C::NumGenerations, Given),
    ("n_samples_per_prompt", C::NumGenerations, Given),
    ("ds.zero_stage", C::ZeroStage, Given),
    ("zero_stage", C::ZeroStage, Given),
    ("ds.param_dtype", C::MixedPrecision, Precision),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("ds.adam_offload", C::OffloadOptimizer, Switch("cpu")),
    ("adam_offload", C::OffloadOptimizer, Switch("cpu")),
    ("ds.load_in_4bit", C::Quantization, Switch("nf4-double")),
    ("load_in_4bit", C::Quantization, Switch("nf4-double")),
    ("ds.lora.rank", C::LoraR, Given),
    ("lora_rank", C::LoraR, Given),
    ("ds.lora.alpha", C::LoraAlpha, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("ds.lora.target_modules", C::LoraTargets, Names),
    ("target_modules", C::LoraTargets, Names),
    ("ds.attn_implementation", C::Attention, Attention),
    ("attn_implementation", C::Attention, Attention),
    ("flash_attn", C::Attention, Switch("flash_attention_2")),
    ("ds.packing_samples", C::Packing, Truth),
    ("packing_samples", C::Packing, Truth),
    ("actor.optim", C::Optimizer, Given),
    ("actor.adam.lr", C::LearningRate, Given),
    ("adam.lr", C::LearningRate, Given),
    ("actor_learning_rate", C::LearningRate, Given),
    ("learning_rate", C::LearningRate, Given),
    ("actor.gradient_checkpointing_enable", C::GradientCheckpointing, Truth),
    ("model.gradient_checkpointing_enable", C::GradientCheckpointing, Truth),
    ("gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("actor.model_name_or_path", C::Model, Name),
    ("model.model_name_or_path", C::Model, Name),
    ("pretrain", C::Model, Name),
    ("reward.model_name_or_path", C::RewardModel, Name),
    ("reward_pretrain", C::RewardModel, Name),
    ("actor.num_nodes", C::NumMachines, Given),
    ("actor_num_nodes", C::NumMachines, Given),
];

/// unsloth 2026.8.19 models/loader.py and llama.py; its 4 bits are nf4 with nested constants.
const UNSLOTH: &[Row] = &[
    ("model_name", C::Model, Name),
    ("max_seq_length", C::SequenceLength, Given),
    ("load_in_4bit", C::Quantization, Either("nf4-double", "none")),
    ("full_finetuning", C::Method, Switch("full")),
    ("use_gradient_checkpointing", C::GradientCheckpointing, Checkpointing),
];

/// pytorch-lightning 2.6.6 trainer/trainer.py, and how LightningCLI nests it.
const LIGHTNING: &[Row] = &[
    ("accumulate_grad_batches", C::GradientAccumulationSteps, Given),
    ("trainer.accumulate_grad_batches", C::GradientAccumulationSteps, Given),
    ("precision", C::MixedPrecision, Precision),
    ("trainer.precision", C::MixedPrecision, Precision),
    ("devices", C::NumProcesses, Devices),
    ("trainer.devices", C::NumProcesses, Devices),
    ("num_nodes", C::NumMachines, Given),
    ("trainer.num_nodes", C::NumMachines, Given),
    ("max_epochs", C::Epochs, Positive),
    ("trainer.max_epochs", C::Epochs, Positive),
    ("max_steps", C::MaxSteps, Positive),
    ("trainer.max_steps", C::MaxSteps, Positive),
    ("strategy", C::ZeroStage, PresetStage),
    ("trainer.strategy", C::ZeroStage, PresetStage),
    ("data.batch_size", C::MicroBatch, Given),
    ("data.init_args.batch_size", C::MicroBatch, Given),
    ("data.num_workers", C::DataloaderWorkers, Given),
    ("data.init_args.num_workers", C::DataloaderWorkers, Given),
    ("DataLoader.batch_size", C::MicroBatch, Given),
    ("DataLoader.num_workers", C::DataloaderWorkers, Given),
];

/// accelerate 1.15.0 commands/config/config_args.py and commands/launch.py.
const ACCELERATE: &[Row] = &[
    ("distributed_type", C::DistributedType, DistributedType),
    ("num_processes", C::NumProcesses, Given),
    ("num_machines", C::NumMachines, Given),
    ("gpu_ids", C::GpuIds, Given),
    ("mixed_precision", C::MixedPrecision, AcceleratePrecision),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("deepspeed_config.zero_stage", C::ZeroStage, Given),
    ("deepspeed_config.offload_optimizer_device", C::OffloadOptimizer, Given),
    ("deepspeed_config.offload_param_device", C::OffloadParam, Given),
    ("deepspeed_config.gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
];

/// deepspeed 0.19.8. `auto` stays: whoever reads the JSON replaces it.
const DEEPSPEED: &[Row] = &[
    ("train_micro_batch_size_per_gpu", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("train_batch_size", C::EffectiveBatch, Given),
    ("zero_optimization", C::ZeroStage, TruthStage),
    ("zero_optimization.stage", C::ZeroStage, Given),
    ("zero_optimization.offload_optimizer.device", C::OffloadOptimizer, Given),
    ("zero_optimization.offload_param.device", C::OffloadParam, Given),
    ("zero_optimization.cpu_offload", C::OffloadOptimizer, Switch("cpu")),
    ("zero_optimization.cpu_offload_param", C::OffloadParam, Switch("cpu")),
    ("bf16.enabled", C::MixedPrecision, Switch("bf16")),
    ("bfloat16.enabled", C::MixedPrecision, Switch("bf16")),
    ("fp16.enabled", C::MixedPrecision, Switch("fp16")),
    ("optimizer.type", C::Optimizer, Given),
    ("optimizer.params.lr", C::LearningRate, Given),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_list_holds_a_key_twice() {
        let lists = [
            ARGUMENTS,
            LOADING,
            TRL,
            LLAMA_FACTORY,
            AXOLOTL,
            MS_SWIFT,
            TORCHTUNE,
            OPEN_RLHF,
            UNSLOTH,
            LIGHTNING,
            ACCELERATE,
            DEEPSPEED,
            memory::ARGUMENTS,
            memory::LOADING,
            memory::TRL,
            memory::LLAMA_FACTORY,
            memory::AXOLOTL,
            memory::MS_SWIFT,
            memory::TORCHTUNE,
            memory::OPEN_RLHF,
            memory::UNSLOTH,
            memory::LIGHTNING,
            memory::ACCELERATE,
            memory::DEEPSPEED,
        ];
        for list in lists {
            let mut paths: Vec<_> = list.iter().map(|row| row.0).collect();
            paths.sort_unstable();
            assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
        }
    }

    #[test]
    fn keys_of_accelerate_and_deepspeed_exist() {
        for (path, ..) in ACCELERATE.iter().chain(memory::ACCELERATE) {
            assert!(crate::keys::find(crate::keys::accelerate(), path).is_some(), "{path}");
        }
        for (path, ..) in DEEPSPEED.iter().chain(memory::DEEPSPEED) {
            let known = crate::keys::find(crate::keys::deepspeed(), path).is_some();
            assert!(known || path.starts_with("bfloat16."), "{path}");
        }
    }
}
