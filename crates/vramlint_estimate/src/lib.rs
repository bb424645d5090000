//! From a resolved run, or from flags, to a setup; from a setup to an estimate, a verdict and the changes that would make it fit. Pure.

#![allow(clippy::doc_markdown)] // names of tools are no code: DeepSpeed, ZeRO, GPTQ

pub mod models;
pub mod record;

pub use models::{Model, Models, Source};
