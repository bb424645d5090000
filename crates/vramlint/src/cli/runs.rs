//! Arguments of `runs`.

use super::common::CommonArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Files and folders to read
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--output-format` of `runs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunsFormat {
    /// A table
    #[default]
    Text,
    /// One JSON object
    Json,
}
