//! Launches that people write in words: a command in a document, or at the head of a script. Each is a run if nothing else starts what
//! it starts.

use super::builder::build_runs;
use super::code_reader::CodeReader;
use super::discover::entry_script;
use super::framework_program;
use super::run_sources::RunSources;
use super::training_evidence::is_training_launch;
use super::training_run::Run;
use crate::SourceFile;
use crate::file_graph::FileGraph;
use crate::kind::FileKind;
use crate::launch::{self, Launch};
use crate::setting::Origin;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::shell::{Word, WordValue};

/// Steps of interpretation for all of them: some hundreds of commands.
const STEP_BUDGET: u32 = 4_000_000;

/// The runs that only documents start. `started`: what other commands of the project start.
pub(super) fn runs(reader: &CodeReader<'_>, started: &BTreeSet<FileId>) -> Vec<Run> {
    let graph = reader.graph;
    let mut runs = Vec::new();
    let mut seen = HashSet::new();
    let mut left = STEP_BUDGET;
    let is_own = |file: &&SourceFile| graph.is_documentation_snippet(file.id) && !graph.is_library_copy(file.id);
    let mut documents: Vec<&SourceFile> = graph.files.iter().filter(is_own).collect();
    documents.sort_by_key(|file| rank(&file.path));
    let moved = MovedFiles::new(graph);
    let variables = launch::DocumentVariables::of_blocks(documents.iter().copied());
    for file in documents {
        // The head of a configuration shows its command first, then what else can be given.
        let of_config = file.host.as_ref().is_some_and(|(host, embedded)| embedded.is_shown && graph.file(*host).is_data());
        let launches = launch::from_document(file, &graph.path_resolver, &variables);
        for launch in launches.into_iter().take(if of_config { 1 } else { usize::MAX }) {
            let launch = with_moved_files(graph, &moved, launch);
            let entry = entry_of(graph, &moved, &launch);
            // A framework's own script starts whatever file it is given.
            let by_program = entry.is_some_and(|entry| framework_program::framework_of(graph, entry).is_some());
            if left == 0 || entry.is_some_and(|entry| started.contains(&entry)) && !by_program {
                continue;
            }
            // A translation of a document repeats its commands.
            let words = launch.script.iter().chain(&launch.module).chain(&launch.arguments);
            let flags = launch.flags.iter().flat_map(|flag| [flag.name.clone()].into_iter().chain(flag.values.iter().map(text)));
            let environment = launch.environment.iter().map(|variable| format!("{}={}", variable.name, text(&variable.value)));
            let command: Vec<String> = flags.chain(words.map(text)).chain(environment).collect();
            if !seen.insert((launch.launcher, entry, command)) {
                continue;
            }
            let module = launch.module.as_ref().and_then(Word::text);
            // `python -m openrlhf.cli.train_ppo …`: the reader fills in the rest.
            let is_cut = launch.arguments.iter().any(|word| matches!(word.range.slice(&file.text), "..." | "…"));
            if is_cut && entry.is_none() || is_synopsis(&launch, &file.text) {
                continue;
            }
            let own = launch.launcher.dialect.is_some() || module.is_some_and(|module| Dialect::of_module(module).is_some());
            if !(own || entry.is_some()) || !is_training_launch(reader, &launch, entry) {
                continue;
            }
            let sources = RunSources::from_launch(reader, Arc::new(launch), entry);
            left = left.saturating_sub(sources.code.as_ref().map_or(0, |code| code.steps));
            if by_program && sources.training.is_empty() && entry.is_some_and(|entry| started.contains(&entry)) {
                continue;
            }
            let unstarted = entry.is_some() && !by_program || !sources.training.iter().any(|(id, _)| started.contains(id));
            if unstarted {
                let says_something = |run: &Run| entry.is_some() || !sources.training.is_empty() || names_model(run);
                runs.extend(build_runs(graph, &sources).into_iter().filter(says_something).map(documented));
            }
        }
    }
    runs
}

/// Where several documents show one command, the first counts: the README before its translations, notes for assistants last.
fn rank(path: &str) -> u8 {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    match name.as_str() {
        "readme.md" | "readme.rst" | "readme" => 0,
        "agents.md" | "claude.md" | "gemini.md" => 2,
        _ => 1,
    }
}

