//! Clamps setups with absurd values so that sums stay exact. Such setups do not fit any GPU either way.

use crate::arch::Arch;
use crate::estimate::Assumption;
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
/// Batches on the GPU at once.
const MAX_HELD: u64 = 1 << 12;
/// Elements of a bucket.
const MAX_ELEMENTS: u64 = 1 << 46;

/// Buckets that a model is cut into at most: smaller ones differ by less than a ten-thousandth of it.
const MAX_BUCKETS: u64 = 8192;

/// The setup with every count in bounds.
pub(crate) fn clamp_setup(arch: &Arch, setup: &Setup) -> Setup {
    // Images are as long as they are, and none is padded.
    let of_image = arch.image_tokens();
    let sequence_length = of_image.unwrap_or(setup.sequence_length).clamp(1, MAX_LENGTH);
    let least = (arch.parameters() / MAX_BUCKETS).clamp(1, MAX_ELEMENTS);
    let elements = |count: u64| count.clamp(least, MAX_ELEMENTS);
    let p = &setup.parallel;
    let most_rows = MAX_TOKENS / sequence_length;
    let micro_batch = setup.micro_batch.clamp(1, most_rows);
    Setup {
        micro_batch,
        held_batches: setup.held_batches.clamp(1, MAX_HELD),
        sequence_length,
        padding_mask: setup.padding_mask && of_image.is_none(),
        target_length: setup.target_length.min(MAX_LENGTH).min(MAX_TOKENS / micro_batch),
        forward_calls: setup.forward_calls.clamp(1, most_rows / micro_batch),
        evaluation_batch: setup.evaluation_batch.map(|rows| rows.clamp(1, most_rows)),
        gradient_rank: setup.gradient_rank.min(MAX_RANKS),
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
            hpz: p.hpz.clamp(1, MAX_RANKS),
            tensor: p.tensor.clamp(1, MAX_RANKS),
            context: p.context.clamp(1, MAX_RANKS),
            ..p.clone()
        },
        ..setup.clone()
    }
}

/// What to say where lengths or batches were cut: the figures are then those of less than was asked for.
pub(crate) fn cut_lengths(asked: &Setup, counted: &Setup) -> Vec<Assumption> {
    let rounds = |setup: &Setup| setup.generation.map(|round| (round.sequences, round.prompt, round.completion));
    let sizes = |setup: &Setup, rows: u64| (rows, setup.sequence_length);
    let is_less = |taken: (u64, u64), asked: (u64, u64)| taken.0 < asked.0 || taken.1 < asked.1;
    let of_step = [asked, counted].map(|setup| sizes(setup, setup.micro_batch.saturating_mul(setup.forward_calls)));
    let of_evaluation = [asked, counted].map(|setup| sizes(setup, setup.evaluation_batch.unwrap_or(0)));
    let evaluation_alone = !is_less(of_step[1], of_step[0]) && is_less(of_evaluation[1], of_evaluation[0]);
    let [asked_for, taken] = if evaluation_alone { of_evaluation } else { of_step };
    let is_cut = is_less(taken, asked_for) || counted.target_length < asked.target_length || rounds(asked) != rounds(counted);
    let say = || {
        let ((batch, length), (rows, tokens)) = (asked_for, taken);
        Assumption {
            en: format!("{batch} × {length} tokens are beyond what is simulated: the figures are those of {rows} × {tokens}"),
            zh: format!("{batch} × {length} 个 token 超出模拟范围：所列数字为 {rows} × {tokens} 的结果"),
        }
    };
    is_cut.then(say).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_is_cut_is_said() {
        let asked = Setup { sequence_length: MAX_LENGTH * 2, ..Setup::default() };
        let counted = Setup { sequence_length: MAX_LENGTH, ..asked.clone() };
        assert!(cut_lengths(&asked, &counted)[0].en.contains("8388608 tokens are beyond what is simulated"));
        assert!(cut_lengths(&counted, &counted).is_empty());
    }
}
