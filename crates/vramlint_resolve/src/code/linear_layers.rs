//! Functions of a project that collect the names of a model's linear layers for `target_modules`, as PEFT does for `all-linear`
//! (peft 0.21.2 `tuners/tuners_utils.py`, `_maybe_include_all_linear_layers`).

use vramlint_syntax::python::{Expr, ExprKind, Function, Stmt, StmtKind};

/// Classes of linear layers: torch's, and those of bitsandbytes that a quantized model has instead.
const LINEAR: &[&str] = &["Linear", "Linear4bit", "Linear8bitLt"];
/// Those that a quantized model has everywhere but in its head.
const QUANTIZED: &[&str] = &["Linear4bit", "Linear8bitLt"];
/// Names of heads, which `all-linear` leaves out.
const HEADS: &[&str] = &["lm_head", "output_layer", "embed_out"];
/// Words in the names of parts of a model that are no language model.
const OTHER_PARTS: &[&str] = &["vision", "visual", "projector", "resampler", "image", "audio"];
/// Functions that keep the items of what they get.
const COPIES: &[&str] = &["list", "sorted", "set", "tuple"];
/// Maximum number of assignments between a name and a class.
const MAX_ASSIGNMENTS: usize = 4;

/// Whether a function returns the names of all linear layers of the language model but its head.
pub(super) fn returns_linear_layers(function: &Function) -> bool {
    let mut body = Body::default();
    body.collect(&function.body);
    let Some((visit, module)) = body.visits.iter().find_map(|visit| Some((visit, visit.module()?))) else { return false };
    let classes: Vec<&Expr> = visit.tests.iter().flat_map(|test| tested_classes(test, module)).collect();
    let Some(classes) = body.class_names(&classes, MAX_ASSIGNMENTS) else { return false };
    let all_linear = !classes.is_empty() && classes.iter().all(|class| LINEAR.contains(class));
    let has_head = !classes.iter().all(|class| QUANTIZED.contains(class));
    let mut names = body.names_in_tests(visit);
    let leaves_head = names.iter().chain(&body.texts()).any(|name| HEADS.contains(name));
    names.retain(|name| !HEADS.contains(name) && !OTHER_PARTS.iter().any(|part| name.contains(part)));
    all_linear && (leaves_head || !has_head) && names.is_empty() && body.returns_what(visit)
}

/// A loop or comprehension over something.
struct Visit<'a> {
    target: &'a Expr,
    iter: &'a Expr,
    /// Every condition in it.
    tests: Vec<&'a Expr>,
    /// The variables that a loop adds to.
    filled: Vec<&'a str>,
    /// The comprehension itself.
    comprehension: Option<&'a Expr>,
}

impl<'a> Visit<'a> {
    /// `module` of `for name, module in model.named_modules()`.
    fn module(&self) -> Option<&'a str> {
        let call = self.iter.as_call()?;
        match (&call.callee.kind, &self.target.kind) {
            (ExprKind::Attribute(_, method, _), ExprKind::List(names)) if method == "named_modules" && names.len() == 2 => {
                names[1].as_name()
            }
            _ => None,
        }
    }

    /// Whether a value is what the visit has collected: the variable, the comprehension, or a copy.
    fn is_collected(&self, value: &Expr, collected: &[&str]) -> bool {
        match &value.kind {
            ExprKind::Name(name) => collected.contains(&name.as_str()),
            ExprKind::Call(call) => {
                let copies = call.callee.as_name().is_some_and(|name| COPIES.contains(&name));
                copies && call.positional(0).is_some_and(|inner| self.is_collected(&inner.value, collected))
            }
            _ => self.comprehension.is_some_and(|own| std::ptr::eq(own, value)),
        }
    }
}

/// What stands in a function.
#[derive(Default)]
struct Body<'a> {
    expressions: Vec<&'a Expr>,
    assignments: Vec<(&'a str, &'a Expr)>,
    visits: Vec<Visit<'a>>,
    returns: Vec<&'a Expr>,
}

