//! The vocabulary that all other crates share: text ranges, values, messages, findings and fixes.
//!
//! Invariants:
//!
//! 1. Offsets are UTF-8 bytes as `u32`. Lines and columns exist only at the boundaries, in [`LineIndex`].
//! 2. This crate does not know what a key means, reads no files and prints nothing.
//! 3. The English and the Chinese text of a message are written together, so that neither is forgotten.

mod evaluated;
mod finding;
mod line_index;
mod message;
pub mod number;
mod panic;
mod range;
mod suggest;
mod template;
pub mod text;
mod value;
pub mod value_readers;
pub mod visible;

pub use evaluated::{Evaluated, UnknownReason};
pub use finding::{Applicability, Edit, FileId, FileRange, Finding, Fix, Related, Severity};
pub use line_index::{LineColumn, LineIndex};
pub use message::{Lang, Message};
pub use panic::panic_message;
pub use range::TextRange;
pub use suggest::suggest;
pub use template::{has_template_mark, is_templated, may_be_templated};
pub use text::count_noun;
pub use value::Value;
