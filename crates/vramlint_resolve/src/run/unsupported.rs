//! Runs of frameworks whose settings are not read: what tells them, and what remains of them.

use super::run_sources::RunSources;
use super::training_run::Run;
use crate::code::{CodeFacts, TrainingPath};
use crate::file_graph::FileGraph;
use crate::kind;
use crate::launch::Launch;
use crate::setting::{Candidate, Origin, Resolved, Setting};
use std::collections::BTreeSet;
use vramlint_base::FileId;
use vramlint_catalog::Launcher;
use vramlint_catalog::{Concept, Dialect, UnsupportedFramework};
use vramlint_syntax::python::Import;

/// The framework that trains, if its settings are not read: by the file of its settings, the command, or the program.
pub(super) fn framework_of(graph: &FileGraph, sources: &RunSources) -> Option<UnsupportedFramework> {
    let launch = sources.launch.as_deref();
    let module = launch.and_then(|launch| launch.module.as_ref()?.text());
    let is_read = launch.is_some_and(|launch| launch.launcher.dialect.is_some())
        || module.is_some_and(|module| Dialect::of_module(module).is_some());
    if is_read {
        return None;
    }
    let by_file = || sources.unread.first().map(|(_, framework)| *framework);
    let by_command = by_file().or_else(|| framework_of_command(launch?)).or_else(|| of_lone_file(graph, sources));
    let found = by_command.or_else(|| of_program(graph, sources.entry?))?;
    let trainer = sources.code.as_deref().is_some_and(|code| {
        matches!(code.training_path, Some(TrainingPath::Called | TrainingPath::TrainerMade))
            && matches!(code.dialect, Some(Dialect::HfTrainer | Dialect::Trl))
    });
    let code_says_all = trainer && (found.is_read_from_code || by_command.is_none());
    (!code_says_all).then_some(found)
}

/// The framework whose own source lies in the project, for a file of settings that no command and no program names.
fn of_lone_file(graph: &FileGraph, sources: &RunSources) -> Option<UnsupportedFramework> {
    let is_lone = sources.launch.is_none() && sources.entry.is_none() && sources.code.is_none();
    let is_whole = |id: FileId| graph.classified_kind(id).dialect().is_some_and(|dialect| dialect.is_standalone);
    if !is_lone || sources.training.iter().any(|(id, _)| is_whole(*id)) {
        return None;
    }
    let from = &graph.file(sources.place.file).path;
    UnsupportedFramework::all()
        .find(|framework| framework.modules.iter().any(|module| graph.resolve_import(module, 0, from).is_some()))
}

/// Whether the framework's own source lies in the project, and was followed up to a loop of accelerate that trains.
pub(super) fn is_followed(graph: &FileGraph, sources: &RunSources, framework: UnsupportedFramework) -> bool {
    let is_here = || {
        framework.modules.iter().any(|module| {
            let package = module.split('.').next().unwrap_or(module);
            graph.resolve_import(package, 0, &graph.file(sources.place.file).path).is_some()
        })
    };
    let trains = |code: &CodeFacts| code.training_path == Some(TrainingPath::Called) && code.accelerator.is_some();
    sources.code.as_deref().is_some_and(trains) && is_here()
}

/// The framework that a command starts, by its module or its options.
pub(super) fn framework_of_command(launch: &Launch) -> Option<UnsupportedFramework> {
    let by_module = || UnsupportedFramework::of_module(launch.module.as_ref()?.text()?);
    let options = launch.options();
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    by_module().or_else(|| UnsupportedFramework::of_options(&names))
}

/// The framework that a program, or a module of the project that it imports, uses; or whose part the program is.
fn of_program(graph: &FileGraph, entry: FileId) -> Option<UnsupportedFramework> {
    let imports = graph.file(entry).imports();
    let by_imports = |imports: &[Import]| {
        imports.iter().filter(|import| import.level == 0).find_map(|import| UnsupportedFramework::of_module(&import.module))
    };
    let own = || own_package(graph, entry).and_then(|module| UnsupportedFramework::of_module(&module));
    let of_imported = || {
        let path = &graph.file(entry).path;
        let targets: BTreeSet<FileId> =
            imports.iter().filter_map(|import| graph.resolve_import(&import.module, import.level, path)).collect();
        targets.into_iter().find_map(|file| by_imports(graph.file(file).imports()))
    };
    by_imports(imports).or_else(own).or_else(of_imported)
}

/// The dotted name of a file inside of a package at the root or in `src`.
pub(super) fn own_package(graph: &FileGraph, file: FileId) -> Option<String> {
    let path = graph.file(file).path.strip_suffix(".py")?;
    let (prefix, inner) = path.strip_prefix("src/").map_or(("", path), |inner| ("src/", inner));
    let (package, _) = inner.split_once('/')?;
    graph.path_resolver.resolve(&format!("{prefix}{package}/__init__.py"), "")?;
    Some(inner.replace('/', "."))
}

/// What the launcher itself sets holds whatever it starts.
const OF_THE_LAUNCHER: &[Concept] = &[Concept::NumProcesses, Concept::NumMachines, Concept::GpuIds, Concept::VisibleDevices];
/// What every `Accelerator` takes from accelerate's launcher and its file.
const OF_ACCELERATE: &[Concept] =
    &[Concept::NumProcesses, Concept::NumMachines, Concept::WorldSize, Concept::DistributedType, Concept::ZeroStage];
/// What every run is asked for.
const USUAL: &[Concept] =
    &[Concept::WorldSize, Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::EffectiveBatch, Concept::Model];

/// Leaves what the launcher and the user set. Of everything else it is said why it is not known.
pub(super) fn forget_settings(run: &mut Run, framework: UnsupportedFramework, launch: Option<&Launch>) {
    let by_accelerate = launch.is_some_and(|launch| launch.launcher == Launcher::Accelerate);
    let of_launcher = |concept: &Concept| OF_THE_LAUNCHER.contains(concept) || by_accelerate && OF_ACCELERATE.contains(concept);
    run.unsupported = Some(framework);
    run.dialect = Dialect::Plain;
    run.task = None;
    run.settings.retain(|concept, setting| match setting.winning().map(|winner| &winner.origin) {
        Some(Origin::User { .. }) => true,
        Some(Origin::Flag { .. } | Origin::Documented { .. }) => {
            of_launcher(concept) || framework.of_command_line.contains(concept)
        }
        Some(Origin::Env { .. } | Origin::Target { .. }) => of_launcher(concept),
        Some(Origin::File { .. }) => by_accelerate && OF_ACCELERATE.contains(concept),
        Some(Origin::Derived { inputs, .. }) => {
            let by_launcher = *concept == Concept::WorldSize && inputs.iter().all(|input| OF_ACCELERATE.contains(input));
            by_accelerate && by_launcher || framework.of_command_line.contains(concept)
        }
        _ => false,
    });
    for concept in USUAL {
        run.settings.entry(*concept).or_insert_with(|| {
            let why = kind::not_read(framework);
            let candidate = Candidate {
                value: Resolved::Unknown(why.clone()),
                raw: String::new(),
                origin: Origin::Assumed { why },
                condition: None,
                assumptions: Vec::new(),
            };
            Setting { candidates: vec![candidate], winner: Some(0), precedence: None }
        });
    }
}
