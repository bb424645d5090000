//! Loads discovered files as [`SourceFile`]s: bytes, text, syntax tree and embedded texts.

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
use vramlint_base::{FileId, FileRange, Finding, Message, TextRange, message, panic_message};
use vramlint_resolve::{SourceFile, SourceText, Syntax, SyntaxTree};
use vramlint_rules::engine::{FILE_TOO_LARGE, UNREADABLE_FILE};
use vramlint_syntax::embedded::Embedded;

/// A parsed text with its embedded texts.
#[derive(Debug)]
pub(crate) struct ParsedText {
    /// The syntax tree.
    pub tree: SyntaxTree,
    /// The embedded texts with their trees.
    pub embedded: Vec<(Arc<Embedded>, SyntaxTree)>,
    /// The message of a panic before parsing, which is a bug in vramlint. The trees hold those of the parsers.
    pub panic: Option<String>,
}

/// The sources of a project.
#[derive(Debug, Default)]
pub(crate) struct ProjectSources {
    /// The files; embedded texts follow their hosts directly.
    pub files: Vec<SourceFile>,
    /// Findings about files that are unreadable or too large, or that make a parser panic.
    pub findings: Vec<Finding>,
}

impl ParsedText {
    /// The result for a file without readable content.
    fn unreadable() -> Self {
        Self { tree: Syntax::Unreadable.into(), embedded: Vec::new(), panic: None }
    }
}

/// A text with its trees, which are parsed when they are needed, and its embedded texts.
pub(crate) fn parse_text(backend: &Backend, format: FileFormat, text: &Arc<str>) -> ParsedText {
    let parse = backend.parse;
    let own = Arc::clone(text);
    let tree = SyntaxTree::lazy(format.syntax_kind(), move || catch_panic(|| parse(format, &own)));
    let (parts, panic) = match catch_unwind(AssertUnwindSafe(|| (backend.embedded)(format, text))) {
        Ok(parts) => (parts, None),
        Err(payload) => (Vec::new(), Some(panic_message(payload.as_ref()).to_owned())),
    };
    let embedded = parts.into_iter().map(|part| {
        let format = embedded_format(part.language);
        let part = Arc::new(part);
        let own = Arc::clone(&part);
        (part, SyntaxTree::lazy(format.syntax_kind(), move || catch_panic(|| parse(format, &own.text))))
    });
    ParsedText { tree, embedded: embedded.collect(), panic }
}

/// The result of a parser, or the message of its panic.
fn catch_panic(parse: impl FnOnce() -> Syntax) -> Result<Syntax, String> {
    catch_unwind(AssertUnwindSafe(parse)).map_err(|payload| panic_message(payload.as_ref()).to_owned())
}

/// Number of syntax errors in a text and its embedded texts.
pub(crate) fn error_count(read: &ParsedText) -> usize {
    let count = |tree: &SyntaxTree| match tree.get() {
        Syntax::Data(data) => data.errors.len(),
        Syntax::Python(module) => module.errors.len(),
        Syntax::Script(script) => script.errors.len(),
        Syntax::Text => 0,
        Syntax::Unreadable => 1,
    };
    count(&read.tree) + read.embedded.iter().map(|(_, tree)| count(tree)).sum::<usize>()
}

/// A parsed file without an id.
#[derive(Debug)]
pub(crate) struct ParsedSource {
    /// The text.
    pub text: SourceText,
    /// The tree and the embedded texts.
    pub parsed: ParsedText,
    /// Errors in its encoding.
    decode_errors: Vec<vramlint_syntax::SyntaxError>,
    /// Why it was not read.
    problem: Option<ReadProblem>,
}

impl ParsedSource {
    /// A text that was read without errors.
    pub(crate) fn new(text: impl Into<SourceText>, parsed: ParsedText) -> Self {
        Self { text: text.into(), parsed, decode_errors: Vec::new(), problem: None }
    }

    /// Whether the file could not be read or decoded, or a parser panicked.
    pub(crate) fn has_errors(&self) -> bool {
        self.parsed.panic.is_some() || self.problem.is_some() || !self.decode_errors.is_empty()
    }
}

