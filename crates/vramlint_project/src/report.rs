//! From paths to findings.

use crate::ConfigError;
use std::path::PathBuf;
use std::sync::Arc;
use vramlint_base::{Finding, Severity};
use vramlint_resolve::Project;

/// What is asked for: the command line, without its presentation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Working directory: shown paths are relative to it.
    pub cwd: PathBuf,
    /// Files and folders to check; empty for the working directory.
    pub paths: Vec<PathBuf>,
    /// One file from standard input, under this name.
    pub stdin: Option<(PathBuf, Vec<u8>)>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--isolated`: no configuration files.
    pub isolated: bool,
    /// `--no-ignore`: `.gitignore` and excludes do not count.
    pub no_ignore: bool,
    /// `--exclude`.
    pub exclude: Vec<String>,
    /// `--select`, instead of the configuration's.
    pub select: Option<Vec<String>>,
    /// `--extend-select`.
    pub extend_select: Vec<String>,
    /// `--ignore`, on top of the configuration's.
    pub ignore: Vec<String>,
    /// `--gpu`, `--gpu-memory` (bytes), `--gpus`, `--nodes`, `--host-memory` (bytes): on top of every target.
    pub target: vramlint_resolve::Target,
    /// `--jobs`; 0 for as many as there are cores.
    pub jobs: usize,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The project, for places and runs.
    pub project: Arc<Project>,
    /// Findings that are not suppressed, in order of path, place, code. Places are in whole files.
    pub findings: Vec<Finding>,
    /// Files that were checked (hosts, not embedded texts).
    pub files: usize,
    /// `fail-on` of the configuration that governs the first path.
    pub fail_on: Option<Severity>,
    /// `lang` of that configuration: `en` or `zh`.
    pub lang: Option<vramlint_base::Lang>,
}

/// Checks. `progress` is told (files done, files in all) now and then, from any thread.
pub fn check(request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, ConfigError> {
    let _ = (request, progress);
    todo!()
}
