//! Branches that cannot be decided: every arm is run, and what they assign becomes alternatives with conditions.

use super::interpreter::Interpreter;
use super::stmt::Flow;
use super::value::{AbstractValue, Alternative};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange};
use vramlint_syntax::python::{Arm, Expr, Stmt, StmtKind};

/// Conditions longer than this are cut.
const CONDITION: usize = 200;

/// An arm that was run and goes on behind the branch.
struct CompletedBranch {
    condition: Option<Rc<str>>,
    writes: BTreeMap<String, AbstractValue>,
}

/// What one arm says about a name.
pub(super) struct BranchValue {
    pub(super) condition: Option<Rc<str>>,
    pub(super) val: AbstractValue,
    /// Whether the arm leaves the name as it was.
    pub(super) unchanged: bool,
}

impl<'a> Interpreter<'a> {
    pub(super) fn if_arms(&mut self, range: TextRange, arms: &'a [Arm], scope: usize) -> Flow {
        let file = self.file_of(scope);
        let mut tests: Vec<Rc<str>> = Vec::new();
        let mut ran = Vec::new();
        let mut returned: Vec<Rc<str>> = Vec::new();
        let mut closed = false;
        for arm in arms {
            let (truth, condition) = match &arm.test {
                Some(test) => {
                    let val = self.eval(test, scope);
                    (self.truth(&val), shorten(self.text(FileRange::new(file, test.range))))
                }
                None => (Some(true), negated(&tests)),
            };
            if truth == Some(false) {
                continue;
            }
            if truth == Some(true) && tests.is_empty() {
                return self.block(&arm.body, scope);
            }
            let modulo = arm.test.as_ref().and_then(|test| self.modulus(test, scope));
            let (flow, writes) = self.arm(&arm.body, &condition, modulo, scope);
            if flow == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition.clone()), writes });
            } else if matches!(arm.body.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_))) {
                returned.push(negated(std::slice::from_ref(&condition)));
            }
            if truth == Some(true) {
                closed = true;
                break;
            }
            tests.push(condition);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.passed.extend(returned);
        }
        self.merge(FileRange::new(file, range), &ran, !closed, scope)
    }

    /// The arms of a `match`: none is decided, and perhaps none matches.
    pub(super) fn cases(&mut self, range: TextRange, cases: &'a [Vec<Stmt>], scope: usize) {
        let place = FileRange::new(self.file_of(scope), range);
        let mut ran = Vec::new();
        for body in cases {
            let condition: Rc<str> = "case".into();
            let (flow, writes) = self.arm(body, &condition, None, scope);
            if flow == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition), writes });
            }
        }
        self.merge(place, &ran, true, scope);
    }

    /// `try`: the body is what is meant to happen, a handler is what may.
    pub(super) fn try_arms(
        &mut self,
        range: TextRange,
        body: &'a [Stmt],
        handlers: &'a [(Option<Expr>, Vec<Stmt>)],
        orelse: &'a [Stmt],
        finally: &'a [Stmt],
        scope: usize,
    ) -> Flow {
        let file = self.file_of(scope);
        let catches = handlers.iter().any(|(_, handler)| goes_on(handler));
        self.catching += u32::from(catches);
        let mut flow = self.block(body, scope);
        self.catching -= u32::from(catches);
        if flow == Flow::Next {
            flow = self.block(orelse, scope);
        }
        let mut ran = Vec::new();
        for (exception, handler) in handlers {
            let name = exception.as_ref().map_or("", |exception| self.text(FileRange::new(file, exception.range)));
            let condition = shorten(format!("except {name}").trim());
            let (handled, writes) = self.arm(handler, &condition, None, scope);
            if handled == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition), writes });
            }
        }
        let goes_on = flow == Flow::Next || !ran.is_empty();
        self.merge(FileRange::new(file, range), &ran, true, scope);
        if self.block(finally, scope) == Flow::Stop || !goes_on { Flow::Stop } else { Flow::Next }
    }

    /// Runs one arm and takes back what it wrote.
    fn arm(
        &mut self,
        body: &'a [Stmt],
        condition: &Rc<str>,
        modulo: Option<AbstractValue>,
        scope: usize,
    ) -> (Flow, BTreeMap<String, AbstractValue>) {
        self.guards.push(condition.clone());
        self.scopes[scope].journals.push(BTreeMap::new());
        let counted = modulo.is_some();
        if let Some(modulo) = modulo {
            self.events.moduli.push((self.guards.len(), modulo));
        }
        let flow = self.block(body, scope);
        if counted {
            self.events.moduli.pop();
        }
        self.guards.pop();
        let scope = &mut self.scopes[scope];
        let journal = scope.journals.pop().unwrap_or_default();
        let mut writes = BTreeMap::new();
        for (name, old) in journal {
            let new = match old {
                Some(old) => scope.vars.insert(name.clone(), old),
                None => scope.vars.remove(&name),
            };
            if let Some(new) = new {
                writes.insert(name, new);
            }
        }
        (flow, writes)
    }

    /// Gives every name that an arm wrote its alternatives. `open`: perhaps no arm runs.
    fn merge(&mut self, place: FileRange, ran: &[CompletedBranch], open: bool, scope: usize) -> Flow {
        if ran.is_empty() {
            return if open { Flow::Next } else { Flow::Stop };
        }
        let names: BTreeSet<String> = ran.iter().flat_map(|arm| arm.writes.keys().cloned()).collect();
        let single = ran.len() == 1 && !open;
        for name in names {
            let before = self.scopes[scope].vars.get(&name).cloned();
            let mut parts = Vec::new();
            for arm in ran {
                let condition = if single { None } else { arm.condition.clone() };
                match (arm.writes.get(&name), &before) {
                    (Some(val), _) => parts.push(BranchValue { condition, val: val.clone(), unchanged: false }),
                    (None, Some(val)) => parts.push(BranchValue { condition, val: val.clone(), unchanged: true }),
                    (None, None) => {}
                }
            }
            if let (true, Some(val)) = (open, before) {
                parts.push(BranchValue { condition: None, val, unchanged: true });
            }
            let val = join(place, parts);
            self.set(scope, &name, val);
        }
        Flow::Next
    }
}

