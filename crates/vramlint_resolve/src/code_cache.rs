//! Interpreted code, kept by entry file and by the options of the launch.

use crate::code::{self, CodeFacts};
use crate::file_graph::FileGraph;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use vramlint_base::{FileId, Value};

/// Interpretation budget of a project: the steps of some hundreds of runs of usual size. A repository may contain a library that
/// every script reaches completely. Once the budget is spent, each entry is limited to [`REDUCED_STEP_LIMIT`].
pub(crate) const PROJECT_STEP_BUDGET: u32 = 5_000_000;
/// Steps for one entry after [`PROJECT_STEP_BUDGET`] is spent: no more than a run of usual size needs.
pub(crate) const REDUCED_STEP_LIMIT: u32 = 20_000;

/// The options of a launch and what the code does for them; without options for no launch in particular.
type FactsForOptions = (Vec<(String, Value)>, Arc<CodeFacts>);

/// What the code of each entry does, interpreted when first asked for. Few launches of one script differ in their options.
#[derive(Debug, Default)]
pub(crate) struct CodeCache {
    by_entry: Mutex<HashMap<FileId, Vec<FactsForOptions>>>,
}

impl CodeCache {
    /// The facts for an entry and its options, interpreted within `step_limit` steps if they are not known yet; `on_miss` then gets
    /// the steps that were taken. `None` if the entry is not a Python file.
    pub(crate) fn facts(
        &self,
        graph: &FileGraph,
        entry: FileId,
        options: &[(String, Value)],
        step_limit: u32,
        on_miss: impl FnOnce(u32),
    ) -> Option<Arc<CodeFacts>> {
        graph.file(entry).python()?;
        if let Some(known) = self.get(entry, options) {
            return Some(known);
        }
        let facts = Arc::new(code::facts_in(&graph.files, graph.modules(), entry, options, step_limit));
        on_miss(facts.steps);
        if let Ok(mut by_entry) = self.by_entry.lock() {
            by_entry.entry(entry).or_default().push((options.to_vec(), Arc::clone(&facts)));
        }
        Some(facts)
    }

    fn get(&self, entry: FileId, options: &[(String, Value)]) -> Option<Arc<CodeFacts>> {
        let by_entry = self.by_entry.lock().ok()?;
        let (_, facts) = by_entry.get(&entry)?.iter().rev().find(|(known, _)| known == options)?;
        Some(Arc::clone(facts))
    }
}
