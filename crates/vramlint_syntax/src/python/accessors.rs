//! Short ways to what a tree holds.

use super::{Argument, ArgumentKind, Call, Class, Expr, ExprKind, Function, Param, Stmt, StmtKind};
use vramlint_base::{TextRange, Value};

impl Expr {
    /// The literal value, if it is a number, text, boolean or `None`. A negative number is an [`ExprKind::Unary`]: fold it.
    pub fn as_value(&self) -> Option<&Value> {
        if let ExprKind::Value(value) = &self.kind { Some(value) } else { None }
    }

    /// The text, if it is a text literal.
    pub fn as_str(&self) -> Option<&str> {
        self.as_value()?.as_str()
    }

    /// The name, if it is a plain name.
    pub fn as_name(&self) -> Option<&str> {
        if let ExprKind::Name(name) = &self.kind { Some(name) } else { None }
    }

    /// The call, if it is one.
    pub fn as_call(&self) -> Option<&Call> {
        if let ExprKind::Call(call) = &self.kind { Some(call) } else { None }
    }
}

impl Call {
    /// The last part of what is called: `from_pretrained` of `AutoModel.from_pretrained(…)`, also after a call or an index.
    pub fn name(&self) -> Option<&str> {
        match &self.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name),
            _ => None,
        }
    }

    /// The positional argument at `index` (from 0); `None` also where a `*star` before it makes the counting impossible.
    pub fn positional(&self, index: usize) -> Option<&Argument> {
        let plain = self.args.iter().take_while(|arg| arg.kind != ArgumentKind::Star);
        plain.filter(|arg| arg.kind == ArgumentKind::Positional).nth(index)
    }

    /// The argument that a parameter gets: by its name, else by its position.
    pub fn argument(&self, name: &str, index: usize) -> Option<&Argument> {
        self.keyword(name).or_else(|| self.positional(index))
    }

    /// Whether a `*star` or `**star` hides arguments that cannot be seen here.
    pub fn has_unpacking(&self) -> bool {
        self.args.iter().any(|arg| matches!(arg.kind, ArgumentKind::Star | ArgumentKind::DoubleStar))
    }
}

impl Argument {
    /// The name and its place, if it is given by name.
    pub fn name(&self) -> Option<(&str, TextRange)> {
        if let ArgumentKind::Keyword(name, range) = &self.kind { Some((name, *range)) } else { None }
    }

    /// Whether it is given by name or is a `**mapping`.
    pub(super) fn is_named(&self) -> bool {
        matches!(self.kind, ArgumentKind::Keyword(..) | ArgumentKind::DoubleStar)
    }
}

impl Function {
    /// The parameter `name`.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether its body calls something whose last name is one of `names`: `F.logsigmoid(…)`.
    pub fn calls_any(&self, names: &[&str]) -> bool {
        fn block(statements: &[Stmt], names: &[&str]) -> bool {
            let is_named = |expr: &Expr| expr.as_call().and_then(Call::name).is_some_and(|name| names.contains(&name));
            statements.iter().any(|stmt| {
                stmt.expressions().into_iter().flat_map(Expr::walk).any(is_named)
                    || stmt.bodies().into_iter().any(|body| block(body, names))
            })
        }
        block(&self.body, names)
    }
}

impl Class {
    /// The fields of the class in order: `name = value` and `name: type = value` of its own body, each with its statement.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.body.iter().filter_map(Field::of)
    }
}

/// A field of a class, or a plain assignment to one name.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// The place of the name.
    pub name_range: TextRange,
    /// Its annotation.
    pub annotation: Option<&'a Expr>,
    /// Its value.
    pub value: Option<&'a Expr>,
    /// The statement.
    pub stmt: &'a Stmt,
}

impl<'a> Field<'a> {
    /// The field that a statement sets, if it assigns to exactly one name.
    pub fn of(stmt: &'a Stmt) -> Option<Self> {
        let StmtKind::Assign { targets, annotation, value } = &stmt.kind else { return None };
        let [target] = &targets[..] else { return None };
        let name = target.as_name()?;
        Some(Self { name, name_range: target.range, annotation: annotation.as_ref(), value: value.as_ref(), stmt })
    }
}
