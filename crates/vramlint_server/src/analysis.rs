//! One analysis of a folder and its diagnostics in the types of the protocol.

use crate::client_capabilities::ClientCapabilities;
use crate::host::Host;
use crate::position::Lines;
use crate::settings::Settings;
use crate::to_proto;
use crate::uri;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tower_lsp_server::ls_types::{Diagnostic, Location, Uri};
use vramlint_base::{FileId, FileRange, Lang, Message};
use vramlint_estimate::{RunEstimate, Verdict};
use vramlint_project::{AnalysisError, AnalysisResult, CancellationToken, ConfigError, Workspace};
use vramlint_resolve::{Run, SourceFile};

/// What is analyzed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The part of the folder that an edit of this file can affect.
    File(PathBuf),
    /// The whole folder.
    Folder,
}

/// The inputs of an analysis besides the files: a snapshot of client, settings and open documents.
#[derive(Clone, Debug)]
pub(crate) struct AnalysisContext {
    /// The folder that displayed paths are relative to.
    pub root: PathBuf,
    /// What the client supports.
    pub capabilities: ClientCapabilities,
    /// The user's settings.
    pub settings: Arc<Settings>,
    /// The client's language if it sends one, else the system's.
    pub default_lang: Lang,
    /// The open documents.
    pub open: Arc<HashMap<PathBuf, OpenDocument>>,
}

/// The part of an open document that answers need.
#[derive(Clone, Debug)]
pub(crate) struct OpenDocument {
    /// The URI as the client spells it.
    pub uri: Uri,
    /// The client's version number.
    pub version: i32,
    /// Whether the client's text starts with a byte order mark.
    pub has_bom: bool,
}

impl AnalysisContext {
    /// The path of a source file.
    pub(crate) fn path(&self, file: &SourceFile) -> PathBuf {
        uri::resolve(&self.root, &file.path)
    }

    /// The URI of a file: the client's own spelling if the file is open.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        self.open.get(path).map(|open| open.uri.clone()).or_else(|| uri::from_path(path))
    }

    /// The lines of a host file in the client's encoding.
    pub(crate) fn lines<'a>(&self, file: &'a SourceFile) -> Lines<'a> {
        let has_bom = !self.open.is_empty() && self.open.get(&self.path(file)).is_some_and(|open| open.has_bom);
        Lines::new(&file.text, file.lines(), self.capabilities.encoding).has_bom(has_bom)
    }
}

/// The diagnostics of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileDiagnostics {
    /// As the client receives them.
    pub items: Vec<Diagnostic>,
    /// Hash of the items; equal ids mean equal diagnostics.
    pub id: u64,
}

impl FileDiagnostics {
    /// Hashes the diagnostics.
    pub(crate) fn new(items: Vec<Diagnostic>) -> Self {
        let mut hasher = DefaultHasher::new();
        // Items that cannot be serialized cannot be sent either; their number is enough.
        serde_json::to_string(&items).unwrap_or_else(|_| items.len().to_string()).hash(&mut hasher);
        Self { id: hasher.finish(), items }
    }

    /// The protocol's `resultId`.
    pub(crate) fn result_id(&self) -> String {
        format!("{:016x}", self.id)
    }
}

/// The result of an analysis.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The project and its findings.
    pub answer: AnalysisResult,
    /// The inputs.
    pub context: Arc<AnalysisContext>,
    /// The language of all messages.
    pub lang: Lang,
    /// The files whose findings are complete.
    pub covers: BTreeSet<PathBuf>,
    /// The diagnostics of covered files; files without findings are absent.
    pub diagnostics: BTreeMap<PathBuf, Arc<FileDiagnostics>>,
}

/// Params of `vramlint/status`: the runs of an open document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// The document.
    pub uri: Uri,
    /// The client's version number.
    pub version: i32,
    /// The runs, in order.
    pub runs: Vec<RunStatus>,
}

/// A run and its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunStatus {
    /// The id of the run.
    pub id: String,
    /// Peak memory of one GPU, bytes.
    pub peak_bytes: Option<u64>,
    /// Memory of one GPU, bytes.
    pub capacity_bytes: Option<u64>,
    /// Whether the run fits; `null` if unknown or uncertain.
    pub fits: Option<bool>,
    /// Why there is no estimate.
    pub why: Option<String>,
}

/// Why there is no analysis.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A newer edit cancelled it.
    Cancelled,
    /// The file is outside the folder or excluded.
    Absent,
    /// The configuration is invalid.
    Config(ConfigError),
    /// The analysis panicked.
    Panicked(String),
}

/// The result of an analysis.
pub(crate) type Outcome = Result<Arc<Analysis>, Failure>;

/// An analysis that is running or done.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// What is analyzed.
    pub scope: Scope,
    /// The result, once there is one.
    pub outcome: watch::Receiver<Option<Outcome>>,
}

