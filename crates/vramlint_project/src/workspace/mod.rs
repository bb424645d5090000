//! A folder that is open in an editor: unsaved texts override files on disk, and findings follow every edit.
//!
//! An edit is analyzed twice: immediately with the files that are connected to the edited file ([`Workspace::analyze_file`]), and
//! later, when no edits arrive, with the whole folder ([`Workspace::analyze_all`]), with the same result as `check`. Parsed files are
//! cached; Python files that no rule inspects are reduced to their imports.

mod full_analysis;
mod parse_cache;
mod relevance;

use crate::ConfigError;
use crate::backend::Backend;
use crate::discovery::MAX_FILE_SIZE;
use crate::discovery::paths::absolute;
use crate::library_packages::may_mark_library;
use crate::overlay_fs::OverlayFs;
use crate::references::{PathIndex, ReferenceGraph, implicit_context, path_index};
use crate::report::{Report, STACK_SIZE};
use crate::request::{Request, overlay};
use crate::session::AnalysisSession;
use crate::source_loader::{ParsedSource, ProjectSources};
use parse_cache::{FileVersion, ParseCache};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vramlint_base::message;
use vramlint_catalog::files::is_requirement_folder;
use vramlint_estimate::SimulationCache;

/// Cancellation token. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// Cancels the analyses that use this token.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why an analysis has no result.
#[derive(Clone, Debug)]
pub enum AnalysisError {
    /// The analysis was cancelled.
    Cancelled,
    /// The file is outside this workspace or excluded.
    NotInWorkspace,
    /// The configuration is invalid.
    Config(ConfigError),
}

/// The result of an analysis.
#[derive(Clone, Debug)]
pub struct AnalysisResult {
    /// The report on the whole project, or on the component of one file.
    pub report: Report,
    /// The files, as shown, whose findings are complete in `report`; earlier findings of other files stay valid.
    pub covers: BTreeSet<String>,
}

/// A folder with unsaved texts. A clone is a cheap snapshot that later edits do not affect.
#[derive(Clone, Debug)]
pub struct Workspace {
    request: Arc<Request>,
    files: OverlayFs,
    /// The edit number of each unsaved file.
    edits: HashMap<PathBuf, u64>,
    clock: u64,
    /// Files that changed on disk since the session was prepared.
    changed: BTreeSet<PathBuf>,
    session: Arc<SessionCell>,
    parse_cache: Arc<ParseCache>,
    simulations: Arc<SimulationCache>,
    pool: Arc<OnceLock<Option<rayon::ThreadPool>>>,
}

/// The session, valid until a file is added or removed or a configuration changes.
#[derive(Debug, Default)]
struct SessionCell {
    prepared: OnceLock<Result<PreparedSession, ConfigError>>,
}

/// The references of a file, and the version that they were scanned from.
type ScannedReferences = (FileVersion, Arc<[u32]>);

#[derive(Debug)]
struct PreparedSession {
    session: AnalysisSession,
    by_path: HashMap<PathBuf, u32>,
    /// References between files; computed on first use.
    graph: OnceLock<ReferenceGraph>,
    /// The edit numbers of the unsaved files that the graph was built from.
    scanned_edits: OnceLock<HashMap<u32, u64>>,
    /// References of files that changed later, including their earlier references.
    rescanned: Mutex<HashMap<u32, ScannedReferences>>,
}

impl Workspace {
    /// A workspace for the folder and the overlay of a request.
    pub fn new(request: Request) -> Self {
        let mut request = request;
        let cwd = std::path::absolute(&request.cwd).unwrap_or_else(|_| request.cwd.clone());
        request.cwd = absolute(&cwd, Path::new(""));
        let files = overlay(&request);
        let edits = files.overlay.keys().map(|path| (path.clone(), 0)).collect();
        Self {
            files,
            edits,
            clock: 0,
            request: Arc::new(request),
            changed: BTreeSet::new(),
            session: Arc::default(),
            parse_cache: Arc::default(),
            simulations: Arc::default(),
            pool: Arc::default(),
        }
    }

    /// Sets the unsaved text of a file; `None` removes it. The path is absolute.
    pub fn edit(&mut self, path: &Path, text: Option<Arc<str>>) {
        let path = absolute(&self.request.cwd, path);
        self.clock += 1;
        // A text that is too large for configuration is not read, which discovery decides.
        let large = |length: usize| length as u64 > MAX_FILE_SIZE;
        let was_large = self.files.overlay.get(&path).is_some_and(|bytes| large(bytes.len()));
        let changes_size = was_large != text.as_deref().is_some_and(|text| large(text.len()));
        if changes_size
            || self.invalidates_session(&path)
            || text.is_none() && !path.exists()
            || self.names_other_files(&path, text.as_deref())
        {
            self.session = Arc::default();
        }
        if let Some(text) = text {
            self.files.overlay.insert(path.clone(), Arc::new(text.as_bytes().to_vec()));
            self.edits.insert(path, self.clock);
        } else {
            self.files.overlay.remove(&path);
            self.edits.remove(&path);
            self.changed.insert(path);
        }
    }

