//! `--add-ignore`: writes suppressions for all findings, with a reason.
//!
//! A comment gets its own line above the finding, which works for every line. If that has no effect or breaks the file (inside a
//! multi-line string, which has no comments), `ignore-file` is added at the head of the file. If the format has no comments, the
//! rule is added to `[lint.per-file-ignores]` of the configuration. After each step, everything is checked again, so the report
//! contains every finding that could not be suppressed.

use super::config_entry::with_ignores;
use crate::backend::Backend;
use crate::bounded_file::{MAX_READ, read_file};
use crate::discovery::paths::{absolute, relative, shown};
use crate::fix::FixedFile;
use crate::fix::count_errors;
use crate::report::check_with;
use crate::{ConfigError, Report, Request};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use vramlint_base::visible::acts_on_display;
use vramlint_base::{FileId, FileRange, Finding};
use vramlint_resolve::{Project, SourceFile, Syntax};

/// Maximum number of rounds: every finding is tried in each placement once, and a broken file may cost a round.
const MAX_ROUNDS: usize = 8;

/// The result of adding suppressions in memory.
#[derive(Debug)]
pub struct AddIgnoreOutcome {
    /// Changed files, by path; for a new configuration, `before` is empty.
    pub files: Vec<FixedFile>,
    /// The report with the suppressions; its findings could not be suppressed.
    pub report: Report,
    /// Number of findings that are now suppressed.
    pub count: usize,
}

/// Where a finding is suppressed, in the order in which the placements are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placement {
    Above,
    FileHead,
    Configuration,
    Never,
}

/// What to suppress: a rule on a line of a host file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub(super) file: FileId,
    pub(super) line: u32,
    pub(super) name: &'static str,
}

