//! Arguments of `compare`.

use super::common::CommonArgs;
use super::runs::RunsFormat;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Memory snapshot of PyTorch, state of a trainer, folder of Weights & Biases, log of nvidia-smi, recording of `gpu --record`, or
    /// the output of the training; `-` for standard input
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Files and folders of the project that was measured
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Id of the run that was measured, as printed by `vramlint runs`
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Python file that the run executes, instead of --run
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    pub(crate) script: Option<PathBuf>,
    /// Write what was measured into the configuration of the project: the bounds of this run follow it
    #[arg(long)]
    pub(crate) save: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
