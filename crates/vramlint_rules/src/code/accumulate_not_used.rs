//! # accumulate-not-used
//!
//! An `Accelerator` is configured to accumulate, but the loop never enters `accumulate()`.
//!
//! ## Why it matters
//! `accelerator.backward()` divides every loss by the number of micro-batches, whatever the loop does. But the optimizer skips
//! its step only inside `accumulate()`: without it the optimizer steps on every micro-batch, with gradients that are N times
//! too small.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//!
//! def train(model, loader):
//!     optimizer = torch.optim.AdamW(model.parameters())
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//!     for batch in loader:
//!         loss = model(**batch).loss
//!         accelerator.backward(loss)
//!         optimizer.step()
//!         optimizer.zero_grad()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//!
//! def train(model, loader):
//!     optimizer = torch.optim.AdamW(model.parameters())
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//!     for batch in loader:
//!         with accelerator.accumulate(model):
//!             loss = model(**batch).loss
//!             accelerator.backward(loss)
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## When it stays silent
//! If the number is not known or is 1; if the code counts micro-batches itself, reads `sync_gradients` or uses `no_sync`; and
//! under DeepSpeed, whose engine counts.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py` (`backward`, `accumulate`), steps and norms counted.
//!
//! # 中文
//!
//! `Accelerator` 设置了梯度累积，但循环从未进入 `accumulate()`。
//!
//! ## 为什么重要
//! 无论循环怎么写，`accelerator.backward()` 都会把损失除以微批数量。但优化器只有在 `accumulate()` 之内才会跳过更新：没有它，优
//! 化器对每个微批都更新一次，且梯度只有应有的 1/N。
//!
//! ## 何时不报
//! 数目未知或为 1；代码自行计数微批、读取 `sync_gradients` 或使用 `no_sync`；使用由引擎计数的 DeepSpeed。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py`（`backward`、`accumulate`），统计了更新次数与梯度范数。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{CallRef, Feature};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch, Symptom::BadLoss],
    ..Rule::new("VL606", "accumulate-not-used", Severity::Warning, page!("accumulate_not_used.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !(call.library() == "accelerate" && call.name() == "backward" && call.in_loop) {
            continue;
        }
        let Some(maker) = call.receiver.as_ref().and_then(|receiver| at.producing_call(receiver)) else { continue };
        let Some(given) = maker.argument("gradient_accumulation_steps", None) else { continue };
        let Some(Value::Int(count)) = given.constant().filter(|value| value.as_int().is_some_and(|count| count > 1)) else {
            continue;
        };
        if counts(cx, at) || !out.mark_reported(call.place) {
            continue;
        }
        out.push(
            RULE.finding(
                call.place,
                message!(
                    "outside accumulate(), the optimizer steps on every micro-batch, but the loss is still divided by {count}",
                    "在 accumulate() 之外，优化器对每个微批都会更新，但损失仍会除以 {count}"
                ),
            )
            .with_related(
                given.place,
                message!("accumulation over {count} micro-batches is configured here", "在此设置了累积 {count} 个微批"),
            )
            .with_help(message!(
                "wrap the loop body in `with accelerator.accumulate(model):`",
                "把循环体放入 `with accelerator.accumulate(model):`"
            )),
        );
    }
}

fn counts(cx: &Context<'_>, at: &CallRef) -> bool {
    let deepspeed =
        at.runs(cx.project).any(|run| run.deepspeed.is_some() || run.text(Concept::DistributedType) == Some("DEEPSPEED"));
    at.facts.accumulates == Some(true) || deepspeed || cx.project.any_has(&at.facts.files, Feature::AccumulationControl)
}
