//! What people call things.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use crate::Concept as C;
use crate::dialect::value::Form::{self, *};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What must be true of the blocks around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// No block that speaks of something else.
    Any,
    /// Only blocks that speak of training: the name alone is too common.
    Training,
    /// A block of adapters.
    Adapters,
    /// A block of the optimizer.
    Optimizer,
    /// A block of a model.
    Model,
    /// A stage or a block of reinforcement learning.
    Rollouts,
}

use Around::{Adapters, Any, Model, Optimizer, Rollouts, Training};

/// Names for one thing.
pub(super) struct Phrase {
    /// In canonical words, joined by commas.
    names: &'static str,
    pub(super) concept: C,
    pub(super) form: Form,
    pub(super) around: Around,
}

const fn say(names: &'static str, concept: C, form: Form, around: Around) -> Phrase {
    Phrase { names, concept, form, around }
}

const ROWS: Form = Count(1, 4096);
const ALL_ROWS: Form = Count(1, 1 << 30);
/// Whoever pretrains counts a batch in tokens: from this size on it is no longer clear.
const SAMPLES: Form = Count(1, 16_383);
const TOKENS: Form = Count(16, 10_000_000);
const NEW_TOKENS: Form = Count(1, 131_072);
const GROUP: Form = Count(1, 256);
const RANK: Form = Count(0, 1024);
const ALPHA: Form = Number(0.0, 65_536.0);
const RATE: Form = Number(1e-9, 10.0);
const PROCESSES: Form = Count(1, 65_536);

