//! Semantic text styles.

use vramlint_estimate::Verdict;
use vramlint_memory::estimate::Part;

/// The role of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StyleRole {
    /// Emphasized.
    Strong,
    /// De-emphasized.
    Faint,
    /// A verdict on memory.
    Verdict(Verdict),
    /// A part of the memory.
    Part(Part),
}

/// Applies a style.
pub type Styler = fn(&str, StyleRole) -> String;

/// Returns the text unchanged.
pub fn unstyled(text: &str, _: StyleRole) -> String {
    text.to_owned()
}
