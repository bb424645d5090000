//! What one training step holds on a GPU and in the memory of its host.
//!
//! Pure arithmetic over an [`Arch`] and a [`Setup`], standard library only. Sizes are in bytes unless a name says otherwise.

#![allow(clippy::doc_markdown)] // DeepSpeed, ZeRO and the like are no code

mod allocator;
pub mod arch;
pub mod config;
pub mod estimate;
mod host;
mod megatron;
mod model;
pub mod setup;
mod step;
mod step_cost;
mod tape;

pub use arch::{Arch, Certainty};
pub use config::{Config, Value};
pub use estimate::{Estimate, estimate, estimate_with_timeline, timeline};
pub use setup::Setup;
pub use step_cost::StepCost;

/// Peak of allocated and of reserved bytes, straight from the simulator: for its own comparison with traces.
#[doc(hidden)]
pub fn peaks(arch: &Arch, setup: &Setup) -> (u64, u64) {
    step::layer_extrapolation::extrapolate(arch, setup).peaks().map_or((0, 0), |peaks| (peaks.highest.allocated, peaks.reserved))
}
