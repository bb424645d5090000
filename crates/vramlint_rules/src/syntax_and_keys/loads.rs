//! Which code reads which data file, and with what: for the rules about what a loader makes of a text.

use std::collections::HashMap;
use vramlint_base::{FileId, FileRange};
use vramlint_catalog::Dialect;
use vramlint_resolve::code::{CodeFacts, LoadedFile};
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{Feature, FileFeatures, Project};
use vramlint_syntax::data::Loader;

/// A call that loads a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Load {
    /// The call.
    pub place: FileRange,
    /// What types the scalars; `None` where that is not seen.
    pub loader: Option<Loader>,
    /// Whether its keys become fields of transformers' or TRL's arguments.
    pub into_arguments: bool,
    /// The program that makes the call: its entry and every module that it imports.
    pub program: Vec<FileId>,
}

/// Every call of the project that loads a file of it, by file.
pub(super) fn loads(project: &Project) -> HashMap<FileId, Vec<Load>> {
    let mut found: HashMap<FileId, Vec<Load>> = HashMap::new();
    let mut add = |code: &CodeFacts, launch: Option<&Launch>| {
        for load in &code.loads {
            let Some(file) = loaded(project, launch, load) else { continue };
            let parsed = |dialect: Dialect| matches!(dialect, Dialect::HfTrainer | Dialect::Trl | Dialect::Unsloth);
            // The parser and its call stand in one file; which of several parsers it is does not matter here.
            let into_arguments =
                code.argument_classes.iter().any(|class| parsed(class.dialect) && class.place.file == load.place.file)
                    && reads_arguments(project, load);
            let load = Load { place: load.place, loader: load.loader, into_arguments, program: code.files.clone() };
            let known = found.entry(file).or_default();
            if !known.iter().any(|other| (other.place, other.loader) == (load.place, load.loader)) {
                known.push(load);
            }
        }
    };
    for run in &project.runs {
        if let Some(code) = &run.code {
            add(code, run.launch.as_deref());
        }
    }
    // A program that no run is made of may still be the one that reads a file.
    for (file, code) in project.orphan_modules() {
        let file = project.file(*file);
        if file.host.is_none() && project.features(file.id).has(Feature::ConfigReader) {
            add(code, None);
        }
    }
    found
}

/// Whether the call is the parser's own rather than a `yaml.safe_load` next to it.
fn reads_arguments(project: &Project, load: &LoadedFile) -> bool {
    let text = load.place.range.slice(&project.file(load.place.file).text);
    FileFeatures::scan(text).has(Feature::ArgumentFileParser)
}

fn loaded(project: &Project, launch: Option<&Launch>, load: &LoadedFile) -> Option<FileId> {
    let folder = project.file(load.place.file).folder();
    if let Some(file) = load.path.as_deref().and_then(|path| project.path_resolver.resolve(path, folder)) {
        return Some(file);
    }
    let launch = launch?;
    let here = launch.directory.as_str();
    if let Some(option) = load.option.as_deref() {
        let options = launch.options();
        let given = options.iter().rfind(|given| given.name.replace('-', "_") == option)?;
        return project.path_resolver.resolve(given.value.as_ref()?.text.as_deref()?, here);
    }
    let word = launch.arguments.get(load.argument?.checked_sub(1)?)?;
    project.path_resolver.resolve(word.text()?, here)
}
