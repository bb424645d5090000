//! Runs only a few of many identical blocks: each further block adds the same.
//!
//! Every moment of the step (the second block of backward, the loss, the optimizer) holds an amount that grows linearly with the
//! number of equal blocks, so two short runs determine the long one. In the middle of the stack, amounts are between those of the ends.
//! That holds once a run is longer than what ZeRO-3 gathers ahead and what a communication bucket covers; reserved bytes grow less
//! evenly still. So every model of a depth that people train is run in full, and only deeper ones take over the reserved share of a
//! shorter run.

use super::memory_trace::{MemoryTrace, Moment};
use super::replay::replay;
use super::{EventTrace, run};
use crate::arch::{Arch, Layer};
use crate::estimate::Phase;
use crate::setup::Setup;

/// Blocks of a kind in the shortest run.
const BASE_BLOCKS: u64 = 64;
/// Additional blocks of the run that determines the slope.
const EXTRA_BLOCKS: u64 = 2;

/// Models with at most this many blocks are run in full.
const FULL_RUN_LIMIT: u64 = 256;

/// A number that may be negative and large: slopes times thousands of blocks.
type Signed = i128;

/// One short run.
pub(crate) struct ShortRun {
    pub(crate) trace: EventTrace,
    pub(crate) profile: MemoryTrace,
    /// The GPU that it shows: the fullest one of the process.
    pub(crate) gpu: u8,
}

/// A run with more blocks of one kind.
pub(crate) struct LongerRun {
    pub(crate) short: ShortRun,
    /// Blocks that the base lacks.
    missing: Signed,
    /// Blocks that this run has more than the base.
    step: Signed,
}

/// Short runs and how they combine.
pub(crate) struct Extrapolation {
    /// The shortest run.
    pub(crate) base: ShortRun,
    /// Runs with more blocks, a kind each.
    pub(crate) longer: Vec<LongerRun>,
}

/// A moment of the full model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullMoment {
    pub(crate) phase: Phase,
    pub(crate) allocated: u64,
    pub(crate) reserved: u64,
    /// Which moment of the base it is.
    pub(crate) index: usize,
}

/// What the moments of the full model come to.
pub(crate) struct Peaks {
    /// The last of those with the most allocated bytes.
    pub(crate) highest: FullMoment,
    /// The most reserved bytes.
    pub(crate) reserved: u64,
    /// The most allocated bytes of each phase that occurs.
    pub(crate) phases: Vec<(Phase, u64)>,
}

/// What the fullest GPU of a process holds, and its number.
pub(crate) fn fullest(trace: &EventTrace, layers: u32, setup: &Setup) -> (u8, MemoryTrace) {
    let gpus = u8::try_from(setup.model_gpus.max(1)).unwrap_or(u8::MAX);
    let all = (0..gpus).map(|gpu| (gpu, replay(trace, layers, gpu)));
    all.max_by_key(|(gpu, profile)| (profile.moments.iter().map(|moment| moment.reserved).max(), std::cmp::Reverse(*gpu)))
        .unwrap_or_default()
}

