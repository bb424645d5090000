//! Undecided branches: every branch runs, and the values that they assign become alternatives with conditions.

use super::conditions::{none_of, one_line};
use super::interpreter::Interpreter;
use super::merge::{BranchValue, merge_branches};
use super::selection::Selection;
use super::stmt::{Flow, is_exit};
use super::value::AbstractValue;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange};
use vramlint_syntax::python::{Arm, Expr, ExprKind, Stmt, StmtKind};

/// A branch that ran and did not return or raise.
struct CompletedBranch {
    condition: Option<Rc<str>>,
    writes: BTreeMap<String, AbstractValue>,
}

impl<'a> Interpreter<'a> {
    pub(super) fn if_branches(&mut self, range: TextRange, arms: &'a [Arm], scope: usize) -> Flow {
        let file = self.scopes[scope].file;
        let mut tests: Vec<Rc<str>> = Vec::new();
        let mut ran = Vec::new();
        let mut returned: Vec<Rc<str>> = Vec::new();
        let mut closed = false;
        let mut before: Vec<Option<Selection>> = Vec::new();
        for arm in arms {
            let (truth, condition, own) = match &arm.test {
                Some(test) => {
                    let val = self.eval(test, scope);
                    let own = Selection::of(&val).map(|selection| selection.as_ref().clone());
                    (self.truth(&val), one_line(self.sources.text(FileRange::new(file, test.range))), own)
                }
                None => (Some(true), none_of(&tests), None),
            };
            if truth == Some(false) {
                continue;
            }
            if truth == Some(true) && tests.is_empty() {
                return self.block(&arm.body, scope);
            }
            let modulo = arm.test.as_ref().and_then(|test| self.modulus(test, scope));
            let selection = selected(own.as_ref(), &before, arm.test.is_none());
            let (flow, writes) = self.run_branch(&arm.body, &condition, (modulo, selection.clone()), scope);
            before.push(own);
            if flow == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition.clone()), writes });
            } else if self.ends_with_continue(&arm.body, scope)
                && let Some(open) = self.control.loops.last_mut()
            {
                open.left_out.push(selection);
            } else if matches!(arm.body.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_))) {
                returned.push(none_of(std::slice::from_ref(&condition)));
            }
            if truth == Some(true) {
                closed = true;
                break;
            }
            tests.push(condition);
        }
        if let Some(frame) = self.control.frames.last_mut() {
            frame.passed.extend(returned);
        }
        self.merge_writes(FileRange::new(file, range), &ran, !closed, scope)
    }

    /// The cases of a `match`: none is decided, and it is possible that none matches.
    pub(super) fn match_cases(&mut self, range: TextRange, cases: &'a [Vec<Stmt>], scope: usize) {
        let place = FileRange::new(self.scopes[scope].file, range);
        let mut ran = Vec::new();
        for body in cases {
            let condition: Rc<str> = "case".into();
            let (flow, writes) = self.run_branch(body, &condition, (None, None), scope);
            if flow == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition), writes });
            }
        }
        self.merge_writes(place, &ran, true, scope);
    }

    /// `try`: the body is the normal path, handlers are alternatives.
    pub(super) fn try_branches(
        &mut self,
        range: TextRange,
        body: &'a [Stmt],
        handlers: &'a [(Option<Expr>, Vec<Stmt>)],
        orelse: &'a [Stmt],
        finally: &'a [Stmt],
        scope: usize,
    ) -> Flow {
        let file = self.scopes[scope].file;
        let catches = handlers.iter().any(|(_, handler)| continues(handler));
        self.control.catching += u32::from(catches);
        let mut flow = self.block(body, scope);
        self.control.catching -= u32::from(catches);
        if flow == Flow::Next {
            flow = self.block(orelse, scope);
        }
        let mut ran = Vec::new();
        for (exception, handler) in handlers {
            let name = exception.as_ref().map_or("", |exception| self.sources.text(FileRange::new(file, exception.range)));
            let condition = one_line(format!("except {name}").trim());
            let (handled, writes) = self.run_branch(handler, &condition, (None, None), scope);
            if handled == Flow::Next {
                ran.push(CompletedBranch { condition: Some(condition), writes });
            }
        }
        let goes_on = flow == Flow::Next || !ran.is_empty();
        self.merge_writes(FileRange::new(file, range), &ran, true, scope);
        if self.block(finally, scope) == Flow::Stop || !goes_on { Flow::Stop } else { Flow::Next }
    }

    /// The value of `N` in a test of the form `(step + 1) % N == 0`.
    fn modulus(&mut self, test: &'a Expr, scope: usize) -> Option<AbstractValue> {
        match &test.kind {
            ExprKind::Binary(left, "%", right) if !matches!(left.kind, ExprKind::Value(_)) => Some(self.eval(right, scope)),
            ExprKind::Binary(left, "and" | "or", right) => self.modulus(left, scope).or_else(|| self.modulus(right, scope)),
            ExprKind::Compare(left, _, right) => self.modulus(left, scope).or_else(|| self.modulus(right, scope)),
            ExprKind::Unary(_, inner) => self.modulus(inner, scope),
            _ => None,
        }
    }

    fn ends_with_continue(&self, body: &[Stmt], scope: usize) -> bool {
        let text = |stmt: &Stmt| self.sources.text(FileRange::new(self.scopes[scope].file, stmt.range));
        body.last().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Other) && text(stmt) == "continue")
    }

    /// Runs one branch and reverts what it wrote.
    fn run_branch(
        &mut self,
        body: &'a [Stmt],
        condition: &Rc<str>,
        (modulo, selection): (Option<AbstractValue>, Option<Selection>),
        scope: usize,
    ) -> (Flow, BTreeMap<String, AbstractValue>) {
        self.control.guards.push(condition.clone(), selection);
        self.scopes.begin_branch(scope);
        let counted = modulo.is_some();
        if let Some(modulo) = modulo {
            self.training.moduli.push(modulo);
        }
        let flow = self.block(body, scope);
        if counted {
            self.training.moduli.pop();
        }
        self.control.guards.pop();
        (flow, self.scopes.end_branch(scope))
    }

    /// Gives every name that a branch wrote its alternatives. `open`: it is possible that no branch runs.
    fn merge_writes(&mut self, place: FileRange, ran: &[CompletedBranch], open: bool, scope: usize) -> Flow {
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
            let val = merge_branches(place, parts);
            self.scopes.set(scope, &name, val);
        }
        Flow::Next
    }
}

/// What the arm of an `if` selects: its own test, and none of the tests before it. `None` if something else decides.
fn selected(own: Option<&Selection>, before: &[Option<Selection>], is_else: bool) -> Option<Selection> {
    let mut whole = match own {
        Some(own) => Some(own.clone()),
        None if is_else => None,
        None => return None,
    };
    for test in before {
        let not = test.clone()?.negated();
        whole = Some(match whole {
            Some(whole) => whole.and(not),
            None => not,
        });
    }
    whole
}

/// Whether the program continues after a handler: it neither raises nor exits at its end.
fn continues(handler: &[Stmt]) -> bool {
    match handler.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Raise(_)) => false,
        Some(StmtKind::Expr(expr)) => !is_exit(expr),
        _ => true,
    }
}
