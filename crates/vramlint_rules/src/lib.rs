//! The rules: one small file each.
//!
//! A rule takes a resolved [`Project`], never text; it never reads a disk. The comment at the head of its file is its page.

mod registry;
mod rule;

pub use registry::{RULES, find};
pub use rule::{Context, Group, Page, Rule, Sink};
pub use vramlint_resolve::Project;
