//! A folder that an editor has open: unsaved texts over the disk, and findings that follow every edit.
//!
//! An edit is answered twice. At once with the component of the folder that hangs together with the edited file ([`Workspace::analyze_file`]),
//! then, when there is quiet, with all of it ([`Workspace::analyze_all`]), which is what `check` says. What was read is kept; of Python
//! files that no rule has anything to say of, only their imports.

mod full_analysis;
mod parse_cache;
mod reference_graph;
mod reference_scan;
mod relevance;

use crate::ConfigError;
use crate::backend::Backend;
use crate::discovery::file_format::FileFormat;
use crate::discovery::paths::absolute;
use crate::overlay_fs::OverlayFs;
use crate::report::{Report, STACK_SIZE};
use crate::request::{Request, overlay};
use crate::session::AnalysisSession;
use crate::source_loader::{ParsedSource, ProjectSources};
use parse_cache::{FileVersion, ParseCache};
use rayon::prelude::*;
use reference_graph::ReferenceGraph;
use reference_scan::PathIndex;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vramlint_base::message;
use vramlint_catalog::files::is_requirement_folder;
use vramlint_estimate::SimulationCache;

/// Tells an analysis that nobody waits for it any more. Clones share the word.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// Stops what asks it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum AnalysisError {
    /// Cancelled.
    Cancelled,
    /// The file is none of this folder, or left out of it.
    NotInWorkspace,
    /// The configuration is at fault.
    Config(ConfigError),
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct AnalysisResult {
    /// The project, or the component of it around one file, with its findings.
    pub report: Report,
    /// The files of which `report` holds every finding, as shown; what was known of others stays as it is.
    pub covers: BTreeSet<String>,
}

/// A folder with unsaved texts. A clone is a snapshot: it is cheap, and later edits do not touch it.
#[derive(Clone, Debug)]
pub struct Workspace {
    request: Arc<Request>,
    files: OverlayFs,
    /// Which text each unsaved file has.
    edits: HashMap<PathBuf, u64>,
    clock: u64,
    /// Files that changed on the disk since the folder was looked through.
    changed: BTreeSet<PathBuf>,
    session: Arc<SessionCell>,
    parse_cache: Arc<ParseCache>,
    simulations: Arc<SimulationCache>,
    pool: Arc<OnceLock<Option<rayon::ThreadPool>>>,
}

/// What was found in the folder, as long as no file comes, goes or configures.
#[derive(Debug, Default)]
struct SessionCell {
    prepared: OnceLock<Result<PreparedSession, ConfigError>>,
}

/// What a text speaks of, and which text that was.
type ScannedReferences = (FileVersion, Arc<[u32]>);

#[derive(Debug)]
struct PreparedSession {
    session: AnalysisSession,
    by_path: HashMap<PathBuf, u32>,
    /// Who speaks of whom; found when first asked for.
    graph: OnceLock<ReferenceGraph>,
    /// The texts that it was found from.
    scanned_edits: OnceLock<HashMap<u32, u64>>,
    /// What texts that came later speak of, with what they spoke of before.
    rescanned: Mutex<HashMap<u32, ScannedReferences>>,
}

impl Workspace {
    /// The files of a request: a folder and what is laid over it.
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

