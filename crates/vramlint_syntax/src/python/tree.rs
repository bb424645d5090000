//! The tree of a Python module, as far as configuration needs it.

use crate::{Comment, SyntaxError};
use vramlint_base::{TextRange, Value};

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Syntax errors in order.
    pub errors: Vec<SyntaxError>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// From its first to its last byte.
    pub range: TextRange,
    /// What it is.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the comment of a variant explains its fields
pub enum StmtKind {
    /// `a = b = value`; `a: int = value` (one target, with `annotation`). `value` is `None` for a bare annotation.
    Assign { targets: Vec<Expr>, annotation: Option<Expr>, value: Option<Expr> },
    /// `a += value`; `op` as written without the `=`.
    AugAssign { target: Expr, op: &'static str, value: Expr },
    /// An expression on its own.
    Expr(Expr),
    /// `return`.
    Return(Option<Expr>),
    /// `if`/`elif`/`else`, one branch each; the `else` has no test.
    If(Vec<Arm>),
    /// `for target in iter`, also `async`.
    For { target: Expr, iter: Expr, body: Vec<Stmt>, orelse: Vec<Stmt> },
    /// `while test`.
    While { test: Expr, body: Vec<Stmt>, orelse: Vec<Stmt> },
    /// `with a as b, …`, also `async`.
    With { items: Vec<(Expr, Option<Expr>)>, body: Vec<Stmt> },
    /// `try`; handlers with the exception they catch.
    Try { body: Vec<Stmt>, handlers: Vec<(Option<Expr>, Vec<Stmt>)>, orelse: Vec<Stmt>, finally: Vec<Stmt> },
    /// `match subject`, one body per case.
    Match { subject: Expr, cases: Vec<Vec<Stmt>> },
    /// `def`, also `async`.
    Function(Function),
    /// `class`.
    Class(Class),
    /// `import a.b as c`, one per name.
    Import { module: String, alias: Option<String>, range: TextRange },
    /// `from ..a import b as c`; `level` counts the dots. A star import has the name `*`.
    FromImport { module: String, level: u32, names: Vec<ImportedName> },
    /// `raise`.
    Raise(Option<Expr>),
    /// `del` with its targets.
    Delete(Vec<Expr>),
    /// `assert test`.
    Assert(Expr),
    /// `global`/`nonlocal` names.
    Global(Vec<String>),
    /// `pass`, `break`, `continue`, `type`, and whatever else holds no configuration.
    Other,
}

/// One branch of an `if`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The condition; `None` for `else`.
    pub test: Option<Expr>,
    /// The line of the branch: from `if`, `elif` or `else` to its colon.
    pub header: TextRange,
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// A name in a `from … import`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedName {
    /// The name in the other module.
    pub name: String,
    /// The name here, where it differs.
    pub alias: Option<String>,
    /// Its place.
    pub range: TextRange,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub name_range: TextRange,
    /// Parameters in order, `*args` and `**kwargs` marked.
    pub params: Vec<Param>,
    /// Decorators.
    pub decorators: Vec<Expr>,
    /// Statements.
    pub body: Vec<Stmt>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// The place of name, annotation and default.
    pub range: TextRange,
    /// Its annotation.
    pub annotation: Option<Expr>,
    /// Its default.
    pub default: Option<Expr>,
    /// Plain, keyword-only, `*args` or `**kwargs`.
    pub kind: ParamKind,
}

/// How a parameter takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// By position or name.
    Plain,
    /// By name only.
    KeywordOnly,
    /// `*args`
    Args,
    /// `**kwargs`
    Kwargs,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub name_range: TextRange,
    /// Its bases.
    pub bases: Vec<Expr>,
    /// Its keyword arguments (`metaclass=…`, `table=True`).
    pub keywords: Vec<Argument>,
    /// Its decorators (`@dataclass`).
    pub decorators: Vec<Expr>,
    /// Statements.
    pub body: Vec<Stmt>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// From its first to its last byte, parentheses around it not included.
    pub range: TextRange,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the comment of a variant explains its fields
pub enum ExprKind {
    /// A number, text (adjacent literals joined), `True`, `None`.
    Value(Value),
    /// A name.
    Name(String),
    /// `base.name`; the range of the name.
    Attribute(Box<Expr>, String, TextRange),
    /// `base[index]`.
    Subscript(Box<Expr>, Box<Expr>),
    /// `callee(arguments)`.
    Call(Box<Call>),
    /// `{key: value}`; a key of `None` is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    /// A list, tuple or set. Starred items are kept as [`ExprKind::Other`].
    List(Vec<Expr>),
    /// `left op right` with one operator, as written (`//`, `*`, `and`, `or`); chains of `and`/`or` nest to the left.
    Binary(Box<Expr>, &'static str, Box<Expr>),
    /// `-x`, `not x`.
    Unary(&'static str, Box<Expr>),
    /// `left op right`, one comparison; longer chains are [`ExprKind::Other`].
    Compare(Box<Expr>, &'static str, Box<Expr>),
    /// `body if test else orelse`.
    Conditional { test: Box<Expr>, body: Box<Expr>, orelse: Box<Expr> },
    /// `name := value`.
    Walrus(Box<Expr>, Box<Expr>),
    /// An f-string: its value is unknown; the expressions in it are kept.
    FString(Vec<Expr>),
    /// A comprehension or generator with one `for`. Its parts: the item, or the key and the value of a dict's (`pairs`), then the target,
    /// what is visited, and the conditions.
    Comprehension { parts: Vec<Expr>, pairs: bool },
    /// `lower:upper:step` of a subscript.
    Slice(Box<[Option<Expr>; 3]>),
    /// `lambda a=default: body`: the defaults, then the body.
    Lambda(Vec<Expr>),
    /// Anything else (other comprehensions, `await`…) with the expressions in it.
    Other(Vec<Expr>),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Expr,
    /// Arguments in order.
    pub args: Vec<Argument>,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Argument {
    /// From its name (or star) to the end of its value.
    pub range: TextRange,
    /// How it is given.
    pub kind: ArgumentKind,
    /// Its value.
    pub value: Expr,
}

/// How an argument is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// By position.
    Positional,
    /// `name=value`, with the place of the name.
    Keyword(String, TextRange),
    /// `*value`
    Star,
    /// `**value`
    DoubleStar,
}

impl Expr {
    /// `a.b.c` as text, for names and attributes of names; `None` for anything else.
    pub fn dotted(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Attribute(base, name, _) => base.dotted().map(|base| format!("{base}.{name}")),
            _ => None,
        }
    }
}

impl Call {
    /// The keyword argument `name`.
    pub fn keyword(&self, name: &str) -> Option<&Argument> {
        self.args.iter().find(|a| matches!(&a.kind, ArgumentKind::Keyword(n, _) if n == name))
    }
}