/// Adds a suppression for every finding of a request, in memory.
pub fn add_ignores(
    request: &Request,
    reason: &str,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<AddIgnoreOutcome, ConfigError> {
    add_with(&Backend::standard(), request, reason, progress)
}

pub(crate) fn add_with(
    backend: &Backend,
    request: &Request,
    reason: &str,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<AddIgnoreOutcome, ConfigError> {
    let first = check_with(backend, request, progress)?;
    let project = &first.project;
    let mut placements: BTreeMap<Target, Placement> = first
        .findings
        .iter()
        .map(|finding| {
            (
                target(project, finding),
                if comment(project.file(finding.place.file)).is_some() { Placement::Above } else { Placement::Configuration },
            )
        })
        .collect();
    let writer = IgnoreWriter { backend, request, project, reason: one_line(reason) };
    let mut last = None;
    for _ in 0..MAX_ROUNDS {
        let texts = writer.texts(&mut placements);
        let mut next = request.clone();
        for text in texts.values() {
            next.overlay.insert(text.path.clone(), text.after.clone().into_bytes());
        }
        let report = check_with(backend, &next, progress)?;
        let left: BTreeSet<Target> =
            report.findings.iter().filter_map(|finding| writer.original(&report.project, finding, &texts)).collect();
        let mut changed = false;
        for (target, placement) in &mut placements {
            if left.contains(target) && *placement != Placement::Never {
                *placement = placement.next();
                changed = true;
            }
        }
        last = Some((texts, report));
        if !changed {
            break;
        }
    }
    let (texts, report) = last.unwrap_or_else(|| (BTreeMap::new(), first.clone()));
    let count = first.findings.len().saturating_sub(report.findings.len());
    let files = texts.into_values().filter(|text| text.before != text.after);
    let files = files.map(|text| FixedFile {
        shown: shown(&text.path, &request.cwd),
        path: text.path,
        before: text.before,
        after: text.after,
        applied: Vec::new(),
    });
    Ok(AddIgnoreOutcome { files: files.collect(), count, report })
}

impl Placement {
    const fn next(self) -> Self {
        match self {
            Self::Above => Self::FileHead,
            Self::FileHead => Self::Configuration,
            Self::Configuration | Self::Never => Self::Never,
        }
    }
}

/// A file with suppressions added.
#[derive(Clone, Debug)]
pub(super) struct RewrittenFile {
    path: PathBuf,
    before: String,
    pub(super) after: String,
    /// The old number of each line; `None` for a new line.
    pub(super) old_lines: Vec<Option<u32>>,
    file: Option<FileId>,
}

pub(super) struct IgnoreWriter<'a> {
    pub(super) backend: &'a Backend,
    pub(super) request: &'a Request,
    pub(super) project: &'a Project,
    pub(super) reason: String,
}

impl IgnoreWriter<'_> {
    /// The changed files. Placements that would break a file advance to the next one first.
    fn texts(&self, placements: &mut BTreeMap<Target, Placement>) -> BTreeMap<PathBuf, RewrittenFile> {
        let files: BTreeSet<FileId> = placements.keys().map(|target| target.file).collect();
        let mut out = BTreeMap::new();
        for id in files {
            let own: Vec<Target> = placements.keys().filter(|target| target.file == id).cloned().collect();
            let mut text = self.text(id, placements, &own);
            if self.breaks(id, &text.after) {
                let alone = |target: &Target| self.breaks(id, &self.text(id, placements, std::slice::from_ref(target)).after);
                let mut breaking: Vec<Target> = own.iter().filter(|target| alone(target)).cloned().collect();
                if breaking.is_empty() {
                    breaking.clone_from(&own);
                }
                for target in breaking {
                    // A comment at the head may break the file as well; later rounds handle that.
                    if let Some(placement) = placements.get_mut(&target) {
                        *placement = placement.next();
                    }
                }
                text = self.text(id, placements, &own);
                if self.breaks(id, &text.after) {
                    placements
                        .iter_mut()
                        .filter(|(target, _)| target.file == id)
                        .for_each(|(_, placement)| *placement = (*placement).max(Placement::Configuration));
                    text = self.text(id, placements, &own);
                }
            }
            out.insert(text.path.clone(), text);
        }
        self.configurations(placements, &mut out);
        out
    }

    pub(super) fn breaks(&self, id: FileId, after: &str) -> bool {
        let file = self.project.file(id);
        count_errors(self.backend, &file.path, after) > count_errors(self.backend, &file.path, &file.text)
    }

    /// A file with the comments for some targets.
    pub(super) fn text(&self, id: FileId, placements: &BTreeMap<Target, Placement>, targets: &[Target]) -> RewrittenFile {
        let file = self.project.file(id);
        let mut above: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        let mut head: BTreeSet<&str> = BTreeSet::new();
        for target in targets {
            match placements.get(target) {
                Some(Placement::Above) => _ = above.entry(self.line_above(file, target.line)).or_default().insert(target.name),
                Some(Placement::FileHead) => _ = head.insert(target.name),
                _ => {}
            }
        }
        let (mut after, mut old_lines) = (String::with_capacity(file.text.len()), Vec::new());
        let head_line = head_line(file);
        for (number, line) in (0..).zip(file.text.split_inclusive('\n')) {
            let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
            let bare = line.trim_start_matches('\u{feff}');
            after.push_str(&line[..line.len() - bare.len()]);
            if number == head_line && !head.is_empty() {
                self.push(&mut after, file, "", "ignore-file", &head, end);
                old_lines.push(None);
            }
            if let Some(names) = above.get(&number) {
                let indent =
                    if is_makefile(file) { "" } else { &bare[..bare.len() - bare.trim_start_matches([' ', '\t']).len()] };
                self.push(&mut after, file, indent, "ignore", names, end);
                old_lines.push(None);
            }
            after.push_str(bare);
            old_lines.push(Some(number));
        }
        if file.text.is_empty() && !head.is_empty() {
            self.push(&mut after, file, "", "ignore-file", &head, "\n");
        }
        let path = absolute(&self.request.cwd, Path::new(&file.path));
        RewrittenFile { path, before: file.text.to_string(), after, old_lines, file: Some(id) }
    }

    fn push(&self, out: &mut String, file: &SourceFile, indent: &str, word: &str, names: &BTreeSet<&str>, end: &str) {
        let Some((open, close)) = comment(file) else { return };
        let names = names.iter().copied().collect::<Vec<_>>().join(", ");
        let reason = if close.is_empty() { self.reason.clone() } else { self.reason.replace("--", "-") };
        let line = format!("{indent}{open} vramlint: {word}[{names}] {reason}");
        out.extend([line.trim_end(), close, end]);
    }

    /// The line to put a comment above so that it applies to `line`: the first line of a multi-line command, or the fence of an
    /// example.
    fn line_above(&self, file: &SourceFile, line: u32) -> u32 {
        let inside = |inner: &&SourceFile| {
            inner.host.as_ref().is_some_and(|(host, part)| {
                let (first, last) =
                    (file.lines().line_of(part.range.start), file.lines().line_of(part.range.end.saturating_sub(1)));
                *host == file.id && (first..=last).contains(&line)
            })
        };
        if is_markdown(file) {
            let inner = self.project.files.iter().find(inside).and_then(|inner| inner.host.as_ref());
            return inner.map_or(line, |(_, part)| file.lines().line_of(part.range.start).saturating_sub(1));
        }
        let mark = match file.extension().as_str() {
            "ps1" => '`',
            "bat" | "cmd" => '^',
            _ => '\\',
        };
        let lines: Vec<&str> = file.text.lines().take(line as usize).collect();
        let is_continued = |text: &&&str| text.trim_end_matches('\r').ends_with(mark) && !text.trim_start().starts_with('#');
        line - lines.iter().rev().take_while(is_continued).count() as u32
    }

    /// Adds the rules that no comment can suppress to the configurations.
    fn configurations(&self, placements: &mut BTreeMap<Target, Placement>, out: &mut BTreeMap<PathBuf, RewrittenFile>) {
        for (target, placement) in placements.iter_mut().filter(|(_, placement)| **placement == Placement::Configuration) {
            if self.configure(target, out).is_none() {
                *placement = Placement::Never;
            }
        }
    }

    fn configure(&self, target: &Target, out: &mut BTreeMap<PathBuf, RewrittenFile>) -> Option<()> {
        let cwd = &self.request.cwd;
        let (policy, own) = (self.project.policy(target.file), self.project.file(target.file));
        let path = absolute(cwd, Path::new(policy.file.as_deref().unwrap_or("vramlint.toml")));
        let glob = relative(&absolute(cwd, Path::new(&own.path)), &absolute(cwd, Path::new(&policy.root)));
        // A path with glob characters, or outside the root, cannot be a key of `per-file-ignores`.
        if self.request.isolated || glob.starts_with("..") || glob.contains(['*', '?', '[', ']', '{', '}', '!', '\\']) {
            return None;
        }
        let known = out.get(&path).map(|text| text.after.clone());
        let before = match policy.file {
            Some(_) => String::from_utf8(read_file(&path, MAX_READ).ok()?).ok()?,
            None => String::new(),
        };
        let after = with_ignores(known.as_deref().unwrap_or(&before), path.ends_with("pyproject.toml"), &glob, target.name)?;
        let entry = out.entry(path.clone()).or_insert(RewrittenFile {
            path,
            before,
            after: String::new(),
            old_lines: Vec::new(),
            file: None,
        });
        entry.after = after;
        Some(())
    }

    /// The original target of a finding in the changed project; `None` if the finding is new.
    fn original(&self, project: &Project, finding: &Finding, texts: &BTreeMap<PathBuf, RewrittenFile>) -> Option<Target> {
        let now = target(project, finding);
        let path = absolute(&self.request.cwd, Path::new(&project.file(now.file).path));
        let Some(text) = texts.get(&path) else {
            let file = self.project.files.iter().find(|file| file.host.is_none() && file.path == project.file(now.file).path)?;
            return Some(Target { file: file.id, ..now });
        };
        let line = if text.old_lines.is_empty() { now.line } else { (*text.old_lines.get(now.line as usize)?)? };
        Some(Target { file: text.file?, line, name: now.name })
    }
}

