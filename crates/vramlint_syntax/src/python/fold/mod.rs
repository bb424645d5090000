//! The value of an expression, as far as it follows from constants.
//!
//! Everything follows `CPython` 3.12 or is unknown: an integer that leaves 64 bits, a division by zero, an exception, a method, a
//! comprehension. Names are asked for through a callback; what it does not know is unknown here too.

mod calls;
mod numbers;
mod operators;

pub use numbers::python_repr;

use super::{Expr, ExprKind};
use vramlint_base::Value;
use vramlint_base::value_readers::python_truth;

/// What an expression evaluates to.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Folded {
    /// This value.
    Known(Value),
    /// This value unless one of these environment variables is set.
    Assumed(Value, Vec<EnvironmentDefault>),
    /// It cannot be decided.
    #[default]
    Unknown,
}

/// An environment variable that was taken for unset.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentDefault {
    /// Its name.
    pub name: String,
    /// What the code uses in its place; [`Value::Null`] where it names nothing.
    pub default: Value,
}

impl Folded {
    /// The value, if it holds whatever the environment is.
    pub fn known(&self) -> Option<&Value> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }

    /// The value, with environment variables taken for unset; see [`Folded::assumed`].
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Known(value) | Self::Assumed(value, _) => Some(value),
            Self::Unknown => None,
        }
    }

    /// The environment variables that were taken for unset.
    pub fn assumed(&self) -> &[EnvironmentDefault] {
        if let Self::Assumed(_, assumed) = self { assumed } else { &[] }
    }
}

/// Folds an expression. `lookup` gets names and attributes of names as written (`args.lr`, `BATCH`); it must not ask for the same
/// expression again without a bound of its own (`a = b; b = a`).
pub fn fold(expr: &Expr, lookup: &dyn Fn(&str) -> Folded) -> Folded {
    let mut folder = Folder { lookup, assumed: Vec::new() };
    match folder.eval(expr) {
        None => Folded::Unknown,
        Some(value) if folder.assumed.is_empty() => Folded::Known(value),
        Some(value) => Folded::Assumed(value, folder.assumed),
    }
}

/// Nodes of the lists and mappings that one folding may build: a name used twice, twice over, doubles.
const MAX_NODES: usize = 10_000;

/// Bytes of text that one folding may build.
const MAX_TEXT: usize = 100_000;

struct Folder<'a> {
    lookup: &'a dyn Fn(&str) -> Folded,
    assumed: Vec<EnvironmentDefault>,
}

impl Folder<'_> {
    fn eval(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Value(value) => Some(value.clone()),
            ExprKind::Name(name) => self.look_up(name),
            ExprKind::Attribute(..) => self.look_up(&expr.dotted()?),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Dict(items) => self.dict(items),
            ExprKind::List(items) => bounded(Value::List(items.iter().map(|item| self.eval(item)).collect::<Option<_>>()?)),
            ExprKind::Subscript(base, index) => self.subscript(base, index),
            ExprKind::Unary(op, operand) => {
                let operand = self.eval(operand)?;
                operators::unary(op, &operand)
            }
            ExprKind::Binary(left, op @ ("and" | "or"), right) => {
                let left = self.eval(left)?;
                if python_truth(&left) == (*op == "or") { Some(left) } else { self.eval(right) }
            }
            ExprKind::Binary(left, op, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                bounded(operators::binary(left, op, right)?)
            }
            ExprKind::Compare(left, op, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                operators::compare(&left, op, &right).map(Value::Bool)
            }
            ExprKind::Conditional { test, body, orelse } => {
                let test = self.eval(test)?;
                self.eval(if python_truth(&test) { body } else { orelse })
            }
            ExprKind::Walrus(_, value) => self.eval(value),
            ExprKind::FString(_)
            | ExprKind::Comprehension { .. }
            | ExprKind::Slice(_)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => None,
        }
    }

    fn look_up(&mut self, name: &str) -> Option<Value> {
        match (self.lookup)(name) {
            Folded::Known(value) => bounded(value),
            Folded::Assumed(value, assumed) => {
                for variable in assumed {
                    self.assume(variable);
                }
                bounded(value)
            }
            Folded::Unknown => None,
        }
    }

    fn assume(&mut self, variable: EnvironmentDefault) {
        if !self.assumed.contains(&variable) {
            self.assumed.push(variable);
        }
    }

    fn dict(&mut self, items: &[(Option<Expr>, Expr)]) -> Option<Value> {
        let mut entries = Vec::new();
        for (key, value) in items {
            let value = self.eval(value)?;
            match (key, value) {
                (Some(key), value) => set(&mut entries, self.eval(key)?, value)?,
                (None, Value::Map(more)) => {
                    for (key, value) in more {
                        set(&mut entries, key, value)?;
                    }
                }
                (None, _) => return None,
            }
        }
        bounded(Value::Map(entries))
    }

    fn subscript(&mut self, base: &Expr, index: &Expr) -> Option<Value> {
        let (base, index) = (self.eval(base)?, self.eval(index)?);
        match base {
            Value::Map(entries) => {
                let place = operators::find(&entries, &index)?;
                entries.into_iter().nth(place?).map(|(_, value)| value)
            }
            Value::List(items) => {
                let index = index.as_int()?;
                let length = i64::try_from(items.len()).ok()?;
                let index = if index < 0 { index + length } else { index };
                items.into_iter().nth(usize::try_from(index).ok()?)
            }
            _ => None,
        }
    }
}

/// Sets a key of a mapping as Python does: a key set again keeps its place and its first spelling. `None` where that cannot be decided.
fn set(entries: &mut Vec<(Value, Value)>, key: Value, value: Value) -> Option<()> {
    match operators::find(entries, &key)? {
        Some(place) => entries[place].1 = value,
        None => entries.push((key, value)),
    }
    Some(())
}

/// The value, unless it is too large to be configuration.
fn bounded(value: Value) -> Option<Value> {
    fn nodes(value: &Value) -> usize {
        match value {
            Value::List(items) => 1 + items.iter().map(nodes).sum::<usize>(),
            Value::Map(entries) => 1 + entries.iter().map(|(key, value)| nodes(key) + nodes(value)).sum::<usize>(),
            Value::Text(text) => 1 + text.len() * MAX_NODES / MAX_TEXT,
            _ => 1,
        }
    }
    (nodes(&value) <= MAX_NODES).then_some(value)
}
