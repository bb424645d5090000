//! # accumulation-set-twice
//!
//! The Trainer is told twice how many micro-batches make a step.
//!
//! ## Why it matters
//! `accelerator_config` may carry `gradient_accumulation_kwargs` with `num_steps`. Where `gradient_accumulation_steps` is above 1 as well,
//! the Trainer refuses to guess which one is meant, even if both are the same.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out",
//!     gradient_accumulation_steps=2,
//!     accelerator_config={"gradient_accumulation_kwargs": {"num_steps": 4}},
//! )
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", gradient_accumulation_steps=4)
//! ```
//!
//! ## Fix
//! None: only you know which number is meant.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py:814`, run.
//!
//! # 中文
//!
//! 两次告诉 Trainer 多少个微批构成一步。
//!
//! ## 为什么重要
//! `accelerator_config` 可以带有含 `num_steps` 的 `gradient_accumulation_kwargs`。如果 `gradient_accumulation_steps` 也大于 1，Trainer
//! 会拒绝猜测以谁为准，即使两者相同。
//!
//! ## 修复
//! 无：只有你知道哪个数字是本意。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py:814`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    code: "VL220",
    name: "accumulation-set-twice",
    group: Group::Batch,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("accumulation_set_twice.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let (Some(steps), Some(config)) = (set.get("gradient_accumulation_steps"), set.get("accelerator_config")) else {
            continue;
        };
        let several = steps.value.as_ref().and_then(Value::as_int).is_some_and(|steps| steps > 1);
        let inner = config.entries.iter().find(|entry| entry.key == "gradient_accumulation_kwargs");
        let inner = inner.and_then(|entry| if let Some(Value::Map(entries)) = &entry.value { Some(entries) } else { None });
        let number = inner.and_then(|entries| entries.iter().find(|(key, _)| key.as_str() == Some("num_steps")));
        let Some((_, number)) = number.filter(|_| several && reported.insert(config.place, "")) else { continue };
        let shown = written(cx.project, steps);
        let message = message!(
            "num_steps {number} in accelerator_config beside {shown}: the Trainer refuses to choose",
            "accelerator_config 中的 num_steps {number} 与 {shown} 并存：Trainer 拒绝选择"
        );
        out.push(
            finding(cx, set, &RULE, config.place, message)
                .with_related(steps.place, message!("the other number", "另一个数字"))
                .with_help(message!("keep gradient_accumulation_steps alone", "只保留 gradient_accumulation_steps")),
        );
    }
}
