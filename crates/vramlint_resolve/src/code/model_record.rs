//! What is known of a model that the code loads.

use super::call_arguments::CallArguments;
use super::value::AbstractValue;
use std::rc::Rc;
use vramlint_base::FileRange;

/// What a loaded model is for, by the name it gets.
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
    /// It is handed to a trainer that only evaluates, unless that is seen to train.
    pub(super) in_trainer: bool,
    /// It is handed to `prepare()`.
    pub(super) prepared: bool,
    /// It goes where the project does not show.
    pub(super) escaped: bool,
    /// It generates, or is put into evaluation mode.
    pub(super) inferred: bool,
    /// Where the whole of it is frozen, unless it is thawed later.
    pub(super) frozen: Option<FileRange>,
    /// The type that it is cast to after it is loaded, by the last such call; unknown under a condition.
    pub(super) cast: Option<AbstractValue>,
}
