//! The order in which the server works: edits, requests, cancellations, changed files and settings arrive while analyses start, end
//! and report in random order. No thread runs and the clock is simulated, so a seed replays its schedule exactly.

#[path = "../tests/client/dice.rs"]
mod dice;

use crate::client_sink::CountingSocket;
use crate::handlers::Handlers;
use crate::host::Host;
use crate::pool::{Completion, Pool, Pools, Work};
use crate::sequencer::Sequencer;
use crate::{Parts, SessionExit, assemble};
use dice::Dice;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tower_lsp_server::Loopback;
use tower_lsp_server::jsonrpc::{Id, Request};
use tower_service::Service;
use vramlint_base::{Lang, Message};
use vramlint_project::Report;
use vramlint_resolve::Target;

/// Schedules that are played, and steps of each.
const SEEDS: u64 = 32;
const STEPS: usize = 100;
/// Tasks of a queue that may have started when another one reports: the threads of a pool.
const THREADS: [usize; 2] = [4, 1];
/// Turns of the runtime after which every task has seen what there is.
const ENOUGH_TURNS: usize = 30;

const SETTINGS: [&str; 3] =
    [r#"{"lang": "en"}"#, r#"{"lang": "zh"}"#, r#"{"lang": "en", "gpuMemory": "8 GiB", "inlayHints": {"memory": false}}"#];

#[derive(Debug)]
struct QuietHost;

impl Host for QuietHost {
    fn run_json(&self, _: &Report, _: &str, _: Lang) -> Option<Value> {
        None
    }

    fn target(&self, target: Target) -> Result<Target, Message> {
        Ok(target)
    }

    fn language(&self) -> Lang {
        Lang::En
    }

    fn is_running(&self, _: u32) -> bool {
        true
    }
}

/// What the client has received.
#[derive(Debug, Default)]
struct Received {
    /// Diagnostics by URI, with the version that they are about.
    diagnostics: BTreeMap<String, (Option<i64>, Value)>,
    /// Responses by id; an error as its code.
    responses: BTreeMap<i64, Result<Value, i64>>,
    /// Every set of diagnostics of `acc.yaml` that came with a version.
    about_acc: Vec<(i64, String)>,
    /// Messages for the log.
    log: Vec<String>,
}

/// A document as the client holds it.
struct Document {
    name: &'static str,
    version: i64,
    open: bool,
    text: String,
}

impl Document {
    /// The key of `acc.yaml` that no other text of it has; it is unknown, which is a finding.
    fn own_key(&self) -> Option<String> {
        Some(format!("`{}`", self.text.lines().find(|line| line.starts_with("extra_"))?.trim_end_matches(": 1")))
    }
}

/// A session whose threads and clock belong to the test.
struct Session {
    root: PathBuf,
    service: Sequencer<Handlers>,
    queues: [Receiver<Work>; 2],
    waiting: [VecDeque<Work>; 2],
    ended: Vec<Completion>,
    received: Arc<Mutex<Received>>,
    requests: u32,
    /// Requests for the diagnostics of `acc.yaml`, with its own key when they were sent.
    asked: Vec<(i64, String)>,
    /// The own key of `acc.yaml` by version.
    keys: BTreeMap<i64, String>,
}

impl Session {
    async fn start(root: &Path, settings: &str) -> Self {
        let (urgent, first) = Pool::without_threads();
        let (background, second) = Pool::without_threads();
        let exit = Arc::new(SessionExit::default());
        let Parts { service, socket, .. } = assemble(Pools { urgent, background }, Arc::new(QuietHost), &exit);
        let received = Arc::new(Mutex::new(Received::default()));
        tokio::spawn(receive(socket, Arc::clone(&received)));
        let mut session = Self {
            root: root.to_path_buf(),
            service,
            queues: [first, second],
            waiting: [VecDeque::new(), VecDeque::new()],
            ended: Vec::new(),
            received,
            requests: 0,
            asked: Vec::new(),
            keys: BTreeMap::new(),
        };
        let settings: Value = serde_json::from_str(settings).expect("the settings above");
        session.ask("initialize", json!({"rootUri": uri(root), "capabilities": {}, "initializationOptions": settings}));
        turns(ENOUGH_TURNS).await;
        session.tell("initialized", json!({}));
        turns(ENOUGH_TURNS).await;
        session
    }

    fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn uri(&self, document: &Document) -> String {
        uri(&self.root.join(document.name))
    }

    fn tell(&mut self, method: &'static str, params: Value) {
        tokio::spawn(self.service.call(Request::build(method).params(params).finish()));
    }

    fn ask(&mut self, method: &'static str, params: Value) -> i64 {
        self.requests += 1;
        let id = i64::from(self.requests);
        let response = self.service.call(Request::build(method).params(params).id(id).finish());
        let received = Arc::clone(&self.received);
        tokio::spawn(async move {
            let Ok(Some(response)) = response.await else { return };
            let (id, result) = response.into_parts();
            let Id::Number(id) = id else { return };
            let result = result.map_err(|error| error.code.code());
            received.lock().unwrap_or_else(PoisonError::into_inner).responses.insert(id, result);
        });
        id
    }

    fn open(&mut self, document: &mut Document) {
        document.open = true;
        self.keys.extend(document.own_key().map(|key| (document.version, key)));
        let item = json!({"uri": self.uri(document), "languageId": "", "version": document.version, "text": document.text});
        self.tell("textDocument/didOpen", json!({"textDocument": item}));
    }

    fn edit(&mut self, document: &mut Document, dice: &mut Dice) {
        document.version += 1;
        document.text = text(document.name, document.version, dice);
        self.keys.extend(document.own_key().map(|key| (document.version, key)));
        let of = json!({"uri": self.uri(document), "version": document.version});
        self.tell("textDocument/didChange", json!({"textDocument": of, "contentChanges": [{"text": document.text}]}));
    }

    /// Takes tasks out of the queues of the pools.
    fn collect(&mut self) {
        for (queue, waiting) in self.queues.iter().zip(&mut self.waiting) {
            waiting.extend(queue.try_iter());
        }
    }

    /// Runs one of the tasks that threads would have taken. What it reports waits in `ended`.
    fn run_one(&mut self, dice: &mut Dice) -> bool {
        self.collect();
        let which = dice.roll(2);
        let which = if self.waiting[which].is_empty() { 1 - which } else { which };
        let started = self.waiting[which].len().min(THREADS[which]);
        if started == 0 {
            return false;
        }
        if let Some(work) = self.waiting[which].remove(dice.roll(started)) {
            self.ended.push(work());
        }
        true
    }

    /// Lets one of the tasks that have ended report.
    fn report_one(&mut self, dice: &mut Dice) -> bool {
        if self.ended.is_empty() {
            return false;
        }
        let index = dice.roll(self.ended.len());
        self.ended.swap_remove(index)();
        true
    }

    /// Lets everything come to an end.
    async fn finish(&mut self, dice: &mut Dice) {
        let settled = self.ask("vramlint/settled", json!({}));
        let mut idle = 0;
        while idle < 4 {
            turns(ENOUGH_TURNS).await;
            let busy = self.run_one(dice) | self.report_one(dice);
            if busy {
                idle = 0;
            } else {
                idle += 1;
                tokio::time::advance(Duration::from_millis(200)).await;
            }
        }
        let answer = self.received().responses.get(&settled).cloned();
        assert_eq!(answer, Some(Ok(json!({"settled": true}))), "the session settles");
    }

    /// The diagnostics that the client shows, by URI.
    fn shown(&self) -> BTreeMap<String, Value> {
        let received = self.received();
        let with_items = received.diagnostics.iter().filter(|(_, (_, items))| items != &json!([]));
        with_items.map(|(uri, (_, items))| (uri.clone(), items.clone())).collect()
    }
}

/// Keeps what the server sends. Versions of a document never go back.
async fn receive(socket: CountingSocket, received: Arc<Mutex<Received>>) {
    let (mut requests, _responses) = socket.split();
    while let Some(request) = requests.next().await {
        let params = request.params().cloned().unwrap_or_default();
        let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
        match request.method() {
            "textDocument/publishDiagnostics" => {
                let uri = params["uri"].as_str().unwrap_or_default().to_owned();
                let version = params["version"].as_i64();
                if let Some(version) = version.filter(|_| uri.ends_with("/acc.yaml")) {
                    received.about_acc.push((version, params["diagnostics"].to_string()));
                }
                let before = received.diagnostics.insert(uri.clone(), (version, params["diagnostics"].clone()));
                if before.as_ref().and_then(|(before, _)| *before).zip(version).is_some_and(|(before, now)| now < before) {
                    received.log.push(format!("{uri}: version {version:?} after {before:?}"));
                }
            }
            "window/logMessage" | "window/showMessage" => received.log.push(params["message"].to_string()),
            _ => {}
        }
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

async fn turns(number: usize) {
    for _ in 0..number {
        tokio::task::yield_now().await;
    }
}

/// A text of a file.
fn text(name: &str, version: i64, dice: &mut Dice) -> String {
    let number = dice.one_of(&[1, 2, 8]);
    match name {
        "run.sh" => format!("accelerate launch --config_file acc.yaml --num_processes {number} train.py\n"),
        "acc.yaml" => {
            let kind = dice.one_of(&["MULTI_GPU", "NO", "DEEPSPEED"]);
            format!("compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\nnum_processes: {number}\nextra_{version}: 1\n")
        }
        "ds.json" => {
            let stage = dice.one_of(&[0, 2, 9]);
            format!("{{\n  \"train_batch_size\": {number},\n  \"zero_optimization\": {{\"stage\": {stage}}}\n}}\n")
        }
        _ => {
            let precision = dice.one_of(&["bf16=True", "fp16=True", "bf16=True, fp16=True"]);
            format!(
                "from transformers import Trainer, TrainingArguments\n\nargs = TrainingArguments(\n    output_dir=\"out\",\n    \
                 per_device_train_batch_size={number},\n    {precision},\n    deepspeed=\"ds.json\",\n)\nTrainer(args=args).train()\n"
            )
        }
    }
}

/// Plays the schedule of a seed and compares its end with a session that receives the final state at once.
async fn play(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    let mut documents: Vec<Document> = ["run.sh", "acc.yaml", "ds.json", "train.py"]
        .map(|name| Document { name, version: 1, open: false, text: text(name, 1, &mut dice) })
        .into();
    for document in &documents {
        std::fs::write(root.join(document.name), &document.text).expect("written");
    }
    let mut settings = SETTINGS[0];
    let mut session = Session::start(&root, settings).await;
    for _ in 0..STEPS {
        let document = &mut documents[dice.roll(4)];
        let of = json!({"uri": session.uri(document)});
        match dice.roll(24) {
            0..=5 if document.open => session.edit(document, &mut dice),
            0..=6 if !document.open => {
                document.version += 1;
                session.open(document);
            }
            6 => {
                document.open = false;
                session.tell("textDocument/didClose", json!({"textDocument": of}));
                document.text = std::fs::read_to_string(root.join(document.name)).expect("readable");
            }
            7 => {
                std::fs::write(root.join(document.name), &document.text).expect("written");
                session.tell("textDocument/didSave", json!({"textDocument": of}));
            }
            8 => {
                let on_disk = text(document.name, document.version, &mut dice);
                std::fs::write(root.join(document.name), &on_disk).expect("written");
                if !document.open {
                    document.text = on_disk;
                }
                session.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": of["uri"], "type": 2}]}));
            }
            9 => {
                settings = dice.one_of(&SETTINGS);
                let section: Value = serde_json::from_str(settings).expect("the settings above");
                session.tell("workspace/didChangeConfiguration", json!({"settings": {"vramlint": section}}));
            }
            10 => _ = session.ask("vramlint/settled", json!({})),
            11 => {
                let id = session.ask("textDocument/diagnostic", json!({"textDocument": of}));
                session.asked.extend(document.own_key().filter(|_| document.open).map(|key| (id, key)));
            }
            12 => _ = session.ask("textDocument/hover", json!({"textDocument": of, "position": {"line": 0, "character": 2}})),
            13 if session.requests > 1 => {
                let id = 2 + dice.roll(session.requests as usize - 1);
                session.tell("$/cancelRequest", json!({"id": id}));
            }
            14..=17 => _ = session.run_one(&mut dice),
            18..=21 => _ = session.report_one(&mut dice),
            22 => tokio::time::advance(Duration::from_millis(dice.roll(400) as u64)).await,
            _ => turns(ENOUGH_TURNS).await,
        }
        turns(dice.roll(4)).await;
    }
    session.finish(&mut dice).await;

    let mut direct = Session::start(&root, settings).await;
    for document in documents.iter_mut().filter(|document| document.open) {
        direct.open(document);
    }
    direct.finish(&mut Dice(1)).await;
    assert_eq!(session.shown(), direct.shown(), "what the client shows does not depend on the order");

    let received = session.received();
    let nothing: [String; 0] = [];
    assert_eq!(received.log, nothing);
    for id in 1..=i64::from(session.requests) {
        assert!(received.responses.contains_key(&id), "request {id} has a response");
    }
    for document in documents.iter().filter(|document| document.open) {
        if let Some((version, items)) = received.diagnostics.get(&session.uri(document))
            && items != &json!([])
        {
            assert_eq!(*version, Some(document.version), "diagnostics of {} are about its text", document.name);
        }
    }
    for (id, key) in &session.asked {
        if let Some(Ok(report)) = received.responses.get(id) {
            assert!(report.to_string().contains(key), "request {id} sees {key}: {report}");
        }
    }
    for (version, items) in &received.about_acc {
        let key = &session.keys[version];
        assert!(items.contains(key), "the diagnostics of version {version} tell of {key}: {items}");
    }
}

#[test]
fn every_order_ends_with_the_same_diagnostics() {
    for seed in 1..=SEEDS {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(play(seed))));
        assert!(outcome.is_ok(), "seed {seed} fails");
    }
}
