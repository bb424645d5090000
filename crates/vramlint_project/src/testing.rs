//! Test support of this crate: temporary folders, and small parsers and rules that replace the real ones, so that the tests cover
//! only this layer.

use crate::backend::Backend;
use crate::discovery::file_format::FileFormat;
use crate::report::check_with;
use crate::request::Request;
use crate::{ConfigError, Report};
use std::path::Path;
use vramlint_base::{Applicability, Edit, FileRange, Finding, Fix, Related, Severity, TextRange, message};
use vramlint_resolve::{Project, SourceFile, SourceSet, Syntax};
use vramlint_rules::{Context, Rule, Sink};
use vramlint_syntax::data::DataFile;
use vramlint_syntax::decode::Decoded;
use vramlint_syntax::embedded::{Embedded, Language};
use vramlint_syntax::shell::Script;
use vramlint_syntax::{Comment, RefusedBy, SyntaxError};

/// A temporary folder with files.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("folders");
        std::fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.path().join(path)).expect("there")).expect("UTF-8")
    }

    pub(crate) fn request(&self, paths: &[&str]) -> Request {
        Request { cwd: self.path().to_path_buf(), paths: paths.iter().map(Into::into).collect(), jobs: 2, ..Request::default() }
    }
}

/// Small parsers: a comment runs from `#` to the end of its line; a line `BROKEN` is a syntax error; a text with `PANIC-READER`
/// makes the parser panic.
pub(crate) fn backend() -> Backend {
    Backend { decode, parse, embedded, resolve: Project::without_runs, rules: RULES }
}

pub(crate) fn check(request: &Request) -> Result<Report, ConfigError> {
    check_with(&backend(), request, &|_, _| {})
}

/// `path:line:column name message` of each finding.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let show = |finding: &Finding| {
        let (file, start, _) = report.project.position(finding.place);
        format!("{}:{}:{} {} {}", file.path, start.line, start.column, finding.name, finding.message.en)
    };
    report.findings.iter().map(show).collect()
}

fn decode(bytes: Vec<u8>) -> Decoded {
    let binary = bytes.contains(&0);
    match String::from_utf8(bytes) {
        Ok(text) => Decoded { text, errors: Vec::new(), binary },
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let what = message!("not UTF-8", "不是 UTF-8");
            Decoded {
                text,
                errors: vec![SyntaxError { range: TextRange::at(0), message: what, refused_by: RefusedBy::All }],
                binary,
            }
        }
    }
}

fn parse(format: FileFormat, text: &str) -> Syntax {
    assert!(!text.contains("PANIC-READER"), "asked for by a test");
    let (mut comments, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let marker = if format == FileFormat::Json { "//" } else { "#" };
        if let Some(start) = content.find(marker) {
            let range = TextRange::of(at + start..at + content.len());
            comments.push(Comment {
                range,
                text: content[start + 1..].trim().into(),
                trailing: !content[..start].trim().is_empty(),
            });
        }
        if content.trim() == "BROKEN" {
            let message = message!("broken", "坏了");
            errors.push(SyntaxError { range: TextRange::of(at..at + content.len()), message, refused_by: RefusedBy::All });
        }
        at += line.len();
    }
    match format {
        FileFormat::Bash | FileFormat::PowerShell | FileFormat::EnvFile => {
            Syntax::Script(Script { comments, errors, ..Script::default() }.into())
        }
        FileFormat::Markdown | FileFormat::Makefile | FileFormat::Dockerfile | FileFormat::Batch | FileFormat::Text => {
            Syntax::Text
        }
        _ => Syntax::Data(DataFile { json: format == FileFormat::Json, comments, errors, ..DataFile::default() }.into()),
    }
}

/// The first fenced block of a document, its indentation removed.
fn embedded(format: FileFormat, text: &str) -> Vec<Embedded> {
    if format != FileFormat::Markdown {
        return Vec::new();
    }
    let Some(start) = text.find("```yaml\n").map(|at| at + "```yaml\n".len()) else { return Vec::new() };
    let end = start + text[start..].find("```").unwrap_or(text.len() - start);
    let (mut own, mut map, mut at) = (String::new(), Vec::new(), start);
    for line in text[start..end].split_inclusive('\n') {
        let bare = line.trim_start_matches(' ');
        map.push((own.len() as u32, (at + line.len() - bare.len()) as u32));
        own.push_str(bare);
        at += line.len();
    }
    let range = TextRange::of(start..end);
    vec![Embedded { language: Language::Yaml, name: None, text: own, range, map, is_executed: false, is_shown: false }]
}

