//! All models that a project names, from where they lie.

use super::model_folder::{base_of_adapters, read_config};
use super::{hub_cache, model_names};
use crate::config::Config;
use crate::discovery::paths::{absolute, shown};
use crate::overlay_fs::OverlayFs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vramlint_estimate::{Model, Models, Source};
use vramlint_resolve::Project;

/// Reads what the configurations declare, what lies in the project, and what lies in the user's cache.
pub(crate) fn collect_models(project: &Project, files: &OverlayFs, cwd: &Path, caches: &[PathBuf], configs: &[Config]) -> Models {
    let mut models = Models::catalogue();
    for model in configs.iter().flat_map(|config| &config.declared) {
        models.insert(model.clone());
    }
    let mut adapters = Vec::new();
    for (name, bases) in model_names::model_names(project, cwd) {
        let places = NameResolver { files, cwd, bases: &bases };
        let in_folder = places.add(&name, &mut models);
        if let Some((base, path)) = in_folder.adapters {
            add_cached(&base, caches, files, &mut models);
            adapters.push((name, base, path));
        } else if !in_folder.found {
            add_cached(&name, caches, files, &mut models);
        }
    }
    // Adapters are loaded onto their base.
    for (name, base, path) in adapters {
        if let Some(model) = models.find(&base) {
            models.insert(Model { id: name, source: Source::Project(path), ..model });
        }
    }
    models
}

/// Where a name may be a path.
struct NameResolver<'a> {
    files: &'a OverlayFs,
    cwd: &'a Path,
    bases: &'a BTreeSet<PathBuf>,
}

/// What the folders say about a name.
#[derive(Default)]
struct FolderLookup {
    /// Whether a `config.json` was found, readable or not.
    found: bool,
    /// The base of adapters that lie there instead, and their path as shown.
    adapters: Option<(String, String)>,
}

impl NameResolver<'_> {
    fn add(&self, name: &str, models: &mut Models) -> FolderLookup {
        let mut out = FolderLookup::default();
        let paths: BTreeSet<PathBuf> = self.bases.iter().map(|base| absolute(base, Path::new(name))).collect();
        for path in paths {
            let config = if self.files.is_file(&path) { path.clone() } else { path.join("config.json") };
            if self.files.is_file(&config) && config.extension().is_some_and(|extension| extension == "json") {
                out.found = true;
                let source = Source::Project(shown(&config, self.cwd));
                match read_config(self.files, &config, name, source.clone()) {
                    Ok(model) => models.insert(model),
                    Err(_) => models.insert_unreadable(name, &source),
                }
            } else if let Some(base) = base_of_adapters(self.files, &path).filter(|base| base != name) {
                out.adapters = Some((base, shown(&path.join("adapter_config.json"), self.cwd)));
            } else if path.is_dir() {
                models.insert_present(name);
            }
        }
        out
    }
}

/// What the user's cache says about a name of the hub.
fn add_cached(name: &str, caches: &[PathBuf], files: &OverlayFs, models: &mut Models) {
    if let Some(found) = hub_cache::find(caches, name) {
        let source = Source::Cache(found.shown);
        match read_config(files, &found.config, name, source.clone()) {
            Ok(model) => models.insert(model),
            Err(_) => models.insert_unreadable(name, &source),
        }
    }
}
