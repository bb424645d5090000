//! What the fuzz targets check: ranges lie in their text and on characters, no rule panics, a second fix changes nothing, and the server
//! goes on answering.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use vramlint_base::{Lang, Message, TextRange};
use vramlint_project::{Report, Request, check, fix_until_stable, governing};
use vramlint_resolve::Target;
use vramlint_resolve::versions::files::{ManifestKind, read_mentions};
use vramlint_server::{Host, session};
use vramlint_syntax::data::{DataFile, Loader};
use vramlint_syntax::{SyntaxError, embedded as documents};

const TRAIN: &str = "import yaml\nfrom transformers import *\nfrom trl import *\ncfg = yaml.safe_load(open('a.yaml'))\nmodel = \
    AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', torch_dtype=cfg['dtype'])\nargs = TrainingArguments(output_dir='o', \
    deepspeed='ds.json', per_device_train_batch_size=cfg['batch_size'])\nTrainer(model=model, args=args).train()\n";
const LAUNCH: &str = "export CUDA_VISIBLE_DEVICES=0,1\naccelerate launch --config_file a.yaml --num_processes 2 train.py --config a.yaml\n\
    deepspeed --num_gpus 2 train.py --deepspeed ds.json\ntrl sft --config a.yaml\n";
const ACCELERATE: &str = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\ngpu_ids: [0, 1]\n\
    batch_size: 2\ngradient_accumulation_steps: 8 # effective batch = 64\nlearning_rate: 2e-5\n";
const DEEPSPEED: &str = r#"{"train_batch_size": 64, "zero_optimization": {"stage": 3}, "fp16": {"enabled": true}, "bf16": {"enabled": true}}"#;

fn inside(text: &str, range: TextRange, what: &str) {
    let (start, end) = (range.start as usize, range.end as usize);
    let fits = start <= end && end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end);
    assert!(fits, "{what} {start}..{end} of {} bytes", text.len());
}

/// Lets panics of a parser pass that is not ours: the reader of Python catches them.
pub fn let_guarded_panics_pass() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|place| place.file().contains("ruff_python_parser")) {
            abort(info);
        }
    }));
}

/// The errors point into the text.
pub fn errors(text: &str, errors: &[SyntaxError]) {
    for error in errors {
        inside(text, error.range, "error");
    }
}

/// Nodes, errors and comments point into the text, and every loader makes values.
pub fn data(text: &str, file: &DataFile) {
    errors(text, &file.errors);
    for node in &file.nodes {
        inside(text, node.range, "node");
    }
    for comment in &file.comments {
        inside(text, comment.range, "comment");
    }
    for root in file.roots() {
        for loader in [Loader::PyYaml, Loader::OmegaConf, Loader::TrlParser, Loader::Yaml12, Loader::Json] {
            let _ = root.value(loader);
        }
        for (key, value) in root.entries() {
            let found = key.text().and_then(|text| root.own_entry(text));
            assert!(key.text().is_none() || found.is_some(), "a key of a mapping is found in it");
            let _ = value.value(Loader::PyYaml);
        }
    }
}

/// Places of embedded texts lie in their document.
pub fn embedded(text: &str) {
    for parts in [documents::markdown(text), documents::makefile(text), documents::dockerfile(text), documents::workflow(text)] {
        for part in &parts {
            for at in (0..=part.text.len().min(200)).filter(|at| part.text.is_char_boundary(*at)) {
                inside(text, part.to_host(TextRange::at(at as u32)), "place in the document");
            }
        }
    }
}

/// Every kind of file that states versions.
pub fn versions(text: &str) {
    for name in ["requirements.txt", "pyproject.toml", "setup.cfg", "setup.py", "environment.yml", "uv.lock", "Pipfile", "Pipfile.lock"] {
        let Some(kind) = ManifestKind::from_name(name) else { continue };
        for mention in read_mentions(kind, text) {
            inside(text, mention.range, name);
        }
    }
}

/// A project in memory, one file of which is `text`.
fn request(name: &str, text: &str) -> Request {
    let files = [("a.yaml", ACCELERATE), ("train.py", TRAIN), ("l.sh", LAUNCH), ("ds.json", DEEPSPEED), (name, text)];
    let overlay: HashMap<PathBuf, Vec<u8>> = files.iter().map(|(name, text)| (name.into(), text.as_bytes().to_vec())).collect();
    Request { cwd: "/nonexistent".into(), overlay, isolated: name != "vramlint.toml", jobs: 1, ..Request::default() }
}

/// Reads a text as `vramlint.toml` and as `pyproject.toml`, as one that may be wrong.
pub fn configuration(text: &str) {
    for name in ["vramlint.toml", "pyproject.toml"] {
        let overlay = HashMap::from([(name.into(), text.as_bytes().to_vec())]);
        let _ = governing(&Request { cwd: "/nonexistent".into(), overlay, ..Request::default() });
    }
}

/// A check ends without an internal error, and what it reports points into the texts.
pub fn check_with(name: &str, text: &str) {
    // A configuration may be invalid.
    let Ok(report) = check(&request(name, text), &|_, _| {}) else { return };
    for finding in &report.findings {
        inside(&report.project.file(finding.place.file).text, finding.place.range, finding.code);
        assert!(finding.name != "internal-error", "{}", finding.message.en);
        for edit in finding.fixes.iter().flat_map(|fix| &fix.edits) {
            inside(&report.project.file(edit.place.file).text, edit.place.range, "edit");
        }
    }
}

/// What is fixed needs no second fix.
pub fn fix_with(text: &str) {
    let names = ["a.yaml", "ds.json", "train.py", "l.sh"];
    let request = request(names[text.len() % names.len()], text);
    let unsafe_too = text.len() % 2 == 0;
    let Ok(outcome) = fix_until_stable(&request, unsafe_too, &|_, _| {}) else { return };
    assert!(outcome.failed.is_empty(), "a fix breaks the file: {}", outcome.failed[0].name);
    let mut again = request.clone();
    for file in &outcome.files {
        let path = file.path.strip_prefix(&request.cwd).unwrap_or(&file.path).to_path_buf();
        again.overlay.insert(path, file.after.clone().into_bytes());
    }
    let second = fix_until_stable(&again, unsafe_too, &|_, _| {}).expect("as before");
    assert!(second.files.is_empty(), "a second fix changes {}", second.files[0].shown);
}

#[derive(Debug)]
struct Nobody;

impl Host for Nobody {
    fn run_json(&self, _: &Report, _: &str, _: Lang) -> Option<Value> {
        None
    }

    fn target(&self, target: Target) -> Result<Target, Message> {
        Ok(target)
    }

    fn is_running(&self, _: u32) -> bool {
        true
    }

    fn language(&self) -> Lang {
        Lang::En
    }
}

fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The server answers `shutdown` after any bytes, unless they are a header that announces more.
pub fn messages(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(server);
        let serving = session(input, output, Arc::new(Nobody));
        let (mut answers, mut requests) = tokio::io::split(client);
        let talking = async {
            let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}});
            let _ = requests.write_all(&framed(&hello)).await;
            let _ = requests.write_all(bytes).await;
            let _ = requests.write_all(&framed(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))).await;
            let _ = requests.shutdown().await;
            let mut all = Vec::new();
            let _ = answers.read_to_end(&mut all).await;
        };
        let both = async { tokio::join!(serving, talking) };
        assert!(tokio::time::timeout(Duration::from_secs(20), both).await.is_ok(), "the server hangs");
    });
}