impl<'a> Body<'a> {
    fn collect(&mut self, block: &'a [Stmt]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For { target, iter, body, .. } => {
                    let mut inner = Self::default();
                    inner.collect(body);
                    let (tests, filled) = (conditions(body), inner.filled());
                    self.visits.push(Visit { target, iter, tests, filled, comprehension: None });
                }
                StmtKind::Assign { targets, value: Some(value), .. } => {
                    self.assignments.extend(targets.iter().filter_map(|target| Some((target.as_name()?, value))));
                }
                StmtKind::Return(value) => self.returns.extend(value),
                _ => {}
            }
            for expr in stmt.expressions().into_iter().flat_map(Expr::walk) {
                self.expressions.push(expr);
                if let ExprKind::Comprehension { parts, .. } = &expr.kind
                    && let [_, target, iter, tests @ ..] = parts.as_slice()
                {
                    let tests = tests.iter().collect();
                    self.visits.push(Visit { target, iter, tests, filled: Vec::new(), comprehension: Some(expr) });
                }
            }
            stmt.bodies().into_iter().for_each(|inner| self.collect(inner));
        }
    }

    /// The variables of `names.add(name)` and `names.append(name)`.
    fn filled(&self) -> Vec<&'a str> {
        let variable = |expr: &'a Expr| match &expr.as_call()?.callee.kind {
            ExprKind::Attribute(base, method, _) if matches!(method.as_str(), "add" | "append") => base.as_name(),
            _ => None,
        };
        self.expressions.iter().filter_map(|expr| variable(expr)).collect()
    }

    fn values_of(&self, name: &str) -> impl Iterator<Item = &'a Expr> {
        self.assignments.iter().filter(move |(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// The last parts of the names of classes, through variables and conditions; `None` if one is something else.
    fn class_names(&self, classes: &[&'a Expr], depth: usize) -> Option<Vec<&'a str>> {
        let mut found = Vec::new();
        for class in classes {
            match &class.kind {
                ExprKind::Attribute(_, name, _) => found.push(name.as_str()),
                ExprKind::List(items) => found.extend(self.class_names(&items.iter().collect::<Vec<_>>(), depth)?),
                ExprKind::Conditional { body, orelse, .. } => found.extend(self.class_names(&[body, orelse], depth)?),
                ExprKind::Binary(left, "|", right) => found.extend(self.class_names(&[left, right], depth)?),
                ExprKind::Name(name) => {
                    let values: Vec<&Expr> = self.values_of(name).collect();
                    match values.as_slice() {
                        [] => found.push(name.as_str()),
                        values => found.extend(self.class_names(values, depth.checked_sub(1)?)?),
                    }
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// The texts in the function.
    fn texts(&self) -> Vec<&'a str> {
        self.expressions.iter().filter_map(|expr| expr.as_str()).collect()
    }

    /// The names that the conditions compare with, through variables; those that are not known are one empty name.
    fn names_in_tests(&self, visit: &Visit<'a>) -> Vec<&'a str> {
        let inner = |expr: &&'a Expr| matches!(&expr.kind, ExprKind::Comprehension { .. });
        let lists = visit.tests.iter().flat_map(|test| test.walk()).filter(inner).filter_map(|expr| match &expr.kind {
            ExprKind::Comprehension { parts, .. } => parts.get(2),
            _ => None,
        });
        let mut found: Vec<&str> = visit.tests.iter().flat_map(|test| test.walk()).filter_map(Expr::as_str).collect();
        for list in lists {
            let values: Vec<&Expr> = list.as_name().map_or_else(|| vec![list], |name| self.values_of(name).collect());
            let texts = values.iter().flat_map(|value| value.walk()).filter_map(Expr::as_str);
            let before = found.len();
            found.extend(texts);
            if found.len() == before {
                found.push("");
            }
        }
        found
    }

    /// Whether every `return` gives what a visit has collected.
    fn returns_what(&self, visit: &Visit<'a>) -> bool {
        let mut collected: Vec<&str> = visit.filled.clone();
        for (name, value) in &self.assignments {
            if visit.is_collected(value, &collected) && !collected.contains(name) {
                collected.push(name);
            }
        }
        !self.returns.is_empty() && self.returns.iter().all(|value| visit.is_collected(value, &collected))
    }
}

/// Every condition in a block.
fn conditions(block: &[Stmt]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stmt in block {
        if let StmtKind::If(arms) = &stmt.kind {
            found.extend(arms.iter().filter_map(|arm| arm.test.as_ref()));
        }
        found.extend(stmt.bodies().into_iter().flat_map(conditions));
    }
    found
}

/// `classes` of each `isinstance(module, classes)` in a condition.
fn tested_classes<'a>(test: &'a Expr, module: &str) -> Vec<&'a Expr> {
    let classes = |expr: &'a Expr| {
        let call = expr.as_call().filter(|call| call.callee.as_name() == Some("isinstance"))?;
        let tested = call.positional(0)?.value.as_name() == Some(module);
        if tested { Some(&call.positional(1)?.value) } else { None }
    };
    test.walk().filter_map(classes).collect()
}
