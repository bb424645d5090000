//! # engine-step-under-counter
//!
//! A loop calls the engine's `step()` only every N micro-batches, although the engine of DeepSpeed accumulates by itself.
//!
//! ## Why it matters
//! The engine counts micro-batches by the calls of `step()` and updates the weights at every `gradient_accumulation_steps`-th call. If the
//! loop also waits for N micro-batches, both numbers multiply: with 8 in the JSON and 4 in the loop, one update takes 32 micro-batches, and
//! the loss is divided by 8 only.
//!
//! ## Example
//! ```bash file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 2,
//!   "gradient_accumulation_steps": 8,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}
//! }
//! ```
//! ```python file=train.py
//! import deepspeed
//! from transformers import AutoModelForCausalLM
//! from data import loader
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
//! engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! for step, batch in enumerate(loader):
//!     loss = engine(**batch).loss
//!     engine.backward(loss)
//!     if (step + 1) % 4 == 0:
//!         engine.step()
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 2,
//!   "gradient_accumulation_steps": 8,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}
//! }
//! ```
//! ```python file=train.py
//! import deepspeed
//! from transformers import AutoModelForCausalLM
//! from data import loader
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
//! engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! for batch in loader:
//!     loss = engine(**batch).loss
//!     engine.backward(loss)
//!     engine.step()
//! ```
//!
//! ## Fix
//! None: which of the two numbers is meant is your decision.
//!
//! ## When it stays silent
//! If one of the two numbers is not known or is 1.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py` (`is_gradient_accumulation_boundary`, `step`), read.
//!
//! # 中文
//!
//! DeepSpeed 的引擎自己累积梯度，而循环每 N 个微批才调用一次引擎的 `step()`。
//!
//! ## 为什么重要
//! 引擎按 `step()` 的调用次数计微批，每 `gradient_accumulation_steps` 次调用更新一次权重。循环若再等待 N 个微批，两个数会相乘：
//! JSON 中为 8、循环中为 4 时，32 个微批才更新一次，而损失只除以 8。
//!
//! ## 修复
//! 无：应保留哪个数由你决定。
//!
//! ## 何时不报
//! 两个数中有一个未知或为 1。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py`（`is_gradient_accumulation_boundary`、`step`），阅读源码。

use super::accumulation_divided_twice::{engine_names, engine_uses};
use super::loops::{loops, receiver};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_syntax::python::{Expr, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch, Symptom::BadLoss],
    ..Rule::new("VL613", "engine-step-under-counter", Severity::Warning, page!("engine_step_under_counter.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        for (file, at, count) in engine_uses(cx, config).filter(|(_, _, count)| *count > 1) {
            let Some(module) = file.python() else { continue };
            let engines = engine_names(module);
            for own in loops(module).iter().flat_map(|each| &each.own) {
                let Some(every) = own.every().and_then(|every| number(module, every)).filter(|every| *every > 1) else {
                    continue;
                };
                for (expr, call) in own.calls() {
                    let engine = receiver(call).and_then(Expr::as_name).filter(|name| engines.contains(name));
                    let place = FileRange::new(file.id, expr.range);
                    if call.name() != Some("step") || engine.is_none() || !out.mark_reported(place) {
                        continue;
                    }
                    let product = count * every;
                    let message = message!(
                        "the engine accumulates over {count} calls of step(), one every {every} micro-batches: {count} × {every} = {product}",
                        "引擎每 {count} 次 step() 更新一次，而循环每 {every} 个微批才调用一次：{count} × {every} = {product}"
                    );
                    out.push(
                        RULE.finding(place, message)
                            .with_related(config.place(at), message!("the accumulation of the engine", "引擎的累积步数"))
                            .with_help(message!(
                                "call step() after every backward(), and set the accumulation in the JSON alone",
                                "每次 backward() 之后都调用 step()，只在 JSON 中设置累积步数"
                            )),
                    );
                }
            }
        }
    }
}

/// A number as written, or of a name that only ever stands for one.
fn number(module: &Module, expr: &Expr) -> Option<i64> {
    if let Some(Value::Int(number)) = expr.as_value() {
        return Some(*number);
    }
    let name = expr.as_name()?;
    let mut found = None;
    for located in module.statements() {
        let (targets, value) = match &located.stmt.kind {
            StmtKind::Assign { targets, value: Some(value), .. } => (targets, value),
            StmtKind::AugAssign { target, .. } if target.as_name() == Some(name) => return None,
            _ => continue,
        };
        if !targets.iter().any(|target| target.as_name() == Some(name)) {
            continue;
        }
        match (value.as_value(), found) {
            (Some(Value::Int(number)), None) => found = Some(*number),
            _ => return None,
        }
    }
    found
}
