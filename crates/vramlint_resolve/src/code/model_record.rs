//! The state of a model that the code loads.

use super::call_arguments::CallArguments;
use super::qualified_name::library;
use super::value::AbstractValue;
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// The role of a loaded model, by the name it is assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelRole {
    Policy,
    Reference,
    Reward,
}

/// A model that is loaded.
#[allow(clippy::struct_excessive_bools)] // each is one thing that becomes of it
pub(super) struct ModelRecord {
    pub(super) class: Rc<str>,
    pub(super) place: FileRange,
    pub(super) args: CallArguments,
    pub(super) part: ModelRole,
    pub(super) guard: Option<Rc<str>>,
    pub(super) via: Vec<FileRange>,
    /// It reaches an optimizer, adapters, or a backward.
    pub(super) trained: bool,
    /// It is passed to a trainer. The trainer may only evaluate.
    pub(super) in_trainer: bool,
    /// It is passed to `prepare()`.
    pub(super) prepared: bool,
    /// It leaves the visible code.
    pub(super) escaped: bool,
    /// It generates, or is put into evaluation mode.
    pub(super) inferred: bool,
    /// Where all of it is frozen, unless it is unfrozen later.
    pub(super) frozen: Option<FileRange>,
    /// Some of it may be kept from training.
    pub(super) partly_frozen: bool,
    /// The dtype of the last cast after the load; unknown if the cast is conditional.
    pub(super) cast: Option<AbstractValue>,
}

impl ModelRecord {
    /// Whether it reaches an optimizer, a trainer, adapters or `prepare()`.
    pub(super) fn is_trained(&self) -> bool {
        self.trained || self.in_trainer || self.prepared
    }

    /// Whether Unsloth loads it to train all of its weights.
    pub(super) fn is_trained_in_full(&self) -> bool {
        let full = self.args.get("full_finetuning").and_then(AbstractValue::constant);
        library(&self.class) == Some("unsloth") && full == Some(&Value::Bool(true))
    }
}
