//! # accumulation-not-positive
//!
//! Gradient accumulation in the Trainer is set to zero or a negative number of micro-batches.
//!
//! ## Why it matters
//! The constructor accepts any number. With 0, training divides by zero. With a negative number, training ends after 0 steps
//! and reports success: the saved model is the one that was loaded.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", gradient_accumulation_steps=0)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", gradient_accumulation_steps=1)
//! ```
//!
//! ## Fix
//! Safe for 0: it becomes 1, which disables accumulation. No other value makes sense.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py`, run: 0 gives `ZeroDivisionError`, -1 zero steps.
//!
//! # 中文
//!
//! Trainer 的梯度累积步数被设为零或负数。
//!
//! ## 为什么重要
//! 构造函数接受任何数字。设为 0 时，训练会除以零；设为负数时，训练在 0 步后结束并报告成功：保存的模型就是加载时的模型。
//!
//! ## 修复
//! 对 0 为安全修复：改为 1，即不累积。没有其他合理的值。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py`，实际运行：0 抛出 `ZeroDivisionError`，-1 训练零步。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::PassedBy;
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL221", "accumulation-not-positive", Severity::Error, page!("accumulation_not_positive.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let Some(given) = set.get("gradient_accumulation_steps") else { continue };
        let Some(steps) = given.value.as_ref().and_then(Value::as_int).filter(|steps| *steps < 1) else { continue };
        if !reported.insert(given.place, "") {
            continue;
        }
        let shown = written(cx.project, given);
        let message = if steps == 0 {
            message!("{shown} makes training divide by zero", "{shown} 会导致训练时除以零")
        } else {
            message!(
                "{shown} ends training after 0 steps, and the run reports success",
                "{shown} 会使训练在 0 步后结束，且运行仍报告成功"
            )
        };
        let mut found =
            finding(cx, set, &RULE, given.place, message).with_help(message!("1 disables accumulation", "1 表示不累积"));
        if steps == 0 && matches!(given.by, PassedBy::Keyword | PassedBy::File | PassedBy::Flag) {
            found = found.with_fix(Fix {
                title: message!("set it to 1", "设为 1"),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(given.value_place, "1")],
            });
        }
        out.push(found);
    }
}