fn run_short(arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> ShortRun {
    let trace = run(arch, setup, layers);
    let count = u32::try_from(layers.iter().map(|(_, times)| times).sum::<u64>()).unwrap_or(u32::MAX);
    let (gpu, profile) = fullest(&trace, count, setup);
    ShortRun { trace, profile, gpu }
}

/// Runs what has to be run of a model.
pub(crate) fn extrapolate(arch: &Arch, setup: &Setup) -> Extrapolation {
    let mut layers = arch.layers.clone();
    // Blocks on several GPUs are not alike, nor are trained and frozen ones.
    let differ = setup.model_gpus > 1 || setup.trained.as_ref().is_some_and(|parts| !parts.is_whole_language_model());
    if arch.layers() > FULL_RUN_LIMIT && !differ {
        for (_, times) in &mut layers {
            if *times > BASE_BLOCKS + EXTRA_BLOCKS {
                *times = BASE_BLOCKS;
            }
        }
    }
    let base = run_short(arch, setup, &layers);
    let mut longer = Vec::new();
    for (index, (_, times)) in arch.layers.iter().enumerate() {
        if layers[index].1 == *times {
            continue;
        }
        let mut more = layers.clone();
        more[index].1 += EXTRA_BLOCKS;
        let missing = Signed::from(times - layers[index].1);
        longer.push(LongerRun { short: run_short(arch, setup, &more), missing, step: Signed::from(EXTRA_BLOCKS) });
    }
    Extrapolation { base, longer }
}

/// What is reserved for `allocated` bytes if the share of it is that of `moment`.
fn scaled_reserve(allocated: u64, moment: &Moment) -> u64 {
    let reserved = u128::from(allocated) * u128::from(moment.reserved) / u128::from(moment.allocated.max(1));
    u64::try_from(reserved).unwrap_or(u64::MAX)
}

impl Extrapolation {
    /// Extrapolates a number of which the base and every further run are known.
    pub(crate) fn extrapolate_value(&self, base: u64, others: impl Iterator<Item = u64>) -> u64 {
        if self.longer.is_empty() {
            return base;
        }
        let start = Signed::from(base);
        let grown = others.zip(&self.longer).map(|(other, run)| (Signed::from(other) - start) * run.missing / run.step);
        u64::try_from((start + grown.sum::<Signed>()).max(0)).unwrap_or(u64::MAX)
    }

    /// Extrapolates a number of every run.
    pub(crate) fn extrapolate_number(&self, of: impl Fn(&ShortRun) -> u64) -> u64 {
        self.extrapolate_value(of(&self.base), self.longer.iter().map(|run| of(&run.short)))
    }

    /// The index of the moment of every longer run that corresponds to a moment of the base.
    fn correspondence(&self) -> Vec<Vec<usize>> {
        self.longer
            .iter()
            .map(|run| {
                let moments = &run.short.profile.moments;
                let mut start = 0;
                let find = |moment: &Moment| {
                    let at = moments[start..].iter().position(|other| other.matches(moment)).map(|at| at + start);
                    start = at.map_or(start, |at| at + 1);
                    at.unwrap_or(usize::MAX)
                };
                self.base.profile.moments.iter().map(find).collect()
            })
            .collect()
    }

    /// The moments of every further run that are moment `index` of the base.
    pub(crate) fn matched(&self, index: usize) -> Vec<usize> {
        self.correspondence().iter().map(|found| found[index]).collect()
    }

    /// The moments of the full model, except those in the middle of a stack that is not run in full.
    fn moments(&self) -> impl Iterator<Item = FullMoment> {
        let found = self.correspondence();
        self.base.profile.moments.iter().enumerate().filter_map(move |(index, moment)| {
            let other = |(at, run): (&Vec<usize>, &'_ LongerRun)| run.short.profile.moments.get(at[index]).copied();
            let others: Option<Vec<Moment>> = found.iter().zip(&self.longer).map(other).collect();
            let others = others?;
            let allocated = self.extrapolate_value(moment.allocated, others.iter().map(|other| other.allocated));
            let reserved = others.last().map_or(moment.reserved, |longest| scaled_reserve(allocated, longest));
            Some(FullMoment { phase: moment.phase, allocated, reserved, index })
        })
    }

    /// What its moments come to; `None` if there are none.
    pub(crate) fn peaks(&self) -> Option<Peaks> {
        let mut peaks: Option<Peaks> = None;
        for moment in self.moments() {
            let peaks = peaks.get_or_insert(Peaks { highest: moment, reserved: 0, phases: Vec::new() });
            peaks.reserved = peaks.reserved.max(moment.reserved);
            if moment.allocated >= peaks.highest.allocated {
                peaks.highest = moment;
            }
            match peaks.phases.iter_mut().find(|(phase, _)| *phase == moment.phase) {
                Some((_, most)) => *most = moment.allocated.max(*most),
                None => peaks.phases.push((moment.phase, moment.allocated)),
            }
        }
        peaks
    }
}
