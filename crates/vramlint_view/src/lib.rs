//! Renders estimates and runs as text, HTML and SVG, for the command line and the editor.
//!
//! Invariants:
//!
//! 1. Data in, text out: nothing here prints, reads files or knows the terminal. The caller applies colors: see [`StyleRole`].
//! 2. The HTML and SVG output is well-formed and self-contained, whatever the user's files contain.

#![allow(clippy::doc_markdown)] // names of tools are no code: DeepSpeed

pub mod ceilings;
pub mod compare;
pub mod diff;
pub mod estimate;
pub mod fit;
pub mod oom;
pub mod origin;
pub mod runs;
pub mod span;
pub mod style;
pub mod table;
pub mod why;

pub use style::{StyleRole, Styler, unstyled};
