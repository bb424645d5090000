//! A scripted client over an in-process pipe.

#![allow(dead_code, unreachable_pub, missing_docs)] // each test file uses its part

pub(crate) mod dice;

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use vramlint_base::{Lang, Message};
use vramlint_project::{Report, Request, check};
use vramlint_resolve::Target;
use vramlint_server::{Host, session};

/// Time limit of a response. No test measures time with it.
const PATIENCE: Duration = Duration::from_mins(2);

/// A process that is not running.
pub const ENDED_PROCESS: u32 = 7;

/// The host of the server, controlled by tests.
#[derive(Debug, Default)]
pub struct TestHost {
    /// Delay of each analysis, milliseconds.
    pub slow: AtomicU64,
    /// Analyses started.
    pub analyses: AtomicUsize,
    /// The method whose handler panics.
    pub fails: Mutex<Option<&'static str>>,
    /// Whether the next analysis panics.
    pub breaks: Mutex<bool>,
}

impl Host for TestHost {
    fn run_json(&self, _: &Report, _: &str, _: Lang) -> Option<Value> {
        None
    }

    fn target(&self, target: Target) -> Result<Target, Message> {
        Ok(target)
    }

    fn is_running(&self, process: u32) -> bool {
        process != ENDED_PROCESS
    }

    fn language(&self) -> Lang {
        Lang::En
    }

    fn before_analysis(&self) {
        self.analyses.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(self.slow.load(Ordering::SeqCst)));
        let breaks = std::mem::take(&mut *self.breaks.lock().expect("no test panics with it"));
        assert!(!breaks, "the analysis breaks, as the test wants");
    }

    fn before_answer(&self, method: &str) {
        let fails = *self.fails.lock().expect("no test panics with it");
        assert!(fails != Some(method), "the answer breaks, as the test wants");
    }
}

/// The client.
pub struct Client {
    write: WriteHalf<DuplexStream>,
    messages: UnboundedReceiver<Value>,
    number: i64,
    /// Responses that no test has read yet; they may arrive in any order.
    answers: BTreeMap<i64, Value>,
    pub host: Arc<TestHost>,
    pub server: JoinHandle<bool>,
    pub capabilities: Value,
    /// Notifications received, in order.
    pub notes: Vec<Value>,
    /// Requests received, in order.
    pub asked: Vec<Value>,
    /// Current diagnostics, by URI.
    pub shown: BTreeMap<String, Value>,
    /// The response to `workspace/configuration`.
    pub settings: Value,
}

/// Capabilities of a full-featured client.
pub fn able() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-8", "utf-16"]},
        "workspace": {
            "configuration": true,
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "diagnostics": {"refreshSupport": true},
            "workspaceEdit": {"documentChanges": true},
        },
        "window": {"showDocument": {"support": true}},
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true, "tagSupport": {"valueSet": [1, 2]},
            },
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
        },
    })
}

/// The same with pulled diagnostics.
pub fn pulling() -> Value {
    let mut able = able();
    able["textDocument"]["diagnostic"] = json!({"dynamicRegistration": false});
    able
}

impl Client {
    /// Starts a session in a folder, with minimal capabilities.
    pub async fn start(root: &Path) -> Self {
        Self::with(&[root], json!({}), json!({})).await
    }

