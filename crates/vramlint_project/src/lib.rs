//! The project layer: discovery, configuration, suppressions, fixes, and the report. The only layer that reads a disk.

pub mod config;
pub mod report;

pub use config::{Config, ConfigError};
pub use report::{Report, Request, check};
