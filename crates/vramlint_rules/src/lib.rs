//! The rules: one small file each.
//!
//! A rule takes a resolved [`Project`], never text; it never reads a disk. The comment at the head of its file is its page:
//! English first, Chinese below `# 中文`.

// Every rule has one signature; it may come to hold more than one reference.
#![allow(clippy::trivially_copy_pass_by_ref)]
// The head comments are pages for people: names such as DeepSpeed and MULTI_GPU stand in prose.
#![allow(clippy::doc_markdown)]

#[macro_use]
mod page;

mod argument_findings;
mod batch;
mod code;
mod data;
mod environment;
mod frameworks;
mod generation;
mod launch;
mod memory;
mod needs;
mod precision;
mod registry;
mod rule;
mod sharding;
mod symptom;
mod syntax_and_keys;

pub use batch::claims;
pub use memory::{edits_to_verify, joined_edits, plan_edits, repair_fix};
pub use needs::{is_relevant, names_training_library};
pub use page::Page;
pub use registry::{RULES, find};
pub use rule::{Context, DiagnosticTag, Group, Rule, Sink};
pub use symptom::Symptom;
pub use syntax_and_keys::engine;
pub use vramlint_resolve::Project;
