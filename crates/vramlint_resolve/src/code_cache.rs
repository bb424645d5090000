//! Interpreted code, kept by entry file and by the arguments of the script.

use crate::code::{self, CodeFacts, ProjectFiles, ScriptArguments};
use crate::file_graph::FileGraph;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use vramlint_base::FileId;

/// Interpretation budget of a project: the steps of some hundreds of runs of usual size. A repository may contain a library that
/// every script reaches completely. Once the budget is spent, each entry is limited to [`REDUCED_STEP_LIMIT`].
pub(crate) const PROJECT_STEP_BUDGET: u32 = 5_000_000;
/// Steps for one entry after [`PROJECT_STEP_BUDGET`] is spent: no more than a run of usual size needs.
pub(crate) const REDUCED_STEP_LIMIT: u32 = 20_000;

/// Sets of arguments for which an entry of so many bytes is interpreted: up to 128, and fewer of a large one, of which it takes longer.
/// What more of its launches pass counts as unknown.
fn most_arguments(bytes: usize) -> usize {
    /// Bytes that are interpreted for one entry.
    const ALL: usize = 6 << 20;
    (ALL / bytes.max(1)).clamp(4, 128)
}

/// The arguments of a script and what the code does for them.
type FactsForArguments = (ScriptArguments, Arc<CodeFacts>);

/// What the code of each entry does, interpreted when first asked for. Few launches of one script differ in their arguments.
#[derive(Debug, Default)]
pub(crate) struct CodeCache {
    by_entry: Mutex<HashMap<FileId, Vec<FactsForArguments>>>,
}

impl CodeCache {
    /// The facts for an entry and its arguments, interpreted within `step_limit` steps if they are not known yet; `on_miss` then gets
    /// the steps that were taken. `None` if the entry is not a Python file.
    pub(crate) fn facts(
        &self,
        graph: &FileGraph,
        entry: FileId,
        arguments: &ScriptArguments,
        step_limit: u32,
        on_miss: impl FnOnce(u32),
    ) -> Option<Arc<CodeFacts>> {
        let text = graph.file(entry).python().map(|_| graph.file(entry).text.len())?;
        let unknown = ScriptArguments::default();
        let arguments = if self.count(entry) < most_arguments(text) { arguments } else { &unknown };
        if let Some(known) = self.get(entry, arguments) {
            return Some(known);
        }
        let (paths, versions) = (&graph.path_resolver, &graph.library_versions(entry));
        let project = ProjectFiles { files: &graph.files, paths, modules: graph.modules(), versions };
        let facts = Arc::new(code::facts_in(project, entry, arguments, step_limit));
        on_miss(facts.steps);
        if let Ok(mut by_entry) = self.by_entry.lock() {
            by_entry.entry(entry).or_default().push((arguments.clone(), Arc::clone(&facts)));
        }
        Some(facts)
    }

    fn count(&self, entry: FileId) -> usize {
        self.by_entry.lock().map_or(0, |by_entry| by_entry.get(&entry).map_or(0, Vec::len))
    }

    fn get(&self, entry: FileId, arguments: &ScriptArguments) -> Option<Arc<CodeFacts>> {
        let by_entry = self.by_entry.lock().ok()?;
        let (_, facts) = by_entry.get(&entry)?.iter().rev().find(|(known, _)| known == arguments)?;
        Some(Arc::clone(facts))
    }
}

#[cfg(test)]
mod tests {
    use super::most_arguments;

    #[test]
    fn small_entries_are_interpreted_more_often() {
        assert_eq!(
            (most_arguments(0), most_arguments(20_000), most_arguments(1 << 17), most_arguments(1 << 21)),
            (128, 128, 48, 4)
        );
    }
}
