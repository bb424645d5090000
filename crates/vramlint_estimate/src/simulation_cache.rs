//! A cache of simulations.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use vramlint_memory::estimate::Moment;
use vramlint_memory::{Arch, Estimate, Setup, estimate, estimate_with_timeline};

/// The moments of one training step.
pub type Timeline = Arc<[Moment]>;

/// Recent simulations by architecture and setup. Runs of a project often share both, as do successive versions of a document.
#[derive(Debug, Default)]
pub struct SimulationCache {
    simulations: Mutex<VecDeque<Simulation>>,
    keeps_timelines: bool,
}

#[derive(Debug)]
struct Simulation {
    arch: Arch,
    setup: Setup,
    estimate: Estimate,
    timeline: Option<Timeline>,
}

/// The most simulations that are kept: an editor session may last for days.
const CAPACITY: usize = 512;

impl SimulationCache {
    /// A cache that keeps the timelines of runs too, for who shows them.
    pub fn with_timelines() -> Self {
        Self { keeps_timelines: true, ..Self::default() }
    }

    /// The estimate of a setup, simulated only if it is not cached.
    pub(crate) fn estimate(&self, arch: &Arch, setup: &Setup) -> Estimate {
        self.find(arch, setup, |_| true).map_or_else(
            || {
                let simulated = estimate(arch, setup);
                self.keep(arch, setup, &simulated, None);
                simulated
            },
            |(cached, _)| cached,
        )
    }

    /// The estimate of the setup of a run, with its timeline if this cache keeps timelines.
    pub(crate) fn estimate_run(&self, arch: &Arch, setup: &Setup) -> (Estimate, Option<Timeline>) {
        if !self.keeps_timelines {
            return (self.estimate(arch, setup), None);
        }
        self.find(arch, setup, |cached| cached.timeline.is_some()).unwrap_or_else(|| {
            let (simulated, timeline) = estimate_with_timeline(arch, setup);
            let timeline: Option<Timeline> = Some(timeline.into());
            self.keep(arch, setup, &simulated, timeline.clone());
            (simulated, timeline)
        })
    }

    fn find(&self, arch: &Arch, setup: &Setup, is_enough: impl Fn(&Simulation) -> bool) -> Option<(Estimate, Option<Timeline>)> {
        let simulations = self.simulations.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cached = simulations.iter().rev();
        let found = cached.find(|cached| cached.setup == *setup && cached.arch == *arch && is_enough(cached))?;
        Some((found.estimate.clone(), found.timeline.clone()))
    }

    fn keep(&self, arch: &Arch, setup: &Setup, estimate: &Estimate, timeline: Option<Timeline>) {
        let mut simulations = self.simulations.lock().unwrap_or_else(PoisonError::into_inner);
        if simulations.len() == CAPACITY {
            simulations.pop_front();
        }
        let (arch, setup, estimate) = (arch.clone(), setup.clone(), estimate.clone());
        simulations.push_back(Simulation { arch, setup, estimate, timeline });
    }
}
