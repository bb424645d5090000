//! Training loops: backward, step, accumulation.

use super::call_arguments::CallArguments;
use super::control_flow::Loop;
use super::heap::{Heap, ObjectKind};
use super::library_classes;
use super::value::{AbstractValue, ValueKind};
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

/// Maximum number of events of each kind.
const MAX_EVENTS: usize = 200;

/// One call of backward or step: the loops around it, outermost first.
pub(super) struct LoopEvent {
    loops: Vec<usize>,
    modulus: Option<AbstractValue>,
}

/// What the code does in its training loops.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // each is one thing that was seen
pub(super) struct TrainingLoop {
    backwards: Vec<LoopEvent>,
    steps: Vec<LoopEvent>,
    /// Calls of `generate` and how many tokens each adds at most.
    generations: Vec<(LoopEvent, i64)>,
    /// `N` of every `range(N)` loop by its id.
    times: Vec<(usize, AbstractValue, FileRange)>,
    /// Open branches of the form `step % N == 0`.
    pub(super) moduli: Vec<AbstractValue>,
    loop_count: usize,
    pub(super) without_grad: u32,
    pub(super) accumulate: bool,
    pub(super) engine: bool,
    pub(super) trainer: bool,
    pub(super) trainer_trains: bool,
    pub(super) trainer_evaluates: bool,
    pub(super) generates: bool,
    /// A trainer that is not visible is told to train, or a library function that trains is called.
    pub(super) told_to_train: bool,
    /// Something steps that may be an optimizer.
    any_step: bool,
    pub(super) forwards: ForwardCalls,
}

/// Calls of models with gradients, and of backward: the chains of calls that lead to them.
#[derive(Default)]
pub(super) struct ForwardCalls {
    calls: BTreeMap<usize, BTreeSet<Vec<FileRange>>>,
    backwards: BTreeSet<Vec<FileRange>>,
    /// A model is called, or backward, under a condition that is not decided.
    open: BTreeSet<usize>,
    open_backward: bool,
}

impl ForwardCalls {
    /// A model is called.
    pub(super) fn add(&mut self, load: usize, chain: Vec<FileRange>, conditional: bool) {
        if conditional {
            self.open.insert(load);
        } else if self.calls.len() < MAX_EVENTS {
            self.calls.entry(load).or_default().insert(chain);
        }
    }

    /// Backward is called.
    pub(super) fn add_backward(&mut self, chain: Vec<FileRange>, conditional: bool) {
        self.open_backward |= conditional;
        self.backwards.insert(chain);
    }

    /// How often a model is called for each backward: 1 unless the only backward certainly follows several calls, 0 if no call is seen.
    pub(super) fn per_backward(&self, load: usize) -> usize {
        let certain = self.backwards.len() == 1 && !self.open_backward && !self.open.contains(&load);
        self.calls.get(&load).map_or(0, |calls| if certain { calls.len() } else { 1 })
    }
}

impl TrainingLoop {
    /// Whether training was seen.
    pub(super) fn trains(&self) -> bool {
        self.trainer || self.trainer_trains || !self.backwards.is_empty()
    }

    /// Whether weights change: a trainer is told to train, or an optimizer steps. A backward pass without a step is an analysis of
    /// gradients.
    pub(super) fn changes_weights(&self) -> bool {
        self.trainer_trains || self.told_to_train || !self.steps.is_empty() || self.any_step && self.has_backward()
    }

    /// Whether weights may change: a trainer that is only made may be told to train where nobody sees it, unless it is told to evaluate.
    pub(super) fn may_change_weights(&self) -> bool {
        self.changes_weights() || self.trainer && !self.trainer_evaluates
    }

    pub(super) fn has_backward(&self) -> bool {
        !self.backwards.is_empty()
    }

    /// Whether the code accumulates by itself; see [`super::CodeFacts::accumulates`].
    pub(super) fn accumulates(&self, set_on_accelerator: bool) -> Option<bool> {
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
        (plain && !set_on_accelerator).then_some(false)
    }

    /// Loops with a backward pass that are followed by the step.
    fn inner_loops(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().flat_map(move |step| {
            self.backwards.iter().filter_map(move |backward| {
                let deeper = backward.loops.len() == step.loops.len() + 1 && backward.loops.starts_with(&step.loops);
                let own_step = self.steps.iter().any(|other| other.loops == backward.loops);
                (deeper && !own_step && !step.loops.is_empty()).then(|| backward.loops.last().copied()).flatten()
            })
        })
    }

    /// The tokens that a generation adds to the rows that the same loop trains on.
    pub(super) fn generated_tokens(&self) -> Option<u64> {
        let trained_on = |event: &LoopEvent| {
            !event.loops.is_empty() && self.backwards.iter().any(|backward| backward.loops.starts_with(&event.loops))
        };
        let tokens = self.generations.iter().filter(|(event, _)| trained_on(event)).map(|(_, tokens)| *tokens).max();
        tokens.and_then(|tokens| u64::try_from(tokens).ok())
    }