impl Job {
    /// Waits for the result.
    pub(crate) async fn wait(&self) -> Outcome {
        let mut outcome = self.outcome.clone();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(Failure::Cancelled)),
            Err(_) => Err(Failure::Cancelled),
        }
    }
}

/// Analyzes a folder or a file. Runs on a worker thread.
pub(crate) fn analyze(
    workspace: &Workspace,
    scope: &Scope,
    context: Arc<AnalysisContext>,
    cancel: &CancellationToken,
    host: &dyn Host,
) -> Outcome {
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    host.before_analysis();
    let answer = match scope {
        Scope::File(path) => workspace.analyze_file(path, cancel),
        Scope::Folder => workspace.analyze_all(cancel),
    };
    let answer = answer.map_err(|stopped| match stopped {
        AnalysisError::Cancelled => Failure::Cancelled,
        AnalysisError::NotInWorkspace => Failure::Absent,
        AnalysisError::Config(error) => Failure::Config(error),
    })?;
    let lang = context.settings.lang.or(answer.report.lang).unwrap_or(context.default_lang);
    let covers = answer.covers.iter().map(|path| uri::resolve(&context.root, path)).collect();
    let mut analysis = Analysis { answer, context, lang, covers, diagnostics: BTreeMap::new() };
    analysis.diagnostics = collect_diagnostics(&analysis);
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    Ok(Arc::new(analysis))
}

impl Analysis {
    /// The host file at a path.
    pub(crate) fn file(&self, path: &Path) -> Option<&SourceFile> {
        let path = uri::display(&self.context.root, path);
        self.answer.report.project.files.iter().find(|file| file.host.is_none() && file.path == path)
    }

    /// A file by its id.
    pub(crate) fn source(&self, id: FileId) -> &SourceFile {
        self.answer.report.project.file(id)
    }

    /// Converts a range to a location.
    pub(crate) fn location(&self, place: FileRange) -> Option<Location> {
        let file = self.source(place.file);
        Some(Location { uri: self.context.uri(&self.context.path(file))?, range: self.context.lines(file).range(place.range) })
    }

    /// The runs of an open document; `None` if it is not open.
    pub(crate) fn status(&self, current: &AnalysisContext, path: &Path) -> Option<Status> {
        let (report, text) = (&self.answer.report, current.open.get(path)?);
        let file = self.file(path)?.id;
        let host = |id: FileId| report.project.file(id).host.as_ref().map_or(id, |(host, _)| *host);
        let takes_part = |run: &&Run| run.files.iter().chain([&run.place.file]).any(|id| host(*id) == file);
        let runs = report.runs().filter(takes_part).filter_map(|run| Some(RunStatus::new(run, report.estimate(run)?, self.lang)));
        Some(Status { uri: text.uri.clone(), version: text.version, runs: runs.collect() })
    }

    /// Runs the simulations that later answers about a file need.
    pub(crate) fn warm_up(&self, path: &Path, stop: &dyn Fn() -> bool) {
        if let Some(file) = self.file(path) {
            vramlint_ide::warm_up(&self.answer.report, file.id, self.lang, stop);
        }
    }

    /// The diagnostics of a file; empty if it has none.
    pub(crate) fn file_diagnostics(&self, path: &Path) -> Arc<FileDiagnostics> {
        self.diagnostics.get(path).cloned().unwrap_or_else(|| Arc::new(FileDiagnostics::new(Vec::new())))
    }
}

fn collect_diagnostics(analysis: &Analysis) -> BTreeMap<PathBuf, Arc<FileDiagnostics>> {
    let with_findings: BTreeSet<FileId> = analysis.answer.report.findings.iter().map(|finding| finding.place.file).collect();
    let files =
        with_findings.into_iter().map(|id| analysis.source(id)).filter(|file| analysis.answer.covers.contains(&file.path));
    files
        .map(|file| (analysis.context.path(file), Arc::new(FileDiagnostics::new(to_proto::diagnostics(analysis, file)))))
        .collect()
}

impl RunStatus {
    fn new(run: &Run, estimate: &Result<RunEstimate, Message>, lang: Lang) -> Self {
        let (estimate, error) = (estimate.as_ref().ok(), estimate.as_ref().err());
        Self {
            id: run.id.clone(),
            peak_bytes: estimate.map(|estimate| estimate.estimate.peak),
            capacity_bytes: estimate.and_then(|estimate| estimate.capacity.as_ref()).map(|capacity| capacity.bytes),
            fits: estimate.and_then(|estimate| estimate.verdict).and_then(|verdict| match verdict {
                Verdict::Fits => Some(true),
                Verdict::MayNotFit => None,
                Verdict::DoesNotFit => Some(false),
            }),
            why: error.map(|why| why.get(lang).to_owned()),
        }
    }
}