pub(super) fn target(project: &Project, finding: &Finding) -> Target {
    let place: FileRange = project.to_host(finding.place);
    Target { file: place.file, line: project.file(place.file).lines().line_of(place.range.start), name: finding.name }
}

/// The opening and closing marker of a comment; `None` if the format has no comments.
pub(super) fn comment(file: &SourceFile) -> Option<(&'static str, &'static str)> {
    let extension = file.extension();
    match file.syntax() {
        Syntax::Unreadable => None,
        Syntax::Data(data) if data.json => {
            (matches!(extension.as_str(), "jsonc" | "hjson") || !data.comments.is_empty()).then_some(("//", ""))
        }
        _ if is_markdown(file) => Some(("<!--", " -->")),
        _ if matches!(extension.as_str(), "bat" | "cmd") => Some(("rem", "")),
        // Version files are not reported, and the comment syntax of any other text is unknown.
        Syntax::Text if !is_makefile(file) && !file.name().to_lowercase().contains("dockerfile") => None,
        _ => Some(("#", "")),
    }
}

/// The first line that a comment may precede: after a shebang, a `# syntax=` line or an encoding declaration.
fn head_line(file: &SourceFile) -> u32 {
    let must_be_first = |line: &&str| {
        let line = line.trim_start_matches('\u{feff}');
        line.starts_with("#!") || line.starts_with("# syntax=") || line.starts_with('#') && line.contains("coding")
    };
    file.text.lines().take_while(must_be_first).count() as u32
}

fn is_markdown(file: &SourceFile) -> bool {
    matches!(file.extension().as_str(), "md" | "markdown")
}

fn is_makefile(file: &SourceFile) -> bool {
    file.name().to_lowercase().contains("makefile") || file.extension() == "mk"
}

/// The reason on one line and without control characters.
fn one_line(reason: &str) -> String {
    let words: Vec<&str> = reason.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
    words.join(" ").replace(acts_on_display, "")
}

#[cfg(test)]
mod tests;
