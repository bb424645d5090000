//! The input of an estimate: a model, a setup, a machine, and the assumptions about them.

use serde_json::Value as Json;
use vramlint_base::Message;
use vramlint_estimate::{Lightest, Timeline};
use vramlint_memory::{Arch, Setup};

/// The input of an estimate.
#[derive(Clone, Debug)]
pub struct EstimateInput {
    /// Name of the run, or `id` of the record; null for a setup given by flags.
    pub id: Json,
    /// The displayed name of the model; empty if it has none.
    pub model: String,
    /// The task, as the user names it.
    pub task: &'static str,
    /// Completions per prompt, for GRPO.
    pub num_generations: Option<u64>,
    /// The architecture.
    pub arch: Arch,
    /// The setup.
    pub setup: Setup,
    /// The estimate, if it is already computed, and its timeline, if that is.
    pub known: Option<(vramlint_memory::Estimate, Option<Timeline>)>,
    /// Lower bound for the lightest values of everything that the project leaves open, bytes; `None` if nothing is open.
    pub floor: Option<u64>,
    /// The lightest values of everything that the project leaves open, if they are to be shown.
    pub lightest: Option<Box<Lightest>>,
    /// The target GPU, if known.
    pub gpu: Option<GpuCapacity>,
    /// Host memory, bytes.
    pub host: Option<u64>,
    /// Assumptions about values that are not set.
    pub assumptions: Vec<Message>,
    /// Unknown fields of a record.
    pub unused: Vec<String>,
}

/// A GPU and its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuCapacity {
    /// Its name; `None` if only the memory is known.
    pub name: Option<String>,
    /// Memory as the driver reports it, bytes.
    pub bytes: u64,
    /// Compute capability, in tenths.
    pub capability: Option<u32>,
}
