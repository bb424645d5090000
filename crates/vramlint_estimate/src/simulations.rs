//! Simulations, each made once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use vramlint_memory::{Arch, Estimate, Setup, estimate};

/// Simulations that were made: runs of a project often differ in what does not matter here, and so do the states of a text.
#[derive(Debug, Default)]
pub struct Simulations(Mutex<VecDeque<(Arch, Setup, Estimate)>>);

/// Simulations that are kept at most; an editor asks for days.
const KEPT: usize = 512;

impl PartialEq for Simulations {
    /// What is remembered is no part of an answer.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Simulations {
    /// The estimate of a setup, made anew only if none like it was.
    pub(crate) fn estimate(&self, arch: &Arch, setup: &Setup) -> Estimate {
        let known = |made: &VecDeque<(Arch, Setup, Estimate)>| {
            made.iter().rev().find(|(a, s, _)| s == setup && a == arch).map(|(.., estimate)| estimate.clone())
        };
        if let Some(found) = known(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return found;
        }
        let found = estimate(arch, setup);
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() == KEPT {
            made.pop_front();
        }
        made.push_back((arch.clone(), setup.clone(), found.clone()));
        found
    }
}
