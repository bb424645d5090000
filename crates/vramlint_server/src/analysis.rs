//! One analysis of a folder, with what it found in the words of the protocol.

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

/// How much of a folder is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// What an edit of this file may touch.
    File(PathBuf),
    /// All of it.
    Folder,
}

/// What an analysis is made with, and how it is told: all that holds at one moment.
#[derive(Clone, Debug)]
pub(crate) struct AnalysisContext {
    /// The folder that shown paths are relative to.
    pub root: PathBuf,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// What its user sets.
    pub settings: Arc<Settings>,
    /// The language of the client, where it says one; else of the system.
    pub default_lang: Lang,
    /// The open texts.
    pub open: Arc<HashMap<PathBuf, OpenDocument>>,
}

/// An open text, as much of it as answers need.
#[derive(Clone, Debug)]
pub(crate) struct OpenDocument {
    /// Its address, as the client spells it.
    pub uri: Uri,
    /// The client's number of the text.
    pub version: i32,
    /// Whether the client sees a byte order mark.
    pub has_bom: bool,
}

impl AnalysisContext {
    /// The file of a source.
    pub(crate) fn path(&self, file: &SourceFile) -> PathBuf {
        uri::resolve(&self.root, &file.path)
    }

    /// The address of a file: the client's own, where it has it open.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        self.open.get(path).map(|open| open.uri.clone()).or_else(|| uri::from_path(path))
    }

    /// The lines of a whole file, as the client counts them.
    pub(crate) fn lines<'a>(&self, file: &'a SourceFile) -> Lines<'a> {
        let has_bom = !self.open.is_empty() && self.open.get(&self.path(file)).is_some_and(|open| open.has_bom);
        Lines::new(&file.text, &file.lines, self.capabilities.encoding).has_bom(has_bom)
    }
}

/// The findings of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileDiagnostics {
    /// As the client gets them.
    pub items: Vec<Diagnostic>,
    /// Tells them from others.
    pub id: u64,
}

impl FileDiagnostics {
    /// Of these findings.
    pub(crate) fn new(items: Vec<Diagnostic>) -> Self {
        let mut hasher = DefaultHasher::new();
        // What cannot be written as JSON cannot be sent either; its length is all there is to tell.
        serde_json::to_string(&items).unwrap_or_else(|_| items.len().to_string()).hash(&mut hasher);
        Self { id: hasher.finish(), items }
    }

    /// The name of the result in the protocol.
    pub(crate) fn result_id(&self) -> String {
        format!("{:016x}", self.id)
    }
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The project and its findings.
    pub answer: AnalysisResult,
    /// What it was made with.
    pub context: Arc<AnalysisContext>,
    /// The language of its words.
    pub lang: Lang,
    /// The files of which every finding is known.
    pub covers: BTreeSet<PathBuf>,
    /// Their findings, where there are any.
    pub diagnostics: BTreeMap<PathBuf, Arc<FileDiagnostics>>,
}

/// The runs of an open text: `vramlint/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// The text.
    pub uri: Uri,
    /// The client's number of it.
    pub version: i32,
    /// Its runs, in order.
    pub runs: Vec<RunStatus>,
}

/// A run and its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunStatus {
    /// Its id.
    pub id: String,
    /// What one card holds at the worst moment, bytes.
    pub peak_bytes: Option<u64>,
    /// What one card has, bytes.
    pub capacity_bytes: Option<u64>,
    /// Whether that fits: `null` where it is not known, or may or may not.
    pub fits: Option<bool>,
    /// Why there is no estimate.
    pub why: Option<String>,
}

/// Why there is no analysis.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A newer edit came.
    Cancelled,
    /// The file is none of the folder's, or is left out of it.
    Absent,
    /// The configuration is at fault.
    Config(ConfigError),
    /// We are.
    Panicked(String),
}

/// What came of an analysis.
pub(crate) type Outcome = Result<Arc<Analysis>, Failure>;

/// An analysis that runs, or ran.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// How much.
    pub scope: Scope,
    /// What will come of it.
    pub outcome: watch::Receiver<Option<Outcome>>,
}

impl Job {
    /// Waits for what comes of it.
    pub(crate) async fn wait(&self) -> Outcome {
        let mut outcome = self.outcome.clone();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(Failure::Cancelled)),
            Err(_) => Err(Failure::Cancelled),
        }
    }
}

/// Analyses. Runs on a working thread.
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
    /// The whole file at a path.
    pub(crate) fn file(&self, path: &Path) -> Option<&SourceFile> {
        let path = uri::display(&self.context.root, path);
        self.answer.report.project.files.iter().find(|file| file.host.is_none() && file.path == path)
    }

    /// A file by its number.
    pub(crate) fn source(&self, id: FileId) -> &SourceFile {
        self.answer.report.project.file(id)
    }

    /// A place, as the client knows it.
    pub(crate) fn location(&self, place: FileRange) -> Option<Location> {
        let file = self.source(place.file);
        Some(Location { uri: self.context.uri(&self.context.path(file))?, range: self.context.lines(file).range(place.range) })
    }

    /// The runs of an open text; `None` where it is not open now.
    pub(crate) fn status(&self, current: &AnalysisContext, path: &Path) -> Option<Status> {
        let (report, text) = (&self.answer.report, current.open.get(path)?);
        let file = self.file(path)?.id;
        let host = |id: FileId| report.project.file(id).host.as_ref().map_or(id, |(host, _)| *host);
        let takes_part = |run: &&Run| run.files.iter().chain([&run.place.file]).any(|id| host(*id) == file);
        let runs = report.runs().filter(takes_part).filter_map(|run| Some(RunStatus::new(run, report.estimate(run)?, self.lang)));
        Some(Status { uri: text.uri.clone(), version: text.version, runs: runs.collect() })
    }

    /// Makes what answers about a file are made of, before somebody waits for them.
    pub(crate) fn warm_up(&self, path: &Path, stop: &dyn Fn() -> bool) {
        if let Some(file) = self.file(path) {
            vramlint_ide::warm_up(&self.answer.report, file.id, self.lang, stop);
        }
    }

    /// The findings of a file.
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
                Verdict::Uncertain => None,
                Verdict::DoesNotFit => Some(false),
            }),
            why: error.map(|why| why.get(lang).to_owned()),
        }
    }
}
