//! Which runs a project has: one per launch, then one per training script or training file that no launch starts.

use super::builder::build_runs;
use super::code_reader::CodeReader;
use super::derive;
use super::documented;
use super::folder_models;
use super::framework_program;
use super::import_graph::ImportGraph;
use super::run_sources::RunSources;
use super::training_evidence::{is_for_another_task, is_training_launch, is_training_script};
use super::training_run::Run;
use crate::SourceFile;
use crate::code::STEP_LIMIT;
use crate::code_cache::CodeCache;
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::kind::FileKind;
use crate::launch::Launch;
use crate::launch::is_model_to_fill_in;
use crate::user_settings;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::{DataFile, NodeRef};
use vramlint_syntax::shell::Word;

/// Steps of interpretation for all scripts that no command starts: some hundreds of scripts. A repository of libraries has thousands
/// of modules, and each reaches most of the others.
const UNLAUNCHED_STEP_BUDGET: u32 = 2_000_000;

/// The runs of a project, and the code that was interpreted to find them.
pub(crate) struct DiscoveredRuns {
    /// The runs, in order of file and place.
    pub(crate) runs: Vec<Run>,
    /// The code of their entries.
    pub(crate) code: CodeCache,
    /// Whether interpretation took more steps than the project's budget.
    pub(crate) over_budget: bool,
}

/// Finds every run of the project.
pub(crate) fn discover_runs(graph: &FileGraph) -> DiscoveredRuns {
    let reader = CodeReader::new(graph);
    let (mut runs, mut used) = (Vec::new(), BTreeSet::new());
    let started = add_launched(&reader, &mut runs, &mut used);
    for run in documented::runs(&reader, &started) {
        used.extend(run.files.iter().copied());
        runs.push(run);
    }
    add_scripts(&reader, &mut runs, &mut used);
    add_training_files(&reader, &mut runs, &used);
    number_runs(graph, &mut runs);
    folder_models::add(graph, &mut runs);
    let over_budget = reader.is_over_budget();
    DiscoveredRuns { runs, code: reader.into_cache(), over_budget }
}

/// One run, or one per stage, for each launch that trains. `used` collects the files that take part.
/// Returns the scripts and the files of frameworks that commands start.
fn add_launched(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) -> BTreeSet<FileId> {
    let mut started = BTreeSet::new();
    let written = reader.graph.launches.iter().filter(|launch| !launch.is_completed_by_calls);
    for launch in written.chain(&reader.graph.called_launches) {
        let entry = entry_script(reader.graph, launch);
        let by_program = reader.graph.file(launch.file).host.as_ref().is_some_and(|(_, embedded)| embedded.is_executed);
        // A program that starts whatever it is given is a launcher itself.
        let names_file = || launch.launcher.dialect.is_some() && launch.script.iter().any(|word| word.text().is_some());
        let names_module = || launch.module.as_ref().and_then(Word::text).is_some_and(|name| Dialect::of_module(name).is_some());
        let is_certain = !by_program || entry.is_some() || names_file() || names_module();
        if is_certain && is_training_launch(reader, launch, entry) {
            let sources = RunSources::from_launch(reader, Arc::clone(launch), entry);
            let before = runs.len();
            add_runs(reader, &sources, runs, used);
            // A template is no run that a document could repeat.
            if !by_program && !runs[before..].iter().any(lacks_model) {
                started.extend(entry);
                let by_program = entry.is_some_and(|entry| framework_program::framework_of(reader.graph, entry).is_some());
                started.extend(sources.training.iter().map(|(id, _)| *id).filter(|_| entry.is_none() || by_program));
            }
        }
    }
    started
}

/// Whether a run names a model that the reader has to fill in.
fn lacks_model(run: &Run) -> bool {
    let model = run.settings.get(&Concept::Model).filter(|setting| setting.value().is_none());
    model.is_some_and(|setting| setting.candidates.iter().any(|model| is_model_to_fill_in(&model.raw)))
}

/// Training scripts that no launch starts, programs before modules.
fn add_scripts(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) {
    let graph = reader.graph;
    let imports = ImportGraph::build(graph);
    let is_program = |file: &SourceFile| !imports.is_imported(file.id) || graph.features(file.id).has(Feature::MainGuard);
    // Nobody starts a module of a package that neither is a program nor trains itself.
    let starts =
        |file: &SourceFile| file.features().has_any(&[Feature::MainGuard, Feature::TrainingStep]) || !is_in_package(graph, file);
    let may_be_entry = |file: &&SourceFile| {
        file.is_python()
            && file.host.is_none()
            && !file.is_test()
            && !graph.is_library_code(file.id)
            && is_program(file)
            && starts(file)
    };
    let mut entries: Vec<&SourceFile> = graph.files.iter().filter(may_be_entry).collect();
    entries.sort_by_key(|file| !graph.features(file.id).has(Feature::MainGuard));
    let mut left = UNLAUNCHED_STEP_BUDGET;
    for file in entries {
        if left == 0 || used.contains(&file.id) || !imports.may_train(file.id) {
            continue;
        }
        let code = reader.code_with_step_limit(file.id, STEP_LIMIT.min(left));
        left = left.saturating_sub(code.as_ref().map_or(0, |code| code.steps));
        if code.is_some_and(|code| is_training_script(reader, file.id, &code)) {
            let sources = RunSources::from_entry(reader, file.id);
            if !(sources.lacks_arguments && is_in_package(graph, file)) {
                add_runs(reader, &sources, runs, used);
            }
        }
    }
}

