//! The project layer: discovery, configuration, suppressions, fixes and the report. All layers below it are pure.
//!
//! Invariants:
//!
//! 1. No project makes it panic: unreadable files, invalid texts and panicking rules become findings.
//! 2. The same files and the same request produce the same report, in the same order, for any number of threads.
//! 3. Only [`fix::write`] writes files.

mod atomic_file;
mod backend;
mod baseline;
mod bounded_file;
mod bounds;
pub mod config;
mod discovery;
pub mod explanation;
pub mod fix;
mod internal_error;
mod library_packages;
mod measurement;
pub mod models;
mod one_cause;
mod overlay_fs;
mod postprocess;
mod references;
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

pub use atomic_file::write_file;
pub use baseline::{Baseline, BaselineStats};
pub use bounded_file::{MAX_READ, read_file, read_stream};
pub use config::{Config, ConfigError};
pub use fix::{FixOutcome, FixedFile, fix_until_stable};
pub use measurement::save_measurement;
pub use models::{AddedModel, add_model, find_model, hub_caches};
pub use report::{Report, STACK_SIZE, check, governing};
pub use request::Request;
pub use skipped::{SkipReason, Skipped, SkippedPath};
pub use suppress::{AddIgnoreOutcome, add_ignores, ignore_edit};
pub use vramlint_catalog::files::watch_globs;
pub use workspace::{AnalysisError, AnalysisResult, CancellationToken, Workspace};
