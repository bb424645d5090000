//! What the client is told of findings: only what is new to it.

use super::Owner;
use super::events::Snapshot;
use crate::analysis::{Analysis, Found, Scope, Status};
use crate::places;
use crate::position::Lines;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{
    Diagnostic, DiagnosticSeverity, FullDocumentDiagnosticReport, NumberOrString, Uri, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport,
};
use vramlint_base::{LineIndex, message};
use vramlint_project::ConfigError;

/// What the client knows of the findings of a file.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The folder that answers for it.
    pub(super) folder: u32,
    /// The address under which they were told.
    uri: Option<Uri>,
    /// The findings.
    pub(super) found: Arc<Found>,
    /// The text that they were told for, where it was open.
    version: Option<i32>,
}

/// `vramlint/status`: the runs of an open text.
enum RunStatusOf {}

impl Notification for RunStatusOf {
    type Params = Status;
    const METHOD: &'static str = "vramlint/status";
}

impl Owner {
    /// Tells what an analysis found, as far as it is new.
    pub(super) async fn publish(&mut self, number: u32, scope: &Scope, analysis: &Arc<Analysis>) {
        self.complained.remove(&number);
        let mut new: Vec<(PathBuf, Arc<Found>)> = Vec::new();
        for path in &analysis.covers {
            let found = analysis.found.get(path);
            if self.folder_of(path) == Some(number) && (found.is_some() || self.told.contains_key(path)) {
                new.push((path.clone(), analysis.findings(path)));
            }
        }
        if *scope == Scope::Whole {
            let gone = self.told.iter().filter(|(path, told)| told.folder == number && !analysis.covers.contains(*path));
            new.extend(gone.map(|(path, _)| (path.clone(), Arc::new(Found::new(Vec::new())))).collect::<Vec<_>>());
        }
        let mut elsewhere = false;
        for (path, found) in new {
            let changed = self.tell_findings(number, &path, found).await;
            elsewhere |= changed && *scope != Scope::Around(path);
        }
        if elsewhere {
            self.refresh_diagnostics();
        }
        if *scope == Scope::Whole {
            self.look_up_runs(number);
            self.refresh_decorations();
        }
    }

    /// Looks up the runs of the open texts of a folder that is analysed in full, and gets ready for what is asked about them next.
    pub(super) fn look_up_runs(&mut self, number: u32) {
        let open: Vec<PathBuf> = self.open.keys().filter(|path| self.folder_of(path) == Some(number)).cloned().collect();
        for path in open {
            // The part around a file holds its runs in full; the whole is not kept, it is large.
            let Some(job) = self.start(number, Scope::Around(path.clone())) else { continue };
            let Some(folder) = self.folders.get_mut(&number) else { continue };
            folder.looking += 1;
            let (frame, revision, cancel) =
                (self.frame(&self.folders[&number]), self.folders[&number].revision, self.folders[&number].cancel.clone());
            let (pools, events) = (Arc::clone(&self.pools), self.events.clone());
            tokio::spawn(async move {
                let mut status = None;
                if let Ok(analysis) = job.wait().await {
                    let asked = Arc::clone(&analysis);
                    let of = path.clone();
                    status = pools.urgent.ask(move || asked.status(&frame, &of)).await.unwrap_or_else(|panic| {
                        events.send(super::Event::Log(format!("status: {panic}")));
                        None
                    });
                    pools.settling.run(
                        move || analysis.prepare(&path, &|| cancel.is_cancelled()),
                        |_| {
                            // A panic is told when somebody asks.
                        },
                    );
                }
                events.send(super::Event::Looked { folder: number, revision, status });
            });
        }
    }

    /// Tells the runs of an open text, unless the texts are others by now.
    pub(super) async fn looked(&mut self, number: u32, revision: u64, status: Option<Status>) {
        let Some(folder) = self.folders.get_mut(&number) else { return };
        folder.looking -= 1;
        let current = folder.revision == revision && self.ready && self.abilities.status;
        if let Some(status) = status.filter(|_| current) {
            self.voice.tell::<RunStatusOf>(status).await;
        }
        self.tell_settled().await;
    }

    /// Tells the findings of a file, unless the client knows them; whether it did not.
    async fn tell_findings(&mut self, folder: u32, path: &Path, found: Arc<Found>) -> bool {
        let version = self.open.get(path).map(|open| open.version);
        let old = self.told.get(path);
        let same = old.map_or(found.items.is_empty(), |old| old.found.id == found.id);
        // A client moves what it shows along with the text: after an edit even the same places are new to it.
        let moved = version.is_some() && !found.items.is_empty() && old.is_some_and(|old| old.version != version);
        if same && !moved {
            return false;
        }
        // A text without a file is told of under its own address to the end.
        let open = self.open.get(path).map(|open| open.uri.clone());
        let uri = open.or_else(|| old.and_then(|old| old.uri.clone())).or_else(|| places::uri(path));
        self.told.insert(path.to_path_buf(), Told { folder, uri: uri.clone(), found: Arc::clone(&found), version });
        if self.ready
            && !self.abilities.pull
            && let Some(uri) = uri
        {
            self.voice.publish(uri, found.items.clone(), version).await;
        }
        !same
    }

