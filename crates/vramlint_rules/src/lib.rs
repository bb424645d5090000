//! The rules: one small file each.
//!
//! A rule takes a resolved [`Project`], never text; it never reads a disk. The comment at the head of its file is its page:
//! English first, Chinese below `# 中文`.

mod batch;
mod code;
mod edit;
mod launch;
mod reading;
mod registry;
mod rule;
mod sharding;

pub use registry::{RULES, find};
pub use rule::{Context, Group, Page, Rule, Sink};
pub use vramlint_resolve::Project;
