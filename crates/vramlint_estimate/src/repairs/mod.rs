//! Single changes of a setup that need less memory, each with its estimate. A pure function of setup and target.

pub(crate) mod change;
#[cfg(test)]
mod tests;

pub use change::{Change, TrainingEffect};

use crate::run_estimate::RunEstimate;
use std::cmp::Reverse;
use vramlint_base::Message;
use vramlint_memory::setup::Task;
use vramlint_memory::{Estimate, Setup};

/// A change and its effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The change.
    pub change: Change,
    /// How it affects what is trained.
    pub effect: TrainingEffect,
    /// An imperative sentence that describes the change.
    pub title: Message,
    /// The setup after the change.
    pub setup: Setup,
    /// The estimate after the change.
    pub estimate: Estimate,
    /// How much lower the peak is, in bytes.
    pub gained: u64,
    /// Whether the upper bound fits the GPU after the change.
    pub fits: bool,
}

/// Changes are offered if they save more than this fraction of the peak: a hundredth.
const MIN_GAIN_SHARE: u64 = 100;

/// Every single change that saves memory. Those that keep the training come first, and among these the ones that make it fit, the
/// largest gain first.
///
/// [`Repair::fits`] says whether a change makes the run fit; without a capacity it is always false.
pub fn repairs(of: &RunEstimate) -> Vec<Repair> {
    let mut found: Vec<Repair> = change::single_changes(of).into_iter().filter_map(|change| apply_change(of, change)).collect();
    found.extend(smaller_batch(of));
    found.retain(|repair| repair.gained > of.estimate.peak / MIN_GAIN_SHARE);
    found.sort_by_key(|repair| (repair.effect, !repair.fits, Reverse(repair.gained)));
    found
}

/// The effect of one change; `None` if the library would reject it.
pub fn repair(of: &RunEstimate, change: Change) -> Option<Repair> {
    apply_change(of, change)
}

/// The library's loss that does not materialize logits, if the run uses another.
pub fn cheaper_loss(of: &RunEstimate) -> Option<Repair> {
    apply_change(of, Change::Loss(change::offered_head(of)?)).filter(|repair| repair.gained > of.estimate.peak / MIN_GAIN_SHARE)
}

/// The largest micro-batch that certainly fits, with fewer accumulation steps at the same effective batch size; `share` is the usable
/// percentage of the GPU.
pub fn larger_batch(of: &RunEstimate, share: u64) -> Option<Repair> {
    let limit = of.capacity.as_ref()?.bytes / 100 * share;
    let steps = of.setup.accumulation;
    let factors = divisors(steps).into_iter().rev().filter(|factor| *factor > 1);
    factors
        .filter_map(|factor| {
            let rows = of.setup.micro_batch.checked_mul(factor)?;
            apply_change(of, Change::Batch { rows, accumulation: steps / factor })
        })
        .find(|repair| repair.estimate.high <= limit)
}

/// The largest smaller micro-batch that fits, with the accumulation that keeps the effective batch size; the smallest if none fits.
fn smaller_batch(of: &RunEstimate) -> Option<Repair> {
    let (rows, steps) = (of.setup.micro_batch, of.setup.accumulation);
    let smaller = divisors(rows).into_iter().rev().filter(|own| *own < rows);
    let mut last = None;
    for own in smaller {
        let Some(accumulation) = steps.checked_mul(rows / own) else { continue };
        if let Some(repair) = apply_change(of, Change::Batch { rows: own, accumulation }) {
            if repair.fits {
                return Some(repair);
            }
            last = Some(repair);
        }
    }
    last
}

/// The divisors of a number in ascending order: those up to 4096 and their counterparts.
pub(crate) fn divisors(number: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..=4096).take_while(|own| own * own <= number).filter(|own| number.is_multiple_of(*own)).collect();
    let mut all: Vec<u64> = small.iter().map(|own| number / own).chain(small.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Applies a change; `None` if the library would reject it.
fn apply_change(of: &RunEstimate, change: Change) -> Option<Repair> {
    let mut setup = of.setup.clone();
    change.apply(&mut setup);
    if !keeps_groups_whole(of, &setup) {
        return None;
    }
    let estimate = of.cache.estimate(&of.model.arch, &setup);
    Some(Repair {
        effect: change.effect(&of.setup),
        title: change.title(&of.setup),
        gained: of.estimate.peak.saturating_sub(estimate.peak),
        fits: of.capacity.as_ref().is_some_and(|capacity| estimate.high <= capacity.bytes),
        change,
        setup,
        estimate,
    })
}

/// TRL 1.16 rejects a generation round without whole groups (trainer/grpo_config.py): micro-batch x ranks x steps of the round
/// must be a multiple of the completions per prompt.
pub(crate) fn keeps_groups_whole(of: &RunEstimate, setup: &Setup) -> bool {
    let (Task::Grpo, Some(group)) = (setup.task, of.num_generations.filter(|group| *group > 0)) else { return true };
    let of_rank = setup.generation.map_or_else(|| setup.micro_batch.saturating_mul(setup.accumulation), |round| round.sequences);
    match of.world {
        Some(world) => of_rank.saturating_mul(world).is_multiple_of(group),
        None => of_rank.is_multiple_of(group),
    }
}
