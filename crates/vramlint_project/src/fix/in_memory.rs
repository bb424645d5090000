//! Fixes of a report as edits that an editor applies, without file access.

use super::fixpoint::{count_errors, drop_breaking};
use super::host_edits::fix_in_host;
use super::select::{AppliedFix, SelectedFix, apply_to_texts, select_fixes};
use crate::backend::Backend;
use std::collections::HashSet;
use vramlint_base::{Applicability, Edit, Finding, Fix, Message};
use vramlint_resolve::Project;

/// The safe fixes that can be applied together: they do not overlap and add no syntax errors. Fixes that conflict with them are
/// left for the next report.
pub fn safe_fixes(project: &Project, findings: &[Finding]) -> Vec<Fix> {
    let selected = select_fixes(project, findings, false, &HashSet::new());
    let (kept, _) = drop_breaking(&Backend::standard(), project, selected);
    kept.into_iter().map(|selected| selected.fix).collect()
}

/// Whether edits of host files add syntax errors, or cannot be applied.
pub fn breaks(project: &Project, edits: &[Edit]) -> bool {
    let is_valid = |edit: &Edit| {
        let file = project.files.get(edit.place.file.0 as usize);
        file.is_some_and(|file| file.host.is_none() && file.text.get(edit.place.range.as_usize()).is_some())
    };
    let is_disjoint = |index: usize, edit: &Edit| {
        let others = &edits[..index];
        others.iter().all(|other| other.place.file != edit.place.file || !other.place.range.touches(edit.place.range))
    };
    if !edits.iter().enumerate().all(|(index, edit)| is_valid(edit) && is_disjoint(index, edit)) {
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

/// The fix with all edits mapped to host files; `None` if an edit cannot be mapped reliably.
pub fn in_host(project: &Project, fix: &Fix) -> Option<Fix> {
    fix_in_host(project, fix)
}
