//! Collects every argument set of a project.

use super::{ArgumentReader, ArgumentSet, call, parser};
use crate::code::CodeFacts;
use crate::kind::FileKind;
use crate::project::Project;
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;

/// The argument sets of a project, those of runs first.
fn collect(project: &Project) -> Vec<ArgumentSet> {
    let mut found = from_calls(project);
    let mut read = BTreeSet::new();
    for (index, run) in project.runs.iter().enumerate() {
        let launch = run.launch.as_deref();
        for (code, parser) in run.code.iter().flat_map(|code| code.parsers.iter().map(move |parser| (code, parser))) {
            found.extend(parser::from_parser(project, code, parser, launch, Some(index), &mut read));
        }
        let Some(launch) = launch else { continue };
        match launch.launcher {
            Launcher::Trl => found.extend(parser::from_trl_command(project, launch, Some(index), &mut read)),
            Launcher::LlamaFactory => {
                let named = launch.script.as_ref().and_then(|word| word.text());
                let id = named.and_then(|text| project.path_resolver.resolve(text, launch.directory.as_str()));
                if let Some(id) = id.filter(|id| read.insert(*id)) {
                    let mut set = parser::from_file(project, id, ArgumentReader::LlamaFactory, Some(index));
                    // It reads this file and the flags after it.
                    set.open = !launch.arguments.is_empty()
                        || launch.has_unknown_flags
                        || super::config_file::has_merge_key(project.file(id));
                    found.push(set);
                }
            }
            _ => {}
        }
    }
    for code in code_without_runs(project) {
        for parser in &code.parsers {
            found.extend(parser::from_parser(project, &code, parser, None, None, &mut read));
        }
    }
    for file in &project.files {
        let reader = match project.kind(file.id) {
            FileKind::Framework(Dialect::LlamaFactory) => ArgumentReader::LlamaFactory,
            FileKind::Framework(Dialect::HfTrainer | Dialect::Trl) => ArgumentReader::Unknown,
            _ => continue,
        };
        if file.is_data() && !read.contains(&file.id) {
            let run = project.runs.iter().position(|run| run.files.contains(&file.id));
            found.push(parser::from_file(project, file.id, reader, run));
        }
    }
    found
}

/// The sets of calls, once for every run that makes the call.
fn from_calls(project: &Project) -> Vec<ArgumentSet> {
    let mut found = Vec::new();
    for call in project.calls() {
        if super::class_name(&call.call().path).is_none() {
            continue;
        }
        let mut runs: Vec<Option<usize>> = Vec::new();
        for (index, run) in project.runs.iter().enumerate() {
            if run.code.as_ref().is_some_and(|code| Arc::ptr_eq(code, &call.facts)) {
                runs.push(Some(index));
            }
        }
        if runs.is_empty() {
            runs.push(None);
        }
        found.extend(runs.into_iter().filter_map(|run| call::argument_set(project, call, run)));
    }
    found
}

/// Code that belongs to no run.
fn code_without_runs(project: &Project) -> Vec<Arc<CodeFacts>> {
    let of_run =
        |code: &Arc<CodeFacts>| project.runs.iter().any(|run| run.code.as_ref().is_some_and(|own| Arc::ptr_eq(own, code)));
    let mut found: Vec<Arc<CodeFacts>> = Vec::new();
    for call in project.calls() {
        if !call.facts.parsers.is_empty() && !found.iter().any(|known| Arc::ptr_eq(known, &call.facts)) && !of_run(&call.facts) {
            found.push(Arc::clone(&call.facts));
        }
    }
    found
}

impl Project {
    /// Every argument set of transformers and TRL, those of runs first.
    pub fn arguments(&self) -> &[ArgumentSet] {
        self.queries.arguments.get_or_init(|| collect(self))
    }
}
