//! Conditions of branches as text, and the conditions under which the current statement runs.

use super::selection::Selection;
use std::rc::Rc;

/// Conditions longer than this are cut.
const MAX_LENGTH: usize = 200;

/// The conditions of the undecided branches around the current statement, outermost first.
#[derive(Clone, Default)]
pub(super) struct PathConditions {
    texts: Vec<Rc<str>>,
    /// For each, what it selects among the parameters that a loop visits.
    selections: Vec<Option<Selection>>,
}

impl PathConditions {
    /// One open branch under a condition; none without one.
    pub(super) fn from_condition(condition: Option<Rc<str>>) -> Self {
        let texts: Vec<Rc<str>> = condition.into_iter().collect();
        Self { selections: vec![None; texts.len()], texts }
    }

    pub(super) fn push(&mut self, condition: Rc<str>, selection: Option<Selection>) {
        self.texts.push(condition);
        self.selections.push(selection);
    }

    pub(super) fn pop(&mut self) {
        self.texts.pop();
        self.selections.pop();
    }

    /// What the open branches select among the parameters that loops visit, one by one; `None` for a branch that decides something else.
    pub(super) fn selections(&self) -> &[Option<Selection>] {
        &self.selections
    }

    /// The number of open branches.
    pub(super) fn depth(&self) -> usize {
        self.texts.len()
    }

    /// Whether no undecided branch is open.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The conditions of the branches that were opened since this depth.
    pub(super) fn since(&self, depth: usize) -> &[Rc<str>] {
        self.texts.get(depth..).unwrap_or_default()
    }

    /// Their conjunction; `None` if no branch is open.
    pub(super) fn condition(&self) -> Option<Rc<str>> {
        conjoin_all(self.texts.iter())
    }
}

/// `a and b`, where either may be missing.
pub(super) fn conjoin(a: Option<&Rc<str>>, b: Option<&Rc<str>>) -> Option<Rc<str>> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Some(a.clone()),
        (Some(a), Some(b)) => Some(one_line(&format!("{a} and {b}"))),
        (a, b) => a.or(b).cloned(),
    }
}

/// All conditions joined; `None` for none.
pub(super) fn conjoin_all<'c>(conditions: impl Iterator<Item = &'c Rc<str>>) -> Option<Rc<str>> {
    conditions.fold(None, |found, condition| conjoin(found.as_ref(), Some(condition)))
}

/// That none of the conditions holds.
pub(super) fn none_of(tests: &[Rc<str>]) -> Rc<str> {
    one_line(&tests.iter().map(|test| format!("not ({test})")).collect::<Vec<_>>().join(" and "))
}

/// A condition on one line, cut if it is very long.
pub(super) fn one_line(text: &str) -> Rc<str> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_LENGTH {
        return line.into();
    }
    let cut: String = line.chars().take(MAX_LENGTH).collect();
    format!("{cut}…").into()
}
