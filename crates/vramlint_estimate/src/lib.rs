//! From a resolved run, or from flags, to a setup; from a setup to an estimate, a verdict and the changes that would make it fit. Pure.

#![allow(clippy::doc_markdown)] // names of tools are no code: DeepSpeed, ZeRO, GPTQ

pub mod capacity;
pub mod estimates;
mod mapping;
pub mod models;
pub mod record;
pub mod repairs;
pub mod run_estimate;
mod simulations;
pub mod verdict;

pub use capacity::Capacity;
pub use estimates::Estimates;
pub use models::{Model, Models, Source};
pub use repairs::{Keeps, Repair, repairs};
pub use run_estimate::{RunEstimate, estimate_run, estimate_setup};
pub use simulations::Simulations;
pub use verdict::Verdict;
