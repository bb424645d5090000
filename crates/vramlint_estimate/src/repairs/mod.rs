//! Single changes of a setup that need less memory, each with the estimate after it. A pure function of setup and target.

mod change;
#[cfg(test)]
mod tests;

pub use change::{Change, Keeps};

use crate::run_estimate::RunEstimate;
use std::cmp::Reverse;
use vramlint_base::Message;
use vramlint_memory::setup::Task;
use vramlint_memory::{Estimate, Setup};

/// A change with what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What changes.
    pub change: Change,
    /// Whether the same is trained after it.
    pub keeps: Keeps,
    /// The change in words: an imperative.
    pub title: Message,
    /// The setup after it.
    pub setup: Setup,
    /// The estimate after it.
    pub estimate: Estimate,
    /// How much lower the peak is, in bytes.
    pub gained: u64,
    /// Whether it fits the card then: its upper bound does.
    pub fits: bool,
}

/// Gains below this share of the peak are not worth a change.
const WORTH: u64 = 100;

/// Every single change that gains memory: those that train the same first, and of these those that make it fit, the least change
/// of batch first.
///
/// What makes it fit is told by [`Repair::fits`]; without a capacity nothing does.
pub fn repairs(of: &RunEstimate) -> Vec<Repair> {
    let mut found: Vec<Repair> = change::single(of).into_iter().filter_map(|change| after(of, change)).collect();
    found.extend(smaller_batch(of));
    found.retain(|repair| repair.gained > of.estimate.peak / WORTH);
    found.sort_by_key(|repair| (repair.keeps, !repair.fits, Reverse(repair.gained)));
    found
}

/// What one change does; `None` where the library would refuse it.
pub fn repair(of: &RunEstimate, change: Change) -> Option<Repair> {
    after(of, change)
}

/// The loss without whole logits that the library offers, where the run has another.
pub fn cheaper_loss(of: &RunEstimate) -> Option<Repair> {
    after(of, Change::Loss(change::offered_head(of)?)).filter(|repair| repair.gained > of.estimate.peak / WORTH)
}

/// The largest micro-batch that the card certainly holds, with fewer steps of accumulation at the same effective batch; `share` is
/// the part of the card in percent that may be used.
pub fn larger_batch(of: &RunEstimate, share: u64) -> Option<Repair> {
    let limit = of.capacity.as_ref()?.bytes / 100 * share;
    let steps = of.setup.accumulation;
    let factors = divisors(steps).into_iter().rev().filter(|factor| *factor > 1);
    factors
        .filter_map(|factor| {
            let rows = of.setup.micro_batch.checked_mul(factor)?;
            after(of, Change::Batch { rows, accumulation: steps / factor })
        })
        .find(|repair| repair.estimate.high <= limit)
}

/// The largest smaller micro-batch that fits with the accumulation that keeps the effective batch; one row where none fits.
fn smaller_batch(of: &RunEstimate) -> Option<Repair> {
    let (rows, steps) = (of.setup.micro_batch, of.setup.accumulation);
    let smaller = divisors(rows).into_iter().rev().filter(|own| *own < rows);
    let mut last = None;
    for own in smaller {
        let Some(accumulation) = steps.checked_mul(rows / own) else { continue };
        if let Some(repair) = after(of, Change::Batch { rows: own, accumulation }) {
            if repair.fits {
                return Some(repair);
            }
            last = Some(repair);
        }
    }
    last
}

/// The divisors of a number in rising order; those up to 4096 and their counterparts.
fn divisors(number: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..=4096).take_while(|own| own * own <= number).filter(|own| number.is_multiple_of(*own)).collect();
    let mut all: Vec<u64> = small.iter().map(|own| number / own).chain(small.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What a change does; `None` where the library would refuse it.
fn after(of: &RunEstimate, change: Change) -> Option<Repair> {
    let mut setup = of.setup.clone();
    change.apply(&mut setup);
    if !keeps_groups_whole(of, &setup) {
        return None;
    }
    let estimate = of.made.estimate(&of.model.arch, &setup);
    Some(Repair {
        keeps: change.keeps(&of.setup),
        title: change.title(&of.setup),
        gained: of.estimate.peak.saturating_sub(estimate.peak),
        fits: of.capacity.as_ref().is_some_and(|capacity| estimate.high <= capacity.bytes),
        change,
        setup,
        estimate,
    })
}

/// TRL 1.16 refuses a round of generation that does not hold whole groups (trainer/grpo_config.py): rows x ranks x steps of the round
/// must be a multiple of the completions of a prompt.
fn keeps_groups_whole(of: &RunEstimate, setup: &Setup) -> bool {
    let (Task::Grpo, Some(group)) = (setup.task, of.num_generations.filter(|group| *group > 0)) else { return true };
    let of_rank = setup.generation.map_or_else(|| setup.micro_batch.saturating_mul(setup.accumulation), |round| round.sequences);
    match of.world {
        Some(world) => of_rank.saturating_mul(world).is_multiple_of(group),
        None => of_rank.is_multiple_of(group),
    }
}