/// Whether a command of a framework says which model it trains; one that names neither a model nor a file of the project shows a form.
fn names_model(run: &Run) -> bool {
    run.settings.contains_key(&Concept::Model)
}

fn text(word: &Word) -> String {
    word.text().unwrap_or("?").to_owned()
}

/// Whether a command shows its form and not a training: `train.py --data x [options]`, `train.py [TRAINING PARAMETERS]`.
fn is_synopsis(launch: &Launch, text: &str) -> bool {
    let opens = |word: &Word| {
        let raw = word.range.slice(text);
        raw.strip_prefix('[').is_some_and(|rest| {
            let inner = rest.trim_end_matches(']');
            let is_caps = inner.len() > 1 && inner.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | ' '));
            is_caps || inner.starts_with('-') || matches!(inner, "options" | "arguments" | "args")
        })
    };
    let options = launch.options();
    let is_value = |word: &Word| {
        options.iter().any(|option| option.value.iter().chain(&option.more).any(|value| value.word.range == word.range))
    };
    launch.arguments.iter().any(|word| opens(word) && (!is_value(word) || word.range.slice(text).starts_with("[-")))
        || launch.arguments.windows(2).any(|pair| opens(&pair[0]) && pair[1].range.slice(text).ends_with(']'))
}

/// The entry, also where the document names it from another folder.
fn entry_of(graph: &FileGraph, moved: &MovedFiles<'_>, launch: &Launch) -> Option<FileId> {
    entry_script(graph, launch).or_else(|| moved.find(launch.script.as_ref()?.path()?, SourceFile::is_python))
}

/// The launch with the present paths of the framework's files that it names from another folder.
fn with_moved_files(graph: &FileGraph, moved: &MovedFiles<'_>, mut launch: Launch) -> Launch {
    let is_of_module = |word: &Word| word.text().is_some_and(|module| Dialect::of_module(module).is_some());
    let named = match &launch.module {
        Some(module) if is_of_module(module) => launch.arguments.first_mut(),
        None if launch.launcher.config.is_first => launch.script.as_mut(),
        _ => None,
    };
    let Some(word) = named else { return launch };
    let Some(path) = word.path().filter(|path| graph.path_resolver.resolve(path, &launch.directory).is_none()) else {
        return launch;
    };
    let is_settings = |file: &SourceFile| matches!(graph.classified_kind(file.id), FileKind::Framework(_));
    if let Some(found) = moved.find(path, is_settings) {
        word.value = WordValue::Known(graph.file(found).path.clone());
    }
    launch
}

/// The files on disk by their names, for paths of documents that lead nowhere: a document may have thousands.
struct MovedFiles<'a>(HashMap<&'a str, Vec<&'a SourceFile>>);

impl<'a> MovedFiles<'a> {
    fn new(graph: &'a FileGraph) -> Self {
        let mut by_name: HashMap<&str, Vec<&SourceFile>> = HashMap::new();
        for file in graph.files.iter().filter(|file| file.host.is_none()) {
            by_name.entry(file.name()).or_default().push(file);
        }
        Self(by_name)
    }

    /// The file that a document means with a path from which it leaves out the folder in which the command runs, or from before a
    /// move: the one that shares the most folders with the path, if only one does.
    fn find(&self, path: &str, is_meant: impl Fn(&SourceFile) -> bool) -> Option<FileId> {
        let mut end = path.trim_start_matches('.').trim_start_matches('/');
        let named = self.0.get(end.rsplit('/').next()?)?;
        loop {
            let ends = |file: &&&SourceFile| file.path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
            let mut found = named.iter().filter(ends).filter(|file| is_meant(file));
            if let Some(first) = found.next() {
                return found.next().is_none().then_some(first.id);
            }
            // A bare name says too little.
            end = end.split_once('/').map(|(_, rest)| rest).filter(|rest| rest.contains('/'))?;
        }
    }
}

/// The run with the origins that its command has: nothing but a document shows it.
fn documented(mut run: Run) -> Run {
    let file = run.place.file;
    for candidate in run.settings.values_mut().flat_map(|setting| &mut setting.candidates) {
        if let Origin::Flag { place, flag } = &candidate.origin
            && place.file == file
        {
            candidate.origin = Origin::Documented { place: *place, flag: flag.clone() };
        }
    }
    run
}
