//! Suppresses one finding, as an edit with the text that `--add-ignore` writes, without a reason.

use super::Suppressions;
use super::add_ignores::{IgnoreWriter, Placement, Target, comment, target};
use super::config_entry::with_ignores;
use crate::Request;
use crate::backend::Backend;
use crate::discovery::file_format::{FileFormat, FormatByName};
use crate::discovery::paths::relative;
use crate::rule_selection::RuleList;
use crate::source_loader::parse_text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_base::{Edit, FileId, FileRange, Finding, TextRange};
use vramlint_resolve::{Project, SourceFile, SourceSet, SyntaxTree};

/// The edit that suppresses a finding of a report (with ranges in host files): a comment above its line or at the head of its
/// file; if the format has no comments, an entry in the configuration. Comments are verified by parsing the new text. `None` if
/// no edit suppresses the finding.
pub fn ignore_edit(project: &Project, finding: &Finding) -> Option<Edit> {
    let backend = Backend::standard();
    let request = Request::default();
    let target = target(project, finding);
    let file = project.file(target.file);
    if !file.decode_errors.is_empty() {
        return None;
    }
    if comment(file).is_none() {
        return configured(project, &target);
    }
    let writer = IgnoreWriter { backend: &backend, request: &request, project, reason: String::new() };
    [Placement::Above, Placement::FileHead].into_iter().find_map(|placement| {
        let placements = BTreeMap::from([(target.clone(), placement)]);
        let text = writer.text(target.file, &placements, std::slice::from_ref(&target));
        let helps = || holds(&backend, file, finding, &text.after, &text.old_lines);
        (text.after != *file.text && !writer.breaks(target.file, &text.after) && helps())
            .then(|| difference(file.id, &file.text, &text.after))
    })
}

/// Whether the finding is suppressed in the changed text; `old_lines` maps each new line to its old number.
fn holds(backend: &Backend, file: &SourceFile, finding: &Finding, after: &str, old_lines: &[Option<u32>]) -> bool {
    let format = match FileFormat::by_name(Path::new(&file.path)) {
        FormatByName::Format(format) => Some(format),
        _ => FileFormat::by_shebang(after.as_bytes()),
    };
    let Some(format) = format else { return false };
    let old = file.lines().line_of(finding.place.range.start);
    let Some(line) = old_lines.iter().position(|known| *known == Some(old)) else { return false };
    let text: Arc<str> = after.into();
    let read = parse_text(backend, format, &text);
    let host = FileId(0);
    let mut files = vec![renewed(file, host, text, read.tree)];
    for (part, tree) in read.embedded {
        let mut inner = renewed(file, FileId(files.len() as u32), part.text.as_str().into(), tree);
        inner.host = Some((host, part));
        files.push(inner);
    }
    let start = files[0].lines().line_start(line as u32) + (finding.place.range.start - file.lines().line_start(old));
    let place = FileRange::new(host, TextRange::new(start, start + finding.place.range.len()));
    let project = Project::without_runs(SourceSet::new(files, Vec::new(), Vec::new()));
    let moved = Finding { place, related: Vec::new(), ..finding.clone() };
    Suppressions::read(&project, &RuleList::new(backend.rules)).suppress(&project, &moved)
}

fn renewed(file: &SourceFile, id: FileId, text: Arc<str>, tree: SyntaxTree) -> SourceFile {
    SourceFile { id, text: text.into(), tree, policy: 0, ..file.clone() }
}

/// An entry in the configuration that governs the file, if the configuration is part of the project.
fn configured(project: &Project, target: &Target) -> Option<Edit> {
    let policy = project.policy(target.file);
    let path = policy.file.as_ref()?;
    let config = project.files.iter().find(|file| file.path == *path && file.host.is_none())?;
    // Both are relative to the same folder, so any absolute base works.
    let rooted = |path: &str| PathBuf::from("/").join(path);
    let glob = relative(&rooted(&project.file(target.file).path), &rooted(&policy.root));
    if glob.starts_with("..") || glob.contains(['*', '?', '[', ']', '{', '}', '!', '\\']) {
        return None;
    }
    let after = with_ignores(&config.text, config.name() == "pyproject.toml", &glob, target.name)?;
    (after != *config.text).then(|| difference(config.id, &config.text, &after))
}

/// The smallest single edit that changes `before` to `after`.
fn difference(file: FileId, before: &str, after: &str) -> Edit {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let start = same(&mut before.chars().zip(after.chars()));
    let end = same(&mut before[start..].chars().rev().zip(after[start..].chars().rev()));
    let range = TextRange::of(start..before.len() - end);
    Edit { place: FileRange::new(file, range), text: after[start..after.len() - end].to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_edit_between_two_texts() {
        for (before, after) in [("a\nb\n", "a\n# x\nb\n"), ("", "x"), ("批a量", "批b量"), ("aa", "aaa"), ("x", "x")] {
            let Edit { place, text } = difference(FileId(0), before, after);
            let mut out = before.to_owned();
            out.replace_range(place.range.as_usize(), &text);
            assert_eq!(out, after);
        }
        assert_eq!(difference(FileId(0), "a\nb\n", "a\n# x\nb\n").text, "# x\n");
    }
}
