//! Test support: cases, which are Markdown files in `tests/rules` and `tests/runs`, and folders of files.
//!
//! Only tests depend on this crate. It panics with the file and the case when something is malformed.

mod case;
mod document;
mod files;

pub use case::{Case, diff};
pub use document::Document;
pub use files::{case_documents, files_below, shared, workspace_root, write_files};
