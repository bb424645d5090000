//! Megatron-Core: closed-form arithmetic instead of a simulated step.
//!
//! A rank holds its share of the parameters, a buffer of gradients, its part of the optimizer states, and what the micro-batches in
//! flight keep for backward. Shapes and lifetimes were read from Megatron-Core 0.18 (`transformer/`, `distributed/`, `optimizer/`,
//! `pipeline_parallel/schedules.py`) with the modules of Transformer Engine 2; no step was traced.

mod activations;
mod estimate;
mod local;
mod rank;
mod stages;
#[cfg(test)]
mod tests;

pub(crate) use estimate::{estimate, timeline};
