//! Projects and reports made by hand, for the tests of the formats.

use std::collections::BTreeMap;
use std::sync::Arc;
use vramlint_base::{Applicability, Edit, FileId, Finding, Fix, LineIndex, Place, Related, Severity, TextRange, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_project::Report;
use vramlint_resolve::{Candidate, KindGuess, Origin, Policy, Project, Resolved, Run, Setting, SourceFile, Syntax};
use vramlint_syntax::embedded::{Embedded, Language};

/// A report in the making.
pub(crate) struct Fixture {
    project: Project,
    findings: Vec<Finding>,
}

impl Fixture {
    /// Files by path and text. They are not read: the formats show what is reported.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self { project: Project::default(), findings: Vec::new() };
        let mut fixture = files.iter().fold(fixture, |fixture, (path, text)| fixture.file(source(path, text)));
        fixture.project.policies = vec![Policy::default()];
        fixture
    }

    /// Another file.
    pub(crate) fn file(mut self, mut file: SourceFile) -> Self {
        file.id = FileId(u32::try_from(self.project.files.len()).expect("few files"));
        self.project.files.push(file);
        self.project.kinds.push(KindGuess { kind: vramlint_resolve::Kind::Other, confidence: 0, why: message!("", "") });
        self
    }

    /// A finding, made when the files are known.
    pub(crate) fn finding(mut self, make: impl Fn(&Project) -> Finding) -> Self {
        self.findings.push(make(&self.project));
        self
    }

    /// A run, made when the files are known.
    pub(crate) fn run(mut self, make: impl Fn(&Project) -> Run) -> Self {
        let run = make(&self.project);
        self.project.runs.push(run);
        self
    }

    /// The report.
    pub(crate) fn report(self) -> Report {
        let files = self.project.files.iter().filter(|file| file.host.is_none()).count();
        Report {
            project: Arc::new(self.project),
            findings: self.findings,
            files,
            fail_on: None,
            lang: None,
            models: Vec::new(),
            configs: Vec::new(),
            skipped: Vec::new(),
        }
    }
}

fn source(path: &str, text: &str) -> SourceFile {
    SourceFile {
        id: FileId(0),
        path: path.to_owned(),
        text: text.into(),
        lines: LineIndex::new(text),
        syntax: Syntax::Text,
        decode_errors: Vec::new(),
        host: None,
        policy: 0,
        reported: true,
    }
}

/// A text that stands as it is in the host with this number and text.
pub(crate) fn embedded(host: u32, host_text: &str, text: &str) -> SourceFile {
    let start = host_text.find(text).expect("in the host") as u32;
    let range = TextRange::new(start, start + text.len() as u32);
    let embedded = Embedded { language: Language::Yaml, text: text.to_owned(), range, map: vec![(0, start)], name: None };
    SourceFile { host: Some((FileId(host), Arc::new(embedded))), ..source("README.md", text) }
}

/// The first place of `needle` in a file.
pub(crate) fn place(project: &Project, file: u32, needle: &str) -> Place {
    let start = project.files[file as usize].text.find(needle).expect("in the text") as u32;
    Place::new(FileId(file), TextRange::new(start, start + needle.len() as u32))
}

/// A finding at the first place of `needle` in a file.
pub(crate) fn finding(file: u32, needle: &str) -> impl Fn(&Project) -> Finding {
    let needle = needle.to_owned();
    move |project| Finding {
        code: "VL999",
        name: "odd-value",
        severity: Severity::Warning,
        message: message!("`{needle}` is odd", "`{needle}` 很奇怪"),
        help: Some(message!("make it even", "改成偶数")),
        place: place(project, file, &needle),
        related: Vec::new(),
        run: None,
        fixes: Vec::new(),
    }
}

/// The same with another end.
pub(crate) fn related(make: impl Fn(&Project) -> Finding, file: u32, needle: &str) -> impl Fn(&Project) -> Finding {
    let needle = needle.to_owned();
    move |project| {
        let mut finding = make(project);
        let message = message!("the other end", "另一端");
        finding.related.push(Related { place: place(project, file, &needle), message });
        finding
    }
}

/// The same with a fix that replaces the place of the finding.
pub(crate) fn with_fix(make: impl Fn(&Project) -> Finding, how: Applicability, text: &str) -> impl Fn(&Project) -> Finding {
    let text = text.to_owned();
    move |project| {
        let mut finding = make(project);
        let edits = vec![Edit { place: finding.place, text: text.clone() }];
        finding.fixes.push(Fix { title: message!("write {text}", "写成 {text}"), applicability: how, edits });
        finding
    }
}

/// A run that stands at the start of a file.
pub(crate) fn run(id: &str, file: u32, settings: &[(Concept, Setting)]) -> impl Fn(&Project) -> Run {
    let (id, settings) = (id.to_owned(), settings.iter().cloned().collect::<BTreeMap<_, _>>());
    move |project| {
        let end = project.files[file as usize].text.lines().next().unwrap_or_default().len() as u32;
        Run {
            id: id.clone(),
            place: Place::new(FileId(file), TextRange::new(0, end)),
            launcher: None,
            launch: None,
            dialect: Dialect::Plain,
            task: None,
            entry: None,
            code: None,
            accelerate: None,
            deepspeed: None,
            files: vec![FileId(file)],
            absent: Vec::new(),
            settings: settings.clone(),
        }
    }
}

/// A candidate with a known value.
pub(crate) fn candidate(value: Value, origin: Origin) -> Candidate {
    Candidate { value: Resolved::Known(value), raw: String::new(), origin, condition: None, assumptions: Vec::new() }
}
