//! Suppressions: comments in files that hide findings.
//!
//! A finding can be suppressed at its own range or at a related range. A comment applies to its line; a comment on its own line
//! applies to the next line of code, after further comments and blank lines. In scripts, a command that continues after `\` counts
//! as one line.

mod add_ignores;
mod comments;
mod config_entry;
pub(crate) mod directive;
mod line_spans;
mod quick_fix;
mod unused;

pub use add_ignores::{AddIgnoreOutcome, add_ignores};
pub use quick_fix::ignore_edit;

use crate::rule_selection::{RuleList, Selector};
use comments::{HostComment, HostComments, collect};
use directive::{Directive, DirectiveKind};
use line_spans::{LineSpans, NumberedLines};
use std::collections::{BTreeMap, HashMap};
use vramlint_base::{FileId, FileRange, Finding, Message, TextRange, message};
use vramlint_resolve::{Project, SourceFile};

/// One rule, or group of rules, that a comment suppresses.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The suppressed rules.
    pub selector: Selector,
    /// The range of the name; `None` if the comment names no rule.
    pub range: Option<TextRange>,
    /// Whether it suppressed anything.
    pub used: bool,
}

/// A suppression in a host file.
#[derive(Clone, Debug)]
pub(crate) struct Suppression {
    /// The host file.
    pub file: FileId,
    /// The comment, from the marker to the end of the reason.
    pub range: TextRange,
    /// The range between the brackets.
    pub list: Option<TextRange>,
    /// First and last line (from 0) that it applies to.
    pub lines: (u32, u32),
    /// The suppressed rules.
    pub entries: Vec<Entry>,
    /// Whether it is in an example in a document.
    pub in_document: bool,
    /// Whether it also names unknown rules.
    pub has_unknown: bool,
}

/// A malformed suppression.
#[derive(Clone, Debug)]
pub(crate) struct Invalid {
    /// The range.
    pub place: FileRange,
    /// What is wrong.
    pub message: Message,
    /// The most likely correction of the text in the range.
    pub meant: Option<&'static str>,
}

/// All suppressions of a project.
#[derive(Debug, Default)]
pub(crate) struct Suppressions {
    /// Suppressions, ordered by file and position.
    pub list: Vec<Suppression>,
    /// Malformed suppressions.
    pub invalid: Vec<Invalid>,
    /// The lines of the entries with each selector, by file; entries are numbered by suppression and place in it.
    by_file: HashMap<FileId, Vec<(Selector, LineSpans)>>,
    /// The suppression and the place in it of each entry.
    entries: Vec<(usize, usize)>,
}

impl Suppressions {
    /// Collects the suppressions of a project.
    pub(crate) fn read(project: &Project, rules: &RuleList) -> Self {
        let mut inner: HashMap<FileId, Vec<FileId>> = HashMap::new();
        for file in &project.files {
            if let Some((host, _)) = &file.host {
                inner.entry(*host).or_default().push(file.id);
            }
        }
        let mut out = Self::default();
        for file in project.files.iter().filter(|file| file.host.is_none() && file.text.contains("vramlint")) {
            let inner = inner.get(&file.id).map_or(&[][..], Vec::as_slice);
            let comments = collect(project, file.id, inner);
            let host = HostFile::new(project, file, inner, &comments);
            for comment in &comments.comments {
                let text = comment.range.slice(&file.text);
                for directive in directive::parse(text, comment.range.start, |word| rules.contains(word)) {
                    out.add(&host, comment, directive, rules);
                }
            }
        }
        out.index();
        out
    }

    /// Prepares [`Self::suppress`] and [`Self::names`].
    fn index(&mut self) {
        let mut spans: BTreeMap<FileId, Vec<(Selector, Vec<NumberedLines>)>> = BTreeMap::new();
        for (number, suppression) in self.list.iter().enumerate() {
            let of_file = spans.entry(suppression.file).or_default();
            for (place, entry) in suppression.entries.iter().enumerate() {
                let span = (suppression.lines.0, suppression.lines.1, self.entries.len());
                self.entries.push((number, place));
                match of_file.iter_mut().find(|(selector, _)| *selector == entry.selector) {
                    Some((_, known)) => known.push(span),
                    None => of_file.push((entry.selector.clone(), vec![span])),
                }
            }
        }
        let index = |(file, selectors): (FileId, Vec<(Selector, Vec<NumberedLines>)>)| {
            (file, selectors.into_iter().map(|(selector, spans)| (selector, LineSpans::new(spans))).collect())
        };
        self.by_file = spans.into_iter().map(index).collect();
    }

