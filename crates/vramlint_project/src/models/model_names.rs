//! The model names in a project, and the folders that a name may be relative to.

use crate::discovery::paths::absolute;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_resolve::{Project, Run};

/// Settings whose values name models.
const NAMING: [Concept; 3] = [Concept::Model, Concept::ReferenceModel, Concept::RewardModel];

/// Every model name with the folders that it may be relative to: the folders of the configuration, of the file that sets it, of the
/// entry script, and the working directory. The folder that the training starts in is unknown.
pub(super) fn model_names(project: &Project, cwd: &Path) -> BTreeMap<String, BTreeSet<PathBuf>> {
    let mut names: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    let mut add = |name: &str, run: &Run, place: Option<FileRange>| {
        if !name.trim().is_empty() {
            let bases = names.entry(name.to_owned()).or_default();
            bases.insert(cwd.to_path_buf());
            bases.insert(absolute(cwd, Path::new(&project.policy(run.place.file).root)));
            let files = place.map(|place| place.file).into_iter().chain(run.entry).chain([run.place.file]);
            bases.extend(files.map(|file| folder(project, file, cwd)));
        }
    };
    for run in &project.runs {
        for candidate in NAMING.iter().filter_map(|concept| run.settings.get(concept)).flat_map(|setting| &setting.candidates) {
            if let Some(name) = candidate.known().and_then(Value::as_str) {
                add(name, run, candidate.origin.place());
            }
        }
        for load in run.code.iter().flat_map(|code| &code.models) {
            if let Some(name) = load.model.as_ref().and_then(Value::as_str) {
                add(name, run, Some(load.place));
            }
        }
    }
    names
}

fn folder(project: &Project, file: FileId, cwd: &Path) -> PathBuf {
    absolute(cwd, Path::new(project.file(file).folder()))
}
