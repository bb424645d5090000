//! The state of the server. One task owns it.

mod document_sync;
mod file_watch;
mod folder;
mod main_loop;
mod publish;
mod published;
mod session;

use crate::analysis::{AnalysisContext, OpenDocument};
use crate::client_capabilities::ClientCapabilities;
use crate::client_sink::ClientSink;
use crate::documents::Document;
use crate::event::{Events, Snapshot};
use crate::host::Host;
use crate::pool::Pools;
use crate::settings::Settings;
use folder::Folder;
use published::PublishedDiagnostics;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use vramlint_base::Lang;

/// Delay after the last edit before whole folders are analyzed.
const SETTLE_DELAY: Duration = Duration::from_millis(300);

/// The state.
pub(crate) struct ServerState {
    sink: ClientSink,
    host: Arc<dyn Host>,
    pools: Arc<Pools>,
    events: Events,
    /// `initialize` and `initialized` were received.
    started: bool,
    ready: bool,
    capabilities: ClientCapabilities,
    settings: Arc<Settings>,
    default_lang: Lang,
    documents: HashMap<String, Document>,
    open: Arc<HashMap<PathBuf, OpenDocument>>,
    folders: BTreeMap<u32, Folder>,
    next_folder: u32,
    /// The diagnostics that the client has, by file.
    published: HashMap<PathBuf, PublishedDiagnostics>,
    /// Pending `vramlint/settled` requests.
    settled_waiters: Vec<oneshot::Sender<Snapshot>>,
    /// Pending `workspace/diagnostic` requests, with the result ids that the client has.
    diagnostic_waiters: Vec<(HashMap<String, String>, oneshot::Sender<Snapshot>)>,
    /// The last reported configuration error of each folder.
    reported_config_errors: HashMap<u32, String>,
}

impl ServerState {
    pub(crate) fn new(sink: ClientSink, host: Arc<dyn Host>, pools: Arc<Pools>, events: Events) -> Self {
        Self {
            default_lang: host.language(),
            sink,
            host,
            pools,
            events,
            started: false,
            ready: false,
            capabilities: ClientCapabilities::default(),
            settings: Arc::default(),
            documents: HashMap::new(),
            open: Arc::default(),
            folders: BTreeMap::new(),
            next_folder: 0,
            published: HashMap::new(),
            settled_waiters: Vec::new(),
            diagnostic_waiters: Vec::new(),
            reported_config_errors: HashMap::new(),
        }
    }

    /// The innermost folder that contains a file.
    fn folder_of(&self, path: &Path) -> Option<u32> {
        let holds =
            |folder: &&Folder| path.starts_with(&folder.root) && (!folder.detached || path.parent() == Some(&folder.root));
        let all = self.folders.iter().filter(|(_, folder)| holds(folder));
        all.max_by_key(|(_, folder)| (!folder.detached, folder.root.components().count())).map(|(folder_id, _)| *folder_id)
    }

    fn document_at(&self, path: &Path) -> Option<&Document> {
        let open = self.open.get(path)?;
        self.documents.get(open.uri.as_str())
    }

    /// The inputs of an analysis that starts now.
    fn context(&self, folder: &Folder) -> Arc<AnalysisContext> {
        Arc::new(AnalysisContext {
            root: folder.root.clone(),
            capabilities: self.capabilities,
            settings: Arc::clone(&self.settings),
            default_lang: self.default_lang,
            open: Arc::clone(&self.open),
        })
    }
}
