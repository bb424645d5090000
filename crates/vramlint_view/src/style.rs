//! What a piece of text is, for whoever colours it.

use vramlint_estimate::Verdict;
use vramlint_memory::estimate::Part;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StyleRole {
    /// What matters most in its line.
    Strong,
    /// What may be overlooked.
    Faint,
    /// Good news or bad.
    Verdict(Verdict),
    /// Of a part of the memory.
    Part(Part),
}

/// Dresses a piece of text.
pub type Styler = fn(&str, StyleRole) -> String;

/// Leaves it as it is.
pub fn unstyled(text: &str, _: StyleRole) -> String {
    text.to_owned()
}
