//! The one task that owns the state: it applies what the client does strictly in order, and hands out what holds at each moment.

mod edits;
mod events;
mod folder;
mod publish;
mod session;
mod voice;
mod watch;

pub(crate) use events::{About, Asked, Event, Events, Snapshot};
pub(crate) use voice::{Counted, Voice};

use crate::analysis::{Failure, Frame, Job, Open, Outcome, Scope, analyse};
use crate::binary::Binary;
use crate::client::Abilities;
use crate::documents::Document;
use crate::pool::Pool;
use crate::settings::Settings;
use folder::Folder;
use publish::Told;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{oneshot, watch as state};
use tokio::time::Instant;
use vramlint_base::Lang;

/// How long nobody types before everything is settled.
const QUIET: Duration = Duration::from_millis(300);
/// More files changed at once than this: the whole folder is analysed straight away.
const MANY: usize = 8;

/// Threads that answer, and one that settles.
#[derive(Debug)]
pub(crate) struct Pools {
    /// For what somebody waits for.
    pub urgent: Pool,
    /// For whole folders.
    pub settling: Pool,
}

/// The state.
pub(crate) struct Owner {
    voice: Voice,
    binary: Arc<dyn Binary>,
    pools: Arc<Pools>,
    events: Events,
    /// The client said who it is, and that it is ready to be told things.
    started: bool,
    ready: bool,
    abilities: Abilities,
    settings: Arc<Settings>,
    usual: Lang,
    documents: HashMap<String, Document>,
    open: Arc<HashMap<PathBuf, Open>>,
    folders: BTreeMap<u32, Folder>,
    next_folder: u32,
    /// What the client knows of each file's findings.
    told: HashMap<PathBuf, Told>,
    /// Who waits until everything is settled.
    settling: Vec<oneshot::Sender<Snapshot>>,
    /// Who waits for findings that it does not know, with what it knows.
    watching: Vec<(HashMap<String, String>, oneshot::Sender<Snapshot>)>,
    /// A configuration that is at fault, as it was last told.
    complained: HashMap<u32, String>,
}

impl Owner {
    pub(crate) fn new(voice: Voice, binary: Arc<dyn Binary>, pools: Arc<Pools>, events: Events) -> Self {
        Self {
            usual: binary.language(),
            voice,
            binary,
            pools,
            events,
            started: false,
            ready: false,
            abilities: Abilities::default(),
            settings: Arc::default(),
            documents: HashMap::new(),
            open: Arc::default(),
            folders: BTreeMap::new(),
            next_folder: 0,
            told: HashMap::new(),
            settling: Vec::new(),
            watching: Vec::new(),
            complained: HashMap::new(),
        }
    }

    /// Works until nobody can send events any more.
    pub(crate) async fn run(mut self, mut line: UnboundedReceiver<Event>) {
        loop {
            let deadline = self.folders.values().filter_map(|folder| folder.quiet).min();
            let event = tokio::select! {
                biased;
                event = line.recv() => match event {
                    Some(event) => Some(event),
                    None => return,
                },
                () = tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => None,
            };
            let mut next = event;
            // What is already there is taken first: of a burst of edits only the last is analysed.
            while let Some(event) = next {
                self.apply(event).await;
                next = line.try_recv().ok();
            }
            self.start_what_is_due();
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
            Event::Ask(about, reply) => self.ask(about, reply).await,
            Event::Done { folder, revision, scope, outcome, took } => {
                self.done(folder, revision, &scope, outcome, took).await;
            }
            Event::Looked { folder, revision, status } => self.looked(folder, revision, status).await,
            Event::Retract => self.retract().await,
            Event::Log(text) => self.voice.log(&text).await,
        }
    }

    /// The folder that answers for a file: the innermost.
    fn folder_of(&self, path: &Path) -> Option<u32> {
        let holds = |folder: &&Folder| path.starts_with(&folder.root) && (!folder.loose || path.parent() == Some(&folder.root));
        let all = self.folders.iter().filter(|(_, folder)| holds(folder));
        all.max_by_key(|(_, folder)| (!folder.loose, folder.root.components().count())).map(|(number, _)| *number)
    }

    fn document_at(&self, path: &Path) -> Option<&Document> {
        let open = self.open.get(path)?;
        self.documents.get(open.uri.as_str())
    }

    /// What an analysis that starts now is made with.
    fn frame(&self, folder: &Folder) -> Arc<Frame> {
        Arc::new(Frame {
            root: folder.root.clone(),
            abilities: self.abilities,
            settings: Arc::clone(&self.settings),
            usual: self.usual,
            open: Arc::clone(&self.open),
        })
    }

