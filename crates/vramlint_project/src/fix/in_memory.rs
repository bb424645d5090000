//! Fixes of a report as edits, for those who apply them themselves: an editor. Nothing is read from a disk.

use super::fixpoint::{count_errors, drop_breaking};
use super::host_edits::fix_in_host;
use super::select::{AppliedFix, SelectedFix, apply_to_texts, select_fixes};
use crate::backend::Backend;
use std::collections::HashSet;
use vramlint_base::{Applicability, Edit, Finding, Fix, Message};
use vramlint_resolve::Project;

/// The safe fixes of findings that can be applied together: they do not touch each other, and no reader sees more count_errors after them.
/// What waits for another of them comes with the next report.
pub fn safe_fixes(project: &Project, findings: &[Finding]) -> Vec<Fix> {
    let selected = select_fixes(project, findings, false, &HashSet::new());
    let (kept, _) = drop_breaking(&Backend::standard(), project, selected);
    kept.into_iter().map(|selected| selected.fix).collect()
}

/// Whether edits of whole files make a reader see more count_errors than it sees now, or cannot be applied at all.
pub fn breaks(project: &Project, edits: &[Edit]) -> bool {
    let sound = |edit: &Edit| {
        let file = project.files.get(edit.place.file.0 as usize);
        file.is_some_and(|file| file.host.is_none() && file.text.get(edit.place.range.as_usize()).is_some())
    };
    let apart = |index: usize, edit: &Edit| {
        let others = &edits[..index];
        others.iter().all(|other| other.place.file != edit.place.file || !other.place.range.touches(edit.place.range))
    };
    if !edits.iter().enumerate().all(|(index, edit)| sound(edit) && apart(index, edit)) {
        return true;
    }
    let none = || Message { en: String::new(), zh: String::new() };
    let applied = AppliedFix { code: "", name: "", message: none(), title: none(), path: String::new() };
    let fix = Fix { title: none(), applicability: Applicability::Safe, edits: edits.to_vec() };
    let backend = Backend::standard();
    apply_to_texts(project, [&SelectedFix { applied, fix }]).into_iter().any(|(id, text)| {
        let file = project.file(id);
        count_errors(&backend, &file.path, &text) > count_errors(&backend, &file.path, &file.text)
    })
}

/// A fix with all its edits in whole files; `None` where one of them has no sure place there.
pub fn in_host(project: &Project, fix: &Fix) -> Option<Fix> {
    fix_in_host(project, fix)
}
