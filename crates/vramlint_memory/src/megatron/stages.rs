//! Stages of the pipeline: which blocks they hold, and how many micro-batches are in flight in each.

use crate::arch::{Arch, Layer};
use crate::setup::Megatron;

/// A stage.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// Its blocks, part by part: those of a part follow one another in the model.
    pub(super) parts: Vec<Vec<Layer>>,
    /// Whether it holds the table of tokens.
    pub(super) is_first: bool,
    /// Whether it computes the loss.
    pub(super) is_last: bool,
    /// Parts of micro-batches that wait for their backward at the worst moment.
    pub(super) in_flight: u64,
}

/// Stages beyond which a pipeline is not looked at one by one.
const MAX_STAGES: u64 = 1024;
/// The same for parts of a stage.
const MAX_CHUNKS: u64 = 64;

/// All stages of a model. `micro_batches` are those of a step.
pub(super) fn stages(arch: &Arch, own: &Megatron, micro_batches: u64) -> Vec<Stage> {
    let blocks: Vec<Layer> = arch.layers.iter().flat_map(|(layer, times)| (0..*times).map(|_| *layer)).collect();
    let count = own.pipeline.clamp(1, MAX_STAGES);
    let chunks = own.chunks.clamp(1, MAX_CHUNKS);
    let sizes = sizes(blocks.len() as u64, own, count * chunks);
    let mut rest = blocks.into_iter();
    // Part after part goes to stage after stage.
    let mut parts: Vec<Vec<Layer>> =
        sizes.iter().map(|size| rest.by_ref().take(usize::try_from(*size).unwrap_or(usize::MAX)).collect()).collect();
    let further = (0..own.further_tokens).filter_map(|_| parts.last()?.last().copied()).collect::<Vec<_>>();
    if let Some(last) = parts.last_mut() {
        last.extend(further);
    }
    (0..count)
        .map(|number| Stage {
            parts: (0..chunks).filter_map(|chunk| parts.get(usize::try_from(chunk * count + number).ok()?).cloned()).collect(),
            is_first: number == 0,
            is_last: number + 1 == count,
            in_flight: in_flight(number, count, chunks, micro_batches.max(1)),
        })
        .collect()
}

/// Blocks of each part.
fn sizes(blocks: u64, own: &Megatron, parts: u64) -> Vec<u64> {
    let (first, last) = (own.first_stage.filter(|_| parts > 1), own.last_stage.filter(|_| parts > 1));
    let of_others = parts - u64::from(first.is_some()) - u64::from(last.is_some());
    let even = blocks.saturating_sub(first.unwrap_or(0) + last.unwrap_or(0)).div_ceil(of_others.max(1));
    (0..parts)
        .map(|part| match part {
            0 => first.unwrap_or(even),
            _ if part + 1 == parts => last.unwrap_or(even),
            _ => even,
        })
        .collect()
}

/// Parts of micro-batches that a stage has begun and not finished (`pipeline_parallel/schedules.py`: one forward, one backward; with
/// several parts `(stages - stage - 1) × 2 + (parts - 1) × stages` before the first backward).
fn in_flight(stage: u64, stages: u64, chunks: u64, micro_batches: u64) -> u64 {
    let behind = stages - stage - 1;
    let begun = if chunks == 1 { behind } else { 2 * behind + (chunks - 1) * stages };
    (begun + 1).min(micro_batches.saturating_mul(chunks))
}
