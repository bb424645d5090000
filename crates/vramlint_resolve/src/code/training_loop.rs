//! What a training loop does: backward, step, accumulation.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ObjectKind, ValueKind};
use vramlint_base::FileRange;
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Expr, ExprKind};

/// Events kept at most of each kind.
const EVENTS: usize = 200;

/// A loop that runs.
pub(super) struct Loop {
    pub(super) id: usize,
    /// `N` of `for … in range(N)`.
    pub(super) times: Option<AbstractValue>,
}

/// One call of backward or step: the loops around it, outermost first.
pub(super) struct LoopEvent {
    loops: Vec<usize>,
    modulus: Option<AbstractValue>,
}

/// What was seen.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // each is one thing that was seen
pub(super) struct TrainingLoop {
    backwards: Vec<LoopEvent>,
    steps: Vec<LoopEvent>,
    /// `N` of every `range(N)` loop by its id.
    times: Vec<(usize, AbstractValue, FileRange)>,
    /// Open branches of the form `step % N == 0`.
    pub(super) moduli: Vec<(usize, AbstractValue)>,
    pub(super) without_grad: u32,
    pub(super) accumulate: bool,
    pub(super) engine: bool,
    pub(super) trainer: bool,
    pub(super) trainer_trains: bool,
    pub(super) trainer_evaluates: bool,
    pub(super) generates: bool,
}

impl TrainingLoop {
    /// Whether training was seen.
    pub(super) fn trains(&self) -> bool {
        self.trainer || self.trainer_trains || !self.backwards.is_empty()
    }

    pub(super) fn has_backward(&self) -> bool {
        !self.backwards.is_empty()
    }

    /// Whether the code accumulates by itself; see [`super::CodeFacts::accumulates`].
    pub(super) fn accumulates(&self, given_to_accelerate: bool) -> Option<bool> {
        if self.engine || self.accumulate || self.steps.is_empty() || self.backwards.is_empty() {
            return None;
        }
        if self.steps.iter().any(|step| step.modulus.is_some()) || self.inner_loops().next().is_some() {
            return Some(true);
        }
        let plain = self.steps.iter().any(|step| {
            !step.loops.is_empty()
                && self.backwards.iter().any(|backward| backward.loops == step.loops && backward.modulus.is_none())
        });
        (plain && !given_to_accelerate).then_some(false)
    }

    /// Loops that hold a backward and whose end holds the step.
    fn inner_loops(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().flat_map(move |step| {
            self.backwards.iter().filter_map(move |backward| {
                let deeper = backward.loops.len() == step.loops.len() + 1 && backward.loops.starts_with(&step.loops);
                let own_step = self.steps.iter().any(|other| other.loops == backward.loops);
                (deeper && !own_step && !step.loops.is_empty()).then(|| backward.loops.last().copied()).flatten()
            })
        })
    }
}

impl<'a> Interpreter<'a> {
    /// Looks at a call for its part in a training loop.
    pub(super) fn note_call(&mut self, callee: &'a Expr, val: &AbstractValue, given: &CallArguments, place: FileRange) {
        let ExprKind::Attribute(base, name, _) = &callee.kind else { return };
        let engine = val.alternatives.iter().any(|alt| matches!(&alt.kind, ValueKind::Method(id, _) if self.is_engine(*id)));
        match name.as_str() {
            "backward" | "manual_backward" => {
                if engine {
                    self.events.engine = true;
                }
                self.trained_by_backward(val, given);
                let event = self.event(false);
                self.remember_times(place);
                if self.events.backwards.len() < EVENTS {
                    self.events.backwards.push(event);
                }
            }
            "step" if self.is_optimizer(base, val, given) => {
                if engine {
                    self.events.engine = true;
                }
                let event = self.event(true);
                if self.events.steps.len() < EVENTS {
                    self.events.steps.push(event);
                }
            }
            "accumulate" | "no_sync" => self.events.accumulate = true,
            "generate" => self.events.generates = true,
            _ => {}
        }
    }

