//! # generation-batch-set-twice
//!
//! `generation_batch_size` and `steps_per_generation` are both set.
//!
//! ## Why it matters
//! Each follows from the other: the batch of one generation round is micro-batch × processes × `steps_per_generation`. GRPO and
//! RLOO raise an error if both are set, even if they agree.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", generation_batch_size=24, steps_per_generation=3)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", steps_per_generation=3)
//! ```
//!
//! ## Fix
//! Unsafe: `generation_batch_size` is removed, so that the number of processes can change.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_config.py:1113` and `rloo_config.py:676`, run.
//!
//! # 中文
//!
//! 同时设置了 `generation_batch_size` 和 `steps_per_generation`。
//!
//! ## 为什么重要
//! 两者可以互相推出：一轮生成的批大小等于 微批大小 × 进程数 × `steps_per_generation`。两者同时设置时 GRPO 与 RLOO 会报错，即使它们一致。
//!
//! ## 修复
//! 不安全：删除 `generation_batch_size`，这样可以更改进程数。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_config.py:1113` 与 `rloo_config.py:676`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{GROUPS, sets_of};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL902", "generation-batch-set-twice", Severity::Error, page!("generation_batch_set_twice.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, GROUPS) {
        let (Some(batch), Some(steps)) = (set.get("generation_batch_size"), set.get("steps_per_generation")) else { continue };
        let number = |value: &Option<Value>| matches!(value, Some(Value::Int(_)));
        if number(&batch.value) && number(&steps.value) && reported.insert(batch.place, "") {
            let message = message!(
                "`generation_batch_size` and `steps_per_generation` are both set; trl raises an error",
                "同时设置了 `generation_batch_size` 与 `steps_per_generation`；trl 会报错"
            );
            let finding = finding(cx, set, &RULE, batch.place, message)
                .with_related(steps.place, message!("the other setting", "另一个设置"))
                .with_help(message!(
                    "keep `steps_per_generation`: it works for any number of processes",
                    "保留 `steps_per_generation`：它适用于任意进程数"
                ));
            let edit = vramlint_semantic::arguments::remove(cx.project, set, batch);
            out.push(crate::argument_findings::with_fix(
                finding,
                message!("remove `generation_batch_size`", "删除 `generation_batch_size`"),
                vramlint_base::Applicability::Unsafe,
                edit,
            ));
        }
    }
}
