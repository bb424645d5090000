//! # offload-without-checkpointing
//!
//! Activations are to be offloaded, but they are not checkpointed.
//!
//! ## Why it matters
//! What is offloaded are the activations that checkpointing keeps. Without checkpointing torchtune and Axolotl refuse the setting.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! enable_activation_offloading: true
//! enable_activation_checkpointing: false
//! ```
//!
//! ## Fine
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! enable_activation_offloading: true
//! enable_activation_checkpointing: true
//! ```
//!
//! ## Fix
//! Unsafe: checkpointing turned on where it stands in the file.
//!
//! ## Sources
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:179`, the same from 0.4.0; Axolotl 0.18.0 `utils/schemas/validation.py:1442`,
//! the same from 0.12.0, read.
//!
//! # 中文
//!
//! 要卸载激活值，却没有启用检查点。
//!
//! ## 为什么重要
//! 被卸载的是检查点保留下来的激活值。没有启用检查点时，torchtune 与 Axolotl 会拒绝该设置。
//!
//! ## 修复
//! 不安全：在文件中已写明检查点时把它打开。
//!
//! ## 来源
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:179`, the same from 0.4.0; Axolotl 0.18.0 `utils/schemas/validation.py:1442`,
//! the same from 0.12.0，阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    code: "VL482",
    name: "offload-without-checkpointing",
    group: Group::Precision,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("offload_without_checkpointing.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::DEFAULT
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Torchtune, torchtune), (Dialect::Axolotl, axolotl)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let other = refusal.with.first().copied().unwrap_or_default();
        let Some(place) = keys.place(other).filter(|_| keys.value(other) == Some(&Value::Bool(false))) else { return finding };
        finding.with_fix(Fix {
            title: message!("turn {other} on", "打开 {other}"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, "true")],
        })
    });
}

fn torchtune(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // The recipes of PPO, GRPO and distillation do not look.
    let looks = ["ppo_batch_size", "teacher_model", "grpo_samples"].iter().all(|key| keys.place(key).is_none());
    (looks && keys.is_on("enable_activation_offloading") && keys.is_off("enable_activation_checkpointing")).then(|| {
        Refusal::new(
            "enable_activation_offloading",
            &["enable_activation_checkpointing"],
            message!("activations are offloaded without checkpointing", "没有启用检查点却要卸载激活值"),
            message!("write enable_activation_checkpointing: true", "请写 enable_activation_checkpointing: true"),
        )
        .since("torchtune", "0.4.0")
    })
}

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("activation_offloading") && keys.is_off("gradient_checkpointing")).then(|| {
        Refusal::new(
            "activation_offloading",
            &["gradient_checkpointing"],
            message!("activations are offloaded without checkpointing", "没有启用检查点却要卸载激活值"),
            message!("write gradient_checkpointing: true", "请写 gradient_checkpointing: true"),
        )
        .since("axolotl", "0.12.0")
    })
}
