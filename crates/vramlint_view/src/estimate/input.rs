//! What is estimated: a model under a setup on a machine, with what was taken for granted about it.

use serde_json::Value as Json;
use vramlint_base::Message;
use vramlint_memory::{Arch, Setup};

/// A question.
#[derive(Clone, Debug)]
pub struct EstimateInput {
    /// Name of the run, or `id` of the record; null for a setup given by flags.
    pub id: Json,
    /// The model, for people; empty where it has no name.
    pub model: String,
    /// The task as it is called where it was asked for.
    pub task: &'static str,
    /// Completions of a prompt, under GRPO.
    pub num_generations: Option<u64>,
    /// The architecture.
    pub arch: Arch,
    /// The setup.
    pub setup: Setup,
    /// The estimate, where it is made already.
    pub known: Option<vramlint_memory::Estimate>,
    /// Lower bound with the lightest values of everything that a project leaves open, bytes; `None` where nothing is open.
    pub floor: Option<u64>,
    /// The card, where one is known.
    pub gpu: Option<GpuCapacity>,
    /// Memory of the host, bytes.
    pub host: Option<u64>,
    /// What nobody stated.
    pub assumptions: Vec<Message>,
    /// Fields of a record that mean nothing.
    pub unused: Vec<String>,
}

/// A card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuCapacity {
    /// Its name; `None` where only the memory was given.
    pub name: Option<String>,
    /// Memory as the driver reports it, bytes.
    pub bytes: u64,
    /// Compute capability, tenths.
    pub capability: Option<u32>,
}