    /// Starts an analysis of what a folder holds now, unless it runs already.
    fn start(&mut self, number: u32, scope: Scope) -> Option<Job> {
        let folder = self.folders.get(&number)?;
        if let Some(job) = folder.jobs.iter().find(|job| job.scope == scope) {
            return Some(job.clone());
        }
        let frame = self.frame(folder);
        let (tell, outcome) = state::channel(None);
        let job = Job { scope: scope.clone(), outcome };
        let (workspace, revision, cancel) = (folder.workspace.clone(), folder.revision, folder.cancel.clone());
        let (binary, events) = (Arc::clone(&self.binary), self.events.clone());
        let pool = if scope == Scope::Whole { &self.pools.settling } else { &self.pools.urgent };
        let asked = scope.clone();
        let began = std::time::Instant::now();
        pool.run(
            move || analyse(&workspace, &asked, frame, &cancel, binary.as_ref()),
            move |done| {
                let outcome: Outcome = done.unwrap_or_else(|panic| Err(Failure::Panicked(panic)));
                let took = began.elapsed();
                // The owner hears first: what it tells the client of this goes out before an answer made of it.
                events.send(Event::Done { folder: number, revision, scope, outcome: outcome.clone(), took });
                tell.send_replace(Some(outcome));
            },
        );
        let folder = self.folders.get_mut(&number)?;
        folder.jobs.push(job.clone());
        Some(job)
    }

    /// Starts what an edit touched, and whole folders after a quiet time.
    fn start_what_is_due(&mut self) {
        let now = Instant::now();
        let numbers: Vec<u32> = self.folders.keys().copied().collect();
        for number in numbers {
            let Some(folder) = self.folders.get(&number) else { continue };
            let whole = folder.quiet.is_some_and(|quiet| quiet <= now) || folder.dirty.len() > MANY;
            let dirty: Vec<PathBuf> = if folder.dirty.len() > MANY { Vec::new() } else { folder.dirty.iter().cloned().collect() };
            for path in dirty {
                self.start(number, Scope::Around(path));
            }
            if whole || !self.settling.is_empty() && !self.is_settled(number) {
                self.start(number, Scope::Whole);
                if let Some(folder) = self.folders.get_mut(&number) {
                    // What is due is started, now or before.
                    folder.quiet = None;
                }
            }
        }
    }

    fn is_settled(&self, number: u32) -> bool {
        self.folders.get(&number).is_none_or(|folder| folder.settled_at == Some(folder.revision) && folder.looking == 0)
    }

    async fn ask(&mut self, about: About, reply: oneshot::Sender<Snapshot>) {
        match about {
            About::File(uri) => {
                if let Some(asked) = self.asked(&uri) {
                    // Who asked may be gone: the request was cancelled.
                    let _ = reply.send(Snapshot::File(Box::new(asked)));
                }
            }
            About::Settled => {
                self.settling.push(reply);
                self.tell_settled().await;
            }
            About::Workspace(known) => {
                self.watching.push((publish::known(&known), reply));
                self.tell_watching();
            }
        }
    }

    /// What a request about a file may see.
    fn asked(&mut self, uri: &tower_lsp_server::ls_types::Uri) -> Option<Asked> {
        let path = match self.documents.get(uri.as_str()) {
            Some(document) => document.path.clone(),
            None => crate::places::file(uri)?,
        };
        let number = self.folder_of(&path)?;
        // The part around a file holds it in full; of all of a folder only what findings need is kept.
        let job = self.start(number, Scope::Around(path.clone()))?;
        Some(Asked { path, job, settings: Arc::clone(&self.settings) })
    }

    async fn done(&mut self, number: u32, revision: u64, scope: &Scope, outcome: Outcome, took: Duration) {
        if self.settings.trace {
            let what = outcome.as_ref().map_or("no answer", |_| "done");
            self.voice.log(&format!("{scope:?}: {what} after {took:?}")).await;
        }
        // A panic is told even where its answer would be stale.
        if let Err(Failure::Panicked(panic)) = &outcome {
            self.voice.log(&format!("analysis: {panic}")).await;
        }
        let Some(folder) = self.folders.get_mut(&number).filter(|folder| folder.revision == revision) else { return };
        match scope {
            Scope::Around(path) => _ = folder.dirty.remove(path),
            Scope::Whole => {
                // All of a folder is large; what is asked of it later is asked of its parts.
                folder.jobs.retain(|job| job.scope != Scope::Whole);
                folder.settled_at = Some(revision);
                folder.dirty.clear();
            }
        }
        match outcome {
            Ok(analysis) => self.publish(number, scope, &analysis).await,
            Err(Failure::Config(error)) => self.complain(number, &error).await,
            Err(Failure::Cancelled | Failure::Absent | Failure::Panicked(_)) => {}
        }
        self.tell_watching();
        self.tell_settled().await;
    }

    /// Answers who waits until everything is settled, once it is, and once what was told of it is on its way.
    pub(super) async fn tell_settled(&mut self) {
        let numbers: Vec<u32> = self.folders.keys().copied().collect();
        // What was told of a folder that went is taken back first.
        let gone = self.told.values().any(|told| !told.found.items.is_empty() && !self.folders.contains_key(&told.folder));
        let all = self.ready && !gone && numbers.iter().all(|number| self.is_settled(*number));
        if self.settling.is_empty() || !all {
            return;
        }
        self.voice.flushed().await;
        for waiting in self.settling.drain(..) {
            // Who asked may be gone.
            let _ = waiting.send(Snapshot::Settled);
        }
    }
}