    /// Starts a session with folders, capabilities and additional params of `initialize`.
    pub async fn with(roots: &[&Path], abilities: Value, more: Value) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let host = Arc::new(TestHost::default());
        let session_host: Arc<dyn Host> = Arc::clone(&host) as _;
        let (input, output) = split(far);
        let server = tokio::spawn(async move { session(input, output, session_host).await.expect("threads can be started") });
        let (read, write) = split(near);
        let (put, messages) = unbounded_channel();
        tokio::spawn(receive(read, put));
        let mut client = Self {
            write,
            messages,
            number: 0,
            answers: BTreeMap::new(),
            host,
            server,
            capabilities: Value::Null,
            notes: Vec::new(),
            asked: Vec::new(),
            shown: BTreeMap::new(),
            settings: Value::Null,
        };
        let folders: Vec<Value> = roots.iter().map(|root| json!({"uri": uri(root), "name": "test"})).collect();
        let mut params = json!({"processId": null, "workspaceFolders": folders, "capabilities": abilities});
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        let answer = client.ask("initialize", params).await.expect("it initializes");
        client.capabilities = answer["capabilities"].clone();
        client.tell("initialized", json!({})).await;
        client
    }

    pub async fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(&format!("Content-Length: {}\r\n\r\n{body}", body.len())).await;
    }

    /// Sends bytes as they are.
    pub async fn send_raw(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).await.expect("the server listens");
    }

    pub async fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Sends a request and returns its id.
    pub async fn post(&mut self, method: &str, params: Value) -> i64 {
        self.number += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})).await;
        self.number
    }

    /// Awaits the response to a request: its result, or its error.
    pub async fn answer(&mut self, number: i64) -> Result<Value, Value> {
        loop {
            if let Some(message) = self.answers.remove(&number) {
                return message.get("error").map_or_else(|| Ok(message["result"].clone()), |error| Err(error.clone()));
            }
            self.receive().await;
        }
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let number = self.post(method, params).await;
        self.answer(number).await
    }

    /// Receives one message, records it, and responds to requests.
    pub async fn receive(&mut self) -> Value {
        let message = tokio::time::timeout(PATIENCE, self.messages.recv()).await;
        let message = message.expect("the server answers").expect("the server is there");
        if let Some(method) = message["method"].as_str() {
            if let Some(id) = message.get("id") {
                let result = if method == "workspace/configuration" { json!([self.settings]) } else { Value::Null };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
                self.asked.push(message.clone());
            } else {
                if method == "textDocument/publishDiagnostics" {
                    let uri = message["params"]["uri"].as_str().expect("an address").to_owned();
                    self.shown.insert(uri, message["params"]["diagnostics"].clone());
                }
                self.notes.push(message.clone());
            }
        } else if let Some(id) = message["id"].as_i64() {
            self.answers.insert(id, message.clone());
        }
        message
    }

    /// Receives until a notification arrives.
    pub async fn wait_for(&mut self, method: &str) -> Value {
        loop {
            let message = self.receive().await;
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// Waits until everything sent so far is analyzed in full and published.
    pub async fn settle(&mut self) {
        let answer = self.ask("vramlint/settled", json!({})).await.expect("it settles");
        assert_eq!(answer["settled"], json!(true));
    }

    pub async fn open(&mut self, path: &Path, language: &str, version: i32, text: &str) {
        self.open_uri(&uri(path), language, version, text).await;
    }

    pub async fn open_uri(&mut self, uri: &str, language: &str, version: i32, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": version, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": item})).await;
    }

    /// Replaces the text of a document.
    pub async fn write(&mut self, path: &Path, version: i32, text: &str) {
        self.change(path, version, json!([{"text": text}])).await;
    }

    pub async fn change(&mut self, path: &Path, version: i32, changes: Value) {
        let document = json!({"uri": uri(path), "version": version});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes})).await;
    }

    pub async fn close(&mut self, path: &Path) {
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": uri(path)}})).await;
    }

    /// The codes of the current diagnostics of a file.
    pub fn codes(&self, path: &Path) -> Vec<String> {
        let found = self.shown.get(&uri(path)).and_then(Value::as_array);
        found.into_iter().flatten().filter_map(|one| one["code"].as_str().map(str::to_owned)).collect()
    }

    /// All current diagnostics in comparable form; files without diagnostics are left out.
    pub fn everything(&self) -> BTreeSet<String> {
        let all =
            self.shown.iter().flat_map(|(uri, found)| found.as_array().into_iter().flatten().map(move |one| line(uri, one)));
        all.collect()
    }

    pub fn logged(&self) -> Vec<&str> {
        let logs = self.notes.iter().filter(|note| note["method"] == "window/logMessage");
        logs.filter_map(|note| note["params"]["message"].as_str()).collect()
    }

    /// Shuts down and exits. Returns whether the session ended cleanly.
    pub async fn leave(mut self) -> bool {
        self.ask("shutdown", json!({})).await.expect("it shuts down");
        self.tell("exit", Value::Null).await;
        self.server.await.expect("it ends without a panic")
    }
}

