//! Arguments of `oom`.

use super::common::CommonArgs;
use super::runs::RunsFormat;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct OomArgs {
    /// Logs to read; `-` or none reads standard input
    #[arg(value_name = "LOG")]
    pub(crate) logs: Vec<PathBuf>,
    /// Folder or files of the project that wrote the log [default: the working directory]
    #[arg(long, value_name = "PATH")]
    pub(crate) project: Option<PathBuf>,
    /// Run that wrote the log, by its id
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
