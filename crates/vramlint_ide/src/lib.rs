//! What an editor asks of a checked project, as plain data: byte offsets in, byte offsets and text out.
//!
//! Invariants:
//!
//! 1. Nothing here knows a protocol. The server turns offsets into positions and these structs into its own.
//! 2. Pure: a [`Report`](vramlint_project::Report) and an offset give an answer; no disk, no clock, no waiting.
//! 3. Offsets are in whole files. What stands embedded in a document is looked up there and carried back.
//! 4. Markdown that it gives reads well as plain text too: some editors show it raw.

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
pub mod navigate;
mod summary;
pub mod symbols;
mod warm_up;

pub use actions::{Action, ActionKind, actions};
pub use complete::{Completion, CompletionKind, completions, configuration_completions};
pub use diagnostics::{Diagnostic, Note, Tag, diagnostics};
pub use hints::{Hint, HintKind, hints};
pub use hover::{Hover, hover};
pub use lenses::{Lens, LensCommand, lenses};
pub use links::{Link, links};
pub use navigate::{definition, references};
pub use symbols::{Symbol, SymbolKind, symbols};
pub use warm_up::warm_up;
