//! What one training step holds on a GPU and in the memory of its host.
//!
//! Pure arithmetic over an [`Arch`] and a [`Setup`]; the standard library only. Sizes are bytes unless a name says otherwise.

#![allow(clippy::doc_markdown)] // DeepSpeed, ZeRO and the like are no code

pub mod arch;
pub mod config;
pub mod estimate;
pub mod setup;

pub use arch::Arch;
pub use config::{Config, Value};
pub use estimate::{Estimate, estimate, timeline};
pub use setup::Setup;
