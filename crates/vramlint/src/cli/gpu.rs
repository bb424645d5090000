//! Arguments of `gpu`.

use crate::{color, language};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GpuArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: GpuFormat,
    /// Refresh until q or Ctrl-C; on a terminal as bars, with the predicted peaks of the runs of the project
    #[arg(long)]
    pub(crate) watch: bool,
    /// Seconds between refreshes
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), requires = "watch")]
    pub(crate) interval: u32,
    /// File to append every refresh to, as one JSON object per line; `vramlint compare` reads it
    #[arg(long, value_name = "FILE", requires = "watch")]
    pub(crate) record: Option<PathBuf>,
    /// Folder or files of the project whose runs to predict [default: the working directory]
    #[arg(long, value_name = "PATH", requires = "watch")]
    pub(crate) project: Option<PathBuf>,
    /// Id of the only run to predict, as printed by `vramlint runs`
    #[arg(long, value_name = "ID", requires = "watch")]
    pub(crate) run: Option<String>,
    /// When to use color
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: color::ColorChoice,
    /// Language of the messages [default: from the locale]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

/// `--output-format` of `gpu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GpuFormat {
    /// For a terminal
    #[default]
    Text,
    /// One JSON object; with --watch, one per line
    Json,
}
