//! Fixes: which are applied, to which apply_to_texts, and how they reach the disk.
//!
//! Nothing is written unless [`write`] is called: a file of standard input has a place in the project, not on the disk, and is
//! printed instead.
//!
//! Edits are byte-wise, so that line endings, a byte order mark and a missing last line break stay as they are.

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

/// Applies fixes once: the first that is allowed of each finding, as far as they do not touch each other. The findings must be
/// those of a report on `project`; `cwd` is what its paths are relative to.
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
