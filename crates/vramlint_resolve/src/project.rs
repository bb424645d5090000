//! All files of a project, what they are, and the runs that they make.

use crate::arguments::{self, ArgumentSet};
use crate::code::{self, CodeFacts, ModuleIndex};
use crate::deepspeed_dicts::{self, DeepSpeedDict};
use crate::environment::{self, VariableAssignment};
use crate::kind::{self, FileClass, FileKind};
use crate::launch::{self, Launch};
use crate::path_resolver::PathResolver;
use crate::run::Marks;
use crate::versions::{FolderLibraries, RangeMatch, VersionEvidence, VersionRange};
use crate::{CallRef, Policy, Run, SourceFile, run};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use vramlint_base::{FileId, FileRange, LineColumn, TextRange, Value};

/// A project, resolved.
#[derive(Debug, Default)]
pub struct Project {
    /// Every file, embedded ones behind their hosts.
    pub files: Vec<SourceFile>,
    /// What each file is, in the same order.
    pub kinds: Vec<FileClass>,
    /// The configurations that govern them; at least one.
    pub policies: Vec<Policy>,
    /// Every launch command outside of documents, in order of file and place.
    pub launches: Vec<Arc<Launch>>,
    /// The runs, in order of their place.
    pub runs: Vec<Run>,
    /// What the project says of its libraries, outermost folder first. Filled by the layer that reads the disk.
    pub libraries: Vec<FolderLibraries>,
    /// Finds whole files by the paths that others write.
    pub path_resolver: PathResolver,
    /// What code says, by entry; made when first asked for.
    code: Mutex<HashMap<FileId, Arc<CodeFacts>>>,
    /// The same for launches that give options; few launches of one script differ in what they give.
    code_with_args: Mutex<HashMap<FileId, Vec<Given>>>,
    /// Every call of a library; looked for when first asked for.
    calls: OnceLock<Vec<CallRef>>,
    /// Python files that no run reaches; looked for when first asked for.
    orphan_modules: OnceLock<Vec<(FileId, Arc<CodeFacts>)>>,
    /// Launch commands in documents; read when first asked for.
    documented_launches: OnceLock<Vec<Launch>>,
    /// The Python modules, for all entries.
    modules: Arc<ModuleIndex>,
    /// Where variables of the environment are set; found when first asked for.
    environment: OnceLock<Vec<VariableAssignment>>,
    /// What the text of each file shows of processes.
    marks: Vec<Marks>,
    /// The runs of each file, as indices.
    runs_by_file: HashMap<FileId, Vec<usize>>,
    /// Steps of interpretation that the runs took, and whether all are found: from then on it no longer grows.
    spent: AtomicU32,
    settled: bool,
    /// What argument classes are given; made when first asked for.
    arguments: OnceLock<Vec<ArgumentSet>>,
    /// DeepSpeed's configurations that Python code holds; looked for when first asked for.
    deepspeed_dicts: OnceLock<Vec<DeepSpeedDict>>,
}

/// Steps of interpretation for all runs of a project, some hundreds of usual size, after which each gets no more than a usual one
/// needs: a repository may hold a library that every script reaches whole.
const PROJECT_STEP_BUDGET: u32 = 5_000_000;
const REDUCED_STEP_LIMIT: u32 = 20_000;

/// The options that a launch gives, and what the code says for them.
type Given = (Vec<(String, Value)>, Arc<CodeFacts>);

impl Project {
    /// Joins the files into runs. `files[i].id` must be `FileId(i)`.
    pub fn new(files: Vec<SourceFile>, policies: Vec<Policy>) -> Self {
        debug_assert!(files.iter().enumerate().all(|(i, file)| file.id.0 as usize == i));
        let kinds = files.iter().map(|file| kind::from_directive(file).unwrap_or_else(|| kind::classify(file))).collect();
        let policies = if policies.is_empty() { vec![Policy::default()] } else { policies };
        let path_resolver = PathResolver::new(&files);
        let mut project = Self { files, kinds, policies, path_resolver, ..Self::default() };
        let mark = |file: &SourceFile| file.python().map_or_else(Marks::default, |_| Marks::of(&file.text));
        project.marks = project.files.iter().map(mark).collect();
        project.modules = Arc::new(ModuleIndex::new(&project.files));
        project.launches = project.find_launches();
        kind::by_reference(&mut project);
        project.runs = run::discover_runs(&project);
        project.settled = true;
        kind::by_runs(&mut project);
        for (index, run) in project.runs.iter().enumerate() {
            for file in &run.files {
                project.runs_by_file.entry(*file).or_default().push(index);
            }
        }
        project
    }

