//! The project layer: discovery, configuration, suppressions, fixes, and the report. The only layer that reads a disk.
//!
//! Invariants:
//!
//! 1. Nothing of a user's project can make it panic: unreadable files, broken texts and failing rules are findings.
//! 2. The same files and the same request give the same report, in the same order, whatever the number of threads.
//! 3. It writes only in [`fix::write`], and only what [`fix::fix_until_stable`] made.

mod backend;
mod baseline;
pub mod config;
mod discovery;
pub mod fix;
mod internal_error;
pub mod models;
mod overlay_fs;
mod postprocess;
pub mod report;
mod request;
mod rule_runner;
mod rule_selection;
mod session;
mod skipped;
mod source_loader;
mod suppress;
#[cfg(test)]
mod testing;
mod trace;
mod versions;
pub mod workspace;

pub use baseline::{Baseline, BaselineStats};
pub use config::{Config, ConfigError};
pub use fix::{FixOutcome, FixedFile, fix_until_stable};
pub use models::{find_model, hub_caches};
pub use report::{Report, check, governing};
pub use request::Request;
pub use skipped::{SkipReason, Skipped, SkippedPath};
pub use suppress::{AddIgnoreOutcome, add_ignores, ignore_edit};
pub use vramlint_catalog::files::watch_globs;
pub use workspace::{AnalysisError, AnalysisResult, CancellationToken, Workspace};
