//! The main loop: applies events in order and starts due analyses.

use super::{ServerState, published};
use crate::analysis::{Failure, Job, Outcome, Scope, analyze};
use crate::event::{Event, FileSnapshot, RequestTarget, Snapshot};
use crate::uri;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tower_lsp_server::ls_types::Uri;

/// With more changed files than this, the whole folder is analyzed at once.
const MAX_DIRTY_FILES: usize = 8;

impl ServerState {
    /// Runs until every sender of events is gone.
    pub(crate) async fn run(mut self, mut queue: UnboundedReceiver<Event>) {
        loop {
            let deadline = self.folders.values().filter_map(|folder| folder.settle_at).min();
            let event = tokio::select! {
                biased;
                event = queue.recv() => match event {
                    Some(event) => Some(event),
                    None => return,
                },
                () = tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => None,
            };
            let mut next = event;
            // Drain the queue first: only the last of a burst of edits is analyzed.
            while let Some(event) = next {
                self.apply(event).await;
                next = queue.try_recv().ok();
            }
            self.start_due_analyses();
        }
    }

    async fn apply(&mut self, event: Event) {
        match event {
            Event::Initialize(params) => self.initialize(&params),
            _ if !self.started => {}
            Event::Initialized => self.initialized().await,
            Event::Open(params) => self.did_open(params),
            Event::Change(params) => self.did_change(params).await,
            Event::Close(params) => self.did_close(&params),
            Event::Save(params) => self.did_save(&params),
            Event::Watched(params) => self.did_change_on_disk(&params),
            Event::Folders(params) => self.did_change_folders(&params),
            Event::Configuration(params) => self.did_change_configuration(&params.settings),
            Event::Configured(section) => self.configure(&section),
            Event::Request(target, reply) => self.handle_request(target, reply).await,
            Event::Done { folder, revision, scope, outcome, took } => {
                self.analysis_done(folder, revision, &scope, outcome, took).await;
            }
            Event::StatusReady { folder, revision, status } => self.status_ready(folder, revision, status).await,
            Event::ClearDiagnostics => self.clear_diagnostics().await,
            Event::Log(text) => self.sink.log(&text).await,
        }
    }

    /// Starts an analysis of the current revision unless it is already running.
    pub(super) fn start(&mut self, folder_id: u32, scope: Scope) -> Option<Job> {
        let folder = self.folders.get(&folder_id)?;
        if let Some(job) = folder.jobs.iter().find(|job| job.scope == scope) {
            return Some(job.clone());
        }
        let context = self.context(folder);
        let (outcome_sender, outcome) = watch::channel(None);
        let job = Job { scope: scope.clone(), outcome };
        let (workspace, revision, cancel) = (folder.workspace.clone(), folder.revision, folder.cancel.clone());
        let (host, events) = (Arc::clone(&self.host), self.events.clone());
        let pool = if scope == Scope::Folder { &self.pools.background } else { &self.pools.urgent };
        let analyzed_scope = scope.clone();
        let started = std::time::Instant::now();
        pool.run(
            move || analyze(&workspace, &analyzed_scope, context, &cancel, host.as_ref()),
            move |done| {
                let outcome: Outcome = done.unwrap_or_else(|panic| Err(Failure::Panicked(panic)));
                let took = started.elapsed();
                // The main loop is notified first, so that diagnostics precede the responses of waiting requests.
                events.send(Event::Done { folder: folder_id, revision, scope, outcome: outcome.clone(), took });
                outcome_sender.send_replace(Some(outcome));
            },
        );
        let folder = self.folders.get_mut(&folder_id)?;
        folder.jobs.push(job.clone());
        Some(job)
    }

