//! The steady step, moment by moment and layer by layer: for drawing.

use super::Moment;
use crate::arch::Arch;
use crate::setup::{Scheme, Setup};
use crate::step::{clamp::clamp_setup, layer_extrapolation::fullest, memory_trace::MemoryTrace, run};

/// The moments of one optimizer step in the steady state.
pub fn timeline(arch: &Arch, setup: &Setup) -> Vec<Moment> {
    if setup.parallel.scheme == Scheme::Megatron {
        return crate::megatron::timeline(arch, setup);
    }
    let setup = &clamp_setup(arch, setup);
    let trace = run(arch, setup, &arch.layers);
    let layers = u32::try_from(arch.layers()).unwrap_or(u32::MAX);
    steady(&fullest(&trace, layers, setup).1)
}

/// The moments of the last step of a run.
pub(super) fn steady(profile: &MemoryTrace) -> Vec<Moment> {
    let moments = &profile.moments;
    // The second half of the rounds is the second step.
    let last = moments.iter().map(|moment| moment.round).max().unwrap_or(0);
    let from = last.div_ceil(2);
    moments
        .iter()
        .filter(|moment| moment.round >= from)
        .map(|moment| {
            let place = if moment.layer > 0 { format!("layer {} ", moment.layer) } else { String::new() };
            Moment {
                label: format!("{place}{} {}", moment.name.en, moment.phase.name()),
                phase: moment.phase,
                bytes: moment.allocated,
                parts: moment.parts,
            }
        })
        .collect()
}
