//! Arguments of `why`.

use super::common::CommonArgs;
use super::runs::RunsFormat;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// File to explain, or a line of it: train.py, launch.sh:4
    #[arg(value_name = "PATH[:LINE]")]
    pub(crate) path: String,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