/// One value from what several arms say. The one from which the branches start, written outside of `place`, stays without a
/// condition and comes first; where there are several such, or none, each holds under its arm's condition.
#[allow(clippy::needless_pass_by_value)] // parts are made for it
pub(super) fn join(place: FileRange, parts: Vec<BranchValue>) -> AbstractValue {
    let mut nominal: Vec<(Option<Rc<str>>, Alternative)> = Vec::new();
    let mut others: Vec<(Option<Rc<str>>, Alternative)> = Vec::new();
    let any_unchanged = parts.iter().any(|part| part.unchanged);
    let only = parts.len() == 1;
    for part in parts {
        for alt in part.val.alternatives {
            let inside = alt.source.place.is_none_or(|at| at.file == place.file && place.range.contains(at.range));
            let free = alt.condition.is_none();
            let starts = free && if any_unchanged { part.unchanged } else { !inside || only };
            let condition = if part.unchanged { None } else { part.condition.clone() };
            if !starts {
                others.push((condition, alt));
            } else if !nominal.iter().any(|(_, known)| known.same(&alt)) {
                nominal.push((condition, alt));
            }
        }
    }
    if nominal.len() > 1 && !any_unchanged && !only {
        // Values of equal right: none is the rule, each holds in its arm.
        nominal.append(&mut others);
        others = std::mem::take(&mut nominal);
    }
    let mut alternatives: Vec<Alternative> = nominal.into_iter().map(|(_, alt)| alt).collect();
    for (condition, alt) in others {
        if alternatives.iter().any(|known| known.condition.is_none() && known.same(&alt)) {
            continue;
        }
        let condition = both(condition.as_ref(), alt.condition.as_ref());
        let alt = Alternative { condition, ..alt };
        if !alternatives.iter().any(|known| known.same(&alt) && known.condition == alt.condition) {
            alternatives.push(alt);
        }
    }
    if !any_unchanged {
        agree(&mut alternatives);
    }
    AbstractValue::from_alts(alternatives)
}

/// Where every arm says the same scalar, no condition matters.
fn agree(alternatives: &mut Vec<Alternative>) {
    let Some(first) = alternatives.first().and_then(Alternative::scalar).cloned() else { return };
    if alternatives.iter().all(|alt| alt.condition.is_some() && alt.scalar() == Some(&first)) {
        alternatives.truncate(1);
        alternatives[0].condition = None;
    }
}

/// Whether a handler lets the program go on: it neither raises nor exits at its end.
fn goes_on(handler: &[Stmt]) -> bool {
    match handler.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Raise(_)) => false,
        Some(StmtKind::Expr(expr)) => !super::stmt::is_exit(expr),
        _ => true,
    }
}

/// `a and b`, where either may be missing.
pub(super) fn both(a: Option<&Rc<str>>, b: Option<&Rc<str>>) -> Option<Rc<str>> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Some(a.clone()),
        (Some(a), Some(b)) => Some(shorten(&format!("{a} and {b}"))),
        (a, b) => a.or(b).cloned(),
    }
}

/// All conditions joined; `None` for none.
pub(super) fn all<'c>(conditions: impl Iterator<Item = &'c Rc<str>>) -> Option<Rc<str>> {
    conditions.fold(None, |found, condition| both(found.as_ref(), Some(condition)))
}

/// That none of the conditions holds.
fn negated(tests: &[Rc<str>]) -> Rc<str> {
    shorten(&tests.iter().map(|test| format!("not ({test})")).collect::<Vec<_>>().join(" and "))
}

/// A condition on one line, cut where it is very long.
fn shorten(text: &str) -> Rc<str> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= CONDITION {
        return line.into();
    }
    let cut: String = line.chars().take(CONDITION).collect();
    format!("{cut}…").into()
}
