//! Fixes until nothing changes: apply, read again, check again.

use super::plan::{Applied, FixedFile, Planned, plan, texts};
use crate::discovery::form::{ByName, Form};
use crate::discovery::paths::absolute;
use crate::layers::Layers;
use crate::read::{error_count, read_text};
use crate::report::check_with;
use crate::{ConfigError, Report, Request};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use vramlint_base::{FileId, Finding, Message};
use vramlint_resolve::Project;

/// Rounds at most: two fixes that undo each other must end.
const ROUNDS: usize = 10;

/// What fixing did. Nothing is written yet: see [`super::write`] and [`super::unified_diff`].
#[derive(Debug)]
pub struct FixOutcome {
    /// Changed files, by path.
    pub files: Vec<FixedFile>,
    /// The report after fixing.
    pub report: Report,
    /// Fixes that broke the text or left their finding: our own bugs. They are not in `files`.
    pub failed: Vec<Applied>,
}

/// Applies fixes in memory until no more can be applied.
pub fn fix_until_stable(
    request: &Request,
    unsafe_ok: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<FixOutcome, ConfigError> {
    fix_with(&Layers::real(), request, unsafe_ok, progress)
}

pub(crate) fn fix_with(
    layers: &Layers,
    request: &Request,
    unsafe_ok: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<FixOutcome, ConfigError> {
    let mut request = request.clone();
    let mut report = check_with(layers, &request, progress)?;
    let mut changed: BTreeMap<PathBuf, FixedFile> = BTreeMap::new();
    let mut banned: HashSet<Applied> = HashSet::new();
    let mut round = 0;
    while round < ROUNDS {
        let planned = plan(&report.project, &report.findings, unsafe_ok, &banned);
        let (planned, broken) = sift(layers, &report.project, planned);
        banned.extend(broken);
        if planned.is_empty() {
            break;
        }
        let mut next = request.clone();
        for (id, text) in texts(&report.project, &planned) {
            set(&mut next, &absolute(&request.cwd, Path::new(&report.project.file(id).path)), text.into_bytes());
        }
        let after = check_with(layers, &next, progress)?;
        let useless = still_there(&report.findings, &after.findings, &report.project, &after.project, &planned);
        if !useless.is_empty() {
            // Again from the same texts without them; this ends, as every pass bans one more.
            banned.extend(useless);
            continue;
        }
        note(&mut changed, &report.project, &request.cwd, &planned);
        (request, report) = (next, after);
        round += 1;
    }
    let files = changed.into_values().filter(|file| file.before != file.after).collect();
    let mut failed: Vec<Applied> = banned.into_iter().collect();
    failed.sort_by(|a, b| (&a.path, a.code, &a.message.en).cmp(&(&b.path, b.code, &b.message.en)));
    Ok(FixOutcome { files, report, failed })
}

/// Lays a text over a file; the file of standard input has its own place.
fn set(request: &mut Request, path: &Path, bytes: Vec<u8>) {
    match &mut request.stdin {
        Some((name, old)) if absolute(&request.cwd, name) == path => *old = bytes,
        _ => _ = request.overlay.insert(path.to_path_buf(), bytes),
    }
}

/// Drops the fixes that make a reader see more errors than before, and gives them back. A fix that breaks a text only together
/// with others waits for the next round.
pub(super) fn sift(layers: &Layers, project: &Project, planned: Vec<Planned>) -> (Vec<Planned>, Vec<Applied>) {
    let mut before: HashMap<FileId, usize> = HashMap::new();
    let mut breaks = |planned: &[Planned]| {
        texts(project, planned).into_iter().any(|(id, text)| {
            let file = project.file(id);
            let known = *before.entry(id).or_insert_with(|| errors(layers, &file.path, &file.text));
            errors(layers, &file.path, &text) > known
        })
    };
    let mut broken = Vec::new();
    let mut kept: Vec<Planned> = Vec::new();
    for next in planned {
        kept.push(next);
        if !breaks(&kept) {
            continue;
        }
        let last = kept.split_off(kept.len() - 1);
        if breaks(&last) {
            broken.extend(last.into_iter().map(|planned| planned.applied));
        }
    }
    (kept, broken)
}

/// How many errors the readers see in a text with this name.
pub(crate) fn errors(layers: &Layers, path: &str, text: &str) -> usize {
    let form = match Form::by_name(Path::new(path)) {
        ByName::Form(form) => Some(form),
        _ => Form::by_shebang(text.as_bytes()),
    };
    form.map_or(0, |form| error_count(&read_text(layers, form, text)))
}

/// The fixes whose finding is as frequent as before: what is said stays the same, while its place may move.
fn still_there(before: &[Finding], after: &[Finding], was: &Project, is: &Project, planned: &[Planned]) -> Vec<Applied> {
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
    for Planned { applied, .. } in planned {
        *fixed.entry((applied.code, &applied.message, applied.path.as_str())).or_default() += 1;
    }
    let remains = |applied: &&Applied| {
        let key = (applied.code, &applied.message, applied.path.as_str());
        let of = |counts: &HashMap<Key<'_>, usize>| counts.get(&key).copied().unwrap_or(0);
        of(&after) > of(&before).saturating_sub(of(&fixed))
    };
    planned.iter().map(|planned| &planned.applied).filter(remains).cloned().collect()
}

/// Remembers what a round changed: the text before the first round stays.
fn note(changed: &mut BTreeMap<PathBuf, FixedFile>, project: &Project, cwd: &Path, planned: &[Planned]) {
    for (id, after) in texts(project, planned) {
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
        let touches = |planned: &&Planned| planned.fix.edits.iter().any(|edit| edit.place.file == id);
        entry.applied.extend(planned.iter().filter(touches).map(|planned| planned.applied.clone()));
    }
}

#[cfg(test)]
mod tests;
