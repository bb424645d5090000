//! From the answers of `vramlint_ide` to the words of the protocol.

mod actions;
mod complete;
mod diagnostics;
mod show;

pub(crate) use actions::{FIX_ALL, actions};
pub(crate) use complete::completions;
pub(crate) use diagnostics::diagnostics;
pub(crate) use show::{definition, hints, hover, lenses, links, references, symbols};
