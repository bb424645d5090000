//! The last phase of a project: its runs, and queries over everything that was resolved.
//!
//! A project is made in three phases, each complete before the next one begins: [`SourceSet`] (files, configurations, versions),
//! [`FileGraph`] (references, launches, kinds) and [`Project`] (runs). A phase dereferences to the one before. Queries that need runs
//! exist on the finished project only; the modules that answer them add the methods (`arguments`, `calls`, `orphan_modules`…).

use crate::arguments::ArgumentSet;
use crate::code::{self, CodeFacts, ScriptArguments};
use crate::code_cache::{CodeCache, REDUCED_STEP_LIMIT};
use crate::config_file_launches::ConfigFileLaunches;
use crate::deepspeed_dicts::DeepSpeedDict;
use crate::environment::{self, VariableAssignment};
use crate::file_graph::FileGraph;
use crate::kind::{self, FileClass, FileKind};
use crate::launch::{self, Launch};
use crate::library_calls::CallRef;
use crate::run::{self, Run};
use crate::source::SourceFile;
use crate::source_set::SourceSet;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use vramlint_base::FileId;

/// A project, resolved.
#[derive(Debug, Default)]
pub struct Project {
    graph: FileGraph,
    /// What each file is, in the order of the files: as classified, refined by the runs.
    classes: Vec<FileClass>,
    /// The runs, in order of their place.
    pub runs: Vec<Run>,
    /// The runs of each file, as indices.
    runs_by_file: HashMap<FileId, Vec<usize>>,
    code: CodeCache,
    /// Steps for the code of one entry at most.
    step_limit: u32,
    pub(crate) queries: Queries,
}

/// Answers to queries, each found when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Queries {
    pub(crate) arguments: OnceLock<Vec<ArgumentSet>>,
    pub(crate) calls: OnceLock<Vec<CallRef>>,
    pub(crate) deepspeed_dicts: OnceLock<Vec<DeepSpeedDict>>,
    files_by_kind: OnceLock<HashMap<FileKind, Vec<FileId>>>,
    pub(crate) orphan_modules: OnceLock<Vec<(FileId, Arc<CodeFacts>)>>,
    pub(crate) config_file_launches: OnceLock<ConfigFileLaunches>,
    documented_launches: OnceLock<Vec<Launch>>,
    environment: OnceLock<Vec<VariableAssignment>>,
}

impl Project {
    /// Links the files and finds the runs.
    pub fn new(sources: SourceSet) -> Self {
        let graph = FileGraph::new(sources);
        let found = run::discover_runs(&graph);
        let classes = kind::refine_by_runs(&graph, graph.classes().to_vec(), found.runs.iter().filter_map(|run| run.deepspeed));
        let mut runs_by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
        for (index, run) in found.runs.iter().enumerate() {
            for file in &run.files {
                runs_by_file.entry(*file).or_default().push(index);
            }
        }
        let step_limit = if found.over_budget { REDUCED_STEP_LIMIT } else { code::STEP_LIMIT };
        Self { graph, classes, runs: found.runs, runs_by_file, code: found.code, step_limit, queries: Queries::default() }
    }

    /// The files alone, without references between them and without runs. For projects that could not be resolved.
    pub fn without_runs(sources: SourceSet) -> Self {
        let graph = FileGraph::unlinked(sources);
        let classes = graph.classes().to_vec();
        Self { graph, classes, step_limit: code::STEP_LIMIT, ..Self::default() }
    }

    /// What a file is: by its content, by the files that refer to it, and by the runs that use it.
    pub fn kind(&self, id: FileId) -> FileKind {
        self.class(id).kind
    }

    /// The files of a kind, in order.
    pub fn files_of(&self, kind: FileKind) -> impl Iterator<Item = &SourceFile> {
        let by_kind = self.queries.files_by_kind.get_or_init(|| {
            let mut by_kind: HashMap<FileKind, Vec<FileId>> = HashMap::new();
            for file in &self.graph.files {
                by_kind.entry(self.kind(file.id)).or_default().push(file.id);
            }
            by_kind
        });
        by_kind.get(&kind).into_iter().flatten().map(|id| self.graph.file(*id))
    }

    /// What a file is, how certain that is, and why.
    pub fn class(&self, id: FileId) -> &FileClass {
        &self.classes[id.0 as usize]
    }

    /// The runs in which a file takes part.
    pub fn runs_of(&self, id: FileId) -> impl Iterator<Item = &Run> {
        self.runs_by_file.get(&id).into_iter().flatten().map(|index| &self.runs[*index])
    }

    /// What the code reachable from a Python file does; `None` for other files.
    pub fn code(&self, entry: FileId) -> Option<Arc<CodeFacts>> {
        self.code.facts(&self.graph, entry, &ScriptArguments::default(), self.step_limit, drop)
    }

    /// As [`Project::code`], interpreted within so many steps if it is not known yet.
    pub(crate) fn code_with_step_limit(&self, entry: FileId, steps: u32) -> Option<Arc<CodeFacts>> {
        self.code.facts(&self.graph, entry, &ScriptArguments::default(), steps.min(self.step_limit), drop)
    }

    /// Launch commands that only documents show. Nothing runs them as they are, but they say how files are meant to be used.
    pub fn documented_launches(&self) -> &[Launch] {
        self.queries.documented_launches.get_or_init(|| {
            let documents = || self.files.iter().filter(|file| self.is_documentation_snippet(file.id));
            let variables = launch::DocumentVariables::of_blocks(documents());
            documents().flat_map(|file| launch::from_document(file, &self.path_resolver, &variables)).collect()
        })
    }

    /// Every place that sets an environment variable that rules follow, in order of file and place.
    pub fn environment(&self) -> &[VariableAssignment] {
        self.queries.environment.get_or_init(|| environment::set_variables(&self.graph))
    }
}

impl Deref for Project {
    type Target = FileGraph;

    fn deref(&self) -> &FileGraph {
        &self.graph
    }
}
