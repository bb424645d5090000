//! Editor features over a checked project, as plain data: byte offsets in, byte offsets and text out.
//!
//! Invariants:
//!
//! 1. Nothing here knows a protocol. The server converts offsets to positions and these structs to its own.
//! 2. Pure: a function of a [`Report`](vramlint_project::Report) and an offset; no disk, no clock, no waiting.
//! 3. Public offsets are in host files. Positions in embedded files are mapped there and back.
//! 4. Markdown output also reads well as plain text: some editors show it raw.

pub mod actions;
pub mod complete;
mod cursor;
pub mod diagnostics;
mod embedded;
#[cfg(test)]
mod fixture;
pub mod hints;
pub mod hover;
pub mod lenses;
pub mod links;
mod markdown;
pub mod navigate;
mod rule_pages;
mod summary;
pub mod symbols;
mod warm_up;

pub use actions::{Action, ActionKind, Page, actions};
pub use complete::{Completion, CompletionKind, completions, configuration_completions};
pub use diagnostics::{Diagnostic, Note, Tag, diagnostics};
pub use hints::{Hint, HintKind, hints};
pub use hover::{Hover, hover};
pub use lenses::{Lens, LensCommand, lenses};
pub use links::{Link, links};
pub use navigate::{definition, references};
pub use rule_pages::rule_page;
pub use symbols::{Symbol, SymbolKind, symbols};
pub use warm_up::warm_up;
