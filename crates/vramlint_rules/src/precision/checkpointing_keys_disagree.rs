//! # checkpointing-keys-disagree
//!
//! The old and the new name of activation checkpointing have different values.
//!
//! ## Why it matters
//! Newer transformers call it `activation_checkpointing`; the alias `gradient_checkpointing` is read only if the new name is not set. With
//! both, the new one silently overrides the old one, and memory differs a lot from what the old line suggests.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", gradient_checkpointing=True, activation_checkpointing=False)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", activation_checkpointing=True)
//! ```
//!
//! ## Fix
//! Unsafe: removes the old key, which has no effect.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1536`, run.
//!
//! # 中文
//!
//! 激活检查点的新旧两个名称取值不同。
//!
//! ## 为什么重要
//! 较新的 transformers 称之为 `activation_checkpointing`；别名 `gradient_checkpointing` 仅在未设置新名称时读取。两者都设置时，新名称静默覆盖旧名称，显
//! 存占用与旧的那一行相差很大。
//!
//! ## 修复
//! 不安全：删除不起作用的旧键。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1536`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory, Symptom::NoEffect],
    ..Rule::new("VL433", "checkpointing-keys-disagree", Severity::Warning, page!("checkpointing_keys_disagree.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        for (new, old) in [
            ("activation_checkpointing", "gradient_checkpointing"),
            ("activation_checkpointing_kwargs", "gradient_checkpointing_kwargs"),
        ] {
            let (Some(winner), Some(loser)) = (set.get(new), set.get(old)) else { continue };
            let differ = match (&winner.value, &loser.value) {
                (Some(Value::Null), _) | (_, Some(Value::Null)) => false,
                (Some(a @ Value::Map(_)), Some(b @ Value::Map(_))) => a != b,
                (Some(a), Some(b)) => matches!((set.bool_of(a), set.bool_of(b)), (Some(a), Some(b)) if a != b),
                _ => false,
            };
            if differ && reported.insert(loser.place, "") {
                let (a, b) = (written(cx.project, winner), written(cx.project, loser));
                let message = message!("`{b}` has no effect: `{a}` overrides it", "`{b}` 不起作用：被 `{a}` 覆盖");
                let finding = finding(cx, set, &RULE, loser.place, message)
                    .with_related(winner.place, message!("this one takes effect", "此处生效"))
                    .with_help(message!("keep only `{new}`, with the intended value", "只保留 `{new}`，并写上想要的值"));
                let edit = vramlint_semantic::arguments::remove(cx.project, set, loser);
                out.push(crate::argument_findings::with_fix(
                    finding,
                    message!("remove `{old}`", "删除 `{old}`"),
                    vramlint_base::Applicability::Unsafe,
                    edit,
                ));
            }
        }
    }
}