    /// Reports files that were written, created or removed on disk. A change of `vramlint.toml` reloads the configuration.
    pub fn changed_on_disk(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let path = absolute(&self.request.cwd, path);
            if self.invalidates_session(&path) || !path.exists() || self.names_other_files(&path, None) {
                self.session = Arc::default();
            }
            self.changed.insert(path);
        }
    }

    /// Whether a change of this file affects discovery, configuration, library versions or which code is that of a library.
    fn invalidates_session(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let configures = matches!(&*name, "vramlint.toml" | ".gitignore" | ".ignore");
        let names_versions = vramlint_resolve::versions::files::ManifestKind::from_name(&name).is_some()
            || path.parent().and_then(Path::file_name).is_some_and(|folder| is_requirement_folder(&folder.to_string_lossy()));
        let marks_library = may_mark_library(path);
        let unknown = match self.session.prepared.get() {
            Some(Ok(prepared)) => !prepared.by_path.contains_key(path),
            Some(Err(_)) => true,
            None => !path.exists(),
        };
        configures || names_versions || marks_library || unknown
    }

    /// Whether a text of this file, otherwise the file on disk, names other ignored files than before.
    fn names_other_files(&self, path: &Path, text: Option<&str>) -> bool {
        let Some(Ok(prepared)) = self.session.prepared.get() else { return false };
        let Some(index) = prepared.by_path.get(path) else { return false };
        let discovered = &prepared.session.discovered;
        let on_disk = if text.is_none() { OverlayFs::default().read(path).unwrap_or_default() } else { Vec::new() };
        let text = text.map_or_else(|| String::from_utf8_lossy(&on_disk), Cow::Borrowed);
        !discovered.ignored.mentions_same(path, &text, discovered.files[*index as usize].format)
    }

    /// Analyzes the component of one file (an absolute path): everything that an edit of the file can directly affect.
    pub fn analyze_file(&self, path: &Path, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        let path = absolute(&self.request.cwd, path);
        // A persistent pool, for low latency.
        let pool = self.pool.get_or_init(|| self.build_pool()).as_ref().ok_or_else(pool_error)?;
        let (prepared, graph) = self.ready(pool)?;
        pool.install(|| self.analyze_component(prepared, graph, &path, cancel))
    }

    /// Analyzes the whole folder, with the same result as `check`.
    pub fn analyze_all(&self, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        // A temporary pool releases the memory of its threads when it ends.
        let pool = self.build_pool().ok_or_else(pool_error)?;
        let (prepared, graph) = self.ready(&pool)?;
        pool.install(|| self.analyze_everything(prepared, graph, cancel))
    }

    /// Builds a thread pool with large stacks: parsers recurse as deep as a text is nested.
    fn build_pool(&self) -> Option<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new().num_threads(self.request.jobs).stack_size(STACK_SIZE).build().ok()
    }

    /// The session and the references between its files, made on first use. Whoever comes second waits outside of the pools: a thread of
    /// a pool that waits for one of these cells may be the one that has to fill it.
    fn ready(&self, pool: &rayon::ThreadPool) -> Result<(&PreparedSession, &ReferenceGraph), AnalysisError> {
        let prepare = || {
            let session = AnalysisSession::prepare(&Backend::standard(), &self.request, &self.files)?;
            let by_path = session.discovered.files.iter().enumerate().map(|(i, file)| (file.path.clone(), i as u32)).collect();
            Ok(PreparedSession {
                session,
                by_path,
                graph: OnceLock::new(),
                scanned_edits: OnceLock::new(),
                rescanned: Mutex::default(),
            })
        };
        let prepared = self.session.prepared.get_or_init(|| pool.install(prepare));
        let prepared = prepared.as_ref().map_err(|error| AnalysisError::Config(error.clone()))?;
        Ok((prepared, prepared.graph.get_or_init(|| pool.install(|| self.scan_all(prepared)))))
    }

    fn version(&self, path: &Path) -> FileVersion {
        self.edits.get(path).map_or_else(|| FileVersion::on_disk(path), |edit| FileVersion::Unsaved(*edit))
    }

    fn load(&self, prepared: &PreparedSession, index: u32) -> Arc<ParsedSource> {
        let file = &prepared.session.discovered.files[index as usize];
        self.parse_cache.load(&Backend::standard(), &self.files, file, self.version(&file.path))
    }

    /// The reference graph of the texts as they are now.
    fn scan_all(&self, prepared: &PreparedSession) -> ReferenceGraph {
        let discovered = &prepared.session.discovered.files;
        let names = path_index(discovered, &self.files);
        let references =
            (0..discovered.len() as u32).into_par_iter().map(|index| self.scan_references(prepared, &names, index)).collect();
        let scanned_edits = self.edits.iter().filter_map(|(path, edit)| Some((*prepared.by_path.get(path)?, *edit)));
        let _ = prepared.scanned_edits.set(scanned_edits.collect());
        ReferenceGraph::new(names, discovered.iter().map(|file| file.format).collect(), references)
    }

    fn scan_references(&self, prepared: &PreparedSession, names: &PathIndex, index: u32) -> Box<[u32]> {
        let file = &prepared.session.discovered.files[index as usize];
        if file.problem.is_some() {
            return Box::default();
        }
        let bytes = self.files.read_found(file).unwrap_or_default();
        names.references_in(index, &String::from_utf8_lossy(&bytes), file.format)
    }

    fn analyze_component(
        &self,
        prepared: &PreparedSession,
        graph: &ReferenceGraph,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Result<AnalysisResult, AnalysisError> {
        let Some(seed) = prepared.by_path.get(path).copied() else {
            return Err(AnalysisError::NotInWorkspace);
        };
        let now = self.current_references(prepared, graph);
        let mut component = graph.component_of(&BTreeSet::from([seed]), &now);
        component.files.extend(implicit_context(&prepared.session.discovered.files, &component.files));
        if cancel.is_cancelled() {
            return Err(AnalysisError::Cancelled);
        }
        let files: Vec<u32> = component.files.iter().copied().collect();
        let loaded: Vec<(usize, Arc<ParsedSource>)> =
            files.par_iter().map(|index| (*index as usize, self.load(prepared, *index))).collect();
        let discovered = &prepared.session.discovered.files;
        let folders: BTreeSet<&Path> = files.iter().filter_map(|index| discovered[*index as usize].path.parent()).collect();
        let governs = |file: &crate::versions::VersionFile| folders.iter().any(|folder| folder.starts_with(&file.root));
        let report = self.run_session(prepared, &|| prepared.session.assemble(&loaded, &governs), cancel)?;
        self.parse_cache.evict_python();
        let covers = component.complete.iter().map(|index| &discovered[*index as usize]).filter(|file| file.reported);
        Ok(AnalysisResult { covers: covers.map(|file| file.shown.clone()).collect(), report })
    }

    /// The references of files that changed after the graph was built, including their earlier references: a finding on a former
    /// target may change.
    fn current_references(&self, prepared: &PreparedSession, graph: &ReferenceGraph) -> HashMap<u32, Arc<[u32]>> {
        let cached = prepared.scanned_edits.get();
        let edited = self.edits.iter().filter_map(|(path, edit)| Some((*prepared.by_path.get(path)?, *edit)));
        let edited =
            edited.filter(|(index, edit)| cached.and_then(|cached| cached.get(index)) != Some(edit)).map(|(index, _)| index);
        let changed = self.changed.iter().filter_map(|path| prepared.by_path.get(path).copied());
        let scan = |index: u32| {
            let version = self.version(&prepared.session.discovered.files[index as usize].path);
            let rescanned = || prepared.rescanned.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, references)) = rescanned().get(&index).filter(|(cached, _)| *cached == version) {
                return (index, Arc::clone(references));
            }
            let mut references = self.scan_references(prepared, &graph.names, index).into_vec();
            references.extend_from_slice(graph.forward(index));
            references.sort_unstable();
            references.dedup();
            let references: Arc<[u32]> = references.into();
            rescanned().insert(index, (version, Arc::clone(&references)));
            (index, references)
        };
        edited.chain(changed).map(scan).collect()
    }

    fn analyze_everything(
        &self,
        prepared: &PreparedSession,
        graph: &ReferenceGraph,
        cancel: &CancellationToken,
    ) -> Result<AnalysisResult, AnalysisError> {
        let loaded = self.load_relevant(prepared, graph, cancel)?;
        let report = self.run_session(prepared, &|| prepared.session.assemble(&loaded, &|_| true), cancel)?;
        let files = report.project.files.iter().filter(|file| file.reported && file.host.is_none());
        Ok(AnalysisResult { covers: files.map(|file| file.path.clone()).collect(), report })
    }

    fn run_session(
        &self,
        prepared: &PreparedSession,
        read: &dyn Fn() -> ProjectSources,
        cancel: &CancellationToken,
    ) -> Result<Report, AnalysisError> {
        let stop = || cancel.is_cancelled();
        let (backend, session) = (Backend::standard(), &prepared.session);
        let report = session.run(&backend, &self.request, &self.files, &|_| read(), &self.simulations, &stop);
        report.ok_or(AnalysisError::Cancelled)
    }
}

fn pool_error() -> AnalysisError {
    AnalysisError::Config(ConfigError::new(message!("cannot start threads", "无法启动线程")))
}

#[cfg(test)]
mod tests;
