//! Walks over everything in a module, in the order of the text, with the place in the program.

use super::{Arm, Call, Class, Expr, ExprKind, Function, Module, Stmt, StmtKind};
use std::slice;
use std::sync::Arc;
use vramlint_base::Value;

/// A function or class around a statement.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// A function.
    Function(&'a Function),
    /// A class.
    Class(&'a Class),
}

impl<'a> Scope<'a> {
    /// Its name.
    pub fn name(self) -> &'a str {
        match self {
            Self::Function(function) => &function.name,
            Self::Class(class) => &class.name,
        }
    }
}

/// Where a statement is.
#[derive(Clone, Debug, Default)]
pub struct Context<'a> {
    /// Enclosing functions and classes, outermost first.
    pub scopes: Arc<[Scope<'a>]>,
    /// Enclosing `for` and `while` bodies within the innermost function.
    pub loops: u32,
    /// Enclosing branches that may not run: those of an `if`, `except`, `else` of `try` and loops, `case`. They are counted through
    /// functions, since a function defined in a branch exists only there. `if __name__ == "__main__":` is no branch.
    pub conditions: u32,
    /// Whether it is in `if __name__ == "__main__":`, outside of functions.
    pub main_guard: bool,
}

impl<'a> Context<'a> {
    /// The innermost function.
    pub fn function(&self) -> Option<&'a Function> {
        self.scopes.iter().rev().find_map(|scope| if let Scope::Function(function) = scope { Some(*function) } else { None })
    }

    /// The innermost class, also from within its methods.
    pub fn class(&self) -> Option<&'a Class> {
        self.scopes.iter().rev().find_map(|scope| if let Scope::Class(class) = scope { Some(*class) } else { None })
    }

    /// `Trainer.train`, empty at module level.
    pub fn path(&self) -> String {
        self.scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(".")
    }

    /// Whether it is outside of functions and classes.
    pub fn at_module_level(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Whether it runs as soon as the module (or its function) does, exactly once.
    pub fn is_straight(&self) -> bool {
        self.loops == 0 && self.conditions == 0
    }

    fn within(&self, scope: Scope<'a>) -> Self {
        let scopes = self.scopes.iter().copied().chain([scope]).collect();
        let main_guard = self.main_guard && matches!(scope, Scope::Class(_));
        let loops = if matches!(scope, Scope::Class(_)) { self.loops } else { 0 };
        Self { scopes, loops, conditions: self.conditions, main_guard }
    }

    fn looped(&self) -> Self {
        Self { loops: self.loops + 1, ..self.clone() }
    }

    fn branched(&self) -> Self {
        Self { conditions: self.conditions + 1, ..self.clone() }
    }

    fn arm(&self, arm: &Arm) -> Self {
        if self.at_module_level() && arm.test.as_ref().is_some_and(is_main_guard) {
            return Self { main_guard: true, ..self.clone() };
        }
        self.branched()
    }
}

/// `__name__ == "__main__"`, in either order.
fn is_main_guard(test: &Expr) -> bool {
    let ExprKind::Compare(left, "==", right) = &test.kind else { return false };
    let sides = [(left, right), (right, left)];
    sides.iter().any(|(name, text)| name.as_name() == Some("__name__") && text.as_str() == Some("__main__"))
}

/// A statement and where it is.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    /// The statement.
    pub stmt: &'a Stmt,
    /// Where it is.
    pub context: Context<'a>,
}

/// Every statement of a module, however deep; a compound one before its parts.
#[derive(Clone, Debug)]
pub struct Statements<'a> {
    frames: Vec<(slice::Iter<'a, Stmt>, Context<'a>)>,
}

impl<'a> Iterator for Statements<'a> {
    type Item = Located<'a>;

    fn next(&mut self) -> Option<Located<'a>> {
        loop {
            let (statements, context) = self.frames.last_mut()?;
            let Some(stmt) = statements.next() else {
                self.frames.pop();
                continue;
            };
            let context = context.clone();
            let bodies = stmt.located_bodies(&context);
            self.frames.extend(bodies.into_iter().rev().map(|(body, context)| (body.iter(), context)));
            return Some(Located { stmt, context });
        }
    }
}

