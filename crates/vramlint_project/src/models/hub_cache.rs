//! The user's Hugging Face cache: `models--org--name/refs/main` names a revision, `snapshots/<revision>` holds its files as links to
//! `blobs`. `huggingface_hub` 2.4.0 `constants.py`, `file_download.py`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The largest file of `refs` that is read; a revision has 40 letters.
const MAX_REF_SIZE: u64 = 256;

/// A model that lies in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cached {
    /// Its `config.json`.
    pub config: PathBuf,
    /// The same from the folder of the cache, for people.
    pub shown: String,
}

/// The folders in which the Hugging Face libraries of this user keep what they have loaded.
pub fn hub_caches() -> Vec<PathBuf> {
    caches_of(|name| std::env::var_os(name))
}

/// The same for any environment. `HF_HUB_CACHE` wins over `HF_HOME`, that over `XDG_CACHE_HOME`, that over the home folder. Before
/// version 5 transformers had a variable of its own.
pub(super) fn caches_of(environment: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let home = || ["HOME", "USERPROFILE"].iter().find_map(|name| environment(name)).map(PathBuf::from);
    let given = |name: &str| {
        let path = PathBuf::from(environment(name).filter(|value| !value.is_empty())?);
        match path.strip_prefix("~") {
            Ok(rest) => Some(home()?.join(rest)),
            Err(_) => Some(path),
        }
    };
    let usual = || {
        let hugging_face = given("HF_HOME").or_else(|| {
            let caches = given("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?;
            Some(caches.join("huggingface"))
        });
        Some(hugging_face?.join("hub"))
    };
    let hub = given("HF_HUB_CACHE").or_else(|| given("HUGGINGFACE_HUB_CACHE")).or_else(usual);
    let mut caches: Vec<PathBuf> = hub.into_iter().chain(given("TRANSFORMERS_CACHE")).collect();
    caches.retain(|cache| cache.is_absolute());
    caches.dedup();
    caches
}

/// The model of this name in the first cache that has its `config.json`.
pub(super) fn find(caches: &[PathBuf], id: &str) -> Option<Cached> {
    if !is_repository(id) {
        return None;
    }
    let name = format!("models--{}", id.replace('/', "--"));
    caches.iter().find_map(|cache| {
        let snapshot = snapshot(&cache.join(&name))?;
        let config = snapshot.join("config.json");
        // Links lead to the blobs of the same cache and nowhere else.
        let real = config.canonicalize().ok().filter(|real| real.is_file())?;
        if !cache.canonicalize().is_ok_and(|cache| real.starts_with(cache)) {
            return None;
        }
        let shown = config.strip_prefix(cache).unwrap_or(&config).to_string_lossy().replace('\\', "/");
        Some(Cached { config, shown })
    })
}

/// The snapshot of `main`; without a `main`, the only one that is there.
fn snapshot(repository: &Path) -> Option<PathBuf> {
    let snapshots = repository.join("snapshots");
    let main = repository.join("refs").join("main");
    let small = std::fs::metadata(&main).is_ok_and(|file| file.is_file() && file.len() <= MAX_REF_SIZE);
    if let Some(revision) = small.then(|| std::fs::read_to_string(&main).ok()).flatten() {
        let revision = revision.trim();
        let plain = !revision.is_empty() && revision.chars().all(|c| c.is_ascii_alphanumeric());
        return plain.then(|| snapshots.join(revision));
    }
    let mut all = std::fs::read_dir(&snapshots).ok()?.filter_map(Result::ok);
    let only = all.next()?.path();
    all.next().is_none().then_some(only)
}

/// Whether this is a name of the hub: `name` or `organisation/name`.
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
