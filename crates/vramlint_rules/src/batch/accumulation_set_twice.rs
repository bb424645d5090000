//! # accumulation-set-twice
//!
//! The number of gradient accumulation steps is set in two places of a Trainer configuration.
//!
//! ## Why it matters
//! `accelerator_config` can contain `gradient_accumulation_kwargs` with `num_steps`. If `gradient_accumulation_steps` is also
//! above 1, the Trainer raises an error, even if both values are equal.
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
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", gradient_accumulation_steps=4)
//! ```
//!
//! ## Fix
//! None: vramlint cannot know which number is intended.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py:814`, run.
//!
//! # 中文
//!
//! Trainer 的配置在两处设置了梯度累积步数。
//!
//! ## 为什么重要
//! `accelerator_config` 可以包含带 `num_steps` 的 `gradient_accumulation_kwargs`。如果 `gradient_accumulation_steps` 也大于 1，
//! Trainer 会报错，即使两个值相同。
//!
//! ## 修复
//! 无：vramlint 无法得知哪个数字是本意。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py:814`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::new("VL220", "accumulation-set-twice", Severity::Error, page!("accumulation_set_twice.rs"), check)
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
            "`num_steps` {number} in `accelerator_config` conflicts with {shown}; the Trainer raises an error",
            "`accelerator_config` 中的 `num_steps` {number} 与 {shown} 冲突；Trainer 会报错"
        );
        out.push(
            finding(cx, set, &RULE, config.place, message)
                .with_related(steps.place, message!("the other value", "另一处的值"))
                .with_help(message!("set only `gradient_accumulation_steps`", "只设置 `gradient_accumulation_steps`")),
        );
    }
}
