//! Trees as short text, for expectations.

use super::super::*;

/// An expression as nested words.
pub(super) fn expr(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(self::expr).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Value(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Attribute(base, name, _) => format!("{}.{name}", self::expr(base)),
        ExprKind::Subscript(base, index) => format!("{}[{}]", self::expr(base), self::expr(index)),
        ExprKind::Call(call) => {
            let args: Vec<String> = call.args.iter().map(argument).collect();
            format!("{}({})", self::expr(&call.callee), args.join(", "))
        }
        ExprKind::Dict(items) => {
            let item = |(key, value): &(Option<Expr>, Expr)| match key {
                Some(key) => format!("{}: {}", self::expr(key), self::expr(value)),
                None => format!("**{}", self::expr(value)),
            };
            format!("{{{}}}", items.iter().map(item).collect::<Vec<_>>().join(", "))
        }
        ExprKind::List(items) => format!("[{}]", list(items)),
        ExprKind::Binary(left, op, right) => format!("({} {op} {})", self::expr(left), self::expr(right)),
        ExprKind::Unary(op, operand) => format!("({op} {})", self::expr(operand)),
        ExprKind::Compare(left, op, right) => format!("<{} {op} {}>", self::expr(left), self::expr(right)),
        ExprKind::Conditional { test, body, orelse } => {
            format!("({} if {} else {})", self::expr(body), self::expr(test), self::expr(orelse))
        }
        ExprKind::Walrus(name, value) => format!("({} := {})", self::expr(name), self::expr(value)),
        ExprKind::Slice(parts) => format!("other({})", parts.iter().flatten().map(self::expr).collect::<Vec<_>>().join(", ")),
        ExprKind::FString(items) => format!("f({})", list(items)),
        ExprKind::Comprehension { parts: items, .. } | ExprKind::Lambda(items) | ExprKind::Other(items) => {
            format!("other({})", list(items))
        }
    }
}

fn argument(argument: &Argument) -> String {
    let value = expr(&argument.value);
    match &argument.kind {
        ArgumentKind::Positional => value,
        ArgumentKind::Keyword(name, _) => format!("{name}={value}"),
        ArgumentKind::Star => format!("*{value}"),
        ArgumentKind::DoubleStar => format!("**{value}"),
    }
}

/// A block, one statement after the other, blocks in braces.
pub(super) fn block(statements: &[Stmt]) -> String {
    statements.iter().map(statement).collect::<Vec<_>>().join("; ")
}

fn optional(value: Option<&Expr>) -> String {
    value.map_or_else(|| "-".to_owned(), expr)
}

fn statement(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign { targets, annotation, value } => {
            let targets = targets.iter().map(expr).collect::<Vec<_>>().join(" = ");
            let annotation = annotation.as_ref().map_or_else(String::new, |a| format!(": {}", expr(a)));
            format!("{targets}{annotation} = {}", optional(value.as_ref()))
        }
        StmtKind::AugAssign { target, op, value } => format!("{} {op}= {}", expr(target), expr(value)),
        StmtKind::Expr(value) => expr(value),
        StmtKind::Return(value) => format!("return {}", optional(value.as_ref())),
        StmtKind::Raise(value) => format!("raise {}", optional(value.as_ref())),
        StmtKind::Delete(targets) => format!("del {}", targets.iter().map(expr).collect::<Vec<_>>().join(", ")),
        StmtKind::Assert(value) => format!("assert {}", expr(value)),
        StmtKind::Global(names) => format!("global {}", names.join(", ")),
        StmtKind::Import { module, alias, .. } => format!("import {module} as {}", alias.as_deref().unwrap_or("-")),
        StmtKind::FromImport { module, level, names } => {
            let name = |n: &ImportedName| format!("{} as {}", n.name, n.alias.as_deref().unwrap_or("-"));
            format!("from {level} {module} import {}", names.iter().map(name).collect::<Vec<_>>().join(", "))
        }
        StmtKind::Other => "other".to_owned(),
        kind => compound(kind),
    }
}

fn compound(kind: &StmtKind) -> String {
    match kind {
        StmtKind::If(arms) => {
            let arm = |arm: &Arm| format!("if {} {{{}}}", optional(arm.test.as_ref()), block(&arm.body));
            arms.iter().map(arm).collect::<Vec<_>>().join(" ")
        }
        StmtKind::For { target, iter, body, orelse } => {
            format!("for {} in {} {{{}}} {{{}}}", expr(target), expr(iter), block(body), block(orelse))
        }
        StmtKind::While { test, body, orelse } => format!("while {} {{{}}} {{{}}}", expr(test), block(body), block(orelse)),
        StmtKind::With { items, body } => {
            let item = |(value, name): &(Expr, Option<Expr>)| format!("{} as {}", expr(value), optional(name.as_ref()));
            format!("with {} {{{}}}", items.iter().map(item).collect::<Vec<_>>().join(", "), block(body))
        }
        StmtKind::Try { body, handlers, orelse, finally } => {
            let handler =
                |(caught, body): &(Option<Expr>, Vec<Stmt>)| format!("except {} {{{}}} ", optional(caught.as_ref()), block(body));
            let handlers: String = handlers.iter().map(handler).collect();
            format!("try {{{}}} {handlers}else {{{}}} finally {{{}}}", block(body), block(orelse), block(finally))
        }
        StmtKind::Match { subject, cases } => {
            let cases: Vec<String> = cases.iter().map(|body| format!("{{{}}}", block(body))).collect();
            format!("match {} {}", expr(subject), cases.join(" "))
        }
        StmtKind::Function(function) => {
            let param = |p: &Param| {
                format!("{:?} {}: {} = {}", p.kind, p.name, optional(p.annotation.as_ref()), optional(p.default.as_ref()))
            };
            let params = function.params.iter().map(param).collect::<Vec<_>>().join(", ");
            format!("{}def {}({params}) {{{}}}", decorators(&function.decorators), function.name, block(&function.body))
        }
        StmtKind::Class(class) => {
            let bases = class.bases.iter().map(expr).chain(class.keywords.iter().map(argument)).collect::<Vec<_>>().join(", ");
            format!("{}class {}({bases}) {{{}}}", decorators(&class.decorators), class.name, block(&class.body))
        }
        kind => panic!("{kind:?} is no compound statement"),
    }
}

fn decorators(decorators: &[Expr]) -> String {
    decorators.iter().flat_map(|decorator| ["@".to_owned(), expr(decorator), " ".to_owned()]).collect()
}