    /// Starts analyses of edited files, and of whole folders whose delay has passed.
    fn start_due_analyses(&mut self) {
        let now = Instant::now();
        let folder_ids: Vec<u32> = self.folders.keys().copied().collect();
        for folder_id in folder_ids {
            let Some(folder) = self.folders.get(&folder_id) else { continue };
            let folder_is_due =
                folder.settle_at.is_some_and(|settle_at| settle_at <= now) || folder.dirty.len() > MAX_DIRTY_FILES;
            let dirty: Vec<PathBuf> =
                if folder.dirty.len() > MAX_DIRTY_FILES { Vec::new() } else { folder.dirty.iter().cloned().collect() };
            for path in dirty {
                self.start(folder_id, Scope::File(path));
            }
            if folder_is_due || !self.settled_waiters.is_empty() && !self.is_settled(folder_id) {
                self.start(folder_id, Scope::Folder);
                if let Some(folder) = self.folders.get_mut(&folder_id) {
                    // The analysis of the whole folder is started, now or earlier.
                    folder.settle_at = None;
                }
            }
        }
    }

    fn is_settled(&self, folder_id: u32) -> bool {
        self.folders.get(&folder_id).is_none_or(|folder| folder.settled_at == Some(folder.revision) && folder.pending_status == 0)
    }

    async fn handle_request(&mut self, target: RequestTarget, reply: oneshot::Sender<Snapshot>) {
        match target {
            RequestTarget::File(uri) => {
                if let Some(snapshot) = self.file_snapshot(&uri) {
                    // The request may be cancelled.
                    let _ = reply.send(Snapshot::File(Box::new(snapshot)));
                }
            }
            RequestTarget::Settled => {
                self.settled_waiters.push(reply);
                self.complete_settled().await;
            }
            RequestTarget::Workspace(known) => {
                self.diagnostic_waiters.push((published::result_ids(&known), reply));
                self.answer_workspace_diagnostics();
            }
        }
    }

    /// What a request about a file may read.
    fn file_snapshot(&mut self, uri: &Uri) -> Option<FileSnapshot> {
        let path = match self.documents.get(uri.as_str()) {
            Some(document) => document.path.clone(),
            None => uri::to_path(uri)?,
        };
        let folder_id = self.folder_of(&path)?;
        // The analysis of a file holds its part of the folder in full; of a whole folder only diagnostics are kept.
        let job = self.start(folder_id, Scope::File(path.clone()))?;
        Some(FileSnapshot { path, job, settings: Arc::clone(&self.settings) })
    }

    async fn analysis_done(&mut self, folder_id: u32, revision: u64, scope: &Scope, outcome: Outcome, took: Duration) {
        if self.settings.trace {
            let what = outcome.as_ref().map_or("no answer", |_| "done");
            self.sink.log(&format!("{scope:?}: {what} after {took:?}")).await;
        }
        // A panic is logged even if its result would be outdated.
        if let Err(Failure::Panicked(panic)) = &outcome {
            self.sink.log(&format!("analysis: {panic}")).await;
        }
        let Some(folder) = self.folders.get_mut(&folder_id).filter(|folder| folder.revision == revision) else { return };
        match scope {
            Scope::File(path) => _ = folder.dirty.remove(path),
            Scope::Folder => {
                // The analysis of a whole folder is large: drop it. Later requests analyze single files.
                folder.jobs.retain(|job| job.scope != Scope::Folder);
                folder.settled_at = Some(revision);
                folder.dirty.clear();
            }
        }
        match outcome {
            Ok(analysis) => self.publish(folder_id, scope, &analysis).await,
            Err(Failure::Config(error)) => self.report_config_error(folder_id, &error).await,
            Err(Failure::Cancelled | Failure::Absent | Failure::Panicked(_)) => {}
        }
        self.answer_workspace_diagnostics();
        self.complete_settled().await;
    }

    /// Completes pending `settled` requests after all diagnostics have been flushed.
    pub(super) async fn complete_settled(&mut self) {
        let folder_ids: Vec<u32> = self.folders.keys().copied().collect();
        // The diagnostics of removed folders are cleared first.
        let gone = self
            .published
            .values()
            .any(|published| !published.diagnostics.items.is_empty() && !self.folders.contains_key(&published.folder));
        let all = self.ready && !gone && folder_ids.iter().all(|folder_id| self.is_settled(*folder_id));
        if self.settled_waiters.is_empty() || !all {
            return;
        }
        self.sink.flushed().await;
        for waiting in self.settled_waiters.drain(..) {
            // The request may be cancelled.
            let _ = waiting.send(Snapshot::Settled);
        }
    }
}
