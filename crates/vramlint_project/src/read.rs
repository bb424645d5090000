//! From found files to [`SourceFile`]s: bytes, text, tree, and the texts embedded in it.

use crate::config::Config;
use crate::discovery::form::Form;
use crate::discovery::{Discovered, Found, Problem};
use crate::files::Files;
use crate::layers::{Layers, form_of};
use crate::own::{FILE_TOO_LARGE, INTERNAL_ERROR, UNREADABLE_FILE};
use crate::versions::VersionFile;
use rayon::prelude::*;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vramlint_base::{FileId, Finding, LineIndex, Message, Place, TextRange, message};
use vramlint_resolve::{SourceFile, Syntax};
use vramlint_syntax::embedded::Embedded;

/// A text and the texts in it, read.
#[derive(Debug)]
pub(crate) struct ReadText {
    /// The tree.
    pub syntax: Syntax,
    /// The texts inside, with their trees.
    pub embedded: Vec<(Embedded, Syntax)>,
    /// Whether a reader failed: our own bug.
    pub failed: bool,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// The files, embedded texts directly behind their hosts.
    pub files: Vec<SourceFile>,
    /// Files that could not be read, are too large, or made a reader fail.
    pub findings: Vec<Finding>,
}

/// Reads a text. A reader that panics gives an unreadable tree.
pub(crate) fn read_text(layers: &Layers, form: Form, text: &str) -> ReadText {
    let guarded = |form, text: &str| catch_unwind(AssertUnwindSafe(|| (layers.parse)(form, text)));
    let inner = catch_unwind(AssertUnwindSafe(|| (layers.embedded)(form, text)));
    let mut failed = inner.is_err();
    let mut parse = |form, text: &str| {
        guarded(form, text).unwrap_or_else(|_| {
            failed = true;
            Syntax::Unreadable
        })
    };
    let syntax = parse(form, text);
    let embedded = inner.unwrap_or_default().into_iter().map(|part| {
        let syntax = parse(form_of(part.language), &part.text);
        (part, syntax)
    });
    let embedded = embedded.collect();
    ReadText { syntax, embedded, failed }
}

/// Number of errors that the readers see in a text and in the texts inside.
pub(crate) fn error_count(read: &ReadText) -> usize {
    let count = |syntax: &Syntax| match syntax {
        Syntax::Data(data) => data.errors.len(),
        Syntax::Python(module) => module.errors.len(),
        Syntax::Script(script) => script.errors.len(),
        Syntax::Text => 0,
        Syntax::Unreadable => 1,
    };
    count(&read.syntax) + read.embedded.iter().map(|(_, syntax)| count(syntax)).sum::<usize>()
}

/// One file before it has its number.
struct Loaded {
    text: Arc<str>,
    read: ReadText,
    decode_errors: Vec<vramlint_syntax::SyntaxError>,
    problem: Option<Problem>,
}

/// Reads all files, in parallel, and the configuration files behind them, so that findings can point there.
/// `policies[i]` is the policy of configuration `i`. So do the files that name versions.
pub(crate) fn read_all(
    layers: &Layers,
    disk: &Files,
    discovered: &Discovered,
    configs: &[Option<(String, Config)>],
    versions: &[VersionFile],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Read {
    let (done, all) = (AtomicUsize::new(0), discovered.files.len());
    let loaded: Vec<Loaded> = discovered
        .files
        .par_iter()
        .map(|found| {
            let loaded = load(layers, disk, found);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            loaded
        })
        .collect();
    let mut out = Read::default();
    for (found, loaded) in discovered.files.iter().zip(loaded) {
        add(&mut out, found, loaded);
    }
    for (policy, config) in configs.iter().enumerate() {
        if let Some((shown, config)) = config.as_ref().filter(|(shown, _)| out.files.iter().all(|file| file.path != *shown)) {
            let read = ReadText { syntax: Syntax::Text, embedded: Vec::new(), failed: false };
            push(&mut out, shown, config.text.clone(), read.syntax, policy, false);
        }
    }
    let mut known: HashSet<String> = out.files.iter().map(|file| file.path.clone()).collect();
    for file in versions.iter().filter(|file| file.placed && !file.mentions.is_empty()) {
        if known.insert(file.shown.clone()) {
            push(&mut out, &file.shown, Arc::clone(&file.text), Syntax::Text, 0, false);
        }
    }
    out
}

fn load(layers: &Layers, disk: &Files, found: &Found) -> Loaded {
    let unreadable = |problem| Loaded {
        text: "".into(),
        read: ReadText { syntax: Syntax::Unreadable, embedded: Vec::new(), failed: false },
        decode_errors: Vec::new(),
        problem: Some(problem),
    };
    if let Some(problem) = &found.problem {
        return unreadable(problem.clone());
    }
    let bytes = match disk.read(&found.path) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(Problem::Unreadable(error.to_string())),
    };
    let Ok(decoded) = catch_unwind(AssertUnwindSafe(|| (layers.decode)(bytes))) else {
        let mut loaded = unreadable(Problem::Unreadable(String::new()));
        (loaded.read.failed, loaded.problem) = (true, None);
        return loaded;
    };
    let read = if decoded.binary {
        ReadText { syntax: Syntax::Unreadable, embedded: Vec::new(), failed: false }
    } else {
        read_text(layers, found.form, &decoded.text)
    };
    Loaded { text: decoded.text.into(), read, decode_errors: decoded.errors, problem: None }
}

fn add(out: &mut Read, found: &Found, loaded: Loaded) {
    let id = push(out, &found.shown, loaded.text, loaded.read.syntax, found.config, found.reported);
    out.files[id.0 as usize].decode_errors = loaded.decode_errors;
    let place = Place::new(id, TextRange::at(0));
    match &loaded.problem {
        Some(Problem::Unreadable(why)) => {
            out.findings.push(UNREADABLE_FILE.finding(place, message!("cannot be read: {why}", "无法读取：{why}"), None));
        }
        Some(Problem::TooLarge(bytes)) => out.findings.push(FILE_TOO_LARGE.finding(place, too_large(*bytes), None)),
        None => {}
    }
    if loaded.read.failed {
        let what = message!(
            "vramlint failed to read this file; this is a bug of vramlint",
            "vramlint 读取此文件时出错，这是 vramlint 的缺陷"
        );
        out.findings.push(INTERNAL_ERROR.finding(place, what, Some(please_report())));
    }
    for (part, syntax) in loaded.read.embedded {
        let text = part.text.as_str().into();
        let inner = push(out, &found.shown, text, syntax, found.config, found.reported);
        out.files[inner.0 as usize].host = Some((id, Arc::new(part)));
    }
}

/// What a finding about our own failure asks for.
pub(crate) fn please_report() -> Message {
    message!(
        "please report it with the smallest file that shows it; the other findings are not affected",
        "请附上能重现问题的最小文件提交报告；其他结果不受影响"
    )
}

fn too_large(bytes: u64) -> Message {
    let mib = bytes >> 20;
    message!("{mib} MiB is more than configuration takes, the file is not read", "文件有 {mib} MiB，超出了配置文件的大小，未读取")
}

fn push(out: &mut Read, shown: &str, text: Arc<str>, syntax: Syntax, policy: usize, reported: bool) -> FileId {
    let id = FileId(out.files.len() as u32);
    let lines = LineIndex::new(&text);
    let path = shown.to_owned();
    out.files.push(SourceFile { id, path, text, lines, syntax, decode_errors: Vec::new(), host: None, policy, reported });
    id
}
