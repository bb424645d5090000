//! Selects the fixes to apply together, and applies them to the texts.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use vramlint_base::{Applicability, Edit, FileId, Finding, Fix, Message, TextRange};
use vramlint_resolve::Project;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AppliedFix {
    /// Code of the rule.
    pub code: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// The message of the finding.
    pub message: Message,
    /// The title of the fix.
    pub title: Message,
    /// Path of the finding, as shown.
    pub path: String,
}

/// A file with its fixes applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Path as shown.
    pub shown: String,
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
    /// The applied fixes, in order.
    pub applied: Vec<AppliedFix>,
}

/// A fix to apply.
#[derive(Clone, Debug)]
pub(crate) struct SelectedFix {
    pub(crate) applied: AppliedFix,
    pub(crate) fix: Fix,
}

/// The first applicable fix of each finding. Of two overlapping fixes, the one that starts first is selected; the other is left
/// for the next round. `rejected` fixes were tried and failed.
pub(crate) fn select_fixes(
    project: &Project,
    findings: &[Finding],
    unsafe_ok: bool,
    rejected: &HashSet<AppliedFix>,
) -> Vec<SelectedFix> {
    let least = if unsafe_ok { Applicability::Unsafe } else { Applicability::Safe };
    let mut wanted: Vec<SelectedFix> = Vec::new();
    for finding in findings {
        let path = project.file(finding.place.file).path.clone();
        let name = |fix: &Fix| AppliedFix {
            code: finding.code,
            name: finding.name,
            message: finding.message.clone(),
            title: fix.title.clone(),
            path: path.clone(),
        };
        let is_allowed = |fix: &&Fix| fix.applicability >= least && is_sound(project, fix) && !rejected.contains(&name(fix));
        if let Some(fix) = finding.fixes.iter().find(is_allowed) {
            wanted.push(SelectedFix { applied: name(fix), fix: fix.clone() });
        }
    }
    let first = |selected: &SelectedFix| {
        selected.fix.edits.iter().map(|edit| (project.file(edit.place.file).path.clone(), edit.place.range)).min()
    };
    wanted.sort_by_cached_key(first);
    let mut taken: BTreeMap<FileId, Vec<TextRange>> = BTreeMap::new();
    wanted.retain(|selected| {
        let free = |edit: &Edit| {
            taken.get(&edit.place.file).is_none_or(|ranges| !ranges.iter().any(|range| range.touches(edit.place.range)))
        };
        let all_free = selected.fix.edits.iter().all(free);
        if all_free {
            selected.fix.edits.iter().for_each(|edit| taken.entry(edit.place.file).or_default().push(edit.place.range));
        }
        all_free
    });
    wanted
}

/// Whether a fix of a finding can be applied: it changes something, and only in reported files that decode without errors.
fn is_sound(project: &Project, fix: &Fix) -> bool {
    fix.edits.iter().all(|edit| project.file(edit.place.file).reported) && can_apply(project, fix)
}

/// Whether a fix can be applied: it changes something, and only in files that decode without errors.
pub(super) fn can_apply(project: &Project, fix: &Fix) -> bool {
    let edit_is_sound = |edit: &Edit| {
        let file = project.file(edit.place.file);
        let old = file.text.get(edit.place.range.as_usize());
        // The shown path of a file name that is not UTF-8 does not identify the file.
        let findable = !file.path.contains('\u{fffd}');
        findable && file.host.is_none() && file.decode_errors.is_empty() && old.is_some_and(|old| old != edit.text)
    };
    let is_disjoint = |i: usize, edit: &Edit| {
        let others = &fix.edits[..i];
        others.iter().all(|other| other.place.file != edit.place.file || !other.place.range.touches(edit.place.range))
    };
    !fix.edits.is_empty() && fix.edits.iter().enumerate().all(|(i, edit)| edit_is_sound(edit) && is_disjoint(i, edit))
}

/// The new texts of the files that `selected` changes. The edits must not overlap.
pub(crate) fn apply_to_texts<'a>(
    project: &Project,
    selected: impl IntoIterator<Item = &'a SelectedFix>,
) -> BTreeMap<FileId, String> {
    let mut edits: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    for edit in selected.into_iter().flat_map(|selected| &selected.fix.edits) {
        edits.entry(edit.place.file).or_default().push(edit);
    }
    let change = |(id, mut edits): (FileId, Vec<&Edit>)| {
        edits.sort_by_key(|edit| edit.place.range);
        (id, splice(&project.file(id).text, &edits))
    };
    edits.into_iter().map(change).collect()
}

fn splice(text: &str, edits: &[&Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.place.range;
        out.push_str(TextRange::new(at, range.start).slice(text));
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(TextRange::new(at, text.len() as u32).slice(text));
    out
}
