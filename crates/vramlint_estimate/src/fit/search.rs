//! The search for the smallest combinations that fit.
//!
//! If a combination does not fit, neither does a part of it: each change, and each further step of one, needs less memory or as much. So one
//! simulation of everything that is still undecided tells whether a branch can hold a plan, and few combinations are simulated at all. The
//! exceptions are searched for where a branch does not fit ([`Search::fits_without_some`]).
//! Combinations are visited by size, so that a plan never holds a change that it does not need.

use super::Least;
use super::moves::{Move, moves};
use super::{Plan, Subject};
use crate::repairs::{Change, TrainingEffect, divisors};
use std::cmp::Ordering;
use vramlint_memory::Setup;
use vramlint_memory::setup::Checkpointing;

/// Maximum number of changes of a plan.
const MOST_CHANGES: usize = 6;

/// Plans that need less memory, best first, and the lowest step that was seen.
pub(super) fn smaller(subject: &Subject<'_>) -> (Vec<Plan>, Option<Least>) {
    let all = moves(subject);
    let mut search = Search { subject, least: None, plans: Vec::new(), infeasible: Vec::new(), feasible: Vec::new() };
    for effect in [TrainingEffect::Same, TrainingEffect::NearlySame, TrainingEffect::Different] {
        // What changes the training is proposed only where nothing else fits.
        let is_needed = effect != TrainingEffect::Different || search.plans.is_empty();
        if is_needed && search.plans.len() < subject.options.most {
            search.class(&all, effect);
        }
    }
    search.plans.sort_by(by_rank);
    search.plans.truncate(subject.options.most);
    (search.plans, search.least)
}

/// What keeps the training first, then the fewest changes, then the smallest slowdown.
fn by_rank(one: &Plan, other: &Plan) -> Ordering {
    one.effect
        .cmp(&other.effect)
        .then(one.changes.len().cmp(&other.changes.len()))
        .then(one.slowdown.high.total_cmp(&other.slowdown.high))
        .then(one.slowdown.low.total_cmp(&other.slowdown.low))
}

