//! Publishes diagnostics that the client does not have yet.

use super::ServerState;
use super::published::PublishedDiagnostics;
use crate::analysis::{Analysis, FileDiagnostics, Scope, Status};
use crate::event::{Event, Snapshot};
use crate::position::Lines;
use crate::uri;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{
    Diagnostic, DiagnosticSeverity, FullDocumentDiagnosticReport, NumberOrString, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport,
};
use vramlint_base::{LineIndex, message};
use vramlint_project::{ConfigError, MAX_READ, read_file};

/// `vramlint/status`: the runs of an open document.
enum StatusNotification {}

impl Notification for StatusNotification {
    type Params = Status;
    const METHOD: &'static str = "vramlint/status";
}

impl ServerState {
    /// Publishes the diagnostics of an analysis that changed.
    pub(super) async fn publish(&mut self, folder_id: u32, scope: &Scope, analysis: &Arc<Analysis>) {
        self.reported_config_errors.remove(&folder_id);
        let mut changed: Vec<(PathBuf, Arc<FileDiagnostics>)> = Vec::new();
        for path in &analysis.covers {
            let diagnostics = analysis.diagnostics.get(path);
            if self.folder_of(path) == Some(folder_id) && (diagnostics.is_some() || self.published.contains_key(path)) {
                changed.push((path.clone(), analysis.file_diagnostics(path)));
            }
        }
        if *scope == Scope::Folder {
            let gone = self
                .published
                .iter()
                .filter(|(path, published)| published.folder == folder_id && !analysis.covers.contains(*path));
            changed.extend(gone.map(|(path, _)| (path.clone(), Arc::new(FileDiagnostics::new(Vec::new())))).collect::<Vec<_>>());
        }
        let mut other_files_changed = false;
        for (path, diagnostics) in changed {
            let published = self.publish_file(folder_id, &path, diagnostics).await;
            other_files_changed |= published && *scope != Scope::File(path);
        }
        if other_files_changed {
            self.refresh_diagnostics();
        }
        if *scope == Scope::Folder {
            self.refresh_run_status(folder_id);
            self.refresh_decorations();
        }
    }

    /// Computes the status of the open documents of a folder, and warms up later answers about them.
    pub(super) fn refresh_run_status(&mut self, folder_id: u32) {
        let open: Vec<PathBuf> = self.open.keys().filter(|path| self.folder_of(path) == Some(folder_id)).cloned().collect();
        for path in open {
            // Analyze each file: the analysis of the whole folder is large and not kept.
            let Some(job) = self.start(folder_id, Scope::File(path.clone())) else { continue };
            let Some(folder) = self.folders.get_mut(&folder_id) else { continue };
            folder.pending_status += 1;
            let (context, revision, cancel) = (
                self.context(&self.folders[&folder_id]),
                self.folders[&folder_id].revision,
                self.folders[&folder_id].cancel.clone(),
            );
            let (pools, events) = (Arc::clone(&self.pools), self.events.clone());
            tokio::spawn(async move {
                let mut status = None;
                if let Ok(analysis) = job.wait().await {
                    let status_source = Arc::clone(&analysis);
                    let document_path = path.clone();
                    status =
                        pools.urgent.ask(move || status_source.status(&context, &document_path)).await.unwrap_or_else(|panic| {
                            events.send(Event::Log(format!("status: {panic}")));
                            None
                        });
                    pools.background.run(
                        move || analysis.warm_up(&path, &|| cancel.is_cancelled()),
                        |_| {
                            // A panic is reported when a request hits it.
                        },
                    );
                }
                events.send(Event::StatusReady { folder: folder_id, revision, status });
            });
        }
    }

    /// Sends the status of a document unless it is outdated.
    pub(super) async fn status_ready(&mut self, folder_id: u32, revision: u64, status: Option<Status>) {
        let Some(folder) = self.folders.get_mut(&folder_id) else { return };
        folder.pending_status -= 1;
        let current = folder.revision == revision && self.ready && self.capabilities.status;
        if let Some(status) = status.filter(|_| current) {
            self.sink.notify::<StatusNotification>(status).await;
        }
        self.complete_settled().await;
    }

    /// Publishes a file's diagnostics if they changed. Returns whether they did.
    async fn publish_file(&mut self, folder: u32, path: &Path, diagnostics: Arc<FileDiagnostics>) -> bool {
        let version = self.open.get(path).map(|open| open.version);
        let old = self.published.get(path);
        let same = old.map_or(diagnostics.items.is_empty(), |old| old.diagnostics.id == diagnostics.id);
        // Clients move diagnostics along with the text: after an edit, even equal diagnostics must be sent again.
        let moved = version.is_some() && !diagnostics.items.is_empty() && old.is_some_and(|old| old.version != version);
        if same && !moved {
            return false;
        }
        // An untitled document keeps its URI to the end.
        let open = self.open.get(path).map(|open| open.uri.clone());
        let uri = open.or_else(|| old.and_then(|old| old.uri.clone())).or_else(|| uri::from_path(path));
        self.published.insert(
            path.to_path_buf(),
            PublishedDiagnostics { folder, uri: uri.clone(), diagnostics: Arc::clone(&diagnostics), version },
        );
        if self.ready
            && !self.capabilities.pull
            && let Some(uri) = uri
        {
            self.sink.publish_diagnostics(uri, diagnostics.items.clone(), version).await;
        }
        !same
    }

