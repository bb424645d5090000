//! From the answers of `vramlint_ide` to the types of the protocol.

mod code_actions;
mod completions;
mod decorations;
mod diagnostics;
mod navigation;

pub(crate) use code_actions::{FIX_ALL, actions};
pub(crate) use completions::completions;
pub(crate) use decorations::{hints, hover, lenses};
pub(crate) use diagnostics::diagnostics;
pub(crate) use navigation::{definition, links, references, symbols};
