//! The vocabulary that every other crate speaks: places in a text, values, messages, findings and fixes.
//!
//! Invariants:
//!
//! 1. Offsets are UTF-8 bytes as `u32`. Lines and columns exist only in [`LineIndex`], at the edges.
//! 2. Nothing here knows what a key means, reads a disk, or prints.
//! 3. Every message is written in English and in Chinese at the same place, so that neither can be forgotten.

mod count_noun;
mod evaluated;
mod finding;
mod line_index;
mod message;
mod range;
mod template;
pub mod text;
mod value;

pub use count_noun::count_noun;
pub use evaluated::{Evaluated, UnknownReason};
pub use finding::{Applicability, Edit, FileId, FileRange, Finding, Fix, Related, Severity};
pub use line_index::{LineColumn, LineIndex};
pub use message::{Lang, Message};
pub use range::TextRange;
pub use template::{has_template_mark, is_templated};
pub use value::Value;
