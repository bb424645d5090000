//! Estimates and runs as text, page and drawing, for the command line and the editor.
//!
//! Invariants:
//!
//! 1. Text in, text out: nothing here prints, reads a disk or knows a terminal. Colour is the caller's: see [`StyleRole`].
//! 2. Whatever a file of the user holds, the page and the drawing stay well formed, and need nothing but themselves.

#![allow(clippy::doc_markdown)] // names of tools are no code: DeepSpeed

pub mod estimate;
pub mod origin;
pub mod runs;
pub mod span;
pub mod style;
pub mod table;

pub use style::{StyleRole, Styler, unstyled};
