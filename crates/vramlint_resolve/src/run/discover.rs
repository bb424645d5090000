//! Which runs a project has: one per launch, then one per training script or training file that no launch starts.

use super::Run;
use super::builder::build_runs;
use super::import_graph::ImportGraph;
use super::run_sources::RunSources;
use crate::SourceFile;
use crate::code::STEP_LIMIT;
use crate::kind::FileKind;
use crate::launch::Launch;
use crate::library_calls::is_test_file;
use crate::project::Project;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::shell::Word;

/// Steps of interpretation at most for all scripts that no command starts: some hundreds of scripts. A repository of libraries
/// has thousands of modules, and each reaches most of the others.
const STEPS: u32 = 2_000_000;

/// Every run of the project, in order of file and place.
pub fn discover_runs(project: &Project) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut used: BTreeSet<FileId> = BTreeSet::new();
    for launch in &project.launches {
        let entry = entry_script(project, launch);
        if !trains(project, launch, entry) {
            continue;
        }
        let sources = RunSources::from_launch(project, Arc::clone(launch), entry);
        for run in build_runs(project, &sources) {
            used.extend(run.files.iter().copied());
            runs.push(run);
        }
    }
    let imports = ImportGraph::build(project);
    let mut left = STEPS;
    let may_be_entry = |file: &&SourceFile| {
        file.python().is_some() && file.host.is_none() && !imports.is_imported(file.id) && !is_test_file(&file.path)
    };
    let mut entries: Vec<&SourceFile> = project.files.iter().filter(may_be_entry).collect();
    entries.sort_by_key(|file| !file.text.contains("__main__"));
    for file in entries {
        if left == 0 || used.contains(&file.id) || !imports.may_train(file.id) {
            continue;
        }
        let code = project.code_with_step_limit(file.id, STEP_LIMIT.min(left));
        left = left.saturating_sub(code.as_ref().map_or(0, |code| code.steps));
        if code.is_some_and(|code| code.trains()) {
            for run in build_runs(project, &RunSources::from_entry(project, file.id)) {
                used.extend(run.files.iter().copied());
                runs.push(run);
            }
        }
    }
    for file in &project.files {
        let kind = &project.kinds[file.id.0 as usize];
        if kind.kind.is_training()
            && file.host.is_none()
            && !used.contains(&file.id)
            && file.data().is_some_and(|data| !data.json)
        {
            runs.extend(build_runs(project, &RunSources::from_training_file(project, file.id)));
        }
    }
    number_runs(project, &mut runs);
    runs
}

/// Ids: the path of the file that starts the run, and its number there.
fn number_runs(project: &Project, runs: &mut [Run]) {
    runs.sort_by(|a, b| {
        let key = |run: &Run| (project.to_host(run.place), run.task.clone());
        let path = |run: &Run| project.file(project.to_host(run.place).file).path.clone();
        (path(a), key(a)).cmp(&(path(b), key(b)))
    });
    let mut count: HashMap<String, u32> = HashMap::new();
    for run in runs {
        let path = project.file(project.to_host(run.place).file).path.clone();
        let n = count.entry(path.clone()).or_default();
        *n += 1;
        run.id = format!("{path}#{n}");
    }
}

/// The entry script of a launch, if it is in the project.
fn entry_script(project: &Project, launch: &Launch) -> Option<FileId> {
    let folder = project.file(launch.file).folder();
    if let Some(module) = launch.module.as_ref().and_then(Word::text) {
        let path = module.replace('.', "/");
        return ["", "src/"]
            .iter()
            .flat_map(|prefix| [format!("{prefix}{path}.py"), format!("{prefix}{path}/__main__.py")])
            .find_map(|path| project.path_resolver.resolve(&path, folder));
    }
    let script = launch.script.as_ref()?.text()?;
    project.path_resolver.resolve(script, folder).filter(|id| project.file(*id).python().is_some())
}

/// Whether a command trains: a launcher of several processes does unless the script sounds like another task; `python x.py` only
/// with evidence.
fn trains(project: &Project, launch: &Launch, entry: Option<FileId>) -> bool {
    let by_code = || entry.and_then(|entry| project.code(entry)).is_some_and(|code| code.trains());
    match launch.launcher {
        Launcher::Accelerate | Launcher::Torchrun | Launcher::DeepSpeed => {
            !script_name(launch).is_some_and(sounds_like_another_task) || by_code()
        }
        Launcher::Python => {
            by_code()
                || entry.is_some_and(|entry| loads_training_file(project, entry))
                || names_training_file(project, launch)
                || script_name(launch).is_some_and(sounds_like_training)
        }
        _ => true,
    }
}

fn loads_training_file(project: &Project, entry: FileId) -> bool {
    let Some(code) = project.code(entry) else { return false };
    let folder = project.file(entry).folder();
    code.loads
        .iter()
        .filter_map(|load| load.path.as_deref())
        .any(|path| project.path_resolver.resolve(path, folder).is_some_and(|id| project.kind(id).is_training()))
}

fn names_training_file(project: &Project, launch: &Launch) -> bool {
    let folder = project.file(launch.file).folder();
    launch.arguments.iter().filter_map(Word::text).any(|text| {
        let text = text.split_once('=').map_or(text, |(_, value)| value);
        project.path_resolver.resolve(text, folder).is_some_and(|id| project.kinds[id.0 as usize].kind != FileKind::Other)
    })
}

fn script_name(launch: &Launch) -> Option<&str> {
    let word = launch.script.as_ref().or(launch.module.as_ref())?;
    word.text()?.rsplit(['/', '\\']).next()
}

/// The words of a script's or a module's name.
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

/// The whole of a file, for runs that no command starts.
pub(crate) fn first_line(file: &SourceFile) -> FileRange {
    let first = file.text.find('\n').unwrap_or(file.text.len()) as u32;
    FileRange::new(file.id, TextRange::new(0, first))
}
