//! What can change, each in steps: a later step needs less memory than the one before.

use super::Subject;
use crate::repairs::change::offered_head;
use crate::repairs::{Change, divisors};
use vramlint_memory::Setup;
use vramlint_memory::setup::{Attention, Checkpointing, Offload, Optimizer, Platform, Quantization, Reference, Scheme, Task};

/// One thing that can change.
pub(super) struct Move {
    /// The steps, the smallest change first.
    pub(super) steps: Vec<Change>,
}

/// Everything that may change, in the order in which it applies.
pub(super) fn moves(subject: &Subject<'_>) -> Vec<Move> {
    let setup = &subject.of.setup;
    let all = [
        batch(setup),
        one(setup.checkpointing == Checkpointing::None, Change::Checkpointing),
        offered_head(subject.of).map(Change::Loss).into_iter().collect(),
        one(setup.attention == Attention::Eager, Change::Attention(Attention::Sdpa)),
        one(!setup.expandable_segments && setup.platform == Platform::Linux, Change::ExpandableSegments),
        one(setup.reference == Reference::Copy && setup.lora.is_some(), Change::ReferenceByAdapter),
        evaluation(setup),
        optimizer(setup),
        schemes(setup),
        one(true, Change::OffloadOptimizer),
        one(true, Change::OffloadParameters),
        adapters(setup),
        ranks(setup),
        lengths(setup),
        completions(setup),
    ];
    let allowed = |change: &Change| !settings(*change).iter().any(|name| subject.options.keep.iter().any(|kept| kept == name));
    all.into_iter()
        .map(|steps: Vec<Change>| Move { steps: steps.into_iter().filter(allowed).collect() })
        .filter(|own| !own.steps.is_empty())
        .collect()
}

/// The settings that a change touches, by their names in `vramlint runs`.
pub(super) fn settings(change: Change) -> &'static [&'static str] {
    match change {
        Change::Batch { .. } => &["micro_batch", "gradient_accumulation_steps"],
        Change::Checkpointing | Change::NoCheckpointing => &["gradient_checkpointing"],
        Change::Loss(_) => &["head"],
        Change::Optimizer(_) => &["optimizer"],
        Change::Shard(_) => &["parallel"],
        Change::Rank(_) => &["lora_r"],
        Change::Adapters(Quantization::None) => &["method"],
        Change::Adapters(_) => &["quantization", "method"],
        Change::Length(_) => &["sequence_length"],
        Change::Completion(_) => &["max_completion_length"],
        Change::Attention(_) => &["attention"],
        Change::ExpandableSegments => &["expandable_segments"],
        Change::ReferenceByAdapter => &["reference_model"],
        Change::EvaluationBatch(_) => &["evaluation_batch"],
        Change::OffloadOptimizer => &["offload_optimizer"],
        Change::OffloadParameters => &["offload_param"],
    }
}

/// Whether `change` makes sense for `setup`, in which earlier changes may have been made.
pub(super) fn is_possible(change: Change, setup: &Setup) -> bool {
    let scheme = setup.parallel.scheme;
    match change {
        // DeepSpeed offloads states of sharded optimizers (ZeRO-1 and up), parameters with ZeRO-3 alone; FSDP2 offloads both at once.
        Change::OffloadOptimizer => {
            let offloads = matches!(scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3);
            let adam = matches!(setup.optimizer, Optimizer::AdamWFused | Optimizer::AdamWForeach | Optimizer::AdamWForLoop);
            offloads && adam && setup.parallel.offload_optimizer == Offload::None
        }
        Change::OffloadParameters => scheme == Scheme::Zero3 && setup.parallel.offload_param == Offload::None,
        Change::Optimizer(Optimizer::AdamWFused) => scheme == Scheme::None,
        // DeepSpeed and FSDP shard the states themselves and do not support those of bitsandbytes.
        Change::Optimizer(_) => matches!(scheme, Scheme::None | Scheme::Ddp),
        Change::Shard(_) => setup.quantization == Quantization::None && is_torch_adam(setup.optimizer),
        _ => true,
    }
}

