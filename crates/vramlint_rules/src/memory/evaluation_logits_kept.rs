//! # evaluation-logits-kept
//!
//! Evaluation uses larger batches than training and keeps all its logits on the GPU until it ends.
//!
//! ## Why it matters
//! When metrics are computed, `Trainer` gathers the logits of every evaluation batch on the GPU, unless `eval_accumulation_steps`
//! says after how many batches they move to the host. For a language model, one sample of 2048 tokens takes half a GiB in float32;
//! a larger batch runs out of memory sooner.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out",
//!     per_device_train_batch_size=2,
//!     per_device_eval_batch_size=64,
//!     eval_strategy="steps",
//! )
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out",
//!     per_device_train_batch_size=2,
//!     per_device_eval_batch_size=64,
//!     eval_strategy="steps",
//!     eval_accumulation_steps=4,
//! )
//! ```
//!
//! ## Fix
//! No automatic fix: set `eval_accumulation_steps`; set `prediction_loss_only=True` if you need only the loss; or reduce the logits
//! with `preprocess_logits_for_metrics`.
//!
//! ## When it stays silent
//! When the trainer has no `compute_metrics` (only the loss is kept) or reduces the logits; for TRL's classes; when one of the
//! batch sizes is unknown.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py`, `evaluation_loop` and `evaluate` (`prediction_loss_only` without metrics), read. The memory
//! was not measured.
//!
//! # 中文
//!
//! 评估的批大小大于训练，且所有 logits 在评估结束前都留在 GPU 上。
//!
//! ## 为什么重要
//! 需要计算指标时，`Trainer` 会把评估中每个批次的 logits 汇集在 GPU 上，除非用 `eval_accumulation_steps` 指定多少个批次后移到主机。对语言模型，一个 2048 token 的
//! 样本的 float32 logits 约占 0.5 GiB；批越大，显存耗尽得越快。
//!
//! ## 修复
//! 没有自动修复：设置 `eval_accumulation_steps`；只需损失时设置 `prediction_loss_only=True`；或用 `preprocess_logits_for_metrics` 缩减 logits。
//!
//! ## 何时不报
//! 看到的 trainer 没有 `compute_metrics`（此时只保留损失）或会缩减 logits；TRL 的类；批大小之一未知。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py` 的 `evaluation_loop` 与 `evaluate`（没有指标时为 `prediction_loss_only`），已阅读。未测量显存。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, count_noun, message};
use vramlint_semantic::arguments::{sets_of, strategy};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL310", "evaluation-logits-kept", Severity::Info, page!("evaluation_logits_kept.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, &["transformers.TrainingArguments"]) {
        let Some(given) = set.get("per_device_eval_batch_size") else { continue };
        let rows = given.value.as_ref().and_then(vramlint_base::Value::as_int);
        let (Some(rows), Some(train)) = (rows, set.int("per_device_train_batch_size", 8)) else { continue };
        let evaluates = strategy(set, &["eval_strategy", "evaluation_strategy"], "no").is_some_and(|when| when != "no");
        let kept = set.lacks("eval_accumulation_steps") && set.bool("prediction_loss_only", false) == Some(false);
        let only_loss = cx.trainers().iter().any(|trainer| {
            let own = trainer.arguments.is_some_and(|arguments| std::ptr::eq(arguments, set));
            let reduces = trainer.argument("preprocess_logits_for_metrics").is_some();
            own && (trainer.lacks("compute_metrics") || reduces || trainer.call.open)
        });
        if rows <= train || !evaluates || !kept || only_loss || !reported.insert(given.place, "") {
            continue;
        }
        let batch = count_noun(rows, "sample");
        let message = message!(
            "evaluation keeps the logits of {batch} per batch on the GPU; training uses {train}",
            "评估会把 logits 留在 GPU 上：每批 {rows} 个样本，训练时为 {train} 个"
        );
        out.push(finding(cx, set, &RULE, given.place, message).with_help(message!(
            "set `eval_accumulation_steps`, or `prediction_loss_only` if you need only the loss",
            "设置 `eval_accumulation_steps`；只需损失时设置 `prediction_loss_only`"
        )));
    }
}
