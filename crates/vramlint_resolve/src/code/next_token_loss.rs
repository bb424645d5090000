//! Whether a training loop of its own predicts the next token: it computes a cross entropy over tokens and the same tokens one further.

use super::interpreter::Interpreter;
use super::name_roles::split_words;
use std::collections::BTreeSet;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind, Stmt, StmtKind};

/// Words of code that computes such a loss for something else: translation, a policy, a student, images.
const OTHER_TASKS: &[&str] = &[
    "advantage",
    "advantages",
    "critic",
    "decoder",
    "encoder",
    "image",
    "images",
    "pixel",
    "policy",
    "reward",
    "rewards",
    "seq2seq",
    "src",
    "teacher",
    "translation",
    "video",
];
/// Words of names for what a model is to predict.
const TARGETS: &[&str] = &["label", "labels", "target", "targets", "tgt", "y"];

/// Which end of a sequence a slice leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl Interpreter<'_> {
    /// Whether the code that ran computes the cross entropy of tokens that are shifted by one, and nothing in it names another task.
    pub(super) fn predicts_next_token(&self) -> bool {
        let entry = self.sources.file(self.sources.entry).and_then(|file| file.python()).map(|module| &module.body[..]);
        // A data loader calls the methods of the data set that it gets.
        let is_made = |class: Option<usize>| class.is_some_and(|class| self.definitions.classes[class].made);
        let ran = self.definitions.functions.iter().filter(|info| info.runs > 0 || is_made(info.class));
        let bodies: Vec<(FileRange, &[Stmt])> = entry
            .into_iter()
            .map(|body| (self.sources.entry, body))
            .chain(ran.map(|info| (info.file, &info.def.body[..])))
            .filter_map(|(file, body)| {
                let (first, last) = (body.first()?, body.last()?);
                Some((FileRange::new(file, first.range.cover(last.range)), body))
            })
            .collect();
        let mut evidence = Evidence::default();
        for (_, body) in &bodies {
            evidence.block(body);
        }
        evidence.is_of_next_token() && !bodies.iter().any(|(place, _)| names_another_task(self.sources.text(*place)))
    }
}

/// Whether a word of the code names another task.
fn names_another_task(text: &str) -> bool {
    let names = text.split(|found: char| !found.is_ascii_alphanumeric() && found != '_');
    names.flat_map(split_words).any(|word| OTHER_TASKS.contains(&word.as_str()))
}

/// What the statements show.
#[derive(Default)]
struct Evidence {
    has_loss: bool,
    /// The names of sequences whose last token is left out.
    inputs: BTreeSet<String>,
    /// The names of sequences whose first token is left out, and that are what the model is to predict.
    targets: BTreeSet<String>,
}

impl Evidence {
    /// The inputs are the same sequence as the targets, or the model's output for it.
    fn is_of_next_token(&self) -> bool {
        self.has_loss
            && !self.targets.is_empty()
            && self.inputs.iter().any(|input| self.targets.contains(input) || input.contains("logits"))
    }

    /// Reads statements, without the functions that are defined in them.
    fn block(&mut self, statements: &[Stmt]) {
        for stmt in statements {
            match &stmt.kind {
                StmtKind::Function(_) | StmtKind::Class(_) => continue,
                StmtKind::Assign { targets, value: Some(value), .. } => {
                    for target in targets {
                        self.assigned(target, value);
                    }
                }
                StmtKind::Return(Some(value)) => self.given(value),
                _ => {}
            }
            for expr in stmt.expressions().into_iter().flat_map(Expr::walk) {
                self.expression(expr);
            }
            stmt.bodies().into_iter().for_each(|body| self.block(body));
        }
    }

    fn assigned(&mut self, target: &Expr, value: &Expr) {
        match (&target.kind, &value.kind) {
            (ExprKind::List(names), ExprKind::List(values)) if names.len() == values.len() => {
                names.iter().zip(values).for_each(|(name, value)| self.assigned(name, value));
            }
            _ => self.named(last_name(target), value),
        }
    }

    /// `tokens[:-1], tokens[1:]`, as a dataset gives them.
    fn given(&mut self, value: &Expr) {
        let ExprKind::List(items) = &value.kind else { return };
        if let [first, second] = items.as_slice()
            && let (Some((inputs, End::Last)), Some((targets, End::First))) = (shifted(first), shifted(second))
        {
            self.inputs.insert(inputs);
            self.targets.insert(targets);
        }
    }

    fn named(&mut self, name: Option<&str>, value: &Expr) {
        match (shifted(value), name) {
            (Some((sequence, End::Last)), _) => {
                self.inputs.insert(sequence);
            }
            (Some((sequence, End::First)), Some(name)) if is_target(name) => {
                self.targets.insert(sequence);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr) {
        let call = match &expr.kind {
            ExprKind::Call(call) => call,
            ExprKind::Dict(entries) => {
                for (key, value) in entries {
                    self.named(key.as_ref().and_then(Expr::as_str), value);
                }
                return;
            }
            // `yield` keeps what it gives.
            ExprKind::Other(inner) => {
                for value in inner {
                    self.given(value);
                }
                return;
            }
            _ => return,
        };
        self.has_loss |= matches!(call.name(), Some("cross_entropy" | "CrossEntropyLoss"));
        if let ExprKind::Attribute(base, method, _) = &call.callee.kind
            && method == "copy_"
            && let Some(value) = call.positional(0)
        {
            self.named(last_name(base), &value.value);
        }
        for argument in &call.args {
            self.named(argument.name().map(|(name, _)| name), &argument.value);
        }
    }
}

fn is_target(name: &str) -> bool {
    split_words(name).iter().any(|word| TARGETS.contains(&word.as_str()))
}

fn last_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name),
        ExprKind::Subscript(_, index) => index.as_str(),
        _ => None,
    }
}

/// The sequence of `tokens[:, :-1]` or `tokens[:, 1:]`, and the end that the slice leaves out; methods that only move it may follow.
fn shifted(expr: &Expr) -> Option<(String, End)> {
    match &expr.kind {
        ExprKind::Call(call) => {
            let ExprKind::Attribute(base, ..) = &call.callee.kind else { return None };
            shifted(base)
        }
        ExprKind::Subscript(base, index) => {
            let bounds = match &index.kind {
                ExprKind::Slice(bounds) => bounds,
                ExprKind::List(parts) => parts.iter().find_map(|part| match &part.kind {
                    ExprKind::Slice(bounds) if bounds.iter().any(Option::is_some) => Some(bounds),
                    _ => None,
                })?,
                _ => return None,
            };
            let sequence = match base.dotted() {
                Some(name) => name,
                None => last_name(base)?.to_owned(),
            };
            match bounds.as_ref() {
                [None, Some(upper), None] if is_minus_one(upper) => Some((sequence, End::Last)),
                [Some(lower), None, None] if lower.as_value() == Some(&Value::Int(1)) => Some((sequence, End::First)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_minus_one(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unary("-", inner) if inner.as_value() == Some(&Value::Int(1)))
        || expr.as_value() == Some(&Value::Int(-1))
}
