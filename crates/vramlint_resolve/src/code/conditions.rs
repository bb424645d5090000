//! Conditions of branches as text, and the conditions under which the current statement runs.

use std::rc::Rc;

/// Conditions longer than this are cut.
const MAX_LENGTH: usize = 200;

/// The conditions of the undecided branches around the current statement, outermost first.
#[derive(Clone, Default)]
pub(super) struct PathConditions(Vec<Rc<str>>);

impl PathConditions {
    /// One open branch under a condition; none without one.
    pub(super) fn from_condition(condition: Option<Rc<str>>) -> Self {
        Self(condition.into_iter().collect())
    }

    pub(super) fn push(&mut self, condition: Rc<str>) {
        self.0.push(condition);
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// The number of open branches.
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether no undecided branch is open.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions of the branches that were opened since this depth.
    pub(super) fn since(&self, depth: usize) -> &[Rc<str>] {
        self.0.get(depth..).unwrap_or_default()
    }

    /// Their conjunction; `None` if no branch is open.
    pub(super) fn condition(&self) -> Option<Rc<str>> {
        conjoin_all(self.0.iter())
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
