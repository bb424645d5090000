//! Every set of arguments of a project.

use super::{ArgumentSet, Reader, call, parsed};
use crate::code::CodeFacts;
use crate::kind::Kind;
use crate::project::Project;
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::flags::Launcher;

/// Words without one of which a Python file says nothing of argument classes.
const WORDS: &[&str] = &[
    "TrainingArguments",
    "HfArgumentParser",
    "TrlParser",
    "SFTConfig",
    "DPOConfig",
    "GRPOConfig",
    "RLOOConfig",
    "KTOConfig",
    "RewardConfig",
    "PRMConfig",
    "ORPOConfig",
    "CPOConfig",
    "PPOConfig",
    "OnlineDPOConfig",
    "NashMDConfig",
    "XPOConfig",
    "GKDConfig",
    "BCOConfig",
    "DistillationConfig",
    "Trainer(",
];

/// What code says from an entry, and the run that it belongs to.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The run, as an index into [`Project::runs`]; `None` for code that makes no run.
    pub run: Option<usize>,
    /// What it says.
    pub code: Arc<CodeFacts>,
}

/// All sets, and the code that speaks of argument classes or trainers.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) sets: Vec<ArgumentSet>,
    pub(crate) entries: Vec<Entry>,
}

/// Gathers them: those of runs first.
pub(crate) fn gather(project: &Project) -> Gathered {
    let mut found = Vec::new();
    let mut entries = Vec::new();
    let mut read = BTreeSet::new();
    let mut seen: BTreeSet<FileId> = BTreeSet::new();
    for (index, run) in project.runs.iter().enumerate() {
        let launch = run.launch.as_deref();
        if let Some(code) = &run.code {
            seen.extend(code.files.iter().copied());
            of_code(project, code, Some(index), &mut found);
            entries.push(Entry { run: Some(index), code: Arc::clone(code) });
            for parser in &code.parsers {
                found.extend(parsed::of_parser(project, code, parser, launch, Some(index), &mut read));
            }
        }
        if let Some(launch) = launch {
            match launch.launcher {
                Launcher::Trl => found.extend(parsed::of_trl(project, launch, Some(index), &mut read)),
                Launcher::LlamaFactory => {
                    let named = launch.script.as_ref().and_then(|word| word.text());
                    let id = named.and_then(|text| project.lookup.find(text, project.file(launch.file).folder()));
                    if let Some(id) = id.filter(|id| read.insert(*id)) {
                        found.push(parsed::of_file(project, id, Reader::LlamaFactory, Some(index)));
                    }
                }
                _ => {}
            }
        }
    }
    for file in &project.files {
        let speaks = || WORDS.iter().any(|word| file.text.contains(word));
        if file.python().is_some() && !seen.contains(&file.id) && speaks() {
            let Some(code) = project.code(file.id) else { continue };
            seen.extend(code.files.iter().copied());
            of_code(project, &code, None, &mut found);
            for parser in &code.parsers {
                found.extend(parsed::of_parser(project, &code, parser, None, None, &mut read));
            }
            entries.push(Entry { run: None, code });
        }
    }
    for file in &project.files {
        let reader = match project.kind(file.id) {
            Kind::LlamaFactory => Reader::LlamaFactory,
            Kind::HfTrainer | Kind::Trl => Reader::Unseen,
            _ => continue,
        };
        if file.data().is_some() && !read.contains(&file.id) {
            let run = project.runs.iter().position(|run| run.files.contains(&file.id));
            found.push(parsed::of_file(project, file.id, reader, run));
        }
    }
    Gathered { sets: found, entries }
}

fn of_code(project: &Project, code: &Arc<CodeFacts>, run: Option<usize>, found: &mut Vec<ArgumentSet>) {
    found.extend((0..code.calls.len()).filter_map(|index| call::set(&project.files, code, index, run)));
}
