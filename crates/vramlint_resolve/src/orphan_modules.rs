//! Python files that no run reaches but that are worth interpreting. Interpretation is expensive, so their number is limited: rules
//! that look at such files use these and no others.

use crate::code::CodeFacts;
use crate::features::Feature;
use crate::project::Project;
use crate::run::imports_training_library;
use crate::source::SourceFile;
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::FileId;

/// Maximum number of files.
const MAX_FILES: usize = 150;
/// Maximum number of code blocks in documents. They reach no other file.
const MAX_EMBEDDED: usize = 150;
/// Maximum number of interpretation steps for one file, and for all of them.
const STEP_LIMIT: u32 = 60_000;
const TOTAL_STEP_BUDGET: u32 = 600_000;

/// The files with their facts: programs before modules, each in order of path.
fn orphan_modules(project: &Project) -> Vec<(FileId, Arc<CodeFacts>)> {
    let mut left = TOTAL_STEP_BUDGET;
    let interpret = |file: FileId| {
        let code = if left == 0 { None } else { project.code_with_step_limit(file, STEP_LIMIT.min(left)) }?;
        left = left.saturating_sub(code.steps);
        Some((file, code))
    };
    worth_reading(project).into_iter().filter_map(interpret).collect()
}

fn worth_reading(project: &Project) -> Vec<FileId> {
    let reached: BTreeSet<FileId> =
        project.runs.iter().filter_map(|run| run.code.as_ref()).flat_map(|code| code.files.iter().copied()).collect();
    let is_training_code = |file: &&SourceFile| {
        file.is_python()
            && !project.is_library_code(file.id)
            && !reached.contains(&file.id)
            && project.features(file.id).has(Feature::TrainingCode)
    };
    let is_own_module = |file: &&SourceFile| {
        file.host.is_none()
            && !file.is_test()
            && (imports_training_library(project, file) || project.features(file.id).has(Feature::Yaml))
    };
    let mut found: Vec<&SourceFile> = project.files.iter().filter(is_training_code).filter(is_own_module).collect();
    found.sort_by_key(|file| (!project.features(file.id).has(Feature::MainGuard), &file.path));
    found.truncate(MAX_FILES);
    let embedded = project.files.iter().filter(|file| file.host.is_some()).filter(is_training_code).take(MAX_EMBEDDED);
    found.into_iter().chain(embedded).map(|file| file.id).collect()
}

impl Project {
    /// Python files that no run reaches and that are worth interpreting all the same, with their facts: a limited number, programs
    /// first.
    pub fn orphan_modules(&self) -> &[(FileId, Arc<CodeFacts>)] {
        self.queries.orphan_modules.get_or_init(|| orphan_modules(self))
    }
}
