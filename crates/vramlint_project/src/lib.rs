//! The project layer: discovery, configuration, suppressions, fixes, and the report. The only layer that reads a disk.
//!
//! Invariants:
//!
//! 1. Nothing of a user's project can make it panic: unreadable files, broken texts and failing rules are findings.
//! 2. The same files and the same request give the same report, in the same order, whatever the number of threads.
//! 3. It writes only in [`fix::write`], and only what [`fix::fix_until_stable`] made.

mod baseline;
pub mod config;
mod discovery;
mod files;
pub mod fix;
mod ground;
mod layers;
pub mod models;
mod own;
mod read;
pub mod report;
mod request;
mod rules;
mod select;
mod sift;
mod spelling;
mod suppress;
#[cfg(test)]
mod testing;
mod versions;
pub mod workspace;

pub use baseline::{Baseline, Taken};
pub use config::{Config, ConfigError};
pub use fix::{FixOutcome, FixedFile, fix_until_stable};
pub use models::{find_model, hub_caches};
pub use report::{Report, check, governing};
pub use request::Request;
pub use suppress::{Ignored, add_ignores, ignore_edit};
pub use workspace::{Answer, Cancel, Stopped, Workspace};
