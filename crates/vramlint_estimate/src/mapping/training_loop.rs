//! What a training loop of the project's own keeps alive.

use super::Mapping;
use crate::own_loss;
use vramlint_base::message;
use vramlint_catalog::Dialect;
use vramlint_memory::setup::{Head, KeptOutputs, OwnLoss, Resident, Task};
use vramlint_resolve::code::ModelLoad;
use vramlint_syntax::python::{ArgumentKind, CallSite, Expr, ExprKind, Module, Stmt, StmtKind};

impl Mapping<'_> {
    /// How long the training loop names what the model returns (`outputs = model(**batch)`) and takes the loss from it: the name keeps
    /// the logits through backward, and in a loop through the next forward.
    pub(super) fn loop_names_outputs(&self) -> KeptOutputs {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules: Vec<&Module> = files.filter_map(|file| self.project.file(*file).python()).collect();
        let named = |inside: bool| modules.iter().any(|module| names_outputs(module, inside));
        match (named(true), named(false)) {
            (true, _) => KeptOutputs::NextForward,
            (false, true) => KeptOutputs::Backward,
            (false, false) => KeptOutputs::None,
        }
    }
}

impl Mapping<'_> {
    /// Maps a loss that code of the project computes from logits over the vocabulary.
    pub(super) fn own_loss(&mut self) {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate | Dialect::HfTrainer);
        if !own || self.upper.task != Task::CausalLm || self.upper.head != Head::FullLogits {
            return;
        }
        let Some(own) = self.found_loss() else { return };
        if own.asks_teacher() {
            let Some(id) = self.only_untrained_model() else { return };
            let Some(model) = self.models.find_or_infer(&id) else { return };
            let weights = self.untrained_dtype().or(model.dtype).unwrap_or(self.upper.weights);
            self.assume(message!("{id}, the teacher, stays in GPU memory", "教师模型 {id} 一直占用显存"));
            let quantization = model.prequantized.unwrap_or(self.upper.quantization);
            self.both(|setup| {
                let arch = model.arch.clone();
                setup.teacher =
                    Some(Box::new(Resident { label: id.clone(), arch, weights, quantization, scores: false, trained: false }));
            });
        }
        if !own.keeps_output {
            self.both(|setup| setup.kept_outputs = KeptOutputs::None);
        }
        // The steps name every call.
        self.both(|setup| setup.own_loss = Some(own.clone()));
    }

    /// The loss that the modules of the run compute by themselves.
    pub(super) fn found_loss(&self) -> Option<OwnLoss> {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules: Vec<&Module> = files.filter_map(|file| self.project.file(*file).python()).collect();
        own_loss::find(&modules)
    }

    /// How often the loop calls the trained model for each backward: both texts of a pair, say. The steps of a loss that is followed name
    /// every call.
    pub(super) fn forward_calls(&mut self) {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        if !own || self.upper.own_loss.is_some() {
            return;
        }
        let calls = self.trained_calls();
        if calls > 1 {
            self.assume(message!(
                "the loop calls the model {calls} times for each backward, which needs what all of them keep",
                "训练循环每次反向传播前调用模型 {calls} 次，反向传播需要它们保留的全部内容"
            ));
        }
        self.both(|setup| setup.forward_calls = calls);
    }

    /// Calls of trained models for each backward.
    pub(super) fn trained_calls(&self) -> u64 {
        let loads = self.run.code.iter().flat_map(|code| &code.models).filter(|load| load.trained == Some(true));
        let (open, certain): (Vec<_>, Vec<_>) = loads.partition(|load| load.conditional);
        let calls = |loads: Vec<&ModelLoad>, join: fn(usize, usize) -> usize| {
            loads.into_iter().map(|load| load.forward_calls).reduce(join).unwrap_or(0)
        };
        let most = calls(certain, usize::saturating_add).max(calls(open, usize::max)).max(1);
        u64::try_from(most).unwrap_or(1)
    }

    /// The calls of models in loops; where there is none, those in functions that take one step.
    fn model_calls(&self) -> Vec<CallSite<'_>> {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules = files.filter_map(|file| self.project.file(*file).python());
        let (in_loops, others): (Vec<CallSite<'_>>, Vec<_>) =
            modules.flat_map(|module| module.calls()).filter(calls_model).partition(|site| site.context.loops > 0);
        if !in_loops.is_empty() {
            return in_loops;
        }
        // A function that takes one step stands for the loop that calls it.
        let steps = |site: &CallSite<'_>| site.context.function().is_some_and(|function| calls_backward(&function.body));
        others.into_iter().filter(steps).collect()
    }

    /// Whether the loops tell the model to return no keys and values: `model(**batch, use_cache=False)`.
    pub(super) fn loop_needs_no_cache(&self) -> bool {
        let says = |site: &CallSite<'_>| {
            site.call.keyword("use_cache").and_then(|argument| argument.value.as_value()?.as_bool()) == Some(false)
        };
        let calls = self.model_calls();
        !calls.is_empty() && calls.iter().all(says)
    }

    /// Whether a loop of the project's own trains models that it loads and never switches to training (`model.train()`).
    pub(super) fn stays_in_evaluation_mode(&self) -> bool {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        let Some(code) = self.run.code.as_ref().filter(|code| own && !code.is_cut_off) else { return false };
        let mut trained = code.models.iter().filter(|load| load.trained == Some(true)).peekable();
        let is_loaded = |load: &ModelLoad| load.class.starts_with("transformers.") && load.model.is_some() && !load.derived;
        let mut modules = code.files.iter().filter_map(|file| self.project.file(*file).python());
        let switches = |site: &CallSite<'_>| matches!(&site.call.callee.kind, ExprKind::Attribute(_, name, _) if name == "train");
        trained.peek().is_some() && trained.all(is_loaded) && !modules.any(|module| module.calls().any(|site| switches(&site)))
    }

    /// Whether the loops call the model with tokens and labels alone: without a mask, every token is seen.
    pub(super) fn loop_passes_no_mask(&self) -> bool {
        let calls = self.model_calls();
        let wraps = self.wraps_models();
        let is_bare = |site: &CallSite<'_>| {
            let args = &site.call.args;
            let positional = args.iter().filter(|arg| arg.kind == ArgumentKind::Positional).count();
            let open = args.iter().any(|arg| matches!(arg.kind, ArgumentKind::Star | ArgumentKind::DoubleStar));
            let tokens = positional == 1 && (site.call.keyword("labels").is_some() || !wraps);
            (tokens || site.call.keyword("input_ids").is_some())
                && positional < 2
                && !open
                && site.call.keyword("attention_mask").is_none()
        };
        !calls.is_empty() && calls.iter().all(is_bare)
    }

    /// Whether the loop frees gradients between forward and backward (`optimizer.zero_grad(); loss.backward(); optimizer.step()`).
    pub(super) fn loop_zeroes_after_forward(&self) -> bool {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules = files.filter_map(|file| self.project.file(*file).python());
        modules.into_iter().any(zeroes_after_forward)
    }

    /// Whether the project has a `prediction_step` of its own that calls the model with gradients on (transformers 5.23.0 `trainer.py` has
    /// its `torch.no_grad()` inside of the function that this one replaces).
    pub(super) fn prediction_keeps_graph(&self) -> bool {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules = files.filter_map(|file| self.project.file(*file).python());
        modules.into_iter().any(|module| {
            let off = |expr: &Expr| {
                let name = expr.as_call().map_or_else(|| expr.dotted(), |call| call.callee.dotted());
                name.is_some_and(|name| name.ends_with("no_grad") || name.ends_with("inference_mode"))
            };
            let inside = |site: &CallSite<'_>| {
                let own = site.context.function().filter(|function| function.name == "prediction_step");
                own.is_some_and(|function| !function.decorators.iter().any(off))
            };
            let calls: Vec<CallSite<'_>> = module.calls().filter(inside).collect();
            let named = |names: &[&str]| calls.iter().any(|site| site.call.name().is_some_and(|name| names.contains(&name)));
            named(&["model"]) && !named(&["no_grad", "inference_mode", "prediction_step"])
        })
    }
}

