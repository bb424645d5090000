//! Python files that no run reaches and that are worth an interpretation all the same. To read one means to run it, so their number is
//! limited: rules that look at such files ask for these and no others.

use crate::code::CodeFacts;
use crate::features::Feature;
use crate::project::Project;
use crate::run::imports_training_library;
use crate::source::SourceFile;
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::FileId;

/// Files at most.
const MAX_FILES: usize = 150;
/// Files in documents at most; they reach nothing but themselves.
const MAX_EMBEDDED: usize = 150;
/// Steps of interpretation at most for one file, and for all of them.
const STEP_LIMIT: u32 = 60_000;
const TOTAL_STEP_BUDGET: u32 = 600_000;

/// Those files with what they say: programs before modules, each in order of its path.
fn orphan_modules(project: &Project) -> Vec<(FileId, Arc<CodeFacts>)> {
    let mut left = TOTAL_STEP_BUDGET;
    let read = |file: FileId| {
        let code = if left == 0 { None } else { project.code_with_step_limit(file, STEP_LIMIT.min(left)) }?;
        left = left.saturating_sub(code.steps);
        Some((file, code))
    };
    worth_reading(project).into_iter().filter_map(read).collect()
}

fn worth_reading(project: &Project) -> Vec<FileId> {
    let reached: BTreeSet<FileId> =
        project.runs.iter().filter_map(|run| run.code.as_ref()).flat_map(|code| code.files.iter().copied()).collect();
    let matters = |file: &&SourceFile| {
        file.python().is_some() && !reached.contains(&file.id) && project.features(file.id).has(Feature::TrainingCode)
    };
    let whole = |file: &&SourceFile| {
        file.host.is_none()
            && !file.is_test()
            && (imports_training_library(project, file) || project.features(file.id).has(Feature::Yaml))
    };
    let mut found: Vec<&SourceFile> = project.files.iter().filter(matters).filter(whole).collect();
    found.sort_by_key(|file| (!project.features(file.id).has(Feature::MainGuard), &file.path));
    found.truncate(MAX_FILES);
    let embedded = project.files.iter().filter(|file| file.host.is_some()).filter(matters).take(MAX_EMBEDDED);
    found.into_iter().chain(embedded).map(|file| file.id).collect()
}

impl Project {
    /// Python files that no run reaches and that are worth interpreting all the same, with their facts: a limited number, programs
    /// first.
    pub fn orphan_modules(&self) -> &[(FileId, Arc<CodeFacts>)] {
        self.queries.orphan_modules.get_or_init(|| orphan_modules(self))
    }
}
