//! From found files to [`SourceFile`]s: bytes, text, tree, and the texts embedded in it.

use crate::backend::{Backend, embedded_format};
use crate::config::Config;
use crate::discovery::file_format::FileFormat;
use crate::discovery::{DiscoveredFile, ReadProblem};
use crate::internal_error;
use crate::overlay_fs::OverlayFs;
use crate::versions::VersionFile;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, Finding, LineIndex, Message, TextRange, message, panic_message};
use vramlint_resolve::{SourceFile, Syntax};
use vramlint_rules::engine::{FILE_TOO_LARGE, UNREADABLE_FILE};
use vramlint_syntax::embedded::Embedded;

/// A text and the texts in it, read.
#[derive(Debug)]
pub(crate) struct ParsedText {
    /// The tree.
    pub syntax: Syntax,
    /// The texts inside, with their trees.
    pub embedded: Vec<(Arc<Embedded>, Syntax)>,
    /// The message of a reader's panic: a bug in vramlint.
    pub panic: Option<String>,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct ProjectSources {
    /// The files, embedded texts directly behind their hosts.
    pub files: Vec<SourceFile>,
    /// Files that could not be read, are too large, or made a reader fail.
    pub findings: Vec<Finding>,
}

impl ParsedText {
    /// Of a file without readable content.
    fn unreadable() -> Self {
        Self { syntax: Syntax::Unreadable, embedded: Vec::new(), panic: None }
    }
}

/// Parses a text and its embedded texts. If a reader panics, its tree is unreadable.
pub(crate) fn parse_text(backend: &Backend, format: FileFormat, text: &str) -> ParsedText {
    let mut panic = None;
    let mut parse = |format, text: &str| {
        catch_unwind(AssertUnwindSafe(|| (backend.parse)(format, text))).unwrap_or_else(|payload| {
            panic = Some(panic_message(payload.as_ref()).to_owned());
            Syntax::Unreadable
        })
    };
    let syntax = parse(format, text);
    let (parts, embedded_panic) = match catch_unwind(AssertUnwindSafe(|| (backend.embedded)(format, text))) {
        Ok(parts) => (parts, None),
        Err(payload) => (Vec::new(), Some(panic_message(payload.as_ref()).to_owned())),
    };
    let embedded = parts.into_iter().map(|part| {
        let syntax = parse(embedded_format(part.language), &part.text);
        (Arc::new(part), syntax)
    });
    let embedded = embedded.collect();
    ParsedText { syntax, embedded, panic: panic.or(embedded_panic) }
}

/// Number of errors that the readers see in a text and in the texts inside.
pub(crate) fn error_count(read: &ParsedText) -> usize {
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
#[derive(Debug)]
pub(crate) struct ParsedSource {
    /// Its text.
    pub text: Arc<str>,
    /// Its lines.
    lines: LineIndex,
    /// Its tree and the texts inside.
    pub parsed: ParsedText,
    /// What was wrong with its bytes.
    decode_errors: Vec<vramlint_syntax::SyntaxError>,
    /// Why it was not read.
    problem: Option<ReadProblem>,
}

impl ParsedSource {
    /// A text that was read without a fault.
    pub(crate) fn new(text: Arc<str>, parsed: ParsedText) -> Self {
        let lines = LineIndex::new(&text);
        Self { text, lines, parsed, decode_errors: Vec::new(), problem: None }
    }

    /// Whether something was wrong with its bytes, or with us.
    pub(crate) fn has_errors(&self) -> bool {
        self.parsed.panic.is_some() || self.problem.is_some() || !self.decode_errors.is_empty()
    }
}

/// Numbers files, and behind them the configuration files and those that name versions, so that findings can point there.
/// `configs[i]` is the configuration of policy `i`.
pub(crate) fn assemble_sources<'a>(
    files: impl Iterator<Item = (&'a DiscoveredFile, &'a ParsedSource)>,
    configs: &[Option<(String, Config)>],
    versions: impl Iterator<Item = &'a VersionFile>,
) -> ProjectSources {
    let mut out = ProjectSources::default();
    for (found, loaded) in files {
        add(&mut out, found, loaded);
    }
    let mut known: HashSet<String> = out.files.iter().map(|file| file.path.clone()).collect();
    for (policy, config) in configs.iter().enumerate() {
        if let Some((shown, config)) = config.as_ref().filter(|(shown, _)| !known.contains(shown)) {
            push(&mut out, shown, Arc::clone(&config.text), Syntax::Text, policy, false);
            known.insert(shown.clone());
        }
    }
    for file in versions.filter(|file| file.placed && !file.mentions.is_empty()) {
        if known.insert(file.shown.clone()) {
            push(&mut out, &file.shown, Arc::clone(&file.text), Syntax::Text, 0, false);
        }
    }
    out
}

/// Reads one file.
pub(crate) fn load(backend: &Backend, disk: &OverlayFs, found: &DiscoveredFile) -> ParsedSource {
    let unreadable = |problem| ParsedSource {
        text: "".into(),
        lines: LineIndex::new(""),
        parsed: ParsedText::unreadable(),
        decode_errors: Vec::new(),
        problem: Some(problem),
    };
    if let Some(problem) = &found.problem {
        return unreadable(problem.clone());
    }
    let bytes = match disk.read(&found.path) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(ReadProblem::Unreadable(error.to_string())),
    };
    let decoded = match catch_unwind(AssertUnwindSafe(|| (backend.decode)(bytes))) {
        Ok(decoded) => decoded,
        Err(payload) => {
            let mut loaded = ParsedSource::new("".into(), ParsedText::unreadable());
            loaded.parsed.panic = Some(panic_message(payload.as_ref()).to_owned());
            return loaded;
        }
    };
    let parsed = if decoded.binary { ParsedText::unreadable() } else { parse_text(backend, found.format, &decoded.text) };
    ParsedSource { decode_errors: decoded.errors, ..ParsedSource::new(decoded.text.into(), parsed) }
}