    /// Lays an unsaved text over a file; `None` takes it away again. The path is absolute.
    pub fn edit(&mut self, path: &Path, text: Option<Arc<str>>) {
        let path = absolute(&self.request.cwd, path);
        self.clock += 1;
        if self.invalidates_session(&path) || text.is_none() && !path.exists() {
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

    /// Files that were written, made or removed on the disk; a `vramlint.toml` among them is read anew.
    pub fn changed_on_disk(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let path = absolute(&self.request.cwd, path);
            if self.invalidates_session(&path) || !path.exists() {
                self.session = Arc::default();
            }
            self.changed.insert(path);
        }
    }

    /// Whether a change of this file changes which files there are, or what governs them.
    fn invalidates_session(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let configures = matches!(&*name, "vramlint.toml" | ".gitignore" | ".ignore");
        let names_versions = vramlint_resolve::versions::files::ManifestKind::from_name(&name).is_some()
            || path.parent().and_then(Path::file_name).is_some_and(|folder| is_requirement_folder(&folder.to_string_lossy()));
        let unknown = match self.session.prepared.get() {
            Some(Ok(prepared)) => !prepared.by_path.contains_key(path),
            Some(Err(_)) => true,
            None => !path.exists(),
        };
        configures || names_versions || unknown
    }

    /// Everything that an edit of one file (an absolute path) may touch, at once.
    pub fn analyze_file(&self, path: &Path, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        let path = absolute(&self.request.cwd, path);
        self.on_pool(|| self.analyze_component(&path, cancel))
    }

    /// The whole folder, as `check` sees it.
    pub fn analyze_all(&self, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        // Threads that end give back the memory that they held.
        self.build_pool().map_or_else(|| Err(pool_error()), |pool| pool.install(|| self.analyze_everything(cancel)))
    }

    /// Runs on threads that are kept: somebody waits.
    fn on_pool(
        &self,
        work: impl FnOnce() -> Result<AnalysisResult, AnalysisError> + Send,
    ) -> Result<AnalysisResult, AnalysisError> {
        self.pool.get_or_init(|| self.build_pool()).as_ref().map_or_else(|| Err(pool_error()), |pool| pool.install(work))
    }

    /// Threads with a deep stack: readers go down as deep as a text is nested.
    fn build_pool(&self) -> Option<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new().num_threads(self.request.jobs).stack_size(STACK_SIZE).build().ok()
    }

    fn prepared(&self) -> Result<&PreparedSession, AnalysisError> {
        let survey = || {
            let session = AnalysisSession::prepare(&Backend::standard(), &self.request, &self.files)?;
            let by_path = session.discovered.files.iter().enumerate().map(|(i, found)| (found.path.clone(), i as u32)).collect();
            Ok(PreparedSession {
                session,
                by_path,
                graph: OnceLock::new(),
                scanned_edits: OnceLock::new(),
                rescanned: Mutex::default(),
            })
        };
        self.session.prepared.get_or_init(survey).as_ref().map_err(|error| AnalysisError::Config(error.clone()))
    }

    fn version(&self, path: &Path) -> FileVersion {
        self.edits.get(path).map_or_else(|| FileVersion::on_disk(path), |edit| FileVersion::Unsaved(*edit))
    }

    fn load(&self, prepared: &PreparedSession, index: u32) -> Arc<ParsedSource> {
        let found = &prepared.session.discovered.files[index as usize];
        self.parse_cache.load(&Backend::standard(), &self.files, found, self.version(&found.path))
    }

