//! # kto-batch-of-one
//!
//! KTO with one sample per device.
//!
//! ## Why it matters
//! KTO estimates the divergence from the other samples of the micro-batch; accumulation does not help. With one sample trl raises
//! an error. The loss `apo_zero_unpaired` does not need the estimate and is exempt.
//!
//! ## Example
//! ```python file=train.py
//! from trl import KTOConfig
//!
//! args = KTOConfig(output_dir="out", per_device_train_batch_size=1)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import KTOConfig
//!
//! args = KTOConfig(output_dir="out", per_device_train_batch_size=2)
//! ```
//!
//! ## Fix
//! Unsafe: 2 samples; memory and the effective batch size change.
//!
//! ## Sources
//! trl 1.16.0 `trainer/kto_trainer.py:844`, run.
//!
//! # 中文
//!
//! KTO 每个设备只有一个样本。
//!
//! ## 为什么重要
//! KTO 用微批中的其他样本估计散度，梯度累积无济于事。只有一个样本时 trl 会报错。损失 `apo_zero_unpaired` 不做该估计，不受限制。
//!
//! ## 修复
//! 不安全：改为 2 个样本；显存与有效批大小会随之变化。
//!
//! ## 来源
//! trl 1.16.0 `trainer/kto_trainer.py:844`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::PassedBy;
use vramlint_semantic::arguments::{sets_of, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::BadLoss],
    ..Rule::new("VL907", "kto-batch-of-one", Severity::Error, page!("kto_batch_of_one.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, &["trl.KTOConfig"]) {
        let Some(given) = set.get("per_device_train_batch_size") else { continue };
        let one = given.value.as_ref().and_then(Value::as_int).is_some_and(|rows| rows <= 1);
        let estimates = set.text("loss_type", "kto") == Some("kto");
        if !one || !estimates || !reported.insert(given.place, "") {
            continue;
        }
        let shown = written(cx.project, given);
        let message = message!(
            "{shown}: KTO needs at least 2 samples per device, and accumulation does not count",
            "{shown}：KTO 每个设备至少需要 2 个样本，梯度累积不计入"
        );
        let mut found = finding(cx, set, &RULE, given.place, message).with_help(message!("use 2 or more", "使用 2 或更大"));
        if matches!(given.by, PassedBy::Keyword | PassedBy::File | PassedBy::Flag) {
            found = found.with_fix(Fix {
                title: message!("use 2 samples per device", "每个设备使用 2 个样本"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(given.value_place, "2")],
            });
        }
        out.push(found);
    }
}
