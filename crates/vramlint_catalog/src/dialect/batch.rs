//! How each framework multiplies, as data.

use super::Dialect;
use crate::Concept::{self, GradientAccumulationSteps, MicroBatch, NumGenerations, StepsPerGeneration, WorldSize};

/// The arithmetic of a framework.
#[derive(Clone, Copy, Debug)]
pub struct BatchArithmetic {
    /// The rows of an optimizer step are the product of these.
    pub step: &'static [Concept],
    /// The completions of a round of generation are the product of these; empty where nothing is generated or it is stated.
    pub generation: &'static [Concept],
    /// The tasks under which the micro batch counts completions, so that the prompts are its product divided by the number of
    /// generations.
    pub completions_for: &'static [&'static str],
    /// Keys whose number is already the whole of an optimizer step.
    pub whole: &'static [&'static str],
    /// The key that, when true, makes the loader's batch the whole of a micro-step over all processes.
    pub split: Option<&'static str>,
    /// How accumulation comes about where it is not stated, if it is no plain default.
    pub accumulation: Option<&'static str>,
    /// Version and file.
    pub source: &'static str,
}

const STEP: &[Concept] = &[MicroBatch, WorldSize, GradientAccumulationSteps];

const HF: BatchArithmetic = BatchArithmetic {
    step: STEP,
    generation: &[],
    completions_for: &[],
    whole: &[],
    split: Some("accelerator_config.split_batches"),
    accumulation: None,
    source: "transformers 5.23.0 transformers/training_args.py:1653",
};

static HF_TRAINER: BatchArithmetic = HF;

static TRL: BatchArithmetic = BatchArithmetic {
    generation: &[MicroBatch, WorldSize, StepsPerGeneration],
    completions_for: &["grpo", "rloo"],
    source: "trl 1.16.0 trainer/grpo_config.py",
    ..HF
};

static LLAMA_FACTORY: BatchArithmetic =
    BatchArithmetic { source: "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/parser.py", ..HF };

static AXOLOTL: BatchArithmetic = BatchArithmetic {
    generation: &[MicroBatch, WorldSize, StepsPerGeneration],
    completions_for: &["grpo"],
    split: None,
    accumulation: Some("batch_size // micro_batch_size"),
    source: "axolotl 0.18.0 src/axolotl/utils/config/__init__.py:202",
    ..HF
};

static MS_SWIFT: BatchArithmetic = BatchArithmetic {
    generation: &[MicroBatch, WorldSize, StepsPerGeneration],
    completions_for: &["grpo"],
    accumulation: Some("max(1, ceil(16 / micro_batch / world_size))"),
    source: "ms-swift 4.6.0.dev0 swift/trainers/arguments.py:285",
    ..HF
};

static TORCHTUNE: BatchArithmetic =
    BatchArithmetic { split: None, source: "torchtune 0.7.0 recipes/full_finetune_distributed.py", ..HF };

static OPEN_RLHF: BatchArithmetic = BatchArithmetic {
    generation: &[NumGenerations],
    whole: &["train.batch_size", "train_batch_size"],
    split: None,
    accumulation: Some("train_batch_size // micro_batch // world_size"),
    source: "OpenRLHF 0.11.0 openrlhf/utils/deepspeed/deepspeed.py:110",
    ..HF
};

static LIGHTNING: BatchArithmetic = BatchArithmetic { split: None, source: "pytorch-lightning 2.6.6 trainer/trainer.py", ..HF };

static ACCELERATE: BatchArithmetic =
    BatchArithmetic { split: Some("split_batches"), source: "accelerate 1.15.0 accelerate/accelerator.py:2188", ..HF };

static DEEPSPEED: BatchArithmetic = BatchArithmetic {
    whole: &["train_batch_size"],
    split: None,
    accumulation: Some("train_batch_size // micro_batch // world_size"),
    source: "deepspeed 0.19.8 deepspeed/runtime/config.py:588-655",
    ..HF
};

/// How `dialect` multiplies. Only data-parallel processes count as world: tensor, context and sequence parallel ranks share rows.
pub fn batch_formula(dialect: Dialect) -> &'static BatchArithmetic {
    match dialect {
        Dialect::HfTrainer => &HF_TRAINER,
        Dialect::Trl | Dialect::Unsloth => &TRL,
        Dialect::LlamaFactory => &LLAMA_FACTORY,
        Dialect::Axolotl => &AXOLOTL,
        Dialect::MsSwift => &MS_SWIFT,
        Dialect::Torchtune => &TORCHTUNE,
        Dialect::OpenRlhf => &OPEN_RLHF,
        Dialect::Lightning => &LIGHTNING,
        Dialect::DeepSpeed => &DEEPSPEED,
        Dialect::Accelerate | Dialect::Plain => &ACCELERATE,
    }
}