    /// Publishes all known diagnostics to a client that has just become ready.
    pub(super) async fn republish_all(&mut self) {
        let all: Vec<(PathBuf, PublishedDiagnostics)> = self.published.drain().collect();
        for (path, published) in all {
            self.publish_file(published.folder, &path, published.diagnostics).await;
        }
        self.answer_workspace_diagnostics();
    }

    /// Removes a folder. [`Self::clear_diagnostics`] tells the client.
    pub(super) fn drop_folder(&mut self, folder_id: u32) {
        self.folders.remove(&folder_id);
        self.reported_config_errors.remove(&folder_id);
        self.events.send(Event::ClearDiagnostics);
    }

    /// Clears the diagnostics of removed folders.
    pub(super) async fn clear_diagnostics(&mut self) {
        let gone: Vec<PathBuf> = self
            .published
            .iter()
            .filter(|(_, published)| !self.folders.contains_key(&published.folder))
            .map(|(path, _)| path.clone())
            .collect();
        for path in gone {
            self.publish_file(0, &path, Arc::new(FileDiagnostics::new(Vec::new()))).await;
        }
        self.answer_workspace_diagnostics();
        self.refresh_diagnostics();
        self.complete_settled().await;
    }

    /// Reports a configuration error once, at its location; earlier diagnostics are kept.
    pub(super) async fn report_config_error(&mut self, folder_id: u32, error: &ConfigError) {
        let lang = self.settings.lang.unwrap_or(self.default_lang);
        let text = error.message.get(lang).to_owned();
        let Some(folder) = self.folders.get(&folder_id) else { return };
        if let Some(place) = &error.place {
            let path = uri::resolve(&folder.root, &place.file);
            let open = self.document_at(&path).map(|document| Arc::clone(&document.text));
            let source = open
                .or_else(|| read_file(&path, MAX_READ).ok().and_then(|bytes| String::from_utf8(bytes).ok()).map(Into::into))
                .unwrap_or_default();
            let has_bom = source.starts_with(crate::position::BOM);
            let source = source.trim_start_matches(crate::position::BOM);
            let index = LineIndex::new(source);
            let range = Lines::new(source, &index, self.capabilities.encoding).has_bom(has_bom).range(place.range);
            let diagnostic = Diagnostic {
                range,
                severity: Some(DiagnosticSeverity::ERROR),
                code: Some(NumberOrString::String("configuration".to_owned())),
                source: Some("vramlint".to_owned()),
                message: place.what.get(lang).to_owned(),
                ..Diagnostic::default()
            };
            if self.publish_file(folder_id, &path, Arc::new(FileDiagnostics::new(vec![diagnostic]))).await {
                self.refresh_diagnostics();
            }
        }
        if self.ready && self.reported_config_errors.get(&folder_id) != Some(&text) {
            self.reported_config_errors.insert(folder_id, text.clone());
            let text = message!("vramlint: {text}", "vramlint：{text}");
            self.sink.show(text.get(lang)).await;
        }
    }

    /// Responds to pending `workspace/diagnostic` requests that have something new to report.
    pub(super) fn answer_workspace_diagnostics(&mut self) {
        if self.diagnostic_waiters.is_empty() || !self.ready {
            return;
        }
        for (known, reply) in std::mem::take(&mut self.diagnostic_waiters) {
            let reports = self.reports_unknown_to(&known);
            if reports.is_empty() {
                if !reply.is_closed() {
                    self.diagnostic_waiters.push((known, reply));
                }
            } else {
                // The request may be cancelled.
                let _ = reply.send(Snapshot::Workspace(reports));
            }
        }
    }

    fn reports_unknown_to(&self, known: &HashMap<String, String>) -> Vec<WorkspaceDocumentDiagnosticReport> {
        let mut files: Vec<(&PathBuf, &PublishedDiagnostics)> = self.published.iter().collect();
        files.sort_by_key(|(path, _)| *path);
        let report = |(path, published): (&PathBuf, &PublishedDiagnostics)| {
            let uri = published.uri.clone().or_else(|| uri::from_path(path))?;
            let result_id = published.diagnostics.result_id();
            let same = match known.get(uri.as_str()) {
                Some(id) => *id == result_id,
                None => published.diagnostics.items.is_empty(),
            };
            (!same).then(|| {
                WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                    uri,
                    version: published.version.map(i64::from),
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: Some(result_id),
                        items: published.diagnostics.items.clone(),
                    },
                })
            })
        };
        files.into_iter().filter_map(report).collect()
    }

    fn refresh_diagnostics(&self) {
        if self.ready && self.capabilities.pull && self.capabilities.refresh_diagnostics {
            let client = self.sink.client();
            tokio::spawn(async move {
                // A client that rejects the refresh asks again on its own.
                let _ = client.workspace_diagnostic_refresh().await;
            });
        }
    }

    /// Asks the client to request inlay hints and code lenses again.
    pub(super) fn refresh_decorations(&self) {
        let (client, capabilities) = (self.sink.client(), self.capabilities);
        if !self.ready || !(capabilities.refresh_hints || capabilities.refresh_lenses) {
            return;
        }
        tokio::spawn(async move {
            // A client that rejects the refresh asks again on its own.
            if capabilities.refresh_hints {
                let _ = client.inlay_hint_refresh().await;
            }
            if capabilities.refresh_lenses {
                let _ = client.code_lens_refresh().await;
            }
        });
    }
}
