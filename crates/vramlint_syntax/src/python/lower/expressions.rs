//! Expressions.

use super::{Lowering, range};
use crate::python::{Argument, ArgumentKind, Call, Expr, ExprKind, MAX_EXPRESSION_DEPTH, errors};
use ruff_python_ast::{self as ast, Expr as Node};
use ruff_text_size::Ranged;
use vramlint_base::{TextRange, Value};

impl Lowering<'_> {
    pub(super) fn expression(&mut self, node: &Node) -> Expr {
        if self.expressions >= MAX_EXPRESSION_DEPTH {
            return Expr { range: range(node.range()), kind: ExprKind::Other(Vec::new()) };
        }
        self.expressions += 1;
        let kind = self.expression_kind(node);
        self.expressions -= 1;
        let mut expr = Expr { range: range(node.range()), kind };
        if self.broken {
            expr.range = expr.children().iter().fold(expr.range, |whole, child| whole.cover(child.range));
        }
        expr
    }

    fn boxed(&mut self, node: &Node) -> Box<Expr> {
        Box::new(self.expression(node))
    }

    pub(super) fn optional(&mut self, node: Option<&Node>) -> Option<Expr> {
        node.map(|node| self.expression(node))
    }

    pub(super) fn each<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) -> Vec<Expr> {
        nodes.into_iter().map(|node| self.expression(node)).collect()
    }

    fn other<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) -> ExprKind {
        ExprKind::Other(self.each(nodes))
    }

    fn expression_kind(&mut self, node: &Node) -> ExprKind {
        match node {
            Node::StringLiteral(node) => self.text(node),
            Node::NumberLiteral(node) => Self::number(&node.value),
            Node::BooleanLiteral(node) => ExprKind::Value(Value::Bool(node.value)),
            Node::NoneLiteral(_) => ExprKind::Value(Value::Null),
            Node::FString(node) => self.f_string(node),
            // The parser puts an empty name where an expression is missing.
            Node::Name(node) if node.id.is_empty() => ExprKind::Other(Vec::new()),
            Node::Name(node) => ExprKind::Name(node.id.to_string()),
            Node::Attribute(node) => self.attribute(node),
            Node::Subscript(node) => ExprKind::Subscript(self.boxed(&node.value), self.boxed(&node.slice)),
            Node::Call(node) => self.call(node),
            Node::Dict(node) => ExprKind::Dict(
                node.items.iter().map(|item| (self.optional(item.key.as_ref()), self.expression(&item.value))).collect(),
            ),
            Node::List(node) => ExprKind::List(self.each(&node.elts)),
            Node::Tuple(node) => ExprKind::List(self.each(&node.elts)),
            Node::Set(node) => ExprKind::List(self.each(&node.elts)),
            Node::BinOp(node) => ExprKind::Binary(self.boxed(&node.left), node.op.as_str(), self.boxed(&node.right)),
            Node::BoolOp(node) => self.bool_op(node),
            Node::UnaryOp(node) => ExprKind::Unary(node.op.as_str(), self.boxed(&node.operand)),
            Node::Compare(node) => self.compare(node),
            Node::If(node) => ExprKind::Conditional {
                test: self.boxed(&node.test),
                body: self.boxed(&node.body),
                orelse: self.boxed(&node.orelse),
            },
            Node::Named(node) => ExprKind::Walrus(self.boxed(&node.target), self.boxed(&node.value)),
            node => self.rare(node),
        }
    }

    /// What configuration does not need to distinguish.
    fn rare(&mut self, node: &Node) -> ExprKind {
        match node {
            Node::Lambda(node) => self.lambda(node),
            Node::ListComp(node) => self.comprehension([Some(&*node.elt), None], &node.generators),
            Node::SetComp(node) => self.comprehension([Some(&*node.elt), None], &node.generators),
            Node::Generator(node) => self.comprehension([Some(&*node.elt), None], &node.generators),
            Node::DictComp(node) => self.comprehension([node.key.as_deref(), Some(&*node.value)], &node.generators),
            Node::Await(node) => self.other([&*node.value]),
            Node::Yield(node) => self.other(node.value.as_deref()),
            Node::YieldFrom(node) => self.other([&*node.value]),
            Node::Starred(node) => self.other([&*node.value]),
            Node::Slice(node) => {
                ExprKind::Slice(Box::new([&node.lower, &node.upper, &node.step].map(|part| self.optional(part.as_deref()))))
            }
            Node::TString(node) => {
                let mut out = Vec::new();
                for element in node.value.elements() {
                    self.element(element, &mut out);
                }
                ExprKind::Other(out)
            }
            Node::IpyEscapeCommand(node) => {
                self.errors.push(errors::notebook_command(range(node.range), self.text));
                ExprKind::Other(Vec::new())
            }
            // Bytes, an ellipsis; everything else was taken above.
            _ => ExprKind::Other(Vec::new()),
        }
    }

    fn attribute(&mut self, node: &ast::ExprAttribute) -> ExprKind {
        let base = self.expression(&node.value);
        if node.attr.id.is_empty() {
            return ExprKind::Other(vec![base]);
        }
        ExprKind::Attribute(Box::new(base), node.attr.id.to_string(), range(node.attr.range))
    }

    fn lambda(&mut self, node: &ast::ExprLambda) -> ExprKind {
        let mut parts = Vec::new();
        for parameter in node.parameters.iter().flat_map(|p| p.iter_non_variadic_params()) {
            parts.extend(self.optional(parameter.default.as_deref()));
        }
        parts.push(self.expression(&node.body));
        ExprKind::Lambda(parts)
    }

    fn comprehension(&mut self, elements: [Option<&Node>; 2], generators: &[ast::Comprehension]) -> ExprKind {
        let mut parts = self.each(elements.into_iter().flatten());
        for generator in generators {
            parts.push(self.expression(&generator.target));
            parts.push(self.expression(&generator.iter));
            parts.extend(self.each(&generator.ifs));
        }
        let shape = match elements {
            [Some(_), Some(_)] => Some(true),
            [Some(_), None] => Some(false),
            _ => None,
        };
        match (shape, generators) {
            (Some(pairs), [only]) if !only.is_async => ExprKind::Comprehension { parts, pairs },
            _ => ExprKind::Other(parts),
        }
    }

    fn compare(&mut self, node: &ast::ExprCompare) -> ExprKind {
        if let ([op], [right]) = (&*node.ops, &*node.comparators) {
            return ExprKind::Compare(self.boxed(&node.left), op.as_str(), self.boxed(right));
        }
        self.other(std::iter::once(&*node.left).chain(&*node.comparators))
    }

    /// `a and b and c` becomes `(a and b) and c`; a chain too long for the depth of the tree stays flat.
    fn bool_op(&mut self, node: &ast::ExprBoolOp) -> ExprKind {
        let levels = node.values.len() as u32;
        if self.expressions + levels > MAX_EXPRESSION_DEPTH {
            return self.other(&node.values);
        }
        let within = range(node.range);
        self.expressions += levels;
        let mut parts = node.values.iter();
        let mut left = parts.next().map(|first| self.expression(first));
        while let Some(part) = parts.next() {
            let right = self.expression(part);
            let Some(before) = left.take() else { break };
            let end = if parts.len() == 0 { within.end } else { self.with_parentheses(right.range, within).end };
            let kind = ExprKind::Binary(Box::new(before), node.op.as_str(), Box::new(right));
            left = Some(Expr { range: TextRange::new(within.start, end), kind });
        }
        self.expressions -= levels;
        left.map_or_else(|| ExprKind::Other(Vec::new()), |expression| expression.kind)
    }

    fn call(&mut self, node: &ast::ExprCall) -> ExprKind {
        let callee = self.expression(&node.func);
        let args = self.arguments(&node.arguments);
        ExprKind::Call(Box::new(Call { callee, args }))
    }

    /// Arguments in the order of the text.
    pub(super) fn arguments(&mut self, node: &ast::Arguments) -> Vec<Argument> {
        let whole = range(node.range);
        // The parentheses of the call are not those of an argument.
        let closed = whole.len() >= 2 && whole.slice(self.text).ends_with(')');
        let within = TextRange::new(whole.start + 1, if closed { whole.end - 1 } else { whole.end });
        let mut args: Vec<Argument> = node.args.iter().map(|arg| self.positional(arg, within)).collect();
        args.extend(node.keywords.iter().map(|keyword| self.keyword(keyword, within)));
        args.sort_by_key(|arg| arg.range.start);
        args
    }

    fn positional(&mut self, node: &Node, within: TextRange) -> Argument {
        let (kind, inner) = match node {
            Node::Starred(star) => (ArgumentKind::Star, &*star.value),
            node => (ArgumentKind::Positional, node),
        };
        let value = self.expression(inner);
        let place = range(node.range());
        Argument { range: place.cover(self.with_parentheses(value.range, within)), kind, value }
    }

    fn keyword(&mut self, node: &ast::Keyword, within: TextRange) -> Argument {
        let value = self.expression(&node.value);
        let kind = match &node.arg {
            Some(name) => ArgumentKind::Keyword(name.id.to_string(), range(name.range)),
            None => ArgumentKind::DoubleStar,
        };
        Argument { range: range(node.range).cover(self.with_parentheses(value.range, within)), kind, value }
    }
}
