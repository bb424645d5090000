//! The vocabulary that every other crate shares: ranges in a text, values, messages, findings and fixes.
//!
//! Invariants:
//!
//! 1. Offsets are UTF-8 bytes as `u32`. Lines and columns exist only in [`LineIndex`], at the edges.
//! 2. Nothing here knows what a key means, reads a disk, or prints.
//! 3. Every message has its English and its Chinese text in one place, so that neither can be forgotten.

mod evaluated;
mod finding;
mod line_index;
mod message;
mod panic;
mod range;
mod suggest;
mod template;
pub mod text;
mod value;

pub use evaluated::{Evaluated, UnknownReason};
pub use finding::{Applicability, Edit, FileId, FileRange, Finding, Fix, Related, Severity};
pub use line_index::{LineColumn, LineIndex};
pub use message::{Lang, Message};
pub use panic::panic_message;
pub use range::TextRange;
pub use suggest::suggest;
pub use template::{has_template_mark, is_templated};
pub use text::count_noun;
pub use value::Value;