impl Module {
    /// Every statement, however deep, in the order of the text.
    pub fn statements(&self) -> Statements<'_> {
        Statements { frames: vec![(self.body.iter(), Context::default())] }
    }

    /// Every call, however deep, in the order of the text; an outer call before those in it.
    pub fn calls(&self) -> Calls<'_> {
        Calls { statements: self.statements(), queue: Vec::new().into_iter() }
    }

    /// Every class, however deep.
    pub fn classes(&self) -> impl Iterator<Item = (&Class, Context<'_>)> {
        self.statements().filter_map(|l| if let StmtKind::Class(class) = &l.stmt.kind { Some((class, l.context)) } else { None })
    }

    /// Every function, however deep.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, Context<'_>)> {
        self.statements().filter_map(|l| if let StmtKind::Function(f) = &l.stmt.kind { Some((f, l.context)) } else { None })
    }
}

impl Stmt {
    /// The blocks in the statement, in the order of the text.
    pub fn bodies(&self) -> Vec<&[Stmt]> {
        self.located_bodies(&Context::default()).into_iter().map(|(body, _)| body).collect()
    }

    fn located_bodies<'a>(&'a self, context: &Context<'a>) -> Vec<(&'a [Stmt], Context<'a>)> {
        match &self.kind {
            StmtKind::If(arms) => arms.iter().map(|arm| (&arm.body[..], context.arm(arm))).collect(),
            StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
                vec![(body, context.looped()), (orelse, context.branched())]
            }
            StmtKind::With { body, .. } => vec![(body, context.clone())],
            StmtKind::Try { body, handlers, orelse, finally } => {
                let mut bodies = vec![(&body[..], context.clone())];
                bodies.extend(handlers.iter().map(|(_, body)| (&body[..], context.branched())));
                bodies.extend([(&orelse[..], context.branched()), (&finally[..], context.clone())]);
                bodies
            }
            StmtKind::Match { cases, .. } => cases.iter().map(|body| (&body[..], context.branched())).collect(),
            StmtKind::Function(function) => vec![(&function.body, context.within(Scope::Function(function)))],
            StmtKind::Class(class) => vec![(&class.body, context.within(Scope::Class(class)))],
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself, not those of the blocks in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Assign { targets, annotation, value } => targets.iter().chain(annotation).chain(value).collect(),
            StmtKind::AugAssign { target, value, .. } => vec![target, value],
            StmtKind::Expr(value) | StmtKind::Assert(value) => vec![value],
            StmtKind::Delete(targets) => targets.iter().collect(),
            StmtKind::Return(value) | StmtKind::Raise(value) => value.iter().collect(),
            StmtKind::If(arms) => arms.iter().filter_map(|arm| arm.test.as_ref()).collect(),
            StmtKind::For { target, iter, .. } => vec![target, iter],
            StmtKind::While { test, .. } => vec![test],
            StmtKind::With { items, .. } => items.iter().flat_map(|(value, name)| std::iter::once(value).chain(name)).collect(),
            StmtKind::Try { handlers, .. } => handlers.iter().filter_map(|(caught, _)| caught.as_ref()).collect(),
            StmtKind::Match { subject, .. } => vec![subject],
            StmtKind::Function(function) => {
                let params = function.params.iter().flat_map(|param| param.annotation.iter().chain(&param.default));
                function.decorators.iter().chain(params).collect()
            }
            StmtKind::Class(class) => {
                let keywords = class.keywords.iter().map(|keyword| &keyword.value);
                class.decorators.iter().chain(&class.bases).chain(keywords).collect()
            }
            StmtKind::Import { .. } | StmtKind::FromImport { .. } | StmtKind::Global(_) | StmtKind::Other => Vec::new(),
        }
    }
}

impl Expr {
    /// The expressions right below, in the order of the text (of a conditional: body, test, orelse).
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Value(_) | ExprKind::Name(_) => Vec::new(),
            ExprKind::Attribute(base, ..) | ExprKind::Unary(_, base) => vec![base],
            ExprKind::Subscript(left, right)
            | ExprKind::Binary(left, _, right)
            | ExprKind::Compare(left, _, right)
            | ExprKind::Walrus(left, right) => vec![left, right],
            ExprKind::Call(call) => std::iter::once(&call.callee).chain(call.args.iter().map(|arg| &arg.value)).collect(),
            ExprKind::Dict(items) => items.iter().flat_map(|(key, value)| key.iter().chain([value])).collect(),
            ExprKind::Conditional { test, body, orelse } => vec![body, test, orelse],
            ExprKind::Slice(parts) => parts.iter().flatten().collect(),
            ExprKind::List(items)
            | ExprKind::FString(items)
            | ExprKind::Comprehension { parts: items, .. }
            | ExprKind::Lambda(items)
            | ExprKind::Other(items) => items.iter().collect(),
        }
    }

    /// The expression and everything in it, outer ones first, in the order of the text.
    pub fn walk(&self) -> ExprWalk<'_> {
        ExprWalk { stack: vec![(self, Flags::default())] }
    }
}

