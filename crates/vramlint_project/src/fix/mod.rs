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
pub use write::write;

use crate::discovery::paths::absolute;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use vramlint_base::Finding;
use vramlint_resolve::Project;

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
