//! The Hugging Face cache of the user: `models--org--name/refs/main` names a revision, `snapshots/<revision>` contains its files as
//! links to `blobs`. `huggingface_hub` 2.4.0 `constants.py`, `file_download.py`.

use crate::bounded_file::read_file;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Maximum size of a file in `refs`, bytes; a revision has 40 characters.
const MAX_REF_SIZE: u64 = 256;

/// A cached model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cached {
    /// Its `config.json`.
    pub config: PathBuf,
    /// The same path relative to the cache, as shown to the user.
    pub shown: String,
}

/// The cache folders of the Hugging Face libraries for this user.
pub fn hub_caches() -> Vec<PathBuf> {
    caches_of(|name| std::env::var_os(name))
}

/// The cache folders for an environment. Precedence: `HF_HUB_CACHE`, `HF_HOME`, `XDG_CACHE_HOME`, the home folder. transformers
/// had its own variable until 5.0.
pub(super) fn caches_of(environment: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let home = || ["HOME", "USERPROFILE"].iter().find_map(|name| environment(name)).map(PathBuf::from);
    let variable = |name: &str| {
        let path = PathBuf::from(environment(name).filter(|value| !value.is_empty())?);
        match path.strip_prefix("~") {
            Ok(rest) => Some(home()?.join(rest)),
            Err(_) => Some(path),
        }
    };
    let usual = || {
        let hugging_face = variable("HF_HOME").or_else(|| {
            let caches = variable("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?;
            Some(caches.join("huggingface"))
        });
        Some(hugging_face?.join("hub"))
    };
    let hub = variable("HF_HUB_CACHE").or_else(|| variable("HUGGINGFACE_HUB_CACHE")).or_else(usual);
    let mut caches: Vec<PathBuf> = hub.into_iter().chain(variable("TRANSFORMERS_CACHE")).collect();
    caches.retain(|cache| cache.is_absolute());
    caches.dedup();
    caches
}

/// The model with this name in the first cache that contains its `config.json`.
pub(super) fn find(caches: &[PathBuf], id: &str) -> Option<Cached> {
    if !is_repository(id) {
        return None;
    }
    let name = format!("models--{}", id.replace('/', "--"));
    caches.iter().find_map(|cache| {
        let snapshot = snapshot(&cache.join(&name))?;
        let config = snapshot.join("config.json");
        // Links must not leave the cache.
        let real = config.canonicalize().ok().filter(|real| real.is_file())?;
        if !cache.canonicalize().is_ok_and(|cache| real.starts_with(cache)) {
            return None;
        }
        let shown = config.strip_prefix(cache).unwrap_or(&config).to_string_lossy().replace('\\', "/");
        Some(Cached { config, shown })
    })
}

/// The snapshot of `main`; without `main`, the only snapshot.
fn snapshot(repository: &Path) -> Option<PathBuf> {
    let snapshots = repository.join("snapshots");
    let main = repository.join("refs").join("main");
    if let Ok(revision) = read_file(&main, MAX_REF_SIZE) {
        let revision = String::from_utf8(revision).ok()?;
        let revision = revision.trim();
        let plain = !revision.is_empty() && revision.chars().all(|c| c.is_ascii_alphanumeric());
        return plain.then(|| snapshots.join(revision));
    }
    let mut all = std::fs::read_dir(&snapshots).ok()?.filter_map(Result::ok);
    let only = all.next()?.path();
    all.next().is_none().then_some(only)
}

/// Whether this is a valid hub name: `name` or `organization/name`.
fn is_repository(id: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.contains("--")
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let parts: Vec<&str> = id.split('/').collect();
    id.len() <= 96 && parts.len() <= 2 && parts.iter().all(|text| part(text))
}
