//! Collects the models that a project names.

use super::model_folder::{base_of_adapters, read_config};
use super::{hub_cache, model_names};
use crate::config::Config;
use crate::discovery::paths::{absolute, shown};
use crate::overlay_fs::OverlayFs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vramlint_estimate::{Model, Models, Source};
use vramlint_resolve::Project;

/// Reads the models that the configurations declare, the models in the project, and the models in the Hugging Face caches.
pub(crate) fn collect_models(project: &Project, files: &OverlayFs, cwd: &Path, caches: &[PathBuf], configs: &[Config]) -> Models {
    let mut models = Models::catalogue();
    for model in configs.iter().flat_map(|config| &config.declared) {
        models.insert(model.clone());
    }
    let mut adapters = Vec::new();
    for (name, bases) in model_names::model_names(project, cwd) {
        let resolver = NameResolver { files, cwd, bases: &bases };
        let in_folder = resolver.add(&name, &mut models);
        if let Some((base, path)) = in_folder.adapters {
            add_cached(&base, caches, files, &mut models);
            adapters.push((name, base, path));
        } else if !in_folder.found {
            add_cached(&name, caches, files, &mut models);
        }
    }
    // An adapter has the architecture of its base model.
    for (name, base, path) in adapters {
        if let Some(model) = models.find(&base) {
            models.insert(Model { id: name, source: Source::Project(path), ..model });
        }
    }
    models
}

/// Resolves model names as paths.
struct NameResolver<'a> {
    files: &'a OverlayFs,
    cwd: &'a Path,
    bases: &'a BTreeSet<PathBuf>,
}

/// The result of looking up a model name as a path.
#[derive(Default)]
struct FolderLookup {
    /// Whether a `config.json` was found, readable or not.
    found: bool,
    /// If the folder holds adapters instead: their base model, and their path as shown.
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

/// Adds a hub model from the caches.
fn add_cached(name: &str, caches: &[PathBuf], files: &OverlayFs, models: &mut Models) {
    if let Some(cached) = hub_cache::find(caches, name) {
        let source = Source::Cache(cached.shown);
        match read_config(files, &cached.config, name, source.clone()) {
            Ok(model) => models.insert(model),
            Err(_) => models.insert_unreadable(name, &source),
        }
    }
}
