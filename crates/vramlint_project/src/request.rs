//! The input of an analysis.

use crate::baseline::Baseline;
use crate::bounds::Bounds;
use crate::config::Preset;
use crate::discovery::paths::absolute;
use crate::overlay_fs::OverlayFs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_resolve::{Target, UserSetting};

/// The input of an analysis: the command line without output options.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Working directory: shown paths are relative to it.
    pub cwd: PathBuf,
    /// Files and folders to check; empty for the working directory.
    pub paths: Vec<PathBuf>,
    /// One file from standard input, under this name.
    pub stdin: Option<(PathBuf, Vec<u8>)>,
    /// Content that overrides files on disk: unsaved texts of an editor, texts with fixes applied. Paths are absolute or relative
    /// to `cwd`, and need not exist.
    pub overlay: HashMap<PathBuf, Vec<u8>>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--isolated`: no configuration files.
    pub isolated: bool,
    /// `--no-ignore`: disregard `.gitignore` and excludes.
    pub no_ignore: bool,
    /// `--follow-links`: read and fix what links outside the project lead to.
    pub follow_links: bool,
    /// `--exclude`.
    pub exclude: Vec<String>,
    /// `--select`; replaces the selection of the configuration.
    pub select: Option<Vec<String>>,
    /// `--extend-select`.
    pub extend_select: Vec<String>,
    /// `--ignore`; adds to the configuration.
    pub ignore: Vec<String>,
    /// `--preset`; replaces the preset of the configuration.
    pub preset: Option<Preset>,
    /// `--baseline`: known findings.
    pub baseline: Option<Arc<Baseline>>,
    /// `--gpu`, `--gpu-memory` (bytes), `--gpus`, `--nodes`, `--host-memory` (bytes); overrides every target.
    pub target: Target,
    /// `--set`; applies to every run and beats `[runs."…"]`.
    pub settings: Vec<UserSetting>,
    /// Hugging Face caches to search for models; see [`crate::hub_caches`].
    pub hub_caches: Vec<PathBuf>,
    /// Whether the estimates come with timelines, for an output that shows them.
    pub timelines: bool,
    /// `--jobs`; 0 for one thread per core.
    pub jobs: usize,
}

pub(crate) fn overlay(request: &Request) -> OverlayFs {
    let entries = request.overlay.iter().map(|(path, bytes)| (absolute(&request.cwd, path), Arc::new(bytes.clone())));
    let stdin = request.stdin.iter().map(|(name, bytes)| (absolute(&request.cwd, name), Arc::new(bytes.clone())));
    let named = request.stdin.iter().map(|(name, _)| name).chain(&request.paths).map(PathBuf::as_path);
    let bounds = (!request.follow_links).then(|| Arc::new(Bounds::new(&request.cwd, named)));
    OverlayFs { overlay: entries.chain(stdin).collect(), bounds }
}

/// The folder whose configuration applies to the request as a whole.
pub(crate) fn first_folder(request: &Request) -> PathBuf {
    let named = request.stdin.as_ref().map(|(name, _)| name).or(request.paths.first());
    let path = absolute(&request.cwd, named.map_or(Path::new(""), PathBuf::as_path));
    if path.is_dir() { path } else { path.parent().map_or_else(|| request.cwd.clone(), Path::to_path_buf) }
}