    /// Who speaks of whom, by the texts as they were when this was first asked.
    fn graph<'a>(&self, prepared: &'a PreparedSession) -> &'a ReferenceGraph {
        prepared.graph.get_or_init(|| {
            let found = &prepared.session.discovered.files;
            let names = PathIndex::new(found.iter().map(|found| (found.shown.clone(), found.format)));
            let spoken =
                (0..found.len() as u32).into_par_iter().map(|index| self.scan_references(prepared, &names, index)).collect();
            // What was edited by then counts as known.
            let scanned_edits = self.edits.iter().filter_map(|(path, edit)| Some((*prepared.by_path.get(path)?, *edit)));
            let _ = prepared.scanned_edits.set(scanned_edits.collect());
            ReferenceGraph::new(names, found.iter().map(|found| found.format).collect(), spoken)
        })
    }

    fn scan_references(&self, prepared: &PreparedSession, names: &PathIndex, index: u32) -> Box<[u32]> {
        let found = &prepared.session.discovered.files[index as usize];
        if found.problem.is_some() {
            return Box::default();
        }
        let bytes = self.files.read(&found.path).unwrap_or_default();
        names.references_in(index, &String::from_utf8_lossy(&bytes), found.format)
    }

    fn analyze_component(&self, path: &Path, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        let prepared = self.prepared()?;
        let Some(seed) = prepared.by_path.get(path).copied() else {
            return Err(AnalysisError::NotInWorkspace);
        };
        let graph = self.graph(prepared);
        let now = self.current_references(prepared, graph);
        let mut component = graph.component_of(seed, &now);
        component.files.extend(Self::implicit_context(prepared, &component.files));
        if cancel.is_cancelled() {
            return Err(AnalysisError::Cancelled);
        }
        let files: Vec<u32> = component.files.iter().copied().collect();
        let loaded: Vec<(usize, Arc<ParsedSource>)> =
            files.par_iter().map(|index| (*index as usize, self.load(prepared, *index))).collect();
        let found = &prepared.session.discovered.files;
        let folders: BTreeSet<&Path> = files.iter().filter_map(|index| found[*index as usize].path.parent()).collect();
        let governs = |file: &crate::versions::VersionFile| folders.iter().any(|folder| folder.starts_with(&file.root));
        let report = self.run_session(prepared, &|| prepared.session.assemble(&loaded, &governs), cancel)?;
        self.parse_cache.evict_python();
        let covers = component.complete.iter().map(|index| &found[*index as usize]).filter(|found| found.reported);
        Ok(AnalysisResult { covers: covers.map(|found| found.shown.clone()).collect(), report })
    }

    /// What files that were edited since the graph was found speak of by now. What they spoke of before counts too: it may be said of
    /// that now that nobody does.
    fn current_references(&self, prepared: &PreparedSession, graph: &ReferenceGraph) -> HashMap<u32, Arc<[u32]>> {
        let cached = prepared.scanned_edits.get();
        let edited = self.edits.iter().filter_map(|(path, edit)| Some((*prepared.by_path.get(path)?, *edit)));
        let edited =
            edited.filter(|(index, edit)| cached.and_then(|cached| cached.get(index)) != Some(edit)).map(|(index, _)| index);
        let changed = self.changed.iter().filter_map(|path| prepared.by_path.get(path).copied());
        let spoken = |index: u32| {
            let version = self.version(&prepared.session.discovered.files[index as usize].path);
            let rescanned = || prepared.rescanned.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, spoken)) = rescanned().get(&index).filter(|(cached, _)| *cached == version) {
                return (index, Arc::clone(spoken));
            }
            let mut spoken = self.scan_references(prepared, &graph.names, index).into_vec();
            spoken.extend_from_slice(graph.forward(index));
            spoken.sort_unstable();
            spoken.dedup();
            let spoken: Arc<[u32]> = spoken.into();
            rescanned().insert(index, (version, Arc::clone(&spoken)));
            (index, spoken)
        };
        edited.chain(changed).map(spoken).collect()
    }

    /// What bears on the files of a component without being spoken of: variables beside them, and what installs libraries above them.
    fn implicit_context(prepared: &PreparedSession, files: &BTreeSet<u32>) -> Vec<u32> {
        let found = &prepared.session.discovered.files;
        let folders: BTreeSet<&Path> = files.iter().filter_map(|index| found[*index as usize].path.parent()).collect();
        let above: BTreeSet<&Path> = folders.iter().flat_map(|folder| folder.ancestors()).collect();
        let bears = |file: &crate::discovery::DiscoveredFile| {
            let folder = file.path.parent();
            match file.format {
                FileFormat::EnvFile => folder.is_some_and(|folder| folders.contains(folder)),
                FileFormat::Dockerfile => folder.is_some_and(|folder| above.contains(folder)),
                _ => false,
            }
        };
        (0..found.len() as u32).filter(|index| bears(&found[*index as usize])).collect()
    }

    fn analyze_everything(&self, cancel: &CancellationToken) -> Result<AnalysisResult, AnalysisError> {
        let prepared = self.prepared()?;
        let loaded = self.load_relevant(prepared, cancel)?;
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