    /// A number for a loop that starts.
    pub(super) fn next_loop_id(&mut self) -> usize {
        self.loop_count += 1;
        self.loop_count
    }

    /// Logs what a call does in a training loop: backward, step, accumulation. What an evaluation trains, a probe on frozen features
    /// say, is not kept.
    pub(super) fn observe_call(
        &mut self,
        evaluates: bool,
        callee: &Expr,
        val: &AbstractValue,
        args: &CallArguments,
        heap: &Heap,
        loops: &[Loop],
        place: FileRange,
    ) {
        let ExprKind::Attribute(base, name, _) = &callee.kind else { return };
        if evaluates && matches!(name.as_str(), "backward" | "manual_backward" | "step" | "train" | "fit" | "learn") {
            return;
        }
        let engine = val.alternatives.iter().any(|alt| matches!(&alt.kind, ValueKind::Method(id, _) if heap.is_engine(*id)));
        match name.as_str() {
            "backward" | "manual_backward" => {
                self.engine |= engine;
                if let Some(Loop { id, times: Some(times), .. }) = loops.last() {
                    self.times.push((*id, times.clone(), place));
                }
                if self.backwards.len() < MAX_EVENTS {
                    self.backwards.push(LoopEvent::new(loops, None));
                }
            }
            "train" | "fit" | "learn" if is_unseen_trainer(base, val) => self.told_to_train = true,
            "step" if is_optimizer(base, val, args, heap) => {
                self.engine |= engine;
                let modulus = self.moduli.last().cloned();
                if self.steps.len() < MAX_EVENTS {
                    self.steps.push(LoopEvent::new(loops, modulus));
                }
            }
            "step" => self.any_step |= !names(base, &["sched", "prof", "env"]),
            "accumulate" | "no_sync" => self.accumulate = true,
            "generate" => {
                self.generates = true;
                let tokens = args.get("max_new_tokens").and_then(AbstractValue::constant).and_then(Value::as_int);
                let event = LoopEvent::new(loops, None);
                // What a loop generates after its backward is a sample to look at.
                let is_shown = self.backwards.iter().any(|backward| backward.loops.starts_with(&event.loops));
                if let Some(tokens) = tokens.filter(|_| !evaluates && !is_shown && self.generations.len() < MAX_EVENTS) {
                    self.generations.push((event, tokens));
                }
            }
            _ => {}
        }
    }

    /// The numbers of micro-batches that the loops themselves count.
    pub(super) fn accumulation_counts(&self) -> Vec<AbstractValue> {
        let mut found: Vec<AbstractValue> = Vec::new();
        if !self.engine && self.has_backward() {
            found.extend(self.steps.iter().filter_map(|step| step.modulus.clone()));
            for id in self.inner_loops() {
                found.extend(self.times.iter().filter(|(inner, ..)| *inner == id).map(|(_, val, _)| val.clone()));
            }
        }
        found
    }
}

impl LoopEvent {
    fn new(loops: &[Loop], modulus: Option<AbstractValue>) -> Self {
        Self { loops: loops.iter().map(|open| open.id).collect(), modulus }
    }
}

/// Whether `.train()` is that of a trainer whose code is not visible, judging by its name; a model's `.train()` sets a mode.
fn is_unseen_trainer(base: &Expr, val: &AbstractValue) -> bool {
    let visible = val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Function { .. }));
    let named = names(base, &["trainer", "recipe", "runner", "learner", "workflow"]);
    // Tokenizers have trainers of their own.
    !visible && named && !names(base, &["sentencepiece", "tokenizer", "wordpiece", "bpe"])
}

/// Whether the last name of an expression contains one of these words.
fn names(base: &Expr, words: &[&str]) -> bool {
    let name = match &base.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name,
        ExprKind::Call(call) => return names(&call.callee, words),
        _ => return false,
    };
    let name = name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// Whether a call is `loss.backward()` or its like.
pub(super) fn is_backward(callee: &Expr) -> bool {
    matches!(&callee.kind, ExprKind::Attribute(_, name, _) if matches!(name.as_str(), "backward" | "manual_backward"))
}

/// Whether `.step()` steps an optimizer: by the object, or by its name if the object is unknown.
fn is_optimizer(base: &Expr, val: &AbstractValue, args: &CallArguments, heap: &Heap) -> bool {
    let by_kind = val.alternatives.iter().any(|alt| match &alt.kind {
        ValueKind::Method(id, _) => match &heap[*id].kind {
            ObjectKind::Library(path) => library_classes::is_optimizer(path) || path.starts_with("deepspeed."),
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
    let scaler = name.contains("scaler") && !args.positional.is_empty();
    by_kind || scaler || name.contains("optim") || matches!(name.as_str(), "opt" | "engine" | "model_engine")
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
