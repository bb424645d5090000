//! A cache of simulations.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use vramlint_memory::{Arch, Estimate, Setup, estimate};

/// Recent simulations by architecture and setup. Runs of a project often share both, as do successive versions of a document.
#[derive(Debug, Default)]
pub struct SimulationCache(Mutex<VecDeque<(Arch, Setup, Estimate)>>);

/// The most simulations that are kept: an editor session may last for days.
const CAPACITY: usize = 512;

impl SimulationCache {
    /// The estimate of a setup, simulated only if it is not cached.
    pub(crate) fn estimate(&self, arch: &Arch, setup: &Setup) -> Estimate {
        let find = |simulations: &VecDeque<(Arch, Setup, Estimate)>| {
            simulations.iter().rev().find(|(a, s, _)| s == setup && a == arch).map(|(.., estimate)| estimate.clone())
        };
        if let Some(cached) = find(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return cached;
        }
        let simulated = estimate(arch, setup);
        let mut simulations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if simulations.len() == CAPACITY {
            simulations.pop_front();
        }
        simulations.push_back((arch.clone(), setup.clone(), simulated.clone()));
        simulated
    }
}
