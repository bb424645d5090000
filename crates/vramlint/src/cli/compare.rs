//! Arguments of `compare`.

use super::common::CommonArgs;
use super::runs::RunsFormat;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Memory snapshot of PyTorch, state of a trainer, folder of Weights & Biases, log of nvidia-smi, recording of `gpu --record`, or
    /// the output of the training
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Files and folders of the project that was measured
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Id of the run that was measured, as printed by `vramlint runs`
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
