//! Fixes: selects them, applies them in memory, and writes the files.
//!
//! Only [`write`] writes. Standard input has a path in the project but no file, so its text is printed instead.
//!
//! Edits work on bytes, so line endings, a byte order mark and a missing final line break are preserved.

mod diff;
mod fixpoint;
pub(crate) mod host_edits;
mod in_memory;
mod select;
mod write;

pub use diff::unified_diff;
pub(crate) use fixpoint::count_errors;
pub use fixpoint::{FixOutcome, fix_until_stable};
pub use in_memory::{breaks, in_host, safe_fixes};
pub use select::{AppliedFix, FixedFile};
pub use write::{write, write_all};

use crate::discovery::paths::absolute;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use vramlint_base::{Applicability, Edit, Finding, Fix, Message};
use vramlint_resolve::Project;

/// The files that `edits` change, with their new texts; also files that were read for context only. `None` if an edit cannot be made reliably, or adds a syntax error.
pub fn apply_edits(project: &Project, cwd: &Path, edits: &[Edit]) -> Option<Vec<FixedFile>> {
    let none = || Message { en: String::new(), zh: String::new() };
    let fix = in_host(project, &Fix { title: none(), applicability: Applicability::Unsafe, edits: edits.to_vec() })?;
    if !select::can_apply(project, &fix) || breaks(project, &fix.edits) {
        return None;
    }
    let applied = AppliedFix { code: "", name: "", message: none(), title: none(), path: String::new() };
    let texts = select::apply_to_texts(project, [&select::SelectedFix { applied, fix }]);
    let fixed = texts.into_iter().map(|(id, after)| {
        let file = project.file(id);
        let path = absolute(cwd, Path::new(&file.path));
        FixedFile { path, shown: file.path.clone(), before: file.text.to_string(), after, applied: Vec::new() }
    });
    Some(fixed.collect())
}

/// Applies the first allowed fix of each finding once, skipping fixes that overlap. The findings must come from a report on
/// `project`, whose paths are relative to `cwd`.
pub fn apply(project: &Project, cwd: &Path, findings: &[Finding], unsafe_ok: bool) -> Vec<FixedFile> {
    let selected = select::select_fixes(project, findings, unsafe_ok, &HashSet::new());
    let mut out: BTreeMap<_, FixedFile> = BTreeMap::new();
    for (id, after) in select::apply_to_texts(project, &selected) {
        let file = project.file(id);
        let touches = |selected: &&select::SelectedFix| selected.fix.edits.iter().any(|edit| edit.place.file == id);
        let applied = selected.iter().filter(touches).map(|selected| selected.applied.clone()).collect();
        let path = absolute(cwd, Path::new(&file.path));
        out.insert(id, FixedFile { path, shown: file.path.clone(), before: file.text.to_string(), after, applied });
    }
    out.into_values().collect()
}