/// Whether the only call of `zero_grad` in a loop stands between the model's forward and the backward. The forward is a call of a model,
/// or whatever computes what backward is called for.
fn zeroes_after_forward(module: &Module) -> bool {
    let in_loops: Vec<CallSite<'_>> = module.calls().filter(|site| site.context.loops > 0).collect();
    let starts = |site: &CallSite<'_>| site.expr.range.start;
    let only = |name: &str| {
        let mut found = in_loops.iter().filter(|site| site.call.name() == Some(name));
        found.next().filter(|_| found.next().is_none())
    };
    let (Some(zero), Some(backward)) = (only("zero_grad"), only("backward")) else { return false };
    let calls = in_loops.iter().filter(|site| calls_model(site)).map(starts);
    let computed = differentiated(backward).and_then(|loss| in_loops.iter().filter(|site| binds(site, loss)).map(starts).min());
    let forward = calls.chain(computed).min();
    forward.is_some_and(|forward| forward < starts(zero)) && starts(zero) < starts(backward)
}

/// The name whose gradients a call of backward computes: `loss.backward()`, `accelerator.backward(loss)`.
fn differentiated<'a>(backward: &CallSite<'a>) -> Option<&'a str> {
    let given = backward.call.positional(0).map(|argument| &argument.value);
    let ExprKind::Attribute(owner, ..) = &backward.call.callee.kind else { return None };
    given.unwrap_or(owner).as_name()
}

