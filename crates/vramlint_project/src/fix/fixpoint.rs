//! Applies fixes and checks again until no fix applies.

use super::select::{AppliedFix, FixedFile, SelectedFix, apply_to_texts, select_fixes};
use crate::backend::Backend;
use crate::discovery::file_format::{FileFormat, FormatByName};
use crate::discovery::paths::absolute;
use crate::report::check_with;
use crate::source_loader::{error_count, parse_text};
use crate::{ConfigError, Report, Request};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use vramlint_base::{FileId, Finding, Message};
use vramlint_resolve::Project;

/// Maximum number of rounds, because two fixes may undo each other.
const MAX_ROUNDS: usize = 10;

/// The result of applying fixes in memory; see [`super::write`] and [`super::unified_diff`].
#[derive(Debug)]
pub struct FixOutcome {
    /// Changed files, by path.
    pub files: Vec<FixedFile>,
    /// The report after fixing.
    pub report: Report,
    /// Fixes that broke the text or did not remove their finding: bugs in vramlint. They are not in `files`.
    pub failed: Vec<AppliedFix>,
}

/// Applies fixes in memory until no more can be applied.
pub fn fix_until_stable(
    request: &Request,
    unsafe_ok: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<FixOutcome, ConfigError> {
    fix_with(&Backend::standard(), request, unsafe_ok, progress)
}

pub(crate) fn fix_with(
    backend: &Backend,
    request: &Request,
    unsafe_ok: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<FixOutcome, ConfigError> {
    let mut request = request.clone();
    let mut report = check_with(backend, &request, progress)?;
    let mut changed: BTreeMap<PathBuf, FixedFile> = BTreeMap::new();
    let mut rejected: HashSet<AppliedFix> = HashSet::new();
    let mut round = 0;
    while round < MAX_ROUNDS {
        let selected = select_fixes(&report.project, &report.findings, unsafe_ok, &rejected);
        let (selected, broken) = drop_breaking(backend, &report.project, selected);
        rejected.extend(broken);
        if selected.is_empty() {
            break;
        }
        let mut next = request.clone();
        for (id, text) in apply_to_texts(&report.project, &selected) {
            set(&mut next, &absolute(&request.cwd, Path::new(&report.project.file(id).path)), text.into_bytes());
        }
        let after = check_with(backend, &next, progress)?;
        let useless = ineffective_fixes(&report.findings, &after.findings, &report.project, &after.project, &selected);
        if !useless.is_empty() {
            // Retry from the same texts without these fixes. This terminates, because each pass rejects at least one more.
            rejected.extend(useless);
            continue;
        }
        record_changes(&mut changed, &report.project, &request.cwd, &selected);
        (request, report) = (next, after);
        round += 1;
    }
    let files = changed.into_values().filter(|file| file.before != file.after).collect();
    let mut failed: Vec<AppliedFix> = rejected.into_iter().collect();
    failed.sort_by(|a, b| (&a.path, a.code, &a.message.en).cmp(&(&b.path, b.code, &b.message.en)));
    Ok(FixOutcome { files, report, failed })
}

/// Overrides the content of a file; standard input has its own field.
fn set(request: &mut Request, path: &Path, bytes: Vec<u8>) {
    match &mut request.stdin {
        Some((name, old)) if absolute(&request.cwd, name) == path => *old = bytes,
        _ => _ = request.overlay.insert(path.to_path_buf(), bytes),
    }
}

/// Removes and returns the fixes that add syntax errors. A fix that breaks a text only in combination with others is postponed to
/// the next round.
pub(super) fn drop_breaking(
    backend: &Backend,
    project: &Project,
    selected: Vec<SelectedFix>,
) -> (Vec<SelectedFix>, Vec<AppliedFix>) {
    let mut before: HashMap<FileId, usize> = HashMap::new();
    let mut breaks = |selected: &[SelectedFix]| {
        apply_to_texts(project, selected).into_iter().any(|(id, text)| {
            let file = project.file(id);
            let known = *before.entry(id).or_insert_with(|| count_errors(backend, &file.path, &file.text));
            count_errors(backend, &file.path, &text) > known
        })
    };
    let mut broken = Vec::new();
    let mut kept: Vec<SelectedFix> = Vec::new();
    for next in selected {
        kept.push(next);
        if !breaks(&kept) {
            continue;
        }
        let last = kept.split_off(kept.len() - 1);
        if breaks(&last) {
            broken.extend(last.into_iter().map(|selected| selected.applied));
        }
    }
    (kept, broken)
}

/// Number of syntax errors in a text with this path.
pub(crate) fn count_errors(backend: &Backend, path: &str, text: &str) -> usize {
    let format = match FileFormat::by_name(Path::new(path)) {
        FormatByName::Format(format) => Some(format),
        _ => FileFormat::by_shebang(text.as_bytes()),
    };
    format.map_or(0, |format| error_count(&parse_text(backend, format, &text.into())))
}

/// The fixes whose finding occurs as often as before. Findings are compared by rule, message and file, because ranges may move.
fn ineffective_fixes(
    before: &[Finding],
    after: &[Finding],
    was: &Project,
    is: &Project,
    selected: &[SelectedFix],
) -> Vec<AppliedFix> {
    type Key<'a> = (&'a str, &'a Message, &'a str);
    fn counts<'a>(findings: &'a [Finding], project: &'a Project) -> HashMap<Key<'a>, usize> {
        let mut out = HashMap::new();
        for finding in findings {
            *out.entry((finding.code, &finding.message, project.file(finding.place.file).path.as_str())).or_default() += 1;
        }
        out
    }
    let (before, after) = (counts(before, was), counts(after, is));
    let mut fixed: HashMap<Key<'_>, usize> = HashMap::new();
    for SelectedFix { applied, .. } in selected {
        *fixed.entry((applied.code, &applied.message, applied.path.as_str())).or_default() += 1;
    }
    let remains = |applied: &&AppliedFix| {
        let key = (applied.code, &applied.message, applied.path.as_str());
        let count = |counts: &HashMap<Key<'_>, usize>| counts.get(&key).copied().unwrap_or(0);
        count(&after) > count(&before).saturating_sub(count(&fixed))
    };
    selected.iter().map(|selected| &selected.applied).filter(remains).cloned().collect()
}

/// Records the changes of a round; `before` stays the text before the first round.
fn record_changes(changed: &mut BTreeMap<PathBuf, FixedFile>, project: &Project, cwd: &Path, selected: &[SelectedFix]) {
    for (id, after) in apply_to_texts(project, selected) {
        let file = project.file(id);
        let path = absolute(cwd, Path::new(&file.path));
        let fresh = || FixedFile {
            path: path.clone(),
            shown: file.path.clone(),
            before: file.text.to_string(),
            after: String::new(),
            applied: Vec::new(),
        };
        let entry = changed.entry(path.clone()).or_insert_with(fresh);
        entry.after = after;
        let touches = |selected: &&SelectedFix| selected.fix.edits.iter().any(|edit| edit.place.file == id);
        entry.applied.extend(selected.iter().filter(touches).map(|selected| selected.applied.clone()));
    }
}

#[cfg(test)]
mod tests;