/// A project of one document with one embedded text.
pub(crate) fn embedded_project(host: &str) -> Project {
    let file = |id: u32, text: &str, host| SourceFile {
        id: vramlint_base::FileId(id),
        path: "README.md".into(),
        text: text.into(),
        tree: Syntax::Text.into(),
        decode_errors: Vec::new(),
        host,
        policy: 0,
        reported: true,
    };
    let part = embedded(FileFormat::Markdown, host).remove(0);
    let inner = file(1, &part.text.clone(), Some((vramlint_base::FileId(0), part.into())));
    Project::without_runs(SourceSet::new(vec![file(0, host, None), inner], Vec::new(), Vec::new()))
}

/// Reports every `BAD`. Safe fix: `GOOD`. Related: the first `OTHER` in any file.
static BAD_WORD: Rule = rule("VL601", "bad-word", Some(bad_word));
/// Reports every `UGLY`. Unsafe fix: `PRETTY`. For `UGLY!`, a safe fix that breaks the text; for `UGLY?`, a safe fix that leaves the
/// finding.
static OTHER_WORD: Rule = rule("VL602", "other-word", Some(other_word));
/// Panics if a text asks for it.
static PANICS: Rule = rule("VL701", "panics", Some(panics));

/// Small rules, by code.
pub(crate) static RULES: &[&Rule] = &[&BAD_WORD, &OTHER_WORD, &PANICS];

const fn rule(code: &'static str, name: &'static str, check: Option<fn(&Context<'_>, &mut Sink)>) -> Rule {
    Rule { check, ..Rule::without_check(code, name, Severity::Warning, "") }
}

/// All ranges of `needle`; hosts are skipped if their embedded text contains it.
fn places(project: &Project, needle: &str) -> Vec<FileRange> {
    let hosts: Vec<_> =
        project.files.iter().filter_map(|file| file.host.as_ref()).map(|(host, part)| (*host, part.range)).collect();
    let mut out = Vec::new();
    for file in &project.files {
        // A rule reads trees, so a parser that panics does so here.
        file.syntax();
        let at = file.text.match_indices(needle).map(|(at, _)| FileRange::new(file.id, TextRange::of(at..at + needle.len())));
        out.extend(at.filter(|place| !hosts.iter().any(|(host, range)| *host == place.file && range.contains(place.range))));
    }
    out
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature of a rule
fn bad_word(context: &Context<'_>, sink: &mut Sink) {
    let other = places(context.project, "OTHER").first().copied();
    for place in places(context.project, "BAD") {
        let edit = Edit { place, text: "GOOD".into() };
        sink.findings.push(Finding {
            code: BAD_WORD.code,
            name: BAD_WORD.name,
            severity: BAD_WORD.severity,
            message: message!("a bad word", "坏词"),
            help: None,
            place,
            related: other.map(|place| Related { place, message: message!("here", "此处") }).into_iter().collect(),
            run: None,
            fixes: vec![Fix { title: message!("write GOOD", "写 GOOD"), applicability: Applicability::Safe, edits: vec![edit] }],
        });
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature of a rule
fn other_word(context: &Context<'_>, sink: &mut Sink) {
    for place in places(context.project, "UGLY") {
        let file = context.project.file(place.file);
        let next = file.text.get(place.range.end as usize..).and_then(|rest| rest.chars().next());
        let (applicability, text) = match next {
            Some('!') => (Applicability::Safe, "\nBROKEN\n"),
            Some('?') => (Applicability::Safe, "UGLY "),
            _ => (Applicability::Unsafe, "PRETTY"),
        };
        let fix = Fix { title: message!("rewrite", "改写"), applicability, edits: vec![Edit { place, text: text.into() }] };
        sink.findings.push(Finding {
            code: OTHER_WORD.code,
            name: OTHER_WORD.name,
            severity: OTHER_WORD.severity,
            message: message!("an ugly word", "丑词"),
            help: None,
            place,
            related: Vec::new(),
            run: None,
            fixes: vec![fix],
        });
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature of a rule
fn panics(context: &Context<'_>, out: &mut Sink) {
    for place in places(context.project, "FOUND-BEFORE") {
        out.findings.push(Finding {
            name: PANICS.name,
            code: PANICS.code,
            severity: Severity::Info,
            message: message!("found before", "此前发现"),
            help: None,
            place,
            related: Vec::new(),
            run: None,
            fixes: Vec::new(),
        });
    }
    assert!(places(context.project, "PANIC-RULE").is_empty(), "asked for by a test");
}
