//! Which runs a project has: one per launch, then one per training script or training file that no launch starts.

use super::builder::build_runs;
use super::code_reader::CodeReader;
use super::derive;
use super::import_graph::ImportGraph;
use super::run_sources::RunSources;
use super::training_run::Run;
use crate::SourceFile;
use crate::code::STEP_LIMIT;
use crate::code_cache::CodeCache;
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::kind::FileKind;
use crate::launch::Launch;
use crate::user_settings;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::flags::Launcher;
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
    add_launched(&reader, &mut runs, &mut used);
    add_scripts(&reader, &mut runs, &mut used);
    add_training_files(&reader, &mut runs, &used);
    number_runs(graph, &mut runs);
    let over_budget = reader.is_over_budget();
    DiscoveredRuns { runs, code: reader.into_cache(), over_budget }
}

/// One run, or one per stage, for each launch that trains. `used` collects the files that take part.
fn add_launched(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) {
    for launch in &reader.graph.launches {
        let entry = entry_script(reader.graph, launch);
        if is_training_launch(reader, launch, entry) {
            let sources = RunSources::from_launch(reader, Arc::clone(launch), entry);
            add_runs(reader, &sources, runs, used);
        }
    }
}

/// Training scripts that no launch starts, programs before modules.
fn add_scripts(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) {
    let graph = reader.graph;
    let imports = ImportGraph::build(graph);
    let may_be_entry =
        |file: &&SourceFile| file.python().is_some() && file.host.is_none() && !imports.is_imported(file.id) && !file.is_test();
    let mut entries: Vec<&SourceFile> = graph.files.iter().filter(may_be_entry).collect();
    entries.sort_by_key(|file| !graph.features(file.id).has(Feature::MainGuard));
    let mut left = UNLAUNCHED_STEP_BUDGET;
    for file in entries {
        if left == 0 || used.contains(&file.id) || !imports.may_train(file.id) {
            continue;
        }
        let code = reader.code_with_step_limit(file.id, STEP_LIMIT.min(left));
        left = left.saturating_sub(code.as_ref().map_or(0, |code| code.steps));
        if code.is_some_and(|code| code.trains()) {
            add_runs(reader, &RunSources::from_entry(reader, file.id), runs, used);
        }
    }
}

/// Training files that neither a launch nor a script uses.
fn add_training_files(reader: &CodeReader<'_>, runs: &mut Vec<Run>, used: &BTreeSet<FileId>) {
    for file in &reader.graph.files {
        let is_yaml = file.data().is_some_and(|data| !data.json);
        let training = reader.graph.classified_kind(file.id).is_training() && file.host.is_none() && is_yaml;
        if training && !used.contains(&file.id) {
            runs.extend(build_runs(reader.graph, &RunSources::from_training_file(reader.graph, file.id)));
        }
    }
}

fn add_runs(reader: &CodeReader<'_>, sources: &RunSources, runs: &mut Vec<Run>, used: &mut BTreeSet<FileId>) {
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
fn entry_script(graph: &FileGraph, launch: &Launch) -> Option<FileId> {
    let folder = graph.file(launch.file).folder();
    if let Some(module) = launch.module.as_ref().and_then(Word::text) {
        let path = module.replace('.', "/");
        return ["", "src/"]
            .iter()
            .flat_map(|prefix| [format!("{prefix}{path}.py"), format!("{prefix}{path}/__main__.py")])
            .find_map(|path| graph.path_resolver.resolve(&path, folder));
    }
    let script = launch.script.as_ref()?.text()?;
    graph.path_resolver.resolve(script, folder).filter(|id| graph.file(*id).python().is_some())
}

/// Whether a command trains. A launcher of several processes does, unless the name of the script is that of another task;
/// `python x.py` does only with evidence.
fn is_training_launch(reader: &CodeReader<'_>, launch: &Launch, entry: Option<FileId>) -> bool {
    let by_code = || entry.and_then(|entry| reader.code(entry)).is_some_and(|code| code.trains());
    match launch.launcher {
        Launcher::Accelerate | Launcher::Torchrun | Launcher::DeepSpeed => {
            !script_name(launch).is_some_and(sounds_like_another_task) || by_code()
        }
        Launcher::Python => {
            by_code()
                || entry.is_some_and(|entry| loads_training_file(reader, entry))
                || names_training_file(reader.graph, launch)
                || script_name(launch).is_some_and(sounds_like_training)
        }
        _ => true,
    }
}

fn loads_training_file(reader: &CodeReader<'_>, entry: FileId) -> bool {
    let Some(code) = reader.code(entry) else { return false };
    let folder = reader.graph.file(entry).folder();
    let mut paths = code.loads.iter().filter_map(|load| load.path.as_deref());
    paths.any(|path| {
        let found = reader.graph.path_resolver.resolve(path, folder);
        found.is_some_and(|id| reader.graph.classified_kind(id).is_training())
    })
}

fn names_training_file(graph: &FileGraph, launch: &Launch) -> bool {
    let folder = graph.file(launch.file).folder();
    launch.arguments.iter().filter_map(Word::text).any(|text| {
        let text = text.split_once('=').map_or(text, |(_, value)| value);
        graph.path_resolver.resolve(text, folder).is_some_and(|id| graph.classified_kind(id) != FileKind::Other)
    })
}

fn script_name(launch: &Launch) -> Option<&str> {
    let word = launch.script.as_ref().or(launch.module.as_ref())?;
    word.text()?.rsplit(['/', '\\']).next()
}

/// The words in the name of a script or module.
fn words_of(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let stem = name.strip_suffix(".py").unwrap_or(&name);
    let stem = stem.rsplit('.').next().unwrap_or(stem);
    stem.split(['_', '-']).map(str::to_owned).collect()
}

fn sounds_like_training(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "train",
        "finetune",
        "pretrain",
        "sft",
        "dpo",
        "grpo",
        "ppo",
        "rlhf",
        "orpo",
        "kto",
        "training",
        "trainer",
        "finetuning",
    ];
    let words = words_of(name);
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    any(WORDS) && !any(OTHER_TASKS) && !any(&["data"]) || words.iter().any(|word| word.contains("finetun"))
}

const OTHER_TASKS: &[&str] = &[
    "eval",
    "evaluate",
    "evaluation",
    "test",
    "plot",
    "infer",
    "inference",
    "predict",
    "export",
    "merge",
    "download",
    "prepare",
    "preprocess",
    "convert",
    "benchmark",
    "generate",
];

fn sounds_like_another_task(name: &str) -> bool {
    let words = words_of(name);
    words.iter().any(|word| OTHER_TASKS.contains(&word.as_str()))
        && !sounds_like_training(name)
        && !words.iter().any(|w| w == "train")
}
