//! Interpreted code while runs are discovered, within the project's step budget.

use crate::code::{self, CodeFacts, ScriptArguments};
use crate::code_cache::{CodeCache, PROJECT_STEP_BUDGET, REDUCED_STEP_LIMIT};
use crate::file_graph::FileGraph;
use std::cell::Cell;
use std::sync::Arc;
use vramlint_base::FileId;

/// Interprets entries one after the other, so that the same project always spends its budget on the same ones.
#[derive(Debug)]
pub(super) struct CodeReader<'g> {
    pub(super) graph: &'g FileGraph,
    cache: CodeCache,
    steps_used: Cell<u32>,
}

impl<'g> CodeReader<'g> {
    pub(super) fn new(graph: &'g FileGraph) -> Self {
        Self { graph, cache: CodeCache::default(), steps_used: Cell::new(0) }
    }

    /// What the code reachable from a Python file does with these arguments; `None` for other files.
    pub(super) fn code_with_args(&self, entry: FileId, arguments: &ScriptArguments) -> Option<Arc<CodeFacts>> {
        self.read(entry, arguments, code::STEP_LIMIT)
    }

    /// As [`CodeReader::code`], interpreted within so many steps if it is not known yet.
    pub(super) fn code_with_step_limit(&self, entry: FileId, steps: u32) -> Option<Arc<CodeFacts>> {
        self.read(entry, &ScriptArguments::default(), steps)
    }

    /// Whether the budget is spent.
    pub(super) const fn is_over_budget(&self) -> bool {
        self.steps_used.get() > PROJECT_STEP_BUDGET
    }

    /// What was interpreted.
    pub(super) fn into_cache(self) -> CodeCache {
        self.cache
    }

    fn read(&self, entry: FileId, arguments: &ScriptArguments, steps: u32) -> Option<Arc<CodeFacts>> {
        let limit = if self.is_over_budget() { steps.min(REDUCED_STEP_LIMIT) } else { steps };
        let count = |steps: u32| self.steps_used.set(self.steps_used.get().saturating_add(steps));
        self.cache.facts(self.graph, entry, arguments, limit, count)
    }
}
