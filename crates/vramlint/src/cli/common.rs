//! Arguments that several commands share.

use crate::{auto_gpu, color, language};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use vramlint_project::config::Size;
use vramlint_resolve::Target;

/// Arguments of every command that reads a project.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct CommonArgs {
    /// Configuration file to use instead of the nearest ones
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Ignore all configuration files
    #[arg(long, conflicts_with = "config")]
    pub(crate) isolated: bool,
    /// Also read files that .gitignore or `exclude` leave out
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Also read, and fix, what links that lead out of the project point to
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Globs to exclude; can be repeated
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// When to use color
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: color::ColorChoice,
    /// Language of the messages [default: from the configuration, else from the locale]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
    /// Number of threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) jobs: usize,
    /// Print findings only
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print the configurations used, the files not read, the runs found and the time taken
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Setting that the project does not show, for every run; can be repeated: `--set micro_batch=4`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// The target machine; overrides every `[target]`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// Target GPU, by name; `auto` detects the local GPUs
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Memory of one GPU: 24GiB, 20480MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    gpu_memory: Option<u64>,
    /// GPUs per node; the number of processes of a run without a launcher
    #[arg(long, value_name = "N")]
    gpus: Option<u32>,
    /// Number of nodes
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Memory of one host: 256GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    host_memory: Option<u64>,
}

fn parse_size(text: &str) -> Result<u64, String> {
    Size::parse(text).map(|size| size.0).map_err(|why| why.en)
}

impl TargetArgs {
    /// The target; `--gpu auto` queries the driver.
    pub(crate) fn target(&self) -> Result<Target> {
        auto_gpu::resolve(Target {
            gpu: self.gpu.clone(),
            memory: self.gpu_memory,
            count: self.gpus,
            nodes: self.nodes,
            host_memory: self.host_memory,
            os: None,
        })
    }
}
