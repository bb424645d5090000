//! What is asked for.

use crate::baseline::Baseline;
use crate::config::Preset;
use crate::discovery::paths::absolute;
use crate::overlay_fs::OverlayFs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_resolve::Target;

/// What is asked for: the command line, without its presentation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Working directory: shown paths are relative to it.
    pub cwd: PathBuf,
    /// OverlayFs and folders to check; empty for the working directory.
    pub paths: Vec<PathBuf>,
    /// One file from standard input, under this name.
    pub stdin: Option<(PathBuf, Vec<u8>)>,
    /// Bytes that count instead of those on the disk: unsaved texts of an editor, texts with fixes applied. A path may be
    /// absolute or relative to `cwd`, and need not exist.
    pub overlay: HashMap<PathBuf, Vec<u8>>,
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
    /// `--preset`, instead of the configuration's.
    pub preset: Option<Preset>,
    /// `--baseline`: findings that are known already.
    pub baseline: Option<Arc<Baseline>>,
    /// `--gpu`, `--gpu-memory` (bytes), `--gpus`, `--nodes`, `--host-memory` (bytes): on top of every target.
    pub target: Target,
    /// Folders of Hugging Face caches to look for named models in: see [`crate::hub_caches`].
    pub hub_caches: Vec<PathBuf>,
    /// `--jobs`; 0 for as many as there are cores.
    pub jobs: usize,
}

pub(crate) fn overlay(request: &Request) -> OverlayFs {
    let given = request.overlay.iter().map(|(path, bytes)| (absolute(&request.cwd, path), Arc::new(bytes.clone())));
    let stdin = request.stdin.iter().map(|(name, bytes)| (absolute(&request.cwd, name), Arc::new(bytes.clone())));
    OverlayFs { overlay: given.chain(stdin).collect() }
}

/// The folder whose configuration speaks for the whole request.
pub(crate) fn first_folder(request: &Request) -> PathBuf {
    let named = request.stdin.as_ref().map(|(name, _)| name).or(request.paths.first());
    let path = absolute(&request.cwd, named.map_or(Path::new(""), PathBuf::as_path));
    if path.is_dir() { path } else { path.parent().map_or_else(|| request.cwd.clone(), Path::to_path_buf) }
}
