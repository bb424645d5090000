//! Whether two pieces of code say the same, wherever they are.

#![allow(clippy::many_single_char_names)] // the parts of two nodes side by side: a, b, c and x, y, z

use super::{Argument, ArgumentKind, Class, Expr, ExprKind, Function, Param, Stmt, StmtKind};
use vramlint_base::{TextRange, Value};

/// Whether two blocks of `text` do the same, as far as structure tells: places, comments and layout do not count. Where the tree
/// dropped something (patterns, comprehensions, the text of an f-string), the two texts must agree to the byte.
pub fn equal_bodies(text: &str, left: &[Stmt], right: &[Stmt]) -> bool {
    Equality { text }.bodies(left, right)
}

/// The same for two expressions.
pub fn equal_expressions(text: &str, left: &Expr, right: &Expr) -> bool {
    Equality { text }.expr(left, right)
}

#[derive(Clone, Copy)]
struct Equality<'a> {
    text: &'a str,
}

impl Equality<'_> {
    fn same_text(self, left: TextRange, right: TextRange) -> bool {
        left.slice(self.text) == right.slice(self.text)
    }

    fn slices_equal<T>(left: &[T], right: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same(a, b))
    }

    fn optional(self, left: Option<&Expr>, right: Option<&Expr>) -> bool {
        match (left, right) {
            (Some(left), Some(right)) => self.expr(left, right),
            (None, None) => true,
            _ => false,
        }
    }

    fn exprs(self, left: &[Expr], right: &[Expr]) -> bool {
        Self::slices_equal(left, right, |a, b| self.expr(a, b))
    }

    fn bodies(self, left: &[Stmt], right: &[Stmt]) -> bool {
        Self::slices_equal(left, right, |a, b| self.stmt(a, b))
    }

    fn stmt(self, left: &Stmt, right: &Stmt) -> bool {
        use StmtKind as S;
        if self.is_async(left) != self.is_async(right) {
            return false;
        }
        match (&left.kind, &right.kind) {
            (S::Assign { targets: a, annotation: b, value: c }, S::Assign { targets: x, annotation: y, value: z }) => {
                self.exprs(a, x) && self.optional(b.as_ref(), y.as_ref()) && self.optional(c.as_ref(), z.as_ref())
            }
            (S::AugAssign { target: a, op: b, value: c }, S::AugAssign { target: x, op: y, value: z }) => {
                self.expr(a, x) && b == y && self.expr(c, z)
            }
            (S::Expr(a), S::Expr(b)) => self.expr(a, b),
            (S::Return(a), S::Return(b)) => self.optional(a.as_ref(), b.as_ref()),
            (S::Import { module: a, alias: b, .. }, S::Import { module: x, alias: y, .. }) => a == x && b == y,
            (S::FromImport { module: a, level: b, names: c }, S::FromImport { module: x, level: y, names: z }) => {
                a == x && b == y && Self::slices_equal(c, z, |m, n| m.name == n.name && m.alias == n.alias)
            }
            (S::Global(a), S::Global(b)) => a == b,
            // The message, the cause, the patterns: dropped from the tree.
            (S::Raise(_), S::Raise(_))
            | (S::Assert(_), S::Assert(_))
            | (S::Delete(_), S::Delete(_))
            | (S::Match { .. }, S::Match { .. })
            | (S::Other, S::Other) => self.same_text(left.range, right.range),
            _ => self.compound(left, right),
        }
    }

    fn compound(self, left: &Stmt, right: &Stmt) -> bool {
        use StmtKind as S;
        match (&left.kind, &right.kind) {
            (S::If(a), S::If(b)) => {
                Self::slices_equal(a, b, |m, n| self.optional(m.test.as_ref(), n.test.as_ref()) && self.bodies(&m.body, &n.body))
            }
            (S::For { target: a, iter: b, body: c, orelse: d }, S::For { target: w, iter: x, body: y, orelse: z }) => {
                self.expr(a, w) && self.expr(b, x) && self.bodies(c, y) && self.bodies(d, z)
            }
            (S::While { test: a, body: b, orelse: c }, S::While { test: x, body: y, orelse: z }) => {
                self.expr(a, x) && self.bodies(b, y) && self.bodies(c, z)
            }
            (S::With { items: a, body: b }, S::With { items: x, body: y }) => {
                let item = |m: &(Expr, Option<Expr>), n: &(Expr, Option<Expr>)| {
                    self.expr(&m.0, &n.0) && self.optional(m.1.as_ref(), n.1.as_ref())
                };
                Self::slices_equal(a, x, item) && self.bodies(b, y)
            }
            (S::Try { body: a, handlers: b, orelse: c, finally: d }, S::Try { body: w, handlers: x, orelse: y, finally: z }) => {
                let handler = |m: &(Option<Expr>, Vec<Stmt>), n: &(Option<Expr>, Vec<Stmt>)| {
                    self.optional(m.0.as_ref(), n.0.as_ref()) && self.bodies(&m.1, &n.1)
                };
                self.bodies(a, w) && Self::slices_equal(b, x, handler) && self.bodies(c, y) && self.bodies(d, z)
            }
            (S::Function(a), S::Function(b)) => self.function(a, b),
            (S::Class(a), S::Class(b)) => self.class(a, b),
            _ => false,
        }
    }

    fn is_async(self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::For { .. } | StmtKind::With { .. } | StmtKind::Function(_))
            && stmt.range.slice(self.text).starts_with("async")
    }

    fn function(self, left: &Function, right: &Function) -> bool {
        left.name == right.name
            && Self::slices_equal(&left.params, &right.params, |a, b| self.param(a, b))
            && self.exprs(&left.decorators, &right.decorators)
            && self.bodies(&left.body, &right.body)
    }

    fn param(self, left: &Param, right: &Param) -> bool {
        left.name == right.name
            && left.kind == right.kind
            && self.optional(left.annotation.as_ref(), right.annotation.as_ref())
            && self.optional(left.default.as_ref(), right.default.as_ref())
    }

    fn class(self, left: &Class, right: &Class) -> bool {
        left.name == right.name
            && self.exprs(&left.bases, &right.bases)
            && Self::slices_equal(&left.keywords, &right.keywords, |a, b| self.argument(a, b))
            && self.exprs(&left.decorators, &right.decorators)
            && self.bodies(&left.body, &right.body)
    }

    fn argument(self, left: &Argument, right: &Argument) -> bool {
        let kinds = match (&left.kind, &right.kind) {
            (ArgumentKind::Keyword(a, _), ArgumentKind::Keyword(b, _)) => a == b,
            (a, b) => a == b,
        };
        kinds && self.expr(&left.value, &right.value)
    }

    fn expr(self, left: &Expr, right: &Expr) -> bool {
        use ExprKind as E;
        match (&left.kind, &right.kind) {
            (E::Value(a), E::Value(b)) => same_value(a, b),
            (E::Name(a), E::Name(b)) => a == b,
            (E::Attribute(a, b, _), E::Attribute(x, y, _)) => b == y && self.expr(a, x),
            (E::Call(a), E::Call(b)) => {
                self.expr(&a.callee, &b.callee) && Self::slices_equal(&a.args, &b.args, |m, n| self.argument(m, n))
            }
            (E::Dict(a), E::Dict(b)) => {
                Self::slices_equal(a, b, |m, n| self.optional(m.0.as_ref(), n.0.as_ref()) && self.expr(&m.1, &n.1))
            }
            (E::List(a), E::List(b)) => self.container(left, a) == self.container(right, b) && self.exprs(a, b),
            (E::Subscript(a, b), E::Subscript(x, y)) | (E::Walrus(a, b), E::Walrus(x, y)) => self.expr(a, x) && self.expr(b, y),
            (E::Binary(a, p, b), E::Binary(x, q, y)) | (E::Compare(a, p, b), E::Compare(x, q, y)) => {
                p == q && self.expr(a, x) && self.expr(b, y)
            }
            (E::Unary(p, a), E::Unary(q, x)) => p == q && self.expr(a, x),
            (E::Conditional { test: a, body: b, orelse: c }, E::Conditional { test: x, body: y, orelse: z }) => {
                self.expr(a, x) && self.expr(b, y) && self.expr(c, z)
            }
            (E::FString(_), E::FString(_))
            | (E::Comprehension { .. }, E::Comprehension { .. })
            | (E::Lambda(_), E::Lambda(_))
            | (E::Slice(_), E::Slice(_))
            | (E::Other(_), E::Other(_)) => self.same_text(left.range, right.range),
            _ => false,
        }
    }

    /// `[` or `{`, or `None` for a tuple: the three look alike in the tree.
    fn container(self, list: &Expr, items: &[Expr]) -> Option<u8> {
        let bare = items.first().is_some_and(|first| first.range.start == list.range.start);
        list.range.slice(self.text).bytes().next().filter(|byte| !bare && matches!(byte, b'[' | b'{'))
    }
}

/// Equal, and of one type; a number that is not a number equals itself here.
fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