/// Assigns ids to the files, followed by the configuration files and the version files, so that findings can refer to them.
/// `configs[i]` is the configuration of policy `i`.
pub(crate) fn assemble_sources<'a>(
    files: impl Iterator<Item = (&'a DiscoveredFile, &'a ParsedSource)>,
    configs: &[Option<(String, Config)>],
    versions: impl Iterator<Item = &'a VersionFile>,
) -> ProjectSources {
    let mut out = ProjectSources::default();
    for (discovered, loaded) in files {
        add(&mut out, discovered, loaded);
    }
    let mut known: HashSet<String> = out.files.iter().map(|file| file.path.clone()).collect();
    for (policy, config) in configs.iter().enumerate() {
        if let Some((shown, config)) = config.as_ref().filter(|(shown, _)| !known.contains(shown)) {
            push(&mut out, shown, Arc::clone(&config.text), Syntax::Text.into(), policy, false);
            known.insert(shown.clone());
        }
    }
    for file in versions.filter(|file| file.placed && !file.mentions.is_empty()) {
        if known.insert(file.shown.clone()) {
            push(&mut out, &file.shown, Arc::clone(&file.text), Syntax::Text.into(), 0, false);
        }
    }
    out
}

/// Reads one file.
pub(crate) fn load(backend: &Backend, disk: &OverlayFs, discovered: &DiscoveredFile) -> ParsedSource {
    let unreadable = |problem| ParsedSource {
        text: SourceText::default(),
        parsed: ParsedText::unreadable(),
        decode_errors: Vec::new(),
        problem: Some(problem),
    };
    if let Some(problem) = &discovered.problem {
        return unreadable(problem.clone());
    }
    let bytes = match disk.read_found(discovered) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(ReadProblem::Unreadable(error.to_string())),
    };
    let decoded = match catch_unwind(AssertUnwindSafe(|| (backend.decode)(bytes))) {
        Ok(decoded) => decoded,
        Err(payload) => {
            let mut loaded = ParsedSource::new("", ParsedText::unreadable());
            loaded.parsed.panic = Some(panic_message(payload.as_ref()).to_owned());
            return loaded;
        }
    };
    let text = SourceText::from(decoded.text);
    // Every file is asked for these. Here the threads share the work.
    text.features();
    if discovered.format == FileFormat::Python {
        text.imports();
    }
    let parsed = if decoded.binary { ParsedText::unreadable() } else { parse_text(backend, discovered.format, &text.shared()) };
    ParsedSource { decode_errors: decoded.errors, ..ParsedSource::new(text, parsed) }
}

fn add(out: &mut ProjectSources, discovered: &DiscoveredFile, loaded: &ParsedSource) {
    let id = FileId(out.files.len() as u32);
    out.files.push(SourceFile {
        id,
        path: discovered.shown.clone(),
        text: loaded.text.clone(),
        tree: loaded.parsed.tree.clone(),
        decode_errors: loaded.decode_errors.clone(),
        host: None,
        policy: discovered.config,
        reported: discovered.reported,
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
    for (part, tree) in &loaded.parsed.embedded {
        let text = part.text.as_str().into();
        let inner = push(out, &discovered.shown, text, tree.clone(), discovered.config, discovered.reported);
        out.files[inner.0 as usize].host = Some((id, Arc::clone(part)));
    }
}

fn too_large(bytes: u64) -> Message {
    let mib = bytes >> 20;
    message!(
        "the file has {mib} MiB, too large for configuration; it is not read",
        "文件大小为 {mib} MiB，不会是配置文件；未读取"
    )
}

fn push(out: &mut ProjectSources, shown: &str, text: Arc<str>, tree: SyntaxTree, policy: usize, reported: bool) -> FileId {
    let id = FileId(out.files.len() as u32);
    let path = shown.to_owned();
    out.files.push(SourceFile { id, path, text: text.into(), tree, decode_errors: Vec::new(), host: None, policy, reported });
    id
}