#[rustfmt::skip] // a table
const PHRASES: &[Phrase] = &[
    say("batch size, mini batch size, mini batch", C::MicroBatch, ROWS, Training),
    say("micro batch size, micro batch, per device batch size, per gpu batch size, batch size per gpu, batch size per device, \
         micro batch size per gpu, micro batch size per device, device batch size", C::MicroBatch, ROWS, Any),
    say("global batch size, total batch size, effective batch size, effective batch, global batch", C::EffectiveBatch, SAMPLES, Any),
    say("gradient accumulation steps, gradient accumulation, gradient accumulation batches, accumulation gradient batches, \
         accumulation steps, accumulation batches, num accumulation steps", C::GradientAccumulationSteps, ROWS, Any),
    say("ga, ga steps, accumulation, update freq", C::GradientAccumulationSteps, ROWS, Training),
    say("max seq length, cutoff length, seq max length, max context length", C::SequenceLength, TOKENS, Any),
    say("max length, seq length, block size, context length, context size, context window", C::SequenceLength, TOKENS, Training),
    say("max new tokens, max completion length, max completion tokens, max gen length, max gen tokens, max generation length, \
         max response length, max response tokens, max output length, max output tokens", C::MaxCompletionLength, NEW_TOKENS, Any),
    say("max tokens, response length, completion length", C::MaxCompletionLength, NEW_TOKENS, Training),
    say("max prompt length, max prompt tokens, prompt max length", C::MaxPromptLength, NEW_TOKENS, Any),
    say("k rollouts, rollouts per prompt, num generations, n generations, k generations, generations per prompt, \
         completions per prompt, samples per prompt, n samples per prompt, num samples per prompt", C::NumGenerations, GROUP, Any),
    // Also the size of a data set, of a block of quantized weights, of trlx's whole round.
    say("n samples, num return sequences, group size, best of, num rollouts, n rollouts", C::NumGenerations, GROUP, Training),
    say("k, n, num samples, k samples, n samples, group size, num rollouts", C::NumGenerations, GROUP, Rollouts),
    say("steps per generation", C::StepsPerGeneration, ROWS, Any),
    say("generation batch size", C::GenerationBatch, ALL_ROWS, Any),
    say("lora r, lora rank, qlora r, qlora rank, peft r, peft rank", C::LoraR, RANK, Any),
    say("r, rank", C::LoraR, RANK, Adapters),
    say("lora alpha, qlora alpha, peft alpha", C::LoraAlpha, ALPHA, Any),
    say("alpha", C::LoraAlpha, ALPHA, Adapters),
    say("lora target modules, lora targets, lora target, lora modules, target modules", C::LoraTargets, Names, Any),
    say("targets", C::LoraTargets, Names, Adapters),
    say("use lora, lora use, is lora, enable lora, use peft, peft use, peft, lora", C::Method, Either("lora", "full"), Any),
    say("use, enable", C::Method, Either("lora", "full"), Adapters),
    say("use qlora, qlora, qlora use, enable qlora", C::Method, Switch("qlora"), Any),
    say("train mode, tuning type, tuning method, tuning mode, train type, train method, tuner type", C::Method, KnownMethod, Any),
    say("load in 4bit, load 4bit, use 4bit, 4bit", C::Quantization, Switch("nf4"), Any),
    say("load in 8bit, load 8bit, use 8bit, 8bit, int8, use int8", C::Quantization, Switch("int8"), Any),
    say("quantization, use quantization, quantization type, quantization bits, load in bits", C::Quantization, Quantization, Any),
    say("is quantization, enable quantization", C::Quantization, OffOnly("none"), Any),
    say("bits", C::Quantization, Bits("nf4"), Training),
    say("mixed precision, amp dtype", C::MixedPrecision, Precision, Any),
    say("precision, amp, use amp, half, use half, use mixed precision", C::MixedPrecision, Precision, Training),
    say("bf16, use bf16", C::MixedPrecision, Switch("bf16"), Any),
    say("fp16, use fp16", C::MixedPrecision, Switch("fp16"), Any),
    say("fp8, use fp8", C::MixedPrecision, Switch("fp8"), Any),
    say("torch dtype", C::WeightsDtype, Dtype, Any),
    say("dtype, model dtype, weights dtype, load dtype", C::WeightsDtype, Dtype, Training),
    say("learning rate, base learning rate", C::LearningRate, RATE, Training),
    say("num epochs, n epochs, max epochs, epochs", C::Epochs, Number(1e-6, 100_000.0), Training),
    say("max steps, total steps, train steps, num train steps", C::MaxSteps, Count(1, 1 << 40), Training),
    say("num gpus, n gpus, n gpu, num gpu, gpu count, gpus count, nproc per node, num processes", C::NumProcesses, PROCESSES, Any),
    say("gpus, num devices, n devices", C::NumProcesses, PROCESSES, Training),
    say("world size", C::WorldSize, PROCESSES, Any),
    say("num nodes, n nodes, num machines", C::NumMachines, PROCESSES, Any),
    say("gpu ids, gpu id", C::GpuIds, Given, Any),
    say("cuda visible devices", C::VisibleDevices, Given, Any),
    say("device map", C::DeviceMap, Given, Any),
    say("model name or path, model name path, base model, base model name, base model path, base model id, \
         base model name or path, pretrained model, pretrained model name, pretrained model path, pretrained model name or path, \
         pretrained name or path, llm name, llm path, llm id, llm model, llm model name, llm name or path", C::Model, Name, Any),
    say("model, llm, pretrained, model name, model id, model path", C::Model, Name, Training),
    say("name, path, id, name or path, base", C::Model, Name, Model),
    say("optimizer, optimizer name, optimizer type", C::Optimizer, Name, Training),
    say("name, type", C::Optimizer, Name, Optimizer),
    say("use 8bit adam, 8bit adam, adam 8bit", C::Optimizer, Switch("adamw_8bit"), Any),
    // `enable_checkpointing` saves files in Lightning.
    say("gradient checkpointing, use gradient checkpointing, enable gradient checkpointing, gradient checkpoint, \
         use gradient checkpoint, activation checkpointing, use activation checkpointing, enable activation checkpointing",
        C::GradientCheckpointing, OnlyTruth, Any),
    say("checkpointing, use checkpoint, use checkpointing", C::GradientCheckpointing, OnlyTruth, Training),
    say("flash attention, use flash attention, enable flash attention, flash attention 2, use flash attention 2, \
         attention implementation", C::Attention, Attention, Any),
    say("use packing, packing, sample packing, use sample packing, enable packing", C::Packing, OnlyTruth, Any),
    say("pack", C::Packing, OnlyTruth, Training),
    say("zero stage, deepspeed stage, deepspeed zero stage", C::ZeroStage, Count(0, 3), Any),
    say("offload optimizer device", C::OffloadOptimizer, Name, Any),
    say("offload param device", C::OffloadParam, Name, Any),
    say("num workers, n workers, dataloader workers, dataloader num workers", C::DataloaderWorkers, Count(0, 1024), Training),
    say("task", C::Task, KnownTask, Training),
    say("reference model, reference model path, reference model name, reference model name or path, reference model id",
        C::ReferenceModel, Name, Any),
    say("sft model, sft model path, sft model name", C::ReferenceModel, Name, Any),
    say("reward model, reward model path, reward model name, reward model name or path, reward model id, rm, rm path, rm name, \
         rm model, judge model, judge model name, judge model path", C::RewardModel, Names, Any),
];

/// Phrase to what it may mean: in other surroundings it may mean another thing.
static INDEX: LazyLock<HashMap<&'static str, Vec<&'static Phrase>>> = LazyLock::new(|| {
    let mut index: HashMap<_, Vec<_>> = HashMap::new();
    for phrase in PHRASES {
        for name in phrase.names.split(", ") {
            index.entry(name).or_default().push(phrase);
        }
    }
    index
});

/// What the words, joined by spaces, may mean.
pub(super) fn find(name: &str) -> Option<&'static [&'static Phrase]> {
    INDEX.get(name).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::words::words;

    #[test]
    fn phrases_are_made_of_known_words() {
        for name in INDEX.keys() {
            let found = words(&name.replace(' ', "_")).map(|found| found.join(" "));
            assert_eq!(found.as_deref(), Some(*name), "can never match");
        }
    }

    #[test]
    fn a_phrase_means_one_thing_in_one_place() {
        for (name, phrases) in INDEX.iter() {
            let mut around: Vec<_> = phrases.iter().map(|phrase| phrase.around as u8).collect();
            around.sort_unstable();
            around.dedup();
            assert_eq!(around.len(), phrases.len(), "{name}");
        }
    }
}
