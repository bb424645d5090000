//! Arguments of `diff`.

use super::common::CommonArgs;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A revision to compare with the working tree, `BASE..HEAD`, or two folders; then a path inside [default: HEAD]
    #[arg(value_name = "REV|REV..REV|DIR DIR [PATH]", num_args = 0..=3)]
    pub(crate) sides: Vec<String>,
    /// Exit with 1 if one of these changes: effective-batch, fits, precision, or any setting that `vramlint runs` prints
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fail_on: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: DiffFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--output-format` of `diff`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// A table
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Tables for a pull request
    Markdown,
}