/// Whether a file is a module of a package.
fn is_in_package(graph: &FileGraph, file: &SourceFile) -> bool {
    let folder = file.folder();
    let init = || graph.path_resolver.resolve_exact(&format!("{folder}/__init__.py"));
    !folder.is_empty() && init().is_some_and(|id| graph.file(id).folder() == folder)
}

/// Training files that neither a launch nor a script uses.
fn add_training_files(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &BTreeSet<FileId>) {
    let graph = reader.graph;
    // Without any code there is nothing to judge by.
    let is_code = |file: &SourceFile| file.host.is_none() && file.is_python();
    let read_by_own_code = runs.iter().any(reads_an_unknown_file) || !graph.files.iter().any(is_code);
    for file in graph.files.iter().filter(|file| file.host.is_none() && !file.is_test() && !used.contains(&file.id)) {
        let starts = match graph.classified_kind(file.id) {
            FileKind::Framework(framework) => is_training_file(file, framework) && !is_for_another_task(&file.path),
            FileKind::Training => read_by_own_code && !is_for_another_task(&file.path),
            FileKind::Other => graph.unsupported_framework(file.id).is_some(),
            _ => false,
        };
        if starts && file.is_data() && !file.is_json() {
            runs.extend(build_runs(graph, &RunSources::from_training_file(graph, file.id)));
        }
    }
}

/// Whether a run of the project's own code reads a file that is not known: any file with training settings may be it.
fn reads_an_unknown_file(run: &Run) -> bool {
    let Some(code) = &run.code else { return run.entry.is_none() && run.launch.is_some() };
    code.loads.iter().any(|load| load.path.is_none() || load.option.is_some() || load.argument.is_some())
}

/// Whether a framework's file trains: the same form may serve to chat, to merge or to evaluate.
fn is_training_file(file: &SourceFile, framework: Dialect) -> bool {
    let Some(root) = file.data().and_then(DataFile::root) else { return false };
    let traits = &framework.estimate;
    let has = |key: &&str| root.get(key).is_some();
    let on = |key: &str| match root.get(key).map(NodeRef::text) {
        Some(text) => text.is_none_or(|text| !text.eq_ignore_ascii_case("false")),
        // Forgotten, where the rest is that of a training.
        None => ["per_device_train_batch_size", "learning_rate"].iter().any(has),
    };
    traits.trains_if.is_none_or(on) && (!traits.is_recipe || has(&"optimizer"))
}

/// The files of the folder from which Hydra composes the configuration of a run: its parts, and what could be chosen instead.
fn composed_files(graph: &FileGraph, sources: &RunSources) -> Vec<FileId> {
    let loads = sources.code.iter().flat_map(|code| &code.loads).filter(|load| load.layers.len() > 1);
    let folders: Vec<&str> = loads
        .filter_map(|load| sources.resolve_load(graph, load)?.ok())
        .map(|id| graph.file(id).folder())
        .filter(|folder| !folder.is_empty())
        .collect();
    if folders.is_empty() {
        // Most runs: not every file is looked at for each of them.
        return Vec::new();
    }
    let is_part = |file: &&SourceFile| {
        let below = |folder: &&str| file.path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
        file.is_data() && folders.iter().any(below)
    };
    graph.files.iter().filter(is_part).map(|file| file.id).collect()
}

fn add_runs(reader: &CodeReader<'_>, sources: &RunSources, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) {
    used.extend(composed_files(reader.graph, sources));
    for run in build_runs(reader.graph, sources) {
        used.extend(run.files.iter().copied());
        runs.push(run);
    }
}

/// Sorts the runs and gives each an id: the path of the file that starts it, and its number there.
fn number_runs(graph: &FileGraph, runs: &mut [Run]) {
    runs.sort_by(|a, b| {
        let key = |run: &Run| (graph.to_host(run.place), run.task.clone());
        let path = |run: &Run| graph.file(graph.to_host(run.place).file).path.clone();
        (path(a), key(a)).cmp(&(path(b), key(b)))
    });
    let mut count: HashMap<String, u32> = HashMap::new();
    for run in runs {
        let path = graph.file(graph.to_host(run.place).file).path.clone();
        let n = count.entry(path.clone()).or_default();
        *n += 1;
        run.id = format!("{path}#{n}");
        let policy = graph.policy(run.place.file);
        derive::with_user_settings(run, |run| user_settings::apply(run, &policy.user_settings, &policy.root));
    }
}

/// The entry script of a launch, if it is in the project.
pub(super) fn entry_script(graph: &FileGraph, launch: &Launch) -> Option<FileId> {
    let folder = launch.directory.as_str();
    if let Some(module) = launch.module.as_ref().and_then(Word::text) {
        // The words are for the framework, also in a checkout of it.
        if Dialect::of_module(module).is_some() {
            return None;
        }
        let path = module.replace('.', "/");
        return ["", "src/"]
            .iter()
            .flat_map(|prefix| [format!("{prefix}{path}.py"), format!("{prefix}{path}/__main__.py")])
            .find_map(|path| graph.path_resolver.resolve(&path, folder));
    }
    let script = launch.script.as_ref()?.path()?;
    graph.path_resolver.resolve(script, folder).filter(|id| graph.file(*id).is_python())
}
