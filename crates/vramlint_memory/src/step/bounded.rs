//! Setups whose numbers no machine has: brought to where sums stay exact. What they ask for fits nowhere either way.

use crate::arch::Arch;
use crate::setup::{Generation, Lora, Parallel, Setup};

/// Tokens of a row.
const LENGTH: u64 = 1 << 22;
/// Tokens of a forward.
const TOKENS: u64 = 1 << 28;
/// Ranks, and the rank of adapters.
const RANKS: u64 = 1 << 20;
/// Elements of a bucket.
const ELEMENTS: u64 = 1 << 46;

/// Buckets that a model is cut into at most: smaller ones differ by less than a ten-thousandth of it.
const BUCKETS: u64 = 8192;

/// The setup with every count in bounds.
pub(crate) fn bounded(arch: &Arch, setup: &Setup) -> Setup {
    let sequence_length = setup.sequence_length.clamp(1, LENGTH);
    let least = (arch.parameters() / BUCKETS).clamp(1, ELEMENTS);
    let elements = |count: u64| count.clamp(least, ELEMENTS);
    let p = &setup.parallel;
    Setup {
        micro_batch: setup.micro_batch.clamp(1, TOKENS / sequence_length),
        sequence_length,
        prompt_length: setup.prompt_length.min(sequence_length - 1),
        lora: setup.lora.as_ref().map(|lora| Lora { r: lora.r.clamp(1, RANKS), ..lora.clone() }),
        generation: setup.generation.map(|round| {
            let (prompt, completion) = (round.prompt.min(LENGTH), round.completion.min(LENGTH));
            let sequences = round.sequences.min(TOKENS / (prompt + completion).max(1));
            Generation { sequences, prompt, completion, ..round }
        }),
        parallel: Parallel {
            world: p.world.clamp(1, RANKS),
            local: p.local.clamp(1, RANKS),
            reduce_bucket: elements(p.reduce_bucket),
            allgather_bucket: elements(p.allgather_bucket),
            prefetch_bucket: p.prefetch_bucket.min(ELEMENTS),
            max_live: p.max_live.min(ELEMENTS),
            persistence: p.persistence.min(ELEMENTS),
            sub_group: elements(p.sub_group),
            ddp_bucket: elements(p.ddp_bucket),
            ..p.clone()
        },
        ..setup.clone()
    }
}
