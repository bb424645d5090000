//! Fixes: which are applied, to which texts, and how they reach the disk.
//!
//! Nothing is written unless [`write`] is called: a file of standard input has a place in the project, not on the disk, and is
//! printed instead.
//!
//! Edits are byte-wise, so that line endings, a byte order mark and a missing last line break stay as they are.

mod diff;
pub(crate) mod host;
mod plan;
mod pure;
mod stable;
mod write;

pub use diff::unified_diff;
pub use plan::{Applied, FixedFile};
pub use pure::{breaks, in_host, safe_fixes};
pub(crate) use stable::errors;
pub use stable::{FixOutcome, fix_until_stable};
pub use write::write;

use crate::discovery::paths::absolute;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use vramlint_base::Finding;
use vramlint_resolve::Project;

/// Applies fixes once: the first that is allowed of each finding, as far as they do not touch each other. The findings must be
/// those of a report on `project`; `cwd` is what its paths are relative to.
pub fn apply(project: &Project, cwd: &Path, findings: &[Finding], unsafe_ok: bool) -> Vec<FixedFile> {
    let planned = plan::plan(project, findings, unsafe_ok, &HashSet::new());
    let mut out: BTreeMap<_, FixedFile> = BTreeMap::new();
    for (id, after) in plan::texts(project, &planned) {
        let file = project.file(id);
        let touches = |planned: &&plan::Planned| planned.fix.edits.iter().any(|edit| edit.place.file == id);
        let applied = planned.iter().filter(touches).map(|planned| planned.applied.clone()).collect();
        let path = absolute(cwd, Path::new(&file.path));
        out.insert(id, FixedFile { path, shown: file.path.clone(), before: file.text.to_string(), after, applied });
    }
    out.into_values().collect()
}