    /// Tells everything that is known, to a client that has only now become ready.
    pub(super) async fn tell_all_again(&mut self) {
        let all: Vec<(PathBuf, Told)> = self.told.drain().collect();
        for (path, told) in all {
            self.tell_findings(told.folder, &path, told.found).await;
        }
        self.tell_watching();
    }

    /// A folder that went: nothing is known of its files any more. The client hears of it in [`Self::retract`].
    pub(super) fn forget(&mut self, number: u32) {
        self.folders.remove(&number);
        self.complained.remove(&number);
        self.events.send(super::Event::Retract);
    }

    /// Takes back the findings of folders that are gone.
    pub(super) async fn retract(&mut self) {
        let gone: Vec<PathBuf> =
            self.told.iter().filter(|(_, told)| !self.folders.contains_key(&told.folder)).map(|(path, _)| path.clone()).collect();
        for path in gone {
            self.tell_findings(0, &path, Arc::new(Found::new(Vec::new()))).await;
        }
        self.tell_watching();
        self.refresh_diagnostics();
        self.tell_settled().await;
    }

    /// A configuration is at fault: it is told where it is, once; what was found before stays.
    pub(super) async fn complain(&mut self, number: u32, error: &ConfigError) {
        let lang = self.settings.lang.unwrap_or(self.usual);
        let text = error.message.get(lang).to_owned();
        let Some(folder) = self.folders.get(&number) else { return };
        if let Some(place) = &error.place {
            let path = places::behind(&folder.root, &place.file);
            let open = self.document_at(&path).map(|document| Arc::clone(&document.text));
            let source = open.or_else(|| std::fs::read_to_string(&path).ok().map(Into::into)).unwrap_or_default();
            let marked = source.starts_with(crate::position::MARK);
            let source = source.trim_start_matches(crate::position::MARK);
            let index = LineIndex::new(source);
            let range = Lines::new(source, &index, self.abilities.encoding).marked(marked).range(place.range);
            let diagnostic = Diagnostic {
                range,
                severity: Some(DiagnosticSeverity::ERROR),
                code: Some(NumberOrString::String("configuration".to_owned())),
                source: Some("vramlint".to_owned()),
                message: place.what.get(lang).to_owned(),
                ..Diagnostic::default()
            };
            if self.tell_findings(number, &path, Arc::new(Found::new(vec![diagnostic]))).await {
                self.refresh_diagnostics();
            }
        }
        if self.ready && self.complained.get(&number) != Some(&text) {
            self.complained.insert(number, text.clone());
            let said = message!("vramlint: {text}", "vramlint：{text}");
            self.voice.show(said.get(lang)).await;
        }
    }

    /// Answers who waits for findings that it does not know, where there are any.
    pub(super) fn tell_watching(&mut self) {
        if self.watching.is_empty() || !self.ready {
            return;
        }
        for (known, reply) in std::mem::take(&mut self.watching) {
            let new = self.unknown_to(&known);
            if new.is_empty() {
                if !reply.is_closed() {
                    self.watching.push((known, reply));
                }
            } else {
                // Who asked may be gone.
                let _ = reply.send(Snapshot::Workspace(new));
            }
        }
    }

    fn unknown_to(&self, known: &HashMap<String, String>) -> Vec<WorkspaceDocumentDiagnosticReport> {
        let mut files: Vec<(&PathBuf, &Told)> = self.told.iter().collect();
        files.sort_by_key(|(path, _)| *path);
        let report = |(path, told): (&PathBuf, &Told)| {
            let uri = told.uri.clone().or_else(|| places::uri(path))?;
            let result_id = told.found.result_id();
            let same = match known.get(uri.as_str()) {
                Some(id) => *id == result_id,
                None => told.found.items.is_empty(),
            };
            (!same).then(|| {
                WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                    uri,
                    version: told.version.map(i64::from),
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: Some(result_id),
                        items: told.found.items.clone(),
                    },
                })
            })
        };
        files.into_iter().filter_map(report).collect()
    }

    fn refresh_diagnostics(&self) {
        if self.ready && self.abilities.pull && self.abilities.refresh_diagnostics {
            let client = self.voice.client();
            tokio::spawn(async move {
                // A client that refuses asks again when it likes.
                let _ = client.workspace_diagnostic_refresh().await;
            });
        }
    }

    /// Hints and lenses may say something else now.
    pub(super) fn refresh_decorations(&self) {
        let (client, abilities) = (self.voice.client(), self.abilities);
        if !self.ready || !(abilities.refresh_hints || abilities.refresh_lenses) {
            return;
        }
        tokio::spawn(async move {
            // As above.
            if abilities.refresh_hints {
                let _ = client.inlay_hint_refresh().await;
            }
            if abilities.refresh_lenses {
                let _ = client.code_lens_refresh().await;
            }
        });
    }
}

/// What a client knows: names of results by address.
pub(super) fn known(previous: &Value) -> HashMap<String, String> {
    let pair = |one: &Value| Some((one.get("uri")?.as_str()?.to_owned(), one.get("value")?.as_str()?.to_owned()));
    previous.as_array().into_iter().flatten().filter_map(pair).collect()
}
