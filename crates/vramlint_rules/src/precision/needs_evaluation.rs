//! # needs-evaluation
//!
//! A setting needs evaluation, but the run does not evaluate.
//!
//! ## Why it matters
//! The schedulers `reduce_lr_on_plateau` and `greedy` follow the evaluation metric: without `eval_strategy` the arguments raise an error.
//! An `eval_strategy` in turn needs an `eval_dataset`: without one the Trainer raises an error at the start.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", lr_scheduler_type="reduce_lr_on_plateau")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", lr_scheduler_type="reduce_lr_on_plateau", eval_strategy="epoch")
//! ```
//!
//! ## Fix
//! Unsafe for a scheduler: adds `eval_strategy="epoch"`. None for a missing dataset.
//!
//! ## When it stays silent
//! If the trainer may get arguments that are not visible, and for custom trainers.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1790` and `trainer.py:682`, run.
//!
//! # 中文
//!
//! 有设置依赖评估，但运行不做评估。
//!
//! ## 为什么重要
//! 调度器 `reduce_lr_on_plateau` 和 `greedy` 依据评估指标调整：没有 `eval_strategy` 时会报错。反过来，`eval_strategy` 需要 `eval_dataset`：没有它
//! Trainer 启动时会报错。
//!
//! ## 修复
//! 对调度器为不安全修复：添加 `eval_strategy="epoch"`。缺少数据集时没有自动修复。
//!
//! ## 何时不报
//! trainer 的调用可能还有看不到的参数；自行编写的 trainer。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1790` 与 `trainer.py:682`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_semantic::arguments::{first_entry, strategy, trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL431", "needs-evaluation", Severity::Error, page!("needs_evaluation.rs"), check)
};

const EVAL: &[&str] = &["eval_strategy", "evaluation_strategy"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let Some(scheduler) = set.get("lr_scheduler_type") else { continue };
        let follows = set.value("lr_scheduler_type").and_then(|value| value.as_str());
        let follows = follows.filter(|name| matches!(*name, "reduce_lr_on_plateau" | "greedy"));
        if let Some(name) = follows.filter(|_| strategy(set, EVAL, "no") == Some("no") && reported.insert(scheduler.place, "")) {
            let message = message!(
                "{name} follows evaluations, but the run does not evaluate; transformers raises an error",
                "{name} 依据评估调整，但运行不做评估；transformers 会报错"
            );
            let mut found = finding(cx, set, &RULE, scheduler.place, message).with_help(message!(
                "set `eval_strategy`, and pass an `eval_dataset`",
                "设置 `eval_strategy`，并传入 `eval_dataset`"
            ));
            if let Some(eval) = first_entry(set, EVAL) {
                found = found.with_related(eval.place, message!("no evaluation", "不评估"));
            }
            let value = vramlint_base::Value::Text("epoch".to_owned());
            let edit = match first_entry(set, EVAL) {
                Some(eval) => vramlint_semantic::arguments::set_to(cx.project, eval, &value),
                None => vramlint_semantic::arguments::add(cx.project, set, "eval_strategy", &value),
            };
            let title = message!("evaluate at every epoch", "每个 epoch 评估一次");
            out.push(crate::argument_findings::with_fix(found, title, vramlint_base::Applicability::Unsafe, edit));
        }
    }
    for trainer in cx.trainers() {
        let Some(set) = trainer.arguments.filter(|_| trainer.is_fully_seen()) else { continue };
        let Some(eval) = first_entry(set, EVAL).filter(|_| matches!(strategy(set, EVAL, "no"), Some("steps" | "epoch"))) else {
            continue;
        };
        if trainer.plainly_lacks(cx.project, "eval_dataset") && reported.insert(eval.place, "data") {
            let shown = written(cx.project, eval);
            let message = message!(
                "`{shown}` is set, but the trainer gets no `eval_dataset`; it raises an error",
                "设置了 `{shown}`，但没有给 trainer 传入 `eval_dataset`；它会报错"
            );
            out.push(
                finding(cx, set, &RULE, eval.place, message)
                    .with_related(trainer.call.callee, message!("the trainer", "trainer"))
                    .with_help(message!("pass `eval_dataset`, or do not evaluate", "传入 `eval_dataset`，或不做评估")),
            );
        }
    }
}