fn is_torch_adam(optimizer: Optimizer) -> bool {
    matches!(optimizer, Optimizer::AdamWFused | Optimizer::AdamWForeach | Optimizer::AdamWForLoop)
}

fn one(applies: bool, change: Change) -> Vec<Change> {
    if applies { vec![change] } else { Vec::new() }
}

/// Smaller micro-batches with more accumulation, at the same effective batch size.
fn batch(setup: &Setup) -> Vec<Change> {
    let (rows, steps) = (setup.micro_batch, setup.accumulation);
    let smaller = divisors(rows).into_iter().rev().filter(|own| *own < rows);
    smaller.filter_map(|own| Some(Change::Batch { rows: own, accumulation: steps.checked_mul(rows / own)? })).collect()
}

/// Evaluation batches down to the micro-batch, halved each time.
fn evaluation(setup: &Setup) -> Vec<Change> {
    let Some(rows) = setup.evaluation_batch else { return Vec::new() };
    let halves = std::iter::successors(Some(rows / 2), |rows| Some(rows / 2));
    halves.take_while(|own| *own >= 1).map(Change::EvaluationBatch).collect()
}

fn optimizer(setup: &Setup) -> Vec<Change> {
    let mut steps = Vec::new();
    if matches!(setup.optimizer, Optimizer::AdamWForeach | Optimizer::AdamWForLoop) {
        steps.push(Change::Optimizer(Optimizer::AdamWFused));
    }
    if is_torch_adam(setup.optimizer) {
        steps.push(Change::Optimizer(Optimizer::AdamW8bit));
        steps.push(Change::Optimizer(Optimizer::PagedAdamW8bit));
    }
    steps
}

/// Schemes that shard more across the same ranks.
fn schemes(setup: &Setup) -> Vec<Change> {
    if setup.parallel.world < 2 {
        return Vec::new();
    }
    let schemes: &[Scheme] = match setup.parallel.scheme {
        Scheme::Ddp | Scheme::Zero1 => &[Scheme::Zero2, Scheme::Zero3],
        Scheme::Zero2 => &[Scheme::Zero3],
        _ => &[],
    };
    schemes.iter().map(|scheme| Change::Shard(*scheme)).collect()
}

/// A quantized base, and adapters where everything is trained.
fn adapters(setup: &Setup) -> Vec<Change> {
    let freezes =
        setup.freeze_base || setup.trains_prompt || setup.trained.as_ref().is_some_and(|parts| !parts.is_whole_language_model());
    if freezes || setup.quantization != Quantization::None || setup.parallel.scheme == Scheme::Megatron {
        return Vec::new();
    }
    let quantized = Change::Adapters(Quantization::FourBit { double: true });
    // A quantized base is not sharded here.
    let whole = matches!(setup.parallel.scheme, Scheme::None | Scheme::Ddp);
    let mut steps = one(setup.lora.is_none(), Change::Adapters(Quantization::None));
    steps.extend(whole.then_some(quantized));
    steps
}

/// Half the rank and less, down to 8.
fn ranks(setup: &Setup) -> Vec<Change> {
    let Some(lora) = &setup.lora else { return Vec::new() };
    std::iter::successors(Some(lora.r / 2), |rank| Some(rank / 2)).take_while(|rank| *rank >= 8).map(Change::Rank).collect()
}

/// Parts in which lengths are cut.
const LENGTH_PARTS: u64 = 8;
/// Lengths below which rows are not cut, in tokens.
const MIN_LENGTH: u64 = 128;

/// Seven eighths of the length and less.
fn lengths(setup: &Setup) -> Vec<Change> {
    if setup.task == Task::Grpo || setup.generation.is_some() {
        return Vec::new();
    }
    parts_of(setup.sequence_length).map(Change::Length).collect()
}

fn completions(setup: &Setup) -> Vec<Change> {
    setup.generation.map_or_else(Vec::new, |round| parts_of(round.completion).map(Change::Completion).collect())
}

fn parts_of(tokens: u64) -> impl Iterator<Item = u64> {
    (1..LENGTH_PARTS).rev().map(move |part| tokens / LENGTH_PARTS * part).filter(|own| *own >= MIN_LENGTH)
}
