//! Clamps setups with absurd values so that sums stay exact. Such setups do not fit any GPU either way.

use crate::arch::Arch;
use crate::setup::{Generation, Lora, Parallel, Setup};

/// Tokens of a row.
const MAX_LENGTH: u64 = 1 << 22;
/// Tokens of a forward.
const MAX_TOKENS: u64 = 1 << 28;
/// Blocks of a model that is spread.
const MAX_BLOCKS: u64 = 512;
/// GPUs of one process.
const MAX_GPUS: u64 = 128;
/// Ranks, and the rank of adapters.
const MAX_RANKS: u64 = 1 << 20;
/// Elements of a bucket.
const MAX_ELEMENTS: u64 = 1 << 46;

/// Buckets that a model is cut into at most: smaller ones differ by less than a ten-thousandth of it.
const MAX_BUCKETS: u64 = 8192;

/// The setup with every count in bounds.
pub(crate) fn clamp_setup(arch: &Arch, setup: &Setup) -> Setup {
    let sequence_length = setup.sequence_length.clamp(1, MAX_LENGTH);
    let least = (arch.parameters() / MAX_BUCKETS).clamp(1, MAX_ELEMENTS);
    let elements = |count: u64| count.clamp(least, MAX_ELEMENTS);
    let p = &setup.parallel;
    Setup {
        micro_batch: setup.micro_batch.clamp(1, MAX_TOKENS / sequence_length),
        sequence_length,
        prompt_length: setup.prompt_length.min(sequence_length - 1),
        lora: setup.lora.as_ref().map(|lora| Lora { r: lora.r.clamp(1, MAX_RANKS), ..lora.clone() }),
        generation: setup.generation.map(|round| {
            let (prompt, completion) = (round.prompt.min(MAX_LENGTH), round.completion.min(MAX_LENGTH));
            let sequences = round.sequences.min(MAX_TOKENS / (prompt + completion).max(1));
            Generation { sequences, prompt, completion, ..round }
        }),
        model_gpus: if arch.layers() > MAX_BLOCKS { 1 } else { setup.model_gpus.clamp(1, MAX_GPUS) },
        parallel: Parallel {
            world: p.world.clamp(1, MAX_RANKS),
            local: p.local.clamp(1, MAX_RANKS),
            reduce_bucket: elements(p.reduce_bucket),
            allgather_bucket: elements(p.allgather_bucket),
            prefetch_bucket: p.prefetch_bucket.min(MAX_ELEMENTS),
            max_live: p.max_live.min(MAX_ELEMENTS),
            persistence: p.persistence.min(MAX_ELEMENTS),
            sub_group: elements(p.sub_group),
            ddp_bucket: elements(p.ddp_bucket),
            ..p.clone()
        },
        ..setup.clone()
    }
}