    fn add(&mut self, host: &HostFile<'_>, comment: &HostComment, directive: Directive, rules: &RuleList) {
        let place = |range| FileRange::new(host.file.id, range);
        let mut invalid = |range, message, meant| {
            if !comment.in_document {
                self.invalid.push(Invalid { place: place(range), message, meant });
            }
        };
        if directive.file && !comment.in_head && !matches!(directive.what, DirectiveKind::Malformed(_)) {
            let late = message!("`ignore-file` has no effect after the first ten lines", "`ignore-file` 只在文件的前十行有效");
            invalid(directive.range, late, None);
            return;
        }
        let mut has_unknown = false;
        let (entries, list) = match directive.what {
            DirectiveKind::Malformed(message) => {
                invalid(directive.range, message, None);
                return;
            }
            DirectiveKind::All => (vec![Entry { selector: Selector::All, range: None, used: false }], None),
            DirectiveKind::Rules { names, list } => {
                let mut entries = Vec::new();
                for (name, range) in names {
                    match rules.parse_selector(&name) {
                        Ok(selector) => entries.push(Entry { selector, range: Some(range), used: false }),
                        Err(message) => {
                            has_unknown = true;
                            invalid(range, message, rules.nearest(&name));
                        }
                    }
                }
                (entries, Some(list))
            }
        };
        let lines = if directive.file { host.lines_of(comment.text_range) } else { host.scope(comment) };
        let in_document = comment.in_document;
        self.list.push(Suppression {
            file: host.file.id,
            range: directive.range,
            list,
            lines,
            entries,
            in_document,
            has_unknown,
        });
    }

    /// Whether a finding (with ranges in host files) is suppressed. Marks every suppression that matches it as used.
    pub(crate) fn suppress(&mut self, project: &Project, finding: &Finding) -> bool {
        let mut suppressed = false;
        let places = std::iter::once(finding.place).chain(finding.related.iter().map(|related| related.place));
        for place in places {
            let Some(selectors) = self.by_file.get_mut(&place.file) else { continue };
            let line = project.file(place.file).lines().line_of(place.range.start);
            for (_, spans) in selectors.iter_mut().filter(|(selector, _)| selector.matches(finding.code)) {
                suppressed |= spans.covers(line);
                for (number, entry) in spans.take(line).into_iter().map(|number| self.entries[number]) {
                    self.list[number].entries[entry].used = true;
                }
            }
        }
        suppressed
    }

    /// Whether a finding about a suppression is itself suppressed. That needs a comment with the code of the rule; otherwise an
    /// unused `ignore` would hide that it is unused.
    pub(crate) fn names(&self, project: &Project, finding: &Finding) -> bool {
        let line = project.file(finding.place.file).lines().line_of(finding.place.range.start);
        let mut selectors = self.by_file.get(&finding.place.file).into_iter().flatten();
        selectors.any(|(selector, spans)| *selector == Selector::Rule(finding.code) && spans.covers(line))
    }
}

/// A host file with what decides where its comments apply.
struct HostFile<'a> {
    file: &'a SourceFile,
    /// First to last line of each example, by its first line.
    examples: BTreeMap<u32, u32>,
    /// Lines that are neither blank nor only a comment, in order.
    code: Vec<u32>,
    /// First and last line of each command of several lines, in order.
    commands: Vec<(u32, u32)>,
}

impl<'a> HostFile<'a> {
    fn new(project: &'a Project, file: &'a SourceFile, inner: &[FileId], comments: &HostComments) -> Self {
        let mark = match file.extension().as_str() {
            "ps1" => '`',
            "bat" | "cmd" => '^',
            _ => '\\',
        };
        let mut host = Self { file, examples: BTreeMap::new(), code: Vec::new(), commands: Vec::new() };
        let count = file.lines().line_count();
        for line in (0..count).filter(|line| !comments.comment_lines.contains(line)) {
            let text = host.line(line).trim_end_matches(['\r', '\n']);
            let continued = text.ends_with(mark) && line + 1 < count;
            if !text.trim().is_empty() {
                host.code.push(line);
            }
            match host.commands.last_mut() {
                _ if !continued => {}
                Some((_, last)) if *last == line => *last = line + 1,
                _ => host.commands.push((line, line + 1)),
            }
        }
        for (_, embedded) in inner.iter().filter_map(|id| project.file(*id).host.as_ref()) {
            let (first, last) = host.lines_of(embedded.range);
            host.examples.entry(first).or_insert(last);
        }
        host
    }

    fn lines_of(&self, range: TextRange) -> (u32, u32) {
        (self.file.lines().line_of(range.start), self.file.lines().line_of(range.end.saturating_sub(1).max(range.start)))
    }

    fn line(&self, line: u32) -> &'a str {
        TextRange::new(self.file.lines().line_start(line), self.file.lines().line_start(line + 1)).slice(&self.file.text)
    }

    /// The lines that a comment applies to.
    fn scope(&self, comment: &HostComment) -> (u32, u32) {
        let (first, last) = self.lines_of(comment.range);
        if !comment.own_line {
            return self.logical(first, first, comment.continues);
        }
        let Some(target) = self.code.get(self.code.partition_point(|line| *line <= last)).copied() else { return (first, last) };
        match self.examples.get(&(target + 1)) {
            // Above the fence of an example, the comment applies to the whole example.
            Some(end) if !comment.in_document && self.line(target).trim_start().starts_with(['`', '~']) => (first, *end),
            _ => self.logical(first, target, comment.continues),
        }
    }

    /// Extends the lines to the whole command of the target line, including its continuation lines.
    fn logical(&self, first: u32, target: u32, continues: bool) -> (u32, u32) {
        let behind = self.commands.partition_point(|(start, _)| *start <= target);
        let command = behind.checked_sub(1).map(|number| self.commands[number]).filter(|(_, end)| continues && target <= *end);
        command.map_or((first, target), |(start, end)| (start.min(first), end))
    }
}

#[cfg(test)]
mod tests;