async fn receive(mut read: ReadHalf<DuplexStream>, put: tokio::sync::mpsc::UnboundedSender<Value>) {
    let mut buffer = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        while let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).expect("a length");
            let length: usize = length.trim().parse().expect("a number");
            if buffer.len() < end + 4 + length {
                break;
            }
            let message = serde_json::from_slice(&buffer[end + 4..end + 4 + length]).expect("JSON");
            buffer.drain(..end + 4 + length);
            if put.send(message).is_err() {
                return;
            }
        }
        match read.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(count) => buffer.extend_from_slice(&chunk[..count]),
        }
    }
}

/// A diagnostic as a line.
pub fn line(uri: &str, one: &Value) -> String {
    let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
    let severity = &one["severity"];
    let code = one["code"].as_str().unwrap_or("?");
    format!("{uri} {}:{}-{}:{} {severity} {code}", start["line"], start["character"], end["line"], end["character"])
}

pub fn uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let text: String =
        path.bytes().map(|byte| if safe(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect();
    format!("file://{text}")
}

/// The findings of a fresh check of a folder with unsaved texts, in the form of [`Client::everything`], with columns in bytes or
/// UTF-16 units. Computed independently of the server.
pub fn fresh(root: &Path, unsaved: &[(PathBuf, String)], utf16: bool) -> BTreeSet<String> {
    let overlay = unsaved.iter().map(|(path, text)| (path.clone(), text.as_bytes().to_vec())).collect();
    let request = Request { cwd: root.to_path_buf(), overlay, hub_caches: vramlint_project::hub_caches(), ..Request::default() };
    let report = check(&request, &|_, _| {}).expect("no configuration is at fault");
    let place = |text: &str, offset: u32| {
        let before = &text[..(offset as usize).min(text.len())];
        // There is no position between `\r` and `
        // `.
        let within = text[before.len()..].starts_with('\n');
        let before = before.strip_suffix('\r').filter(|_| within).unwrap_or(before);
        let normal = before.replace("\r\n", "\n").replace('\r', "\n");
        let line = normal.matches('\n').count();
        let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let column = if utf16 { before[start..].encode_utf16().count() } else { before.len() - start };
        (line, column)
    };
    let lines = report.findings.iter().map(|finding| {
        let file = report.project.file(finding.place.file);
        let (start, end) = (place(&file.text, finding.place.range.start), place(&file.text, finding.place.range.end));
        let severity = 3 - finding.severity as u32;
        format!("{} {}:{}-{}:{} {severity} {}", uri(&root.join(&file.path)), start.0, start.1, end.0, end.1, finding.code)
    });
    lines.collect()
}

/// A small project: a launch, accelerate and DeepSpeed configurations, a script.
pub fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    put("run.sh", "accelerate launch --config_file acc.yaml --num_processes 4 train.py\n");
    put("acc.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 2\nmixed_precision: bf16\n");
    put("ds.json", "{\n  \"train_batch_size\": 32,\n  \"zero_optimization\": {\"stage\": 2}\n}\n");
    put(
        "train.py",
        "from transformers import Trainer, TrainingArguments\n\nargs = TrainingArguments(\n    output_dir=\"out\",\n    \
         per_device_train_batch_size=4,\n    deepspeed=\"ds.json\",\n)\nTrainer(args=args).train()\n",
    );
    folder
}

/// The canonical path of a temporary folder: displayed paths are relative to it.
pub fn real(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().canonicalize().expect("it is there")
}
