//! Expressions over logits.

use super::functions::LossObject;
use super::{Reader, Tensors};
use vramlint_base::Value;
use vramlint_memory::setup::LossOp;
use vramlint_syntax::python::{Argument, ArgumentKind, Call, Expr, ExprKind};

/// Methods and functions that give a small result, or none.
const SMALL: &[&str] = &["argmax", "size", "dim", "numel", "item", "tolist", "backward"];
/// Methods that change nothing but how the numbers are seen.
const SAME: &[&str] = &["view", "flatten", "squeeze", "unsqueeze", "cuda", "detach", "type_as"];

impl<'a> Reader<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Tensors {
        if self.is_lost {
            return Tensors::Other;
        }
        match &expr.kind {
            ExprKind::Name(name) => self.lookup(name).cloned().unwrap_or(Tensors::Other),
            ExprKind::Attribute(base, name, _) => {
                let base = self.expr(base);
                self.part(base, name)
            }
            ExprKind::Subscript(base, index) => {
                let base = self.expr(base);
                self.item(base, index)
            }
            ExprKind::Call(call) => self.call(call),
            ExprKind::Binary(left, op, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.binary(&left, op, &right)
            }
            ExprKind::Unary(_, inner) => match self.expr(inner) {
                Tensors::Logits(step) => Tensors::Logits(self.step(LossOp::Scale, &[step])),
                other => other,
            },
            ExprKind::List(items) => Tensors::Tuple(items.iter().map(|item| self.expr(item)).collect()),
            ExprKind::Conditional { body, orelse, .. } => {
                let before = self.steps.len();
                let (first, second) = (self.expr(body), self.expr(orelse));
                self.is_lost |= self.steps.len() > before;
                if matches!(first, Tensors::Tuple(_)) { second } else { first }
            }
            _ => Tensors::Other,
        }
    }

    fn part(&mut self, base: Tensors, name: &str) -> Tensors {
        match (base, name) {
            (Tensors::Output { logits, .. }, "logits") => Tensors::Logits(logits),
            (Tensors::Output { logits, .. }, "loss") => self.model_loss(logits),
            (Tensors::Logits(step), "data") => Tensors::Logits(step),
            (Tensors::Small, _) => Tensors::Small,
            (Tensors::Model { trained }, "module") => Tensors::Model { trained },
            _ => Tensors::Other,
        }
    }

    fn model_loss(&mut self, output: usize) -> Tensors {
        if !self.steps.iter().any(|step| step.op == LossOp::ModelLoss) {
            self.step(LossOp::ModelLoss, &[output]);
        }
        Tensors::Small
    }

    fn item(&mut self, base: Tensors, index: &Expr) -> Tensors {
        match base {
            Tensors::Output { logits, labels } => match (index.as_str(), index.as_value()) {
                (Some(name), _) => self.part(Tensors::Output { logits, labels }, name),
                (_, Some(Value::Int(0))) if labels => self.model_loss(logits),
                (_, Some(Value::Int(at))) if *at == i64::from(labels) => Tensors::Logits(logits),
                _ => Tensors::Other,
            },
            Tensors::Logits(step) => match sliced(index) {
                Some(Sliced::Shifted) => Tensors::Logits(self.step(LossOp::Slice, &[step])),
                Some(Sliced::One) => Tensors::Small,
                Some(Sliced::All) => Tensors::Logits(step),
                None => self.lose(),
            },
            Tensors::Tuple(items) => match index.as_value() {
                Some(Value::Int(at)) => usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned().unwrap_or(Tensors::Other),
                _ => Tensors::Other,
            },
            Tensors::Small => Tensors::Small,
            _ => Tensors::Other,
        }
    }

    fn lose(&mut self) -> Tensors {
        self.is_lost = true;
        Tensors::Other
    }

    fn binary(&mut self, left: &Tensors, op: &str, right: &Tensors) -> Tensors {
        match (left, right) {
            (Tensors::Logits(a), Tensors::Logits(b)) => match op {
                "+" | "-" => Tensors::Logits(self.step(LossOp::Combine, &[*a, *b])),
                "*" => Tensors::Logits(self.step(LossOp::Product, &[*a, *b])),
                _ => self.lose(),
            },
            (Tensors::Logits(step), _) | (_, Tensors::Logits(step)) if matches!(op, "/" | "*" | "+" | "-") => {
                Tensors::Logits(self.step(LossOp::Scale, &[*step]))
            }
            (Tensors::Logits(_), _) | (_, Tensors::Logits(_)) => self.lose(),
            (Tensors::Small, _) | (_, Tensors::Small) => Tensors::Small,
            _ => Tensors::Other,
        }
    }

    fn call(&mut self, call: &'a Call) -> Tensors {
        if let Some(trained) = self.model(&call.callee) {
            return self.ask(call, trained);
        }
        if let Some(object) = self.functions.loss(&call.callee) {
            return self.loss_object(object, call);
        }
        let name = call.name().unwrap_or_default();
        match name {
            "cross_entropy" if call.keyword("label_smoothing").is_none() => {
                return self.loss_object(LossObject::CrossEntropy, call);
            }
            "kl_div" => {
                let flag = call.keyword("log_target").and_then(|argument| argument.value.as_value()?.as_bool()) == Some(true);
                let unreduced = call.keyword("reduction").is_some_and(|argument| argument.value.as_str() == Some("none"));
                return self.loss_object(LossObject::Divergence { log_target: flag, sums: !unreduced }, call);
            }
            _ => {}
        }
        if let Some(function) = self.functions.function(&call.callee) {
            let is_method = matches!(&call.callee.kind, ExprKind::Attribute(..));
            return self.run(function, call, is_method);
        }
        if let ExprKind::Attribute(base, method, _) = &call.callee.kind {
            match self.expr(base) {
                Tensors::Logits(step) => return self.method(step, method, call),
                Tensors::Small => return Tensors::Small,
                _ => {}
            }
        }
        let args: Vec<Tensors> = call.args.iter().map(|argument| self.expr(&argument.value)).collect();
        let Some(step) = args.iter().find_map(|val| if let Tensors::Logits(step) = val { Some(*step) } else { None }) else {
            let is_small = args.contains(&Tensors::Small) && !matches!(name, "backward" | "print" | "float");
            return if is_small { Tensors::Small } else { Tensors::Other };
        };
        self.function_of_logits(step, name, call)
    }

    /// Whether an expression is the trained model or a frozen one.
    pub(super) fn model(&self, expr: &Expr) -> Option<bool> {
        if let Some(name) = expr.as_name() {
            match self.lookup(name) {
                Some(Tensors::Model { trained }) => return Some(*trained),
                Some(_) => return None,
                None => {}
            }
        }
        if self.functions.function(expr).is_some() {
            return None;
        }
        let dotted = expr.dotted()?;
        self.functions.model(dotted.strip_suffix(".module").unwrap_or(&dotted))
    }

    /// A model is called.
    fn ask(&mut self, call: &'a Call, trained: bool) -> Tensors {
        let open = call.args.iter().any(|argument| argument.kind == ArgumentKind::DoubleStar);
        let labels = call.keyword("labels").is_some() || open && !self.functions.takes_labels_out();
        // The graph of a frozen model is empty. What the trained model answers without gradients is gone before its graph is made.
        match (trained, self.without_grad > 0) {
            (true, true) => Tensors::Other,
            (true, false) => Tensors::Output { logits: self.step(LossOp::Student { labels }, &[]), labels },
            (false, _) => Tensors::Output { logits: self.step(LossOp::Teacher, &[]), labels },
        }
    }

    fn loss_object(&mut self, object: LossObject, call: &'a Call) -> Tensors {
        let named = |names: &[&str], position: usize| {
            let by_name = names.iter().find_map(|name| call.keyword(name));
            by_name.or_else(|| call.args.iter().filter(|argument| argument.kind == ArgumentKind::Positional).nth(position))
        };
        let input = named(&["input"], 0).map_or(Tensors::Other, |argument| self.expr(&argument.value));
        let target = named(&["target"], 1).map_or(Tensors::Other, |argument| self.expr(&argument.value));
        match (object, input, target) {
            (LossObject::CrossEntropy, Tensors::Logits(step), _) => {
                self.step(LossOp::CrossEntropy, &[step]);
                Tensors::Small
            }
            (LossObject::Divergence { log_target, sums }, Tensors::Logits(input), Tensors::Logits(target)) => {
                let step = self.step(LossOp::Divergence { log_target }, &[input, target]);
                if sums {
                    self.step(LossOp::Sum, &[step]);
                    return Tensors::Small;
                }
                Tensors::Logits(step)
            }
            (LossObject::Divergence { .. }, Tensors::Logits(_), _) => self.lose(),
            _ => Tensors::Small,
        }
    }

    /// A method of logits.
    fn method(&mut self, step: usize, method: &str, call: &'a Call) -> Tensors {
        match method {
            "float" => Tensors::Logits(self.step(LossOp::Widen, &[step])),
            "to" | "type" if names_fp32(&call.args) => Tensors::Logits(self.step(LossOp::Widen, &[step])),
            "contiguous" | "reshape" if self.sliced[step] => Tensors::Logits(self.step(LossOp::Copy, &[step])),
            "to" | "type" | "contiguous" | "reshape" => Tensors::Logits(step),
            "div" | "mul" => Tensors::Logits(self.step(LossOp::Scale, &[step])),
            name if SAME.contains(&name) => Tensors::Logits(step),
            name if SMALL.contains(&name) => Tensors::Other,
            name => self.function_of_logits(step, name, call),
        }
    }

    /// A function that gets logits, or a method of them.
    fn function_of_logits(&mut self, step: usize, name: &str, call: &'a Call) -> Tensors {
        match name {
            "log_softmax" | "softmax" => {
                let widened = if names_fp32(&call.args) { self.step(LossOp::Widen, &[step]) } else { step };
                let op = if name == "softmax" { LossOp::Softmax } else { LossOp::LogSoftmax };
                Tensors::Logits(self.step(op, &[widened]))
            }
            "gather" => {
                self.step(LossOp::Gather, &[step]);
                Tensors::Small
            }
            "sum" | "mean" => {
                self.step(LossOp::Sum, &[step]);
                Tensors::Small
            }
            "print" | "len" | "argmax" | "isnan" => Tensors::Other,
            _ => self.lose(),
        }
    }
}

