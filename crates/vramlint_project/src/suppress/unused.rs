//! Findings about suppressions themselves: those that suppress nothing, and those that cannot be understood.

use super::{Entry, Suppression, Suppressions};
use vramlint_base::{Applicability, Edit, FileId, FileRange, Finding, Fix, Message, TextRange, message};
use vramlint_resolve::{Project, SourceFile};
use vramlint_rules::engine::{INVALID_SUPPRESSION, UNUSED_SUPPRESSION};

impl Suppressions {
    /// Suppressions of reported files that suppressed nothing. `runs` tells whether every rule of a selector runs for a file:
    /// a suppression of a rule that was not asked says nothing.
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
            let (place, edit) = if all { whole_comment(file, suppression) } else { unused_entries(file, suppression, &unused) };
            let names: Vec<String> =
                unused.iter().filter_map(|entry| entry.range).map(|at| format!("`{}`", at.slice(&file.text))).collect();
            let mut finding = UNUSED_SUPPRESSION.finding(place, wording(&names));
            // A misspelled name stays: it may be the one that was needed.
            if !suppression.has_unknown {
                let title = message!("remove the unused suppression", "删除无效的抑制");
                finding.fixes = vec![Fix { title, applicability: Applicability::Safe, edits: vec![edit] }];
            }
            out.push(finding);
        }
        out
    }

    /// Suppressions that cannot be understood.
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
        return message!("this suppression suppresses nothing", "该抑制注释没有抑制任何结果");
    }
    let (en, zh) = (names.join(", "), names.join("、"));
    message!("nothing to suppress here for {en}", "此处没有可抑制的 {zh} 结果")
}

/// The place and the removal of a whole comment; of its line, if nothing else stands there.
fn whole_comment(file: &SourceFile, suppression: &Suppression) -> (FileRange, Edit) {
    let range = suppression.range;
    let place = FileRange::new(file.id, range);
    let (first, last) = (file.lines.line_of(range.start), file.lines.line_of(range.end));
    let (start, next) = (file.lines.line_start(first), file.lines.line_start(last + 1));
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

/// The place of the first unused name, and the list without the unused ones.
fn unused_entries(file: &SourceFile, suppression: &Suppression, unused: &[&Entry]) -> (FileRange, Edit) {
    let is_unused = |entry: &&Entry| unused.iter().any(|other| std::ptr::eq(*other, *entry));
    let kept = suppression.entries.iter().filter(|entry| !is_unused(entry)).filter_map(|entry| entry.range);
    let text = kept.map(|range| range.slice(&file.text)).collect::<Vec<_>>().join(", ");
    let place = unused.first().and_then(|entry| entry.range).unwrap_or(suppression.range);
    let list = suppression.list.unwrap_or(suppression.range);
    (FileRange::new(file.id, place), Edit { place: FileRange::new(file.id, list), text })
}
