//! Events of the main loop.

use crate::analysis::{Job, Outcome, Scope, Status};
use crate::settings::Settings;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tower_lsp_server::ls_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, Uri, WorkspaceDocumentDiagnosticReport,
};

/// An event.
#[derive(Debug)]
pub(crate) enum Event {
    /// `initialize`.
    Initialize(Value),
    /// `initialized`: the client accepts notifications.
    Initialized,
    /// `textDocument/didOpen`.
    Open(DidOpenTextDocumentParams),
    /// `textDocument/didChange`.
    Change(DidChangeTextDocumentParams),
    /// `textDocument/didClose`: the file on disk counts again.
    Close(DidCloseTextDocumentParams),
    /// `textDocument/didSave`.
    Save(DidSaveTextDocumentParams),
    /// `workspace/didChangeWatchedFiles`.
    Watched(DidChangeWatchedFilesParams),
    /// `workspace/didChangeWorkspaceFolders`.
    Folders(DidChangeWorkspaceFoldersParams),
    /// `workspace/didChangeConfiguration`.
    Configuration(DidChangeConfigurationParams),
    /// The response to `workspace/configuration`.
    Configured(Value),
    /// A request waits for its snapshot.
    Request(RequestTarget, oneshot::Sender<Snapshot>),
    /// An analysis is done.
    Done {
        /// The folder.
        folder: u32,
        /// The revision of the folder that was analyzed.
        revision: u64,
        /// What was analyzed.
        scope: Scope,
        /// The result.
        outcome: Outcome,
        /// Time from start to result, including time in the queue.
        took: Duration,
    },
    /// The status of an open document is ready.
    StatusReady {
        /// The folder.
        folder: u32,
        /// The revision of the folder that was analyzed.
        revision: u64,
        /// The status.
        status: Option<Status>,
    },
    /// A folder was removed: clear its diagnostics.
    ClearDiagnostics,
    /// A message for the client's log.
    Log(String),
}

/// What a request needs before it can be answered.
#[derive(Debug)]
pub(crate) enum RequestTarget {
    /// The analysis of a file.
    File(Uri),
    /// The analysis of everything sent before it.
    Settled,
    /// Diagnostics that the client does not have, given the result ids that it has.
    Workspace(Value),
}

/// What a request may read.
#[derive(Debug)]
pub(crate) enum Snapshot {
    /// A file after every earlier edit and before any later one.
    File(Box<FileSnapshot>),
    /// Everything is analyzed.
    Settled,
    /// Diagnostics that the client does not have.
    Workspace(Vec<WorkspaceDocumentDiagnosticReport>),
}

/// A file as a request may read it.
#[derive(Debug)]
pub(crate) struct FileSnapshot {
    /// The file.
    pub path: PathBuf,
    /// Its analysis.
    pub job: Job,
    /// The user's settings.
    pub settings: Arc<Settings>,
}

/// Sender of events. Sending never waits.
#[derive(Clone, Debug)]
pub(crate) struct Events(mpsc::UnboundedSender<Event>);

impl Events {
    /// A channel of events.
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Sends an event.
    pub(crate) fn send(&self, event: Event) {
        // After the end of the session nothing receives events.
        let _ = self.0.send(event);
    }
}