    /// `with accelerator.accumulate(model):` and `with model.no_sync():` are seen as calls already; kept apart for readers.
    pub(super) fn note_context(&mut self, context: &Expr, _val: &AbstractValue) {
        if let ExprKind::Call(call) = &context.kind
            && let ExprKind::Attribute(_, name, _) = &call.callee.kind
            && name == "accumulate"
        {
            self.events.accumulate = true;
        }
    }

    fn event(&self, with_modulus: bool) -> LoopEvent {
        let modulus = if with_modulus { self.events.moduli.last().map(|(_, val)| val.clone()) } else { None };
        LoopEvent { loops: self.loops.iter().map(|open| open.id).collect(), modulus }
    }

    fn remember_times(&mut self, place: FileRange) {
        if let Some(Loop { id, times: Some(times), .. }) = self.loops.last() {
            self.events.times.push((*id, times.clone(), place));
        }
    }

    fn is_engine(&self, id: usize) -> bool {
        matches!(&self.objects[id].kind, ObjectKind::Library(path) if path.starts_with("deepspeed."))
    }

    /// Whether `.step()` steps an optimizer: by what it is, or by its name where that is not known.
    fn is_optimizer(&self, base: &Expr, val: &AbstractValue, given: &CallArguments) -> bool {
        let by_kind = val.alternatives.iter().any(|alt| match &alt.kind {
            ValueKind::Method(id, _) => match &self.objects[*id].kind {
                ObjectKind::Library(path) => super::training_calls::is_optimizer(path) || path.starts_with("deepspeed."),
                _ => false,
            },
            _ => false,
        });
        let name = match &base.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name.to_lowercase(),
            _ => return by_kind,
        };
        if name.contains("sched") {
            return false;
        }
        // `scaler.step(optimizer)`.
        let scaler = name.contains("scaler") && !given.positional.is_empty();
        by_kind || scaler || name.contains("optim") || matches!(name.as_str(), "opt" | "engine" | "model_engine")
    }

    /// The value of `N` in a test of the form `(step + 1) % N == 0`.
    pub(super) fn modulus(&mut self, test: &'a Expr, scope: usize) -> Option<AbstractValue> {
        match &test.kind {
            ExprKind::Binary(left, "%", right) if !matches!(left.kind, ExprKind::Value(_)) => Some(self.eval(right, scope)),
            ExprKind::Binary(left, "and" | "or", right) => self.modulus(left, scope).or_else(|| self.modulus(right, scope)),
            ExprKind::Compare(left, _, right) => self.modulus(left, scope).or_else(|| self.modulus(right, scope)),
            ExprKind::Unary(_, inner) => self.modulus(inner, scope),
            _ => None,
        }
    }

    /// The numbers of micro-batches that the loops themselves count.
    pub(super) fn collect_accumulation(&mut self) {
        if self.events.engine {
            return;
        }
        let mut found: Vec<AbstractValue> = Vec::new();
        if self.events.has_backward() {
            found.extend(self.events.steps.iter().filter_map(|step| step.modulus.clone()));
            for id in self.events.inner_loops() {
                found.extend(self.events.times.iter().filter(|(inner, ..)| *inner == id).map(|(_, val, _)| val.clone()));
            }
        }
        for val in found {
            self.emit_as(Concept::GradientAccumulationSteps, &val, None);
        }
    }
}

/// Whether a `with` block turns gradients off.
pub(super) fn stops_gradients(context: &Expr) -> bool {
    let callee = match &context.kind {
        ExprKind::Call(call) => &call.callee,
        _ => context,
    };
    callee.dotted().is_some_and(|name| matches!(name.rsplit('.').next(), Some("no_grad" | "inference_mode")))
}

/// Whether a `with` block expects errors: `pytest.raises(…)`, `self.assertRaises(…)`, `contextlib.suppress(…)`.
pub(super) fn expects_errors(context: &Expr) -> bool {
    let ExprKind::Call(call) = &context.kind else { return false };
    let name = call.callee.dotted();
    name.is_some_and(|name| matches!(name.rsplit('.').next(), Some("raises" | "assertRaises" | "assertRaisesRegex" | "suppress")))
}