/// Whether a call is part of what its statement binds to a name.
fn binds(site: &CallSite<'_>, name: &str) -> bool {
    let StmtKind::Assign { targets, .. } = &site.stmt.kind else { return false };
    targets.iter().any(|target| target.as_name() == Some(name))
}

/// Whether a loop of the module, or a function without one, binds a call of a model to a name, calls backward in the same function, and
/// never deletes the name.
fn names_outputs(module: &Module, in_loop: bool) -> bool {
    let placed = |site: &CallSite<'_>| (site.context.loops > 0) == in_loop && (in_loop || site.context.function().is_some());
    let calls = || module.calls().filter(placed);
    let backward: Vec<CallSite<'_>> = calls().filter(|site| site.call.name() == Some("backward")).collect();
    calls().any(|site| {
        let Some(name) = bound_name(&site).filter(|_| calls_model(&site)) else { return false };
        let same_function = |other: &CallSite<'_>| match (other.context.function(), site.context.function()) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        backward.iter().any(same_function) && !deletes(module, name)
    })
}

/// The name to which the statement binds the result of a call, or its logits.
fn bound_name<'a>(site: &CallSite<'a>) -> Option<&'a str> {
    let StmtKind::Assign { targets, value: Some(value), .. } = &site.stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let result = match &value.kind {
        ExprKind::Attribute(result, name, _) if name == "logits" => result,
        _ => value,
    };
    if !std::ptr::eq(result, site.expr) {
        return None;
    }
    // `loss = model(…)` is the number alone.
    target.as_name().filter(|name| !name.to_lowercase().contains("loss"))
}

/// Whether a call is one of a model: by its name, with a batch that is unpacked or given by keywords.
fn calls_model(site: &CallSite<'_>) -> bool {
    let Some(name) = site.call.callee.dotted() else { return false };
    let last = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    ["model", "net", "engine", "student", "policy"].iter().any(|part| last.ends_with(part) || last.starts_with(part))
        && !site.call.args.is_empty()
}

/// Whether statements call backward, in nested ones too.
fn calls_backward(body: &[Stmt]) -> bool {
    let is_backward = |expr: &Expr| expr.as_call().is_some_and(|call| call.name() == Some("backward"));
    body.iter().any(|stmt| {
        stmt.expressions().into_iter().flat_map(Expr::walk).any(is_backward) || stmt.bodies().into_iter().any(calls_backward)
    })
}

fn deletes(module: &Module, name: &str) -> bool {
    let is_name = |target: &Expr| target.as_name() == Some(name);
    module.statements().any(|site| matches!(&site.stmt.kind, StmtKind::Delete(targets) if targets.iter().any(is_name)))
}