struct Search<'a> {
    subject: &'a Subject<'a>,
    /// The simulated setup with the lowest upper bound.
    least: Option<Least>,
    plans: Vec<Plan>,
    /// Sets of moves of which no part fits, even at their last steps.
    infeasible: Vec<Vec<usize>>,
    /// Sets of moves that fit.
    feasible: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Finds the plans whose strongest effect is `effect`.
    fn class(&mut self, all: &[Move], effect: TrainingEffect) {
        let before = &self.subject.of.setup;
        // The steps that this class may take; the last one of each move is its strongest.
        let allowed: Vec<Vec<Change>> =
            all.iter().map(|own| own.steps.iter().copied().filter(|step| step.effect(before) <= effect).collect()).collect();
        let usable: Vec<usize> = (0..all.len()).filter(|index| !allowed[*index].is_empty()).collect();
        self.infeasible.clear();
        self.feasible.clear();
        if !self.can_hold_plan(&allowed, &usable) {
            return;
        }
        // A move without which nothing fits rules out every set that lacks it, without a simulation.
        for own in &usable {
            let others: Vec<usize> = usable.iter().copied().filter(|other| other != own).collect();
            self.can_hold_plan(&allowed, &others);
        }
        for size in 1..=usable.len().min(MOST_CHANGES) {
            self.choose(&allowed, &usable, &mut Vec::new(), size, effect);
            if self.plans.iter().filter(|plan| plan.effect == effect).count() >= self.subject.options.most {
                return;
            }
        }
    }

    /// Visits every combination of `size` more moves out of `rest`, in addition to `chosen`.
    fn choose(&mut self, allowed: &[Vec<Change>], rest: &[usize], chosen: &mut Vec<usize>, size: usize, effect: TrainingEffect) {
        if size == 0 {
            if self.is_infeasible(chosen) {
                return;
            }
            if let Some(changes) = self.fitting(allowed, chosen) {
                self.add(allowed, chosen, changes, effect);
            }
            return;
        }
        for (index, next) in rest.iter().enumerate() {
            let later = &rest[index + 1..];
            if later.len() + 1 < size {
                break;
            }
            // What is still possible without the moves that were passed over.
            let mut possible = chosen.clone();
            possible.extend(&rest[index..]);
            possible.sort_unstable();
            if !self.can_hold_plan(allowed, &possible) {
                break;
            }
            chosen.push(*next);
            chosen.sort_unstable();
            self.choose(allowed, later, chosen, size - 1, effect);
            chosen.retain(|own| own != next);
        }
    }

    /// Whether a part of `set` may fit.
    fn can_hold_plan(&mut self, allowed: &[Vec<Change>], set: &[usize]) -> bool {
        if self.is_infeasible(set) {
            return false;
        }
        if self.feasible.iter().any(|known| known.iter().all(|own| set.contains(own))) {
            return true;
        }
        let can = self.fitting(allowed, set).is_some() || self.fits_without_some(allowed, set.to_vec());
        if !can {
            self.infeasible.push(set.to_vec());
        }
        can
    }

    fn is_infeasible(&self, set: &[usize]) -> bool {
        self.infeasible.iter().any(|known| set.iter().all(|own| known.contains(own)))
    }

    /// Leaves moves out, one after the other, as long as that lowers the peak. Some need more memory than they save: a smaller micro-batch,
    /// since with accumulation gradients live through the next forward; losses in pieces, engines with their buffers, and dequantized layers
    /// on small models.
    fn fits_without_some(&mut self, allowed: &[Vec<Change>], mut set: Vec<usize>) -> bool {
        let mut lowest = self.peak(allowed, &set);
        loop {
            let without = |own: usize| -> Vec<usize> { set.iter().copied().filter(|other| *other != own).collect() };
            let Some((peak, fewer)) = set
                .iter()
                .copied()
                .map(|own| (self.peak(allowed, &without(own)), without(own)))
                .min_by_key(|(peak, _)| peak.unwrap_or(u64::MAX))
                .filter(|(peak, _)| peak.is_some_and(|peak| lowest.is_none_or(|lowest| peak < lowest)))
            else {
                return false;
            };
            if self.fitting(allowed, &fewer).is_some() {
                return true;
            }
            (lowest, set) = (peak, fewer);
        }
    }

    /// The upper bound of the peak with the last step of each move, bytes.
    fn peak(&self, allowed: &[Vec<Change>], set: &[usize]) -> Option<u64> {
        let setup = self.subject.apply(&self.strongest(allowed, set)?)?;
        Some(self.subject.estimate(&setup).high)
    }

    /// The changes of `set` that fit: the last step of each move; else, with an earlier step of one move whose steps are different things
    /// rather than more of one.
    fn fitting(&mut self, allowed: &[Vec<Change>], set: &[usize]) -> Option<Vec<Change>> {
        let found = self.fitting_steps(allowed, set);
        if found.is_some() {
            self.feasible.push(set.to_vec());
        }
        found
    }

    fn fitting_steps(&mut self, allowed: &[Vec<Change>], set: &[usize]) -> Option<Vec<Change>> {
        let strongest = self.strongest(allowed, set)?;
        if self.fits(&strongest).is_some() {
            return Some(strongest);
        }
        for (place, last) in strongest.iter().enumerate() {
            if !matches!(last, Change::Adapters(_) | Change::Shard(_) | Change::Optimizer(_)) {
                continue;
            }
            let steps = set.iter().map(|own| &allowed[*own]).find(|steps| steps.contains(last))?;
            for step in steps.iter().take_while(|step| *step != last) {
                let mut other = strongest.clone();
                other[place] = *step;
                if self.fits(&other).is_some() {
                    return Some(other);
                }
            }
        }
        None
    }

    /// The last step of each move of `set` that is possible after those before it.
    fn strongest(&self, allowed: &[Vec<Change>], set: &[usize]) -> Option<Vec<Change>> {
        let mut changes: Vec<Change> = Vec::new();
        for index in set {
            let possible = allowed[*index].iter().rev().find(|step| {
                let mut with = changes.clone();
                with.push(**step);
                self.subject.apply(&with).is_some()
            });
            changes.extend(possible);
        }
        (!changes.is_empty()).then_some(changes)
    }

    /// The setup after `changes`, if it fits.
    fn fits(&mut self, changes: &[Change]) -> Option<(Setup, vramlint_memory::Estimate)> {
        let setup = self.subject.apply(changes)?;
        let estimate = self.subject.estimate(&setup);
        let found = Least { peak: estimate.peak, high: estimate.high };
        self.least = self.least.into_iter().chain([found]).min_by_key(|least| least.high);
        self.subject.fits(&estimate).then_some((setup, estimate))
    }

    /// Adds the plan of `set`: each move at its first step that still fits.
    fn add(&mut self, allowed: &[Vec<Change>], set: &[usize], mut changes: Vec<Change>, effect: TrainingEffect) {
        // A set that is not possible as a whole is a smaller one.
        if changes.len() != set.len() || self.holds_known_plan(&changes) {
            return;
        }
        for place in (0..changes.len()).rev() {
            let steps = &allowed[set[place]];
            let Some(last) = steps.iter().position(|step| *step == changes[place]) else { continue };
            let first = partition_point(last, |step| {
                let mut with = changes.clone();
                with[place] = steps[step];
                self.fits(&with).is_some()
            });
            changes[place] = steps[first];
        }
        let before = &self.subject.of.setup;
        let own = changes.iter().map(|change| change.effect(before)).max();
        if own != Some(effect) {
            return;
        }
        if let Some((setup, estimate)) = self.fits(&changes) {
            let plan = self.subject.plan(changes, setup, estimate);
            if self.subject.is_fast_enough(&plan) {
                self.plans.push(plan);
            }
        }
    }

    /// Whether a plan that is known needs only some of these changes.
    fn holds_known_plan(&self, changes: &[Change]) -> bool {
        let same_kind = |one: &Change, other: &Change| super::moves::settings(*one) == super::moves::settings(*other);
        self.plans.iter().any(|plan| plan.changes.iter().all(|own| changes.iter().any(|other| same_kind(own, other))))
    }
}

