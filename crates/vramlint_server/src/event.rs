//! What happens, in the order in which it does.

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

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// The client says who it is.
    Initialize(Value),
    /// The client is ready to be told things.
    Initialized,
    /// A text was opened.
    Open(DidOpenTextDocumentParams),
    /// A text was edited.
    Change(DidChangeTextDocumentParams),
    /// A text was closed: the disk counts again.
    Close(DidCloseTextDocumentParams),
    /// A text was written.
    Save(DidSaveTextDocumentParams),
    /// Files changed on the disk.
    Watched(DidChangeWatchedFilesParams),
    /// Folders came or went.
    Folders(DidChangeWorkspaceFoldersParams),
    /// The client says that its settings changed.
    Configuration(DidChangeConfigurationParams),
    /// The client says what they are.
    Configured(Value),
    /// A request takes its place in line.
    Request(RequestTarget, oneshot::Sender<Snapshot>),
    /// An analysis is over.
    Done {
        /// Of which folder.
        folder: u32,
        /// Of which state of it.
        revision: u64,
        /// Of how much of it.
        scope: Scope,
        /// What came of it.
        outcome: Outcome,
        /// How long it took, waiting included.
        took: Duration,
    },
    /// The runs of the open texts of a folder were looked up.
    StatusReady {
        /// In which folder.
        folder: u32,
        /// In which state of it.
        revision: u64,
        /// The runs.
        status: Option<Status>,
    },
    /// A folder went: its findings are taken back.
    ClearDiagnostics,
    /// Something for the client's log.
    Log(String),
}

/// What a request is about.
#[derive(Debug)]
pub(crate) enum RequestTarget {
    /// A file.
    File(Uri),
    /// That everything before it is analysed in full.
    Settled,
    /// Findings anywhere that the client does not know; what it knows.
    Workspace(Value),
}

/// What a request may see.
#[derive(Debug)]
pub(crate) enum Snapshot {
    /// A file, with every edit before the request and none after.
    File(Box<FileSnapshot>),
    /// Everything is analysed.
    Settled,
    /// Findings that the client does not know.
    Workspace(Vec<WorkspaceDocumentDiagnosticReport>),
}

/// A file, as a request may see it.
#[derive(Debug)]
pub(crate) struct FileSnapshot {
    /// The file.
    pub path: PathBuf,
    /// The analysis of it.
    pub job: Job,
    /// What its user sets.
    pub settings: Arc<Settings>,
}

/// The end of the line where events are put. Putting never waits.
#[derive(Clone, Debug)]
pub(crate) struct Events(mpsc::UnboundedSender<Event>);

impl Events {
    /// A line.
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Puts an event at its end.
    pub(crate) fn send(&self, event: Event) {
        // Nobody takes events once the session is over, and nobody misses them.
        let _ = self.0.send(event);
    }
}
