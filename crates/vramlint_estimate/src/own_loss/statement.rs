//! Where the loss is computed, and the statements there.

use super::{Frame, MAX_DEPTH, Reader, Tensors};
use vramlint_syntax::python::{Call, Class, Expr, ExprKind, Function, Module, Stmt, StmtKind};

impl<'a> Reader<'a> {
    /// Reads the only place where a loss may be computed. Whether that is a loop; `None` if there is no such place, or several.
    pub(super) fn entry(&mut self, modules: &[&'a Module]) -> Option<bool> {
        let methods: Vec<&'a Function> = self.functions.classes.iter().filter_map(|class| compute_loss(class)).collect();
        if let [method] = methods.as_slice() {
            let model = method.params.get(1)?;
            self.bind(&model.name, Tensors::Model { trained: true });
            self.block(&method.body);
            return Some(false);
        }
        let mut bodies: Vec<&'a [Stmt]> = Vec::new();
        for module in modules {
            find_bodies(&module.body, &mut bodies);
        }
        let ([body], true) = (bodies.as_slice(), methods.is_empty()) else { return None };
        self.block(body);
        Some(true)
    }

    pub(super) fn block(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            if self.is_lost || self.frames.last().is_some_and(|frame| frame.returned.is_some()) {
                return;
            }
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value: Some(value), .. } => {
                let val = self.expr(value);
                for target in targets {
                    self.assign(target, &val);
                }
            }
            StmtKind::AugAssign { target, value, .. } => {
                let val = self.expr(value);
                self.is_lost |= matches!(val, Tensors::Logits(_)) || matches!(self.expr(target), Tensors::Logits(_));
            }
            StmtKind::Expr(expr) => {
                self.expr(expr);
            }
            StmtKind::Return(value) => {
                let val = value.as_ref().map_or(Tensors::Other, |value| self.expr(value));
                if let Some(frame) = self.frames.last_mut() {
                    frame.returned = Some(val);
                }
            }
            StmtKind::If(arms) => {
                let mut deciding = 0;
                for arm in arms {
                    let before = self.steps.len();
                    self.block(&arm.body);
                    deciding += u32::from(self.steps.len() > before);
                    // What follows an arm that returns nothing of interest is read on.
                    if let Some(frame) = self.frames.last_mut().filter(|_| self.steps.len() == before) {
                        frame.returned = None;
                    }
                }
                self.is_lost |= deciding > 1;
            }
            StmtKind::With { items, body } => {
                let names = |word: &str| items.iter().any(|(context, _)| speaks_of(context, word));
                let (off, cast) = (names("no_grad") || names("inference_mode"), names("autocast"));
                self.without_grad += u32::from(off);
                self.in_autocast += u32::from(cast);
                self.block(body);
                self.in_autocast -= u32::from(cast);
                self.without_grad -= u32::from(off);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                let before = self.steps.len();
                self.block(body);
                self.is_lost |= self.steps.len() > before;
            }
            StmtKind::Try { body, .. } => self.block(body),
            StmtKind::Delete(targets) => {
                for name in targets.iter().filter_map(Expr::as_name) {
                    self.bind(name, Tensors::Other);
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, target: &'a Expr, val: &Tensors) {
        match (&target.kind, val) {
            (ExprKind::Name(name), val) => self.bind(name, val.clone()),
            (ExprKind::List(targets), Tensors::Tuple(items)) if targets.len() == items.len() => {
                targets.iter().zip(items).for_each(|(target, item)| self.assign(target, item));
            }
            (ExprKind::List(targets), Tensors::Output { logits, labels }) => {
                // `loss, logits = model(…)`.
                let parts = if *labels { vec![Tensors::Small, Tensors::Logits(*logits)] } else { vec![Tensors::Logits(*logits)] };
                targets.iter().zip(&parts).for_each(|(target, part)| self.assign(target, part));
            }
            (_, Tensors::Logits(_) | Tensors::Tuple(_)) => self.is_lost = true,
            _ => {}
        }
    }

    /// Calls a function of the project with these arguments.
    pub(super) fn run(&mut self, function: &'a Function, call: &'a Call, is_method: bool) -> Tensors {
        if self.frames.len() >= MAX_DEPTH {
            self.is_lost = true;
            return Tensors::Other;
        }
        let mut given: Vec<(String, Tensors)> = Vec::new();
        let mut params = function.params.iter().skip(usize::from(is_method));
        for argument in &call.args {
            let val = match self.model(&argument.value) {
                Some(trained) => Tensors::Model { trained },
                None => self.expr(&argument.value),
            };
            let name = match argument.name() {
                Some((name, _)) => Some(name.to_owned()),
                None => params.next().map(|param| param.name.clone()),
            };
            given.extend(name.map(|name| (name, val)));
        }
        let off =
            function.decorators.iter().any(|decorator| speaks_of(decorator, "no_grad") || speaks_of(decorator, "inference_mode"));
        self.without_grad += u32::from(off);
        self.frames.push(Frame::default());
        for (name, val) in given {
            self.bind(&name, val);
        }
        self.block(&function.body);
        self.without_grad -= u32::from(off);
        let Some(frame) = self.frames.pop() else { return Tensors::Other };
        let returned = frame.returned.unwrap_or(Tensors::Other);
        let kept = returned.steps();
        let mut held: Vec<(String, Tensors)> = frame.names.into_iter().collect();
        held.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, val) in &held {
            self.release(val, &kept);
        }
        returned
    }
}

/// The method of a trainer's subclass that computes its loss.
pub(super) fn compute_loss(class: &Class) -> Option<&Function> {
    let trains = class.bases.iter().any(|base| base.dotted().is_some_and(|name| name.ends_with("Trainer")));
    class.body.iter().filter(|_| trains).find_map(|stmt| match &stmt.kind {
        StmtKind::Function(function) if function.name == "compute_loss" => Some(function),
        _ => None,
    })
}

/// The bodies of the innermost loops that call backward.
fn find_bodies<'a>(body: &'a [Stmt], found: &mut Vec<&'a [Stmt]>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                let before = found.len();
                find_bodies(body, found);
                if found.len() == before && calls_backward(body) {
                    found.push(body);
                }
            }
            _ => stmt.bodies().into_iter().for_each(|body| find_bodies(body, found)),
        }
    }
}

fn calls_backward(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| {
        let calls = |expr: &Expr| expr.as_call().is_some_and(|call| call.name() == Some("backward"));
        stmt.expressions().into_iter().flat_map(Expr::walk).any(calls)
            || !matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_)) && stmt.bodies().into_iter().any(calls_backward)
    })
}

/// Whether a context or a decorator is one of this name: `torch.no_grad()`, `accelerator.autocast()`.
fn speaks_of(context: &Expr, word: &str) -> bool {
    let name = context.as_call().map_or_else(|| context.dotted(), |call| call.callee.dotted());
    name.is_some_and(|name| name.rsplit('.').next().is_some_and(|last| last.contains(word)))
}