/// The first of `0..=last` for which `holds`, which is true for `last` and for everything after the first.
fn partition_point(last: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// Plans that use free memory for speed, the fastest first: larger micro-batches with less accumulation, activations that are kept.
pub(super) fn faster(subject: &Subject<'_>) -> Vec<Plan> {
    let setup = &subject.of.setup;
    let keeps = |change: &Change| {
        !super::moves::settings(*change).iter().any(|name| subject.options.keep.iter().any(|kept| kept == name))
    };
    let larger = divisors(setup.accumulation).into_iter().rev().filter(|factor| *factor > 1).filter_map(|factor| {
        Some(Change::Batch { rows: setup.micro_batch.checked_mul(factor)?, accumulation: setup.accumulation / factor })
    });
    let kept = (setup.checkpointing == Checkpointing::NonReentrant).then_some(Change::NoCheckpointing);
    let batches: Vec<Change> = larger.filter(keeps).collect();
    let mut plans = Vec::new();
    let mut try_plan = |changes: Vec<Change>| {
        let found = subject.apply(&changes).map(|setup| (subject.estimate(&setup), setup));
        let fitting = found.filter(|(estimate, _)| subject.fits(estimate));
        if let Some((estimate, setup)) = fitting {
            plans.push(subject.plan(changes, setup, estimate));
            return true;
        }
        false
    };
    for base in [kept.filter(keeps), None].into_iter().take(if kept.is_some() { 2 } else { 1 }) {
        if let Some(base) = base {
            try_plan(vec![base]);
        }
        // The largest that fits.
        let _ = batches.iter().any(|batch| try_plan([*batch].into_iter().chain(base).collect()));
    }
    plans.retain(|plan| plan.slowdown.low < 1.0);
    plans.sort_by(|one, other| one.slowdown.low.total_cmp(&other.slowdown.low));
    plans.truncate(subject.options.most);
    plans
}
