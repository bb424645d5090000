//! Findings about suppressions: unused ones and malformed ones.

use super::{Entry, Suppression, Suppressions};
use vramlint_base::{Applicability, Edit, FileId, FileRange, Finding, Fix, Message, TextRange, message};
use vramlint_resolve::{Project, SourceFile};
use vramlint_rules::engine::{INVALID_SUPPRESSION, UNUSED_SUPPRESSION};

impl Suppressions {
    /// Unused suppressions in reported files. `runs` returns whether every rule of an entry is enabled for a file; a suppression of a
    /// disabled rule is not reported.
    pub(crate) fn unused(&self, project: &Project, runs: impl Fn(&Entry, FileId) -> bool) -> Vec<Finding> {
        let mut out = Vec::new();
        for suppression in &self.list {
            let file = project.file(suppression.file);
            if !file.reported || suppression.in_document {
                continue;
            }
            let is_unused = |entry: &Entry| !entry.used && runs(entry, suppression.file);
            let unused: Vec<&Entry> = suppression.entries.iter().filter(|entry| is_unused(entry)).collect();
            if unused.is_empty() {
                continue;
            }
            let all = unused.len() == suppression.entries.len();
            let (place, edit) = if all { whole_comment(file, suppression) } else { unused_entries(file, suppression, is_unused) };
            let names: Vec<String> =
                unused.iter().filter_map(|entry| entry.range).map(|at| format!("`{}`", at.slice(&file.text))).collect();
            let mut finding = UNUSED_SUPPRESSION.finding(place, wording(&names));
            // A misspelled name stays, because it may be the one that is needed.
            if !suppression.has_unknown {
                let title = message!("remove the unused suppression", "删除未使用的抑制注释");
                finding.fixes = vec![Fix { title, applicability: Applicability::Safe, edits: vec![edit] }];
            }
            out.push(finding);
        }
        out
    }

    /// Malformed suppressions.
    pub(crate) fn invalid(&self) -> Vec<Finding> {
        let finding = |invalid: &super::Invalid| {
            let mut finding = INVALID_SUPPRESSION.finding(invalid.place, invalid.message.clone());
            finding.fixes.extend(invalid.meant.map(|meant| Fix {
                title: message!("write `{meant}`", "改为 `{meant}`"),
                applicability: Applicability::Unsafe,
                edits: vec![Edit { place: invalid.place, text: meant.to_owned() }],
            }));
            finding
        };
        self.invalid.iter().map(finding).collect()
    }
}

fn wording(names: &[String]) -> Message {
    if names.is_empty() {
        return message!("this suppression has no effect", "该抑制注释没有作用");
    }
    let (en, zh) = (names.join(", "), names.join("、"));
    message!("no finding of {en} to suppress here", "此处没有可抑制的 {zh} 问题")
}

/// The range of a comment, and its removal, including its line if nothing else is on it.
fn whole_comment(file: &SourceFile, suppression: &Suppression) -> (FileRange, Edit) {
    let range = suppression.range;
    let place = FileRange::new(file.id, range);
    let (first, last) = (file.lines().line_of(range.start), file.lines().line_of(range.end));
    let (start, next) = (file.lines().line_start(first), file.lines().line_start(last + 1));
    let before = TextRange::new(start, range.start).slice(&file.text);
    let after = TextRange::new(range.end, next).slice(&file.text);
    let blanks = |text: &str| (text.len() - text.trim_start_matches([' ', '\t']).len()) as u32;
    let removed = match (before.trim().is_empty(), after.trim().is_empty()) {
        (true, true) => TextRange::new(start, next),
        (false, true) => TextRange::new(start + before.trim_end().len() as u32, range.end + blanks(after)),
        (_, false) => TextRange::new(range.start, range.end + blanks(after)),
    };
    (place, Edit { place: FileRange::new(file.id, removed), text: String::new() })
}

/// The range of the first unused name, and the list without the unused names.
fn unused_entries(file: &SourceFile, suppression: &Suppression, is_unused: impl Fn(&Entry) -> bool) -> (FileRange, Edit) {
    let kept = suppression.entries.iter().filter(|entry| !is_unused(entry)).filter_map(|entry| entry.range);
    let text = kept.map(|range| range.slice(&file.text)).collect::<Vec<_>>().join(", ");
    let first = suppression.entries.iter().find(|entry| is_unused(entry));
    let place = first.and_then(|entry| entry.range).unwrap_or(suppression.range);
    let list = suppression.list.unwrap_or(suppression.range);
    (FileRange::new(file.id, place), Edit { place: FileRange::new(file.id, list), text })
}
