//! Statements.

use super::{Lowering, range};
use crate::python::{
    Argument, Arm, Class, Function, ImportedName, MAX_BLOCK_DEPTH, Param, ParamKind, Stmt, StmtKind, error, errors,
};
use ruff_python_ast::{self as ast, Stmt as Node};
use ruff_text_size::Ranged;
use vramlint_base::{TextRange, message};

impl Lowering<'_> {
    pub(super) fn block(&mut self, nodes: &[Node]) -> Vec<Stmt> {
        if self.blocks > MAX_BLOCK_DEPTH {
            if let Some(first) = nodes.first() {
                let message = message!(
                    "blocks nest more than {n} levels deep, which Python rejects",
                    "代码块嵌套超过 {n} 层，Python 会拒绝",
                    n = MAX_BLOCK_DEPTH
                );
                self.errors.push(error(range(first.range()), message));
            }
            return Vec::new();
        }
        self.blocks += 1;
        let mut out = Vec::with_capacity(nodes.len());
        for node in nodes {
            self.statement(node, &mut out);
        }
        self.blocks -= 1;
        out
    }

    fn statement(&mut self, node: &Node, out: &mut Vec<Stmt>) {
        let place = range(node.range());
        if let Node::Import(import) = node {
            out.extend(import.names.iter().map(|alias| Stmt { range: place, kind: import_kind(alias) }));
            return;
        }
        let kind = self.statement_kind(node);
        let mut stmt = Stmt { range: place, kind };
        if self.broken {
            stmt.range = stmt.expressions().iter().fold(place, |whole, child| whole.cover(child.range));
        }
        out.push(stmt);
    }

    fn statement_kind(&mut self, node: &Node) -> StmtKind {
        match node {
            Node::Assign(node) => {
                let targets = self.each(&node.targets);
                StmtKind::Assign { targets, annotation: None, value: Some(self.expression(&node.value)) }
            }
            Node::AnnAssign(node) => StmtKind::Assign {
                targets: vec![self.expression(&node.target)],
                annotation: Some(self.expression(&node.annotation)),
                value: self.optional(node.value.as_deref()),
            },
            Node::AugAssign(node) => StmtKind::AugAssign {
                target: self.expression(&node.target),
                op: node.op.as_str(),
                value: self.expression(&node.value),
            },
            Node::Expr(node) => StmtKind::Expr(self.expression(&node.value)),
            Node::Return(node) => StmtKind::Return(self.optional(node.value.as_deref())),
            Node::Raise(node) => StmtKind::Raise(self.optional(node.exc.as_deref())),
            Node::Delete(node) => StmtKind::Delete(node.targets.iter().map(|target| self.expression(target)).collect()),
            Node::Assert(node) => StmtKind::Assert(self.expression(&node.test)),
            Node::Global(node) => StmtKind::Global(names(&node.names)),
            Node::Nonlocal(node) => StmtKind::Global(names(&node.names)),
            Node::ImportFrom(node) => StmtKind::FromImport {
                module: node.module.as_ref().map_or_else(String::new, |module| dotted(&module.id)),
                level: node.level,
                names: node.names.iter().map(imported).collect(),
            },
            Node::IpyEscapeCommand(node) => {
                self.errors.push(errors::notebook_command(range(node.range), self.text));
                StmtKind::Other
            }
            node => self.compound(node),
        }
    }

    fn compound(&mut self, node: &Node) -> StmtKind {
        match node {
            Node::If(node) => StmtKind::If(self.arms(node)),
            Node::For(node) => StmtKind::For {
                target: self.expression(&node.target),
                iter: self.expression(&node.iter),
                body: self.block(&node.body),
                orelse: self.block(&node.orelse),
            },
            Node::While(node) => StmtKind::While {
                test: self.expression(&node.test),
                body: self.block(&node.body),
                orelse: self.block(&node.orelse),
            },
            Node::With(node) => {
                let mut items = Vec::with_capacity(node.items.len());
                for item in &node.items {
                    items.push((self.expression(&item.context_expr), self.optional(item.optional_vars.as_deref())));
                }
                StmtKind::With { items, body: self.block(&node.body) }
            }
            Node::Try(node) => self.try_statement(node),
            Node::Match(node) => StmtKind::Match {
                subject: self.expression(&node.subject),
                cases: node.cases.iter().map(|case| self.block(&case.body)).collect(),
            },
            Node::FunctionDef(node) => StmtKind::Function(self.function(node)),
            Node::ClassDef(node) => StmtKind::Class(self.class(node)),
            _ => StmtKind::Other,
        }
    }

    fn arms(&mut self, node: &ast::StmtIf) -> Vec<Arm> {
        let mut arms = Vec::with_capacity(1 + node.elif_else_clauses.len());
        arms.push(self.arm(range(node.range), Some(&node.test), &node.body));
        for clause in &node.elif_else_clauses {
            arms.push(self.arm(range(clause.range), clause.test.as_ref(), &clause.body));
        }
        arms
    }

    /// `place` starts at the keyword.
    fn arm(&mut self, place: TextRange, test: Option<&ast::Expr>, body: &[Node]) -> Arm {
        let test = self.optional(test);
        let from = test.as_ref().map_or(place.start, |test| test.range.end);
        let until = body.first().map_or(place.end, |first| range(first.range()).start);
        // Without a colon, which is a syntax error, the header ends with its test, or with `else`.
        let end = self.colon_end(from, until).unwrap_or_else(|| match &test {
            Some(test) => test.range.end,
            None => (place.start + 4).min(place.end),
        });
        Arm { header: TextRange::new(place.start, end), test, body: self.block(body) }
    }

    fn try_statement(&mut self, node: &ast::StmtTry) -> StmtKind {
        let body = self.block(&node.body);
        let mut handlers = Vec::with_capacity(node.handlers.len());
        for ast::ExceptHandler::ExceptHandler(handler) in &node.handlers {
            handlers.push((self.optional(handler.type_.as_deref()), self.block(&handler.body)));
        }
        StmtKind::Try { body, handlers, orelse: self.block(&node.orelse), finally: self.block(&node.finalbody) }
    }

    fn function(&mut self, node: &ast::StmtFunctionDef) -> Function {
        Function {
            name: node.name.id.to_string(),
            name_range: range(node.name.range),
            params: self.params(&node.parameters),
            decorators: self.each(node.decorator_list.iter().map(|decorator| &decorator.expression)),
            body: self.block(&node.body),
        }
    }

    fn params(&mut self, node: &ast::Parameters) -> Vec<Param> {
        let mut out = Vec::with_capacity(node.len());
        for param in node.posonlyargs.iter().chain(&node.args) {
            out.push(self.param(&param.parameter, param.range, param.default.as_deref(), ParamKind::Plain));
        }
        if let Some(param) = &node.vararg {
            out.push(self.param(param, param.range, None, ParamKind::Args));
        }
        for param in &node.kwonlyargs {
            out.push(self.param(&param.parameter, param.range, param.default.as_deref(), ParamKind::KeywordOnly));
        }
        if let Some(param) = &node.kwarg {
            out.push(self.param(param, param.range, None, ParamKind::Kwargs));
        }
        out
    }

    fn param(
        &mut self,
        node: &ast::Parameter,
        place: ruff_text_size::TextRange,
        default: Option<&ast::Expr>,
        kind: ParamKind,
    ) -> Param {
        Param {
            name: node.name.id.to_string(),
            range: range(place),
            annotation: self.optional(node.annotation.as_deref()),
            default: self.optional(default),
            kind,
        }
    }

    fn class(&mut self, node: &ast::StmtClassDef) -> Class {
        let mut bases = Vec::new();
        let mut keywords = Vec::new();
        if let Some(arguments) = &node.arguments {
            bases = self.each(&arguments.args);
            keywords = self.arguments(arguments);
            keywords.retain(Argument::is_named);
        }
        Class {
            name: node.name.id.to_string(),
            name_range: range(node.name.range),
            bases,
            keywords,
            decorators: self.each(node.decorator_list.iter().map(|decorator| &decorator.expression)),
            body: self.block(&node.body),
        }
    }
}

fn import_kind(alias: &ast::Alias) -> StmtKind {
    StmtKind::Import {
        module: dotted(&alias.name.id),
        alias: alias.asname.as_ref().map(|name| name.id.to_string()),
        range: range(alias.range),
    }
}

fn imported(alias: &ast::Alias) -> ImportedName {
    ImportedName {
        name: alias.name.id.to_string(),
        alias: alias.asname.as_ref().map(|name| name.id.to_string()),
        range: range(alias.range),
    }
}

/// A dotted name without blanks in it.
fn dotted(name: &str) -> String {
    name.split_whitespace().collect()
}

fn names(names: &[ast::Identifier]) -> Vec<String> {
    names.iter().map(|name| name.id.to_string()).collect()
}
