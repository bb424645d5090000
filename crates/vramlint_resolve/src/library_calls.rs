//! The library calls of a project.

use crate::code::{ArgValue, CodeFacts, LibraryCall, ModelLoad};
use crate::{Project, Run};
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::FileId;

/// A recorded call together with the facts of its code.
#[derive(Clone, Debug)]
pub struct CallRef {
    /// The facts of the code, to which the values of the call refer.
    pub facts: Arc<CodeFacts>,
    /// Its index among the calls.
    pub index: usize,
}

impl CallRef {
    /// The call.
    pub fn call(&self) -> &LibraryCall {
        &self.facts.calls[self.index]
    }

    /// The call that returned a value.
    pub fn producing_call(&self, value: &ArgValue) -> Option<&LibraryCall> {
        if let ArgValue::ResultOf(index) = value { self.facts.calls.get(*index) } else { None }
    }

    /// The model that a value is.
    pub fn model(&self, value: &ArgValue) -> Option<&ModelLoad> {
        if let ArgValue::Model(index) = value { self.facts.model(*index) } else { None }
    }

    /// The runs whose code contains it. A run with other options on its command line has other facts.
    pub fn runs<'p>(&self, project: &'p Project) -> impl Iterator<Item = &'p Run> {
        let facts = Arc::clone(&self.facts);
        project.runs.iter().filter(move |run| run.code.as_ref().is_some_and(|code| Arc::ptr_eq(code, &facts)))
    }
}

/// The calls in the code of the runs, in their order, then those in Python files that no run reaches. A call with a visible caller
/// is not repeated from an interpretation without callers.
fn library_calls(project: &Project) -> Vec<CallRef> {
    let mut known: Vec<Arc<CodeFacts>> = Vec::new();
    let mut covered: BTreeSet<FileId> = BTreeSet::new();
    for code in project.runs.iter().filter_map(|run| run.code.as_ref()) {
        if !known.iter().any(|other| Arc::ptr_eq(other, code)) {
            covered.extend(code.files.iter().copied());
            known.push(Arc::clone(code));
        }
    }
    // Code in documents is interpreted by itself.
    for (file, code) in project.orphan_modules().iter().filter(|(file, _)| project.file(*file).host.is_none()) {
        if covered.insert(*file) {
            covered.extend(code.files.iter().copied());
            known.push(Arc::clone(code));
        }
    }
    let called: BTreeSet<_> =
        known.iter().flat_map(|code| &code.calls).filter(|call| !call.uncalled).map(|call| call.place).collect();
    let mut found = Vec::new();
    for facts in known {
        for (index, call) in facts.calls.iter().enumerate() {
            let elsewhere = call.uncalled && called.contains(&call.place);
            if !elsewhere && (!project.file(call.file).is_test() || facts.files.first() == Some(&call.file)) {
                found.push(CallRef { facts: Arc::clone(&facts), index });
            }
        }
    }
    found
}

impl Project {
    /// Every library call in the Python code of the project, those of runs first, including files that no run reaches.
    pub fn calls(&self) -> &[CallRef] {
        self.queries.calls.get_or_init(|| library_calls(self))
    }
}
