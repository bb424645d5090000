//! Suppressions: comments in files that hide findings.
//!
//! A finding can be suppressed at its own range or at a related range. A comment applies to its line; a comment on its own line
//! applies to the next line of code, after further comments and blank lines. In scripts, a command that continues after `\` counts
//! as one line.

mod add_ignores;
mod comments;
mod config_entry;
pub(crate) mod directive;
mod quick_fix;
mod unused;

pub use add_ignores::{AddIgnoreOutcome, add_ignores};
pub use quick_fix::ignore_edit;

use crate::rule_selection::{RuleList, Selector};
use comments::{HostComment, HostComments, collect};
use directive::{Directive, DirectiveKind};
use std::collections::HashMap;
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
    by_file: HashMap<FileId, Vec<usize>>,
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
            for comment in &comments.comments {
                let text = comment.range.slice(&file.text);
                for directive in directive::parse(text, comment.range.start, |word| rules.contains(word)) {
                    out.add(&HostFile { project, file, inner, comments: &comments }, comment, directive, rules);
                }
            }
        }
        out
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
        let number = self.list.len();
        self.by_file.entry(host.file.id).or_default().push(number);
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
            let Some(numbers) = self.by_file.get(&place.file) else { continue };
            let line = project.file(place.file).lines().line_of(place.range.start);
            for number in numbers {
                let suppression = &mut self.list[*number];
                if !(suppression.lines.0..=suppression.lines.1).contains(&line) {
                    continue;
                }
                for entry in suppression.entries.iter_mut().filter(|entry| entry.selector.matches(finding.code)) {
                    entry.used = true;
                    suppressed = true;
                }
            }
        }
        suppressed
    }

    /// Whether a finding about a suppression is itself suppressed. That needs a comment with the code of the rule; otherwise an
    /// unused `ignore` would hide that it is unused.
    pub(crate) fn names(&self, project: &Project, finding: &Finding) -> bool {
        let line = project.file(finding.place.file).lines().line_of(finding.place.range.start);
        let numbers = self.by_file.get(&finding.place.file).into_iter().flatten();
        numbers.map(|number| &self.list[*number]).any(|suppression| {
            let here = (suppression.lines.0..=suppression.lines.1).contains(&line);
            here && suppression.entries.iter().any(|entry| entry.selector == Selector::Rule(finding.code))
        })
    }
}

/// A host file with its comments.
struct HostFile<'a> {
    project: &'a Project,
    file: &'a SourceFile,
    inner: &'a [FileId],
    comments: &'a HostComments,
}

impl HostFile<'_> {
    fn lines_of(&self, range: TextRange) -> (u32, u32) {
        (self.file.lines().line_of(range.start), self.file.lines().line_of(range.end.saturating_sub(1).max(range.start)))
    }

    fn line(&self, line: u32) -> &str {
        TextRange::new(self.file.lines().line_start(line), self.file.lines().line_start(line + 1)).slice(&self.file.text)
    }

    /// The lines that a comment applies to.
    fn scope(&self, comment: &HostComment) -> (u32, u32) {
        let (first, last) = self.lines_of(comment.range);
        if !comment.own_line {
            return self.logical(first, first, comment.continues);
        }
        let count = self.file.lines().line_count();
        let free = |line: &u32| self.comments.comment_lines.contains(line) || self.line(*line).trim().is_empty();
        let Some(target) = (last + 1..count).find(|line| !free(line)) else { return (first, last) };
        let hosts = self.inner.iter().filter_map(|id| self.project.file(*id).host.as_ref());
        let fenced = hosts.map(|(_, embedded)| self.lines_of(embedded.range)).find(|(start, _)| *start == target + 1);
        match fenced {
            // Above the fence of an example, the comment applies to the whole example.
            Some((_, end)) if !comment.in_document && self.line(target).trim_start().starts_with(['`', '~']) => (first, end),
            _ => self.logical(first, target, comment.continues),
        }
    }

    /// Extends the lines to the whole command of the target line, including its continuation lines.
    fn logical(&self, first: u32, target: u32, continues: bool) -> (u32, u32) {
        if !continues {
            return (first, target);
        }
        let mark = match self.file.extension().as_str() {
            "ps1" => '`',
            "bat" | "cmd" => '^',
            _ => '\\',
        };
        let is_continued = |line: u32| {
            let text = self.line(line).trim_end_matches(['\r', '\n']);
            text.ends_with(mark) && !self.comments.comment_lines.contains(&line)
        };
        let start = (0..target).rev().take_while(|line| is_continued(*line)).last().unwrap_or(target);
        let end = (target..self.file.lines().line_count() - 1)
            .take_while(|line| is_continued(*line))
            .last()
            .map_or(target, |line| line + 1);
        (start.min(first), end)
    }
}

#[cfg(test)]
mod tests;