    /// The files alone: nobody refers to them, and they make no runs. For when joining them failed.
    pub fn without_runs(files: Vec<SourceFile>, policies: Vec<Policy>) -> Self {
        let kinds = files.iter().map(|_| FileClass::other()).collect();
        let path_resolver = PathResolver::new(&files);
        Self { files, kinds, policies, path_resolver, ..Self::default() }
    }

    fn find_launches(&self) -> Vec<Arc<Launch>> {
        let scripts = self.files.iter().filter(|file| !self.is_documentation_snippet(file.id));
        scripts
            .filter_map(|file| file.script().map(|script| launch::from_script(file.id, &file.text, script)))
            .flatten()
            .map(Arc::new)
            .collect()
    }

    /// Every place that sets a variable of the environment that rules ask for, in order of file and place.
    pub fn environment(&self) -> &[VariableAssignment] {
        self.environment.get_or_init(|| environment::set_variables(self))
    }

    /// Launch commands that only documents show: nobody may run them as they stand, but they tell how files are meant to be used.
    pub fn documented_launches(&self) -> &[Launch] {
        self.documented_launches.get_or_init(|| {
            let documents = self.files.iter().filter(|file| self.is_documentation_snippet(file.id));
            let launches = |file: &SourceFile| file.script().map(|script| launch::from_script(file.id, &file.text, script));
            documents.filter_map(launches).flatten().collect()
        })
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// What a file is.
    pub fn kind(&self, id: FileId) -> FileKind {
        self.kinds[id.0 as usize].kind
    }

    /// The configuration that governs a file.
    pub fn policy(&self, id: FileId) -> &Policy {
        &self.policies[self.file(id).policy]
    }

    /// What is said of a library (its normalized name) for a file: by the configuration that governs it, else by the deepest
    /// folder above it that says anything of it. A range there is narrowed by the lock file of a workspace further up.
    pub fn library(&self, file: FileId, name: &str) -> Option<&VersionEvidence> {
        if let Some(declared) = self.policy(file).versions.get(name) {
            return Some(declared);
        }
        let path = self.host_path(file);
        let mut above = self.libraries.iter().rev().filter(|libraries| libraries.governs(path));
        let nearest = above.by_ref().find_map(|libraries| libraries.evidence.get(name))?;
        let locked = above.filter(|libraries| libraries.locks_below).find_map(|libraries| libraries.evidence.get(name));
        Some(locked.filter(|locked| locked.narrows(nearest)).unwrap_or(nearest))
    }

    /// Everything that is said of libraries for a file, by their names.
    pub fn libraries_for(&self, file: FileId) -> BTreeMap<&str, &VersionEvidence> {
        let path = self.host_path(file);
        let above =
            self.libraries.iter().filter(|libraries| libraries.governs(path)).flat_map(|libraries| libraries.evidence.keys());
        let names = above.chain(self.policy(file).versions.keys());
        names.filter_map(|name| Some((name.as_str(), self.library(file, name)?))).collect()
    }

    /// For which of the versions that may be installed around a file a span holds.
    pub fn version_matches(&self, file: FileId, range: &VersionRange) -> RangeMatch {
        self.library(file, range.library).map_or_else(|| range.match_unknown(), |evidence| evidence.matches(range))
    }

    fn host_path(&self, file: FileId) -> &str {
        &self.file(file).path
    }

    /// What the text of a file shows of processes.
    pub(crate) fn marks(&self, id: FileId) -> Marks {
        self.marks.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// What the code reachable from a Python file says; `None` for other files.
    pub fn code(&self, entry: FileId) -> Option<Arc<CodeFacts>> {
        self.code_with_step_limit(entry, code::STEP_LIMIT)
    }

    /// The same, made within so many steps where it is not made yet.
    pub(crate) fn code_with_step_limit(&self, entry: FileId, steps: u32) -> Option<Arc<CodeFacts>> {
        self.file(entry).python()?;
        if let Some(found) = self.code.lock().ok().and_then(|cache| cache.get(&entry).cloned()) {
            return Some(found);
        }
        let facts = self.read_code(entry, &[], steps);
        if let Ok(mut cache) = self.code.lock() {
            cache.insert(entry, Arc::clone(&facts));
        }
        Some(facts)
    }

    fn read_code(&self, entry: FileId, given: &[(String, Value)], steps: u32) -> Arc<CodeFacts> {
        // The runs are found one after the other, so that the same project always gives the same.
        let late = self.spent.load(Ordering::Relaxed) > PROJECT_STEP_BUDGET;
        let facts =
            code::facts_in(&self.files, &self.modules, entry, given, if late { steps.min(REDUCED_STEP_LIMIT) } else { steps });
        if !self.settled {
            self.spent.fetch_add(facts.steps, Ordering::Relaxed);
        }
        Arc::new(facts)
    }

    /// The file of the project that an import in the file at `from` names; `level` counts the dots of a relative import.
    pub(crate) fn resolve_import(&self, dotted: &str, level: u32, from: &str) -> Option<FileId> {
        code::imported(&self.modules, dotted, level, from)
    }

    /// What the code says for a launch that gives these options: branches that depend on them are decided.
    pub fn code_with_args(&self, entry: FileId, given: &[(String, Value)]) -> Option<Arc<CodeFacts>> {
        if given.is_empty() {
            return self.code(entry);
        }
        self.file(entry).python()?;
        let known = |cache: &HashMap<FileId, Vec<Given>>| {
            cache.get(&entry)?.iter().find(|(other, _)| other == given).map(|(_, facts)| Arc::clone(facts))
        };
        if let Some(found) = self.code_with_args.lock().ok().and_then(|cache| known(&cache)) {
            return Some(found);
        }
        let facts = self.read_code(entry, given, code::STEP_LIMIT);
        if let Ok(mut cache) = self.code_with_args.lock() {
            cache.entry(entry).or_default().push((given.to_vec(), Arc::clone(&facts)));
        }
        Some(facts)
    }

    /// Everything that argument classes of transformers and TRL are given, in any way, those of runs first.
    pub fn arguments(&self) -> &[ArgumentSet] {
        self.arguments.get_or_init(|| arguments::collect(self))
    }

    /// Python files that no run reaches and that are worth reading all the same, with what they say: a limited number, programs first.
    pub fn orphan_modules(&self) -> &[(FileId, Arc<CodeFacts>)] {
        self.orphan_modules.get_or_init(|| crate::orphan_modules::orphan_modules(self))
    }

    /// DeepSpeed's configurations that are dicts in Python code.
    pub fn deepspeed_dicts(&self) -> &[DeepSpeedDict] {
        self.deepspeed_dicts.get_or_init(|| deepspeed_dicts::deepspeed_dicts(self))
    }

    /// Every call of a library in the Python code of the project, runs first; also in files that no run reaches.
    pub fn calls(&self) -> &[CallRef] {
        self.calls.get_or_init(|| crate::library_calls::library_calls(self))
    }

    /// Whether a file is a block of a document: what it belongs to is not known, so rules that need a whole project stay silent.
    /// Recipes of a Makefile or a workflow are none: they are run as they stand.
    pub fn is_documentation_snippet(&self, id: FileId) -> bool {
        let file = self.file(id);
        file.host.as_ref().is_some_and(|(host, _)| {
            let host = self.file(*host);
            let name = host.name().to_lowercase();
            let recipe = name.contains("makefile") || name.contains("dockerfile") || host.extension() == "mk";
            !recipe && host.data().is_none()
        })
    }

    /// The runs in which a file takes part.
    pub fn runs_of(&self, id: FileId) -> impl Iterator<Item = &Run> {
        self.runs_by_file.get(&id).into_iter().flatten().map(|index| &self.runs[*index])
    }

    /// The place in a whole file: places in embedded texts are carried to their host.
    pub fn to_host(&self, place: FileRange) -> FileRange {
        let file = self.file(place.file);
        match &file.host {
            Some((host, embedded)) => self.to_host(FileRange::new(*host, embedded.to_host(place.range))),
            None => place,
        }
    }

    /// Line and column of both ends of a place, in the whole file.
    pub fn position(&self, place: FileRange) -> (&SourceFile, LineColumn, LineColumn) {
        let FileRange { file, range: TextRange { start, end } } = self.to_host(place);
        let file = self.file(file);
        (file, file.lines.line_column(&file.text, start), file.lines.line_column(&file.text, end))
    }
}
