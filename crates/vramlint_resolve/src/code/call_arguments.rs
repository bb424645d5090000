//! The evaluated arguments of a call.

use super::value::AbstractValue;
use vramlint_base::TextRange;

/// The arguments of a call, with stars unpacked as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct CallArguments {
    pub(super) positional: Vec<AbstractValue>,
    pub(super) keyword: Vec<(String, AbstractValue)>,
    /// Whether there may be more.
    pub(super) open: bool,
    /// The objects whose fields are unpacked: `Namespace(**vars(arguments))`.
    pub(super) unpacked_objects: Vec<usize>,
    /// The block of a loaded file whose keys are keywords too: `Config(**cfg["training"])`.
    pub(super) unpacked_block: Option<(usize, Vec<String>)>,
}

impl CallArguments {
    pub(super) fn get(&self, name: &str) -> Option<&AbstractValue> {
        self.keyword.iter().rev().find(|(key, _)| key == name).map(|(_, val)| val)
    }

    /// The argument with this name or at this position.
    pub(super) fn arg(&self, name: &str, index: usize) -> Option<&AbstractValue> {
        self.get(name).or_else(|| self.positional.get(index))
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &AbstractValue> {
        self.positional.iter().chain(self.keyword.iter().map(|(_, val)| val))
    }
}

/// The ranges of the arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct ArgumentRanges {
    pub(super) positional: Vec<Option<TextRange>>,
    pub(super) keyword: Vec<Option<TextRange>>,
}