/// Whether an argument is torch's fp32.
fn names_fp32(args: &[Argument]) -> bool {
    let is_fp32 = |expr: &Expr| expr.dotted().is_some_and(|name| matches!(name.as_str(), "torch.float32" | "torch.float"));
    args.iter().any(|argument| is_fp32(&argument.value))
}

/// What a subscript leaves of logits.
enum Sliced {
    /// All positions but one.
    Shifted,
    /// One position.
    One,
    /// Everything.
    All,
}

fn sliced(index: &Expr) -> Option<Sliced> {
    let parts: Vec<&Expr> = match &index.kind {
        ExprKind::List(parts) => parts.iter().collect(),
        _ => vec![index],
    };
    let mut found = Sliced::All;
    for part in parts {
        match &part.kind {
            ExprKind::Slice(bounds) => match bounds.as_ref() {
                [None, None, None] => {}
                [None, Some(upper), None] if is_minus_one(upper) => found = Sliced::Shifted,
                [Some(lower), None, None] if lower.as_value() == Some(&Value::Int(1)) => found = Sliced::Shifted,
                _ => return None,
            },
            ExprKind::Unary("-", _) | ExprKind::Value(Value::Int(_)) => return Some(Sliced::One),
            // `...`
            _ if part.range.end.saturating_sub(part.range.start) == 3 && part.as_name().is_none() => {}
            _ => return None,
        }
    }
    Some(found)
}

fn is_minus_one(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unary("-", inner) if inner.as_value() == Some(&Value::Int(1)))
        || expr.as_value() == Some(&Value::Int(-1))
}