fn add(out: &mut ProjectSources, found: &DiscoveredFile, loaded: &ParsedSource) {
    let id = FileId(out.files.len() as u32);
    out.files.push(SourceFile {
        id,
        path: found.shown.clone(),
        text: Arc::clone(&loaded.text),
        lines: loaded.lines.clone(),
        syntax: loaded.parsed.syntax.clone(),
        decode_errors: loaded.decode_errors.clone(),
        host: None,
        policy: found.config,
        reported: found.reported,
    });
    let place = FileRange::new(id, TextRange::at(0));
    match &loaded.problem {
        Some(ReadProblem::Unreadable(why)) => {
            out.findings.push(UNREADABLE_FILE.finding(place, message!("cannot be read: {why}", "无法读取：{why}")));
        }
        Some(ReadProblem::TooLarge(bytes)) => out.findings.push(FILE_TOO_LARGE.finding(place, too_large(*bytes))),
        None => {}
    }
    if let Some(panic) = &loaded.parsed.panic {
        let what = message!("vramlint failed to read this file", "vramlint 读取此文件时出错");
        out.findings.push(internal_error::at(place, &what, panic));
    }
    for (part, syntax) in &loaded.parsed.embedded {
        let text = part.text.as_str().into();
        let inner = push(out, &found.shown, text, syntax.clone(), found.config, found.reported);
        out.files[inner.0 as usize].host = Some((id, Arc::clone(part)));
    }
}

fn too_large(bytes: u64) -> Message {
    let mib = bytes >> 20;
    message!(
        "the file has {mib} MiB, too large for configuration; it is not read",
        "文件有 {mib} MiB，超出了配置文件的大小，未读取"
    )
}

fn push(out: &mut ProjectSources, shown: &str, text: Arc<str>, syntax: Syntax, policy: usize, reported: bool) -> FileId {
    let id = FileId(out.files.len() as u32);
    let lines = LineIndex::new(&text);
    let path = shown.to_owned();
    out.files.push(SourceFile { id, path, text, lines, syntax, decode_errors: Vec::new(), host: None, policy, reported });
    id
}
