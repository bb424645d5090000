//! The largest value of one setting that certainly fits.

use super::{FitOptions, Subject};
use crate::run_estimate::RunEstimate;
use vramlint_memory::setup::Generation;
use vramlint_memory::{Estimate, Setup};

/// A setting that can grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Rows of one forward.
    MicroBatch,
    /// Tokens of a row.
    SequenceLength,
    /// LoRA rank.
    Rank,
}

/// The largest value that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The value.
    pub value: u64,
    /// Its setup.
    pub setup: Setup,
    /// Its estimate.
    pub estimate: Estimate,
}

/// Largest values that are tried.
const MOST_ROWS: u64 = 1 << 16;
const MOST_TOKENS: u64 = 1 << 22;
const MOST_RANK: u64 = 1 << 12;
/// Lengths are multiples of this.
const TOKENS: u64 = 64;

/// The largest value of `dimension` that certainly fits, with everything else as it is. `None` if not even the smallest does, or if the
/// setup does not have it.
pub fn ceiling(of: &RunEstimate, options: &FitOptions, dimension: Dimension) -> Option<Ceiling> {
    let subject = Subject::new(of, options);
    let (unit, most) = match dimension {
        Dimension::MicroBatch => (1, MOST_ROWS),
        Dimension::SequenceLength => (TOKENS, of.model.arch.context_length().map_or(MOST_TOKENS, |most| most.min(MOST_TOKENS))),
        Dimension::Rank => (1, MOST_RANK),
    };
    let try_value = |value: u64| {
        let setup = with(&of.setup, dimension, value)?;
        let estimate = subject.estimate(&setup);
        subject.fits(&estimate).then_some(Ceiling { value, setup, estimate })
    };
    let mut best = try_value(unit)?;
    let (mut low, mut high) = (1, 2);
    // Doubled until it does not fit, then halved between.
    while high * unit <= most {
        match try_value(high * unit) {
            Some(found) => (best, low, high) = (found, high, high * 2),
            None => break,
        }
    }
    high = high.min(most / unit + 1);
    while low + 1 < high {
        let middle = u64::midpoint(low, high);
        match try_value(middle * unit) {
            Some(found) => (best, low) = (found, middle),
            None => high = middle,
        }
    }
    Some(best)
}

fn with(setup: &Setup, dimension: Dimension, value: u64) -> Option<Setup> {
    let mut setup = setup.clone();
    match dimension {
        Dimension::MicroBatch => {
            if let Some(Generation { sequences, .. }) = &mut setup.generation {
                *sequences = *sequences / setup.micro_batch.max(1) * value;
            }
            setup.micro_batch = value;
        }
        Dimension::SequenceLength => {
            if let Some(round) = &mut setup.generation {
                round.completion = value.checked_sub(round.prompt).filter(|tokens| *tokens > 0)?;
            }
            setup.sequence_length = value;
        }
        Dimension::Rank => setup.lora.as_mut()?.r = value,
    }
    Some(setup)
}
