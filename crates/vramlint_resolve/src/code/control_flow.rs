//! The position of the interpretation: calls, branches, loops and handlers around the current statement.

use super::conditions::{PathConditions, conjoin, conjoin_all};
use super::selection::Selection;
use super::value::AbstractValue;
use std::rc::Rc;
use vramlint_base::FileRange;

/// A function that is running.
pub(super) struct Frame {
    pub(super) function: usize,
    pub(super) returns: Vec<(AbstractValue, Option<Rc<str>>)>,
    /// Conditions of branches that returned before.
    pub(super) passed: Vec<Rc<str>>,
    /// The number of open branches when it was entered.
    pub(super) guards: usize,
    pub(super) call: Option<FileRange>,
    pub(super) receiver: Option<usize>,
    /// The name that its result is assigned to.
    pub(super) assigned_to: Option<String>,
}

/// A loop that is running.
pub(super) struct Loop {
    pub(super) id: usize,
    /// `N` of `for … in range(N)`.
    pub(super) times: Option<AbstractValue>,
    /// Whether it visits the parameters or layers of a model, which stands for each of them.
    pub(super) of_parts: bool,
    /// What a `continue` before has left out of the rest of the body; `None` for one that something else decides.
    pub(super) left_out: Vec<Option<Selection>>,
}

/// Something that a library may call later.
pub(super) enum DeferredCall {
    Function(usize, Option<usize>),
    Instance(usize),
}

/// The control state of a module. An import starts with an empty one, and the importer's is restored after it.
#[derive(Default)]
pub(super) struct ControlFlow {
    pub(super) frames: Vec<Frame>,
    pub(super) guards: PathConditions,
    pub(super) loops: Vec<Loop>,
    /// The number of blocks around the current statement, in the same function, that catch its errors and continue.
    pub(super) catching: u32,
}

impl ControlFlow {
    /// The condition under which the current statement runs: that of the open branches, and that no branch before has returned.
    pub(super) fn condition(&self) -> Option<Rc<str>> {
        let passed = conjoin_all(self.frames.iter().flat_map(|frame| &frame.passed));
        conjoin(self.guards.condition().as_ref(), passed.as_ref())
    }

    /// What the branches and loops around the current statement select among the parameters of a model; `Err` if something else decides
    /// whether it runs.
    pub(super) fn selection(&self) -> Result<Option<Selection>, ()> {
        let left_out = self.loops.iter().flat_map(|open| &open.left_out);
        let left_out = left_out.map(|selection| selection.clone().map(Selection::negated));
        let mut whole: Option<Selection> = None;
        for selection in self.guards.selections().iter().cloned().chain(left_out) {
            let one = selection.ok_or(())?;
            whole = Some(match whole {
                Some(before) => before.and(one),
                None => one,
            });
        }
        if self.frames.iter().any(|frame| !frame.passed.is_empty()) { Err(()) } else { Ok(whole) }
    }

    /// The calls of functions of the project that lead to the current statement, outermost first.
    pub(super) fn call_chain(&self) -> Vec<FileRange> {
        self.frames.iter().filter_map(|frame| frame.call).collect()
    }
}
