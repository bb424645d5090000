//! What is estimated: a model under a setup on a machine, with what was taken for granted about it.

use serde_json::Value as Json;
use vramlint_base::Message;
use vramlint_memory::{Arch, Setup};

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Name of the run, or `id` of the record; null for a setup given by flags.
    pub(crate) id: Json,
    /// The model, for people; empty where it has no name.
    pub(crate) model: String,
    /// The task as it is called where it was asked for.
    pub(crate) task: &'static str,
    /// Completions of a prompt, under GRPO.
    pub(crate) num_generations: Option<u64>,
    /// The architecture.
    pub(crate) arch: Arch,
    /// The setup.
    pub(crate) setup: Setup,
    /// The estimate, where it is made already.
    pub(crate) known: Option<vramlint_memory::Estimate>,
    /// Lower bound with the lightest values of everything that a project leaves open, bytes; `None` where nothing is open.
    pub(crate) floor: Option<u64>,
    /// The card, where one is known.
    pub(crate) card: Option<Card>,
    /// Memory of the host, bytes.
    pub(crate) host: Option<u64>,
    /// What nobody stated.
    pub(crate) assumptions: Vec<Message>,
    /// Fields of a record that mean nothing.
    pub(crate) unused: Vec<String>,
}

/// A card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    /// Its name; `None` where only the memory was given.
    pub(crate) name: Option<String>,
    /// Memory as the driver reports it, bytes.
    pub(crate) bytes: u64,
    /// Compute capability, tenths.
    pub(crate) capability: Option<u32>,
}
