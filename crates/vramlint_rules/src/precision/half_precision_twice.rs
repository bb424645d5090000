//! # half-precision-twice
//!
//! Both `fp16` and `bf16` are enabled.
//!
//! ## Why it matters
//! transformers' `TrainingArguments`, and TRL's configurations derived from it, raise an error: the run never starts. The same holds for
//! `fp16_full_eval` with `bf16_full_eval`. Both count even if they are in different places, such as a YAML file and a flag.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fp16=True, bf16=True)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", bf16=True)
//! ```
//!
//! ## Fix
//! Unsafe: removes fp16. bf16 stays because it needs no loss scaling, on GPUs since Ampere.
//!
//! ## Severity
//! A warning in a file that no program is seen to read.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1784`, run; the check is in every 4.x too.
//!
//! # 中文
//!
//! 同时启用了 `fp16` 和 `bf16`。
//!
//! ## 为什么重要
//! transformers 的 `TrainingArguments` 以及由它派生的 TRL 配置会报错，训练无法开始；`fp16_full_eval` 与 `bf16_full_eval` 同理。两者写在不同的地方（例
//! 如一个在 YAML 文件、一个在命令行参数）时也同样如此。
//!
//! ## 修复
//! 不安全：删除 fp16；保留 bf16，因为它不需要损失缩放（适用于 Ampere 及更新的 GPU）。
//!
//! ## 严重程度
//! 看不到由谁读取的文件只报警告。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1784`，实际运行；4.x 各版本也有此检查。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL401", "half-precision-twice", Severity::Error, page!("half_precision_twice.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        for (one, other) in [("fp16", "bf16"), ("fp16_full_eval", "bf16_full_eval")] {
            let (Some(first), Some(second)) = (set.get(one), set.get(other)) else { continue };
            let on = |key: &str| set.bool(key, false) == Some(true);
            if !on(one) || !on(other) || !reported.insert(first.place, other) {
                continue;
            }
            let (a, b) = (written(cx.project, first), written(cx.project, second));
            let message = message!(
                "`{a}` and `{b}` are both enabled; transformers raises an error",
                "同时启用了 `{a}` 与 `{b}`；transformers 会报错"
            );
            let related = message!("the other one", "另一个");
            let finding = finding(cx, set, &RULE, first.place, message)
                .with_related(second.place, related)
                .with_help(message!("keep one: {other} on Ampere and newer GPUs", "只保留一个：Ampere 及更新的 GPU 用 {other}"));
            let edit = vramlint_semantic::arguments::remove(cx.project, set, first);
            out.push(crate::argument_findings::with_fix(
                finding,
                message!("remove `{one}`", "删除 `{one}`"),
                vramlint_base::Applicability::Unsafe,
                edit,
            ));
        }
    }
}
