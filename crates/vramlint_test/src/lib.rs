//! Test support: the cases of the rules, which are Markdown files in `tests/rules`, and folders of files.
//!
//! Only tests depend on this crate. It panics with the file and the case when something is malformed.

mod case;
mod document;
mod files;

pub use case::{Case, diff};
pub use document::Document;
pub use files::{files_below, rule_documents, shared, workspace_root, write_files};
