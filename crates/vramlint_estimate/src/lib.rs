//! Maps a resolved run, or flags, to a setup; estimates it; compares it with capacities; and finds changes that make it fit. Pure.

#![allow(clippy::doc_markdown)] // names of tools are no code: DeepSpeed, ZeRO, GPTQ

mod calibration;
pub mod capacity;
pub mod estimates;
pub mod fit;
pub mod machines;
mod mapping;
pub mod models;
pub mod open_settings;
mod own_loss;
mod plausibility;
pub mod record;
pub mod repairs;
pub mod run_estimate;
mod simulation_cache;
pub mod step_time;
pub mod verdict;

pub use capacity::Capacity;
pub use estimates::Estimates;
pub use fit::{FitOptions, Fitting, Plan, fit};
pub use machines::{Machine, MachineEstimate};
pub use models::{Model, Models, Source};
pub use open_settings::{Lightest, OpenSetting, open_settings};
pub use repairs::{Repair, TrainingEffect, repairs};
pub use run_estimate::{RunEstimate, estimate_run, estimate_setup};
pub use simulation_cache::{SimulationCache, Timeline};
pub use step_time::StepTime;
pub use verdict::Verdict;
