//! Identical blocks are run a few times only; what a further one adds is the same every time.
//!
//! Every moment of the step (the second block of backward, the loss, the optimizer) holds an amount that grows linearly with the
//! number of equal blocks, so two short runs give the long one. Between the ends of the stack amounts lie between those of the ends.
//! That is exact for allocated bytes; what the allocator reserves beyond them does not grow so evenly, so models of usual depth are
//! run whole, and for deeper ones the share that a short run reserves is taken over.

use super::profile::{Moment, Profile, TENSOR_PARTS, replay};
use super::{Trace, run};
use crate::arch::{Arch, Layer};
use crate::setup::Setup;

/// Blocks of a kind in the shortest run.
const BASE: u64 = 4;
/// Blocks more in the run that gives the slope.
const STEP: u64 = 2;

/// Models with at most this many blocks are run whole.
const WHOLE: u64 = 64;

/// A number that may be negative and large: slopes times thousands of blocks.
type Wide = i128;

/// One short run.
pub(crate) struct Short {
    pub(crate) trace: Trace,
    pub(crate) profile: Profile,
}

/// A run with more blocks of one kind.
pub(crate) struct Further {
    pub(crate) short: Short,
    /// Blocks that the whole model has more than the base.
    missing: Wide,
    /// Blocks that this run has more than the base.
    step: Wide,
}

/// Short runs and how they combine.
pub(crate) struct Combined {
    /// The shortest run.
    pub(crate) base: Short,
    /// Runs with more blocks, a kind each.
    pub(crate) further: Vec<Further>,
}

/// A moment of the whole model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Full {
    pub(crate) moment: Moment,
    /// Which moment of the base it is.
    pub(crate) index: usize,
}

fn short(arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> Short {
    let trace = run(arch, setup, layers);
    let count = layers.iter().map(|(_, times)| times).sum::<u64>();
    let profile = replay(&trace, u32::try_from(count).unwrap_or(u32::MAX));
    Short { trace, profile }
}

/// Runs what has to be run of a model.
pub(crate) fn combine(arch: &Arch, setup: &Setup) -> Combined {
    let mut layers = arch.layers.clone();
    if arch.layers() > WHOLE {
        for (_, times) in &mut layers {
            if *times > BASE + STEP {
                *times = BASE;
            }
        }
    }
    let base = short(arch, setup, &layers);
    let mut further = Vec::new();
    for (index, (_, times)) in arch.layers.iter().enumerate() {
        if layers[index].1 == *times {
            continue;
        }
        let mut more = layers.clone();
        more[index].1 += STEP;
        let missing = Wide::from(times - layers[index].1);
        further.push(Further { short: short(arch, setup, &more), missing, step: Wide::from(STEP) });
    }
    Combined { base, further }
}

/// What is reserved for `allocated` bytes if the share of it is that of `moment`.
fn share(allocated: u64, moment: &Moment) -> u64 {
    let reserved = u128::from(allocated) * u128::from(moment.reserved) / u128::from(moment.allocated.max(1));
    u64::try_from(reserved).unwrap_or(u64::MAX)
}

impl Combined {
    /// Extrapolates a number of which the base and every further run are known.
    pub(crate) fn extend(&self, base: u64, others: impl Iterator<Item = u64>) -> u64 {
        let start = Wide::from(base);
        let grown = others.zip(&self.further).map(|(other, run)| (Wide::from(other) - start) * run.missing / run.step);
        u64::try_from((start + grown.sum::<Wide>()).max(0)).unwrap_or(u64::MAX)
    }

    /// Extrapolates a number of every run.
    pub(crate) fn number(&self, of: impl Fn(&Short) -> u64) -> u64 {
        self.extend(of(&self.base), self.further.iter().map(|run| of(&run.short)))
    }

    /// Which moment of every further run is that of the base; `usize::MAX` where there is none.
    fn correspondence(&self) -> Vec<Vec<usize>> {
        self.further
            .iter()
            .map(|run| {
                let moments = &run.short.profile.moments;
                let mut start = 0;
                let find = |moment: &Moment| {
                    let at = moments[start..].iter().position(|other| other.same(moment)).map(|at| at + start);
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

    /// The moments of the whole model, without those in the middle of a stack.
    pub(crate) fn moments(&self) -> Vec<Full> {
        let found = self.correspondence();
        let mut out = Vec::with_capacity(self.base.profile.moments.len());
        for (index, moment) in self.base.profile.moments.iter().enumerate() {
            let others: Option<Vec<&Moment>> =
                found.iter().zip(&self.further).map(|(at, run)| run.short.profile.moments.get(at[index])).collect();
            let Some(others) = others else { continue };
            let extend = |of: &dyn Fn(&Moment) -> u64| self.extend(of(moment), others.iter().map(|other| of(other)));
            let allocated = extend(&|moment| moment.allocated);
            let reserved = others.last().map_or(moment.reserved, |longest| share(allocated, longest));
            let mut parts = [0; TENSOR_PARTS];
            for (part, bytes) in parts.iter_mut().enumerate() {
                *bytes = extend(&|moment| moment.parts[part]);
            }
            out.push(Full { moment: Moment { allocated, reserved, parts, ..*moment }, index });
        }
        out
    }
}
