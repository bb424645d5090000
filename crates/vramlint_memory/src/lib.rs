//! What one training step holds on a GPU and in the memory of its host.
//!
//! Pure arithmetic over an [`Arch`] and a [`Setup`]; the standard library only. Sizes are bytes unless a name says otherwise.

#![allow(clippy::doc_markdown)] // DeepSpeed, ZeRO and the like are no code

mod allocator;
pub mod arch;
pub mod config;
pub mod estimate;
mod host;
mod model;
pub mod setup;
mod step;
mod tape;

pub use arch::Arch;
pub use config::{Config, Value};
pub use estimate::{Estimate, estimate, timeline};
pub use setup::Setup;

/// Peak of allocated and of reserved bytes, straight from the simulator: for its own comparison with traces.
#[doc(hidden)]
pub fn peaks(arch: &Arch, setup: &Setup) -> (u64, u64) {
    let trace = step::run(arch, setup, &arch.layers);
    let mut allocator = allocator::Allocator::default();
    let (mut current, mut peak) = (0, 0);
    let mut handles = std::collections::HashMap::new();
    for (at, event) in trace.events.iter().enumerate() {
        match event.kind {
            tape::EventKind::Alloc { bytes, stream, .. } => {
                handles.insert(event.block, (allocator.alloc(bytes, stream), allocator::rounded(bytes)));
                current += allocator::rounded(bytes);
            }
            tape::EventKind::Free => {
                if let Some((handle, size)) = handles.remove(&event.block) {
                    allocator.free(handle);
                    current -= size;
                }
            }
            tape::EventKind::EmptyCache => allocator.empty_cache(),
            tape::EventKind::Become(_) => {}
        }
        if at >= trace.loaded {
            peak = peak.max(current);
        }
        if at + 1 == trace.loaded {
            allocator.reset_peak();
        }
    }
    (peak, allocator.peak())
}