/// What lies between an expression and its statement.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    conditional: bool,
    hidden: bool,
}

/// An expression and everything in it; see [`Expr::walk`].
#[derive(Clone, Debug)]
pub struct ExprWalk<'a> {
    stack: Vec<(&'a Expr, Flags)>,
}

impl<'a> ExprWalk<'a> {
    fn step(&mut self) -> Option<(&'a Expr, Flags)> {
        let (expr, flags) = self.stack.pop()?;
        let children = expr.children();
        for (index, child) in children.into_iter().enumerate().rev() {
            let conditional = match &expr.kind {
                ExprKind::Conditional { .. } => index != 1,
                ExprKind::Binary(_, op, _) => index == 1 && matches!(*op, "and" | "or"),
                _ => false,
            };
            let hidden = flags.hidden
                || matches!(
                    expr.kind,
                    ExprKind::Other(_) | ExprKind::Slice(_) | ExprKind::Lambda(_) | ExprKind::Comprehension { .. }
                );
            self.stack.push((child, Flags { conditional: flags.conditional || conditional, hidden }));
        }
        Some((expr, flags))
    }
}

impl<'a> Iterator for ExprWalk<'a> {
    type Item = &'a Expr;

    fn next(&mut self) -> Option<&'a Expr> {
        self.step().map(|(expr, _)| expr)
    }
}

/// A call and where it is.
#[derive(Clone, Debug)]
pub struct CallSite<'a> {
    /// The call.
    pub call: &'a Call,
    /// The call as an expression.
    pub expr: &'a Expr,
    /// The statement it is part of.
    pub stmt: &'a Stmt,
    /// Where the statement is.
    pub context: Context<'a>,
    /// Whether it may not run though its statement does: in a branch of `a if test else b`, or after `and`/`or`.
    pub conditional: bool,
    /// Whether it is in a comprehension, lambda, `await` or the like: it may run never, later, or many times.
    pub hidden: bool,
}

impl<'a> CallSite<'a> {
    /// Whether it runs whenever its module or function does, exactly once.
    pub fn is_straight(&self) -> bool {
        self.context.is_straight() && !self.conditional && !self.hidden
    }

    /// The name that the whole statement gives the result: `x` of `x = call(…)` and of `self.x = call(…)` (`self.x`).
    pub fn assigned_to(&self) -> Option<String> {
        let StmtKind::Assign { targets, value: Some(value), .. } = &self.stmt.kind else { return None };
        if !std::ptr::eq(value, self.expr) {
            return None;
        }
        if let [target] = &targets[..] { target.dotted() } else { None }
    }

    /// The literal value of the keyword argument `name`.
    pub fn literal(&self, name: &str) -> Option<&'a Value> {
        self.call.keyword(name)?.value.as_value()
    }
}

/// Every call of a module; see [`Module::calls`].
#[derive(Clone, Debug)]
pub struct Calls<'a> {
    statements: Statements<'a>,
    queue: std::vec::IntoIter<CallSite<'a>>,
}

impl<'a> Iterator for Calls<'a> {
    type Item = CallSite<'a>;

    fn next(&mut self) -> Option<CallSite<'a>> {
        loop {
            if let Some(site) = self.queue.next() {
                return Some(site);
            }
            let located = self.statements.next()?;
            self.queue = calls_of(&located).into_iter();
        }
    }
}

fn calls_of<'a>(located: &Located<'a>) -> Vec<CallSite<'a>> {
    let mut sites = Vec::new();
    let roots = located.stmt.expressions();
    for root in roots {
        let mut walk = root.walk();
        while let Some((expr, flags)) = walk.step() {
            let ExprKind::Call(call) = &expr.kind else { continue };
            sites.push(CallSite {
                call,
                expr,
                stmt: located.stmt,
                context: located.context.clone(),
                conditional: flags.conditional,
                hidden: flags.hidden,
            });
        }
    }
    sites
}
