//! # offload-without-checkpointing
//!
//! Activation offload is on, but activation checkpointing is off.
//!
//! ## Why it matters
//! Only the activations that checkpointing keeps are offloaded. Without checkpointing, torchtune and Axolotl raise an error.
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
//! ## Use instead
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! enable_activation_offloading: true
//! enable_activation_checkpointing: true
//! ```
//!
//! ## Fix
//! Unsafe: turns checkpointing on if the key is in the file.
//!
//! ## Sources
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:179`, the same from 0.4.0; Axolotl 0.18.0 `utils/schemas/validation.py:1442`,
//! the same from 0.12.0, read.
//!
//! # 中文
//!
//! 启用了激活值卸载，却没有启用激活检查点。
//!
//! ## 为什么重要
//! 只有检查点保留下来的激活值会被卸载。没有启用检查点时，torchtune 与 Axolotl 会报错。
//!
//! ## 修复
//! 不安全：在文件中已写明检查点时把它打开。
//!
//! ## 来源
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:179`（0.4.0 起相同）；Axolotl 0.18.0 `utils/schemas/validation.py:1442`（0.12.0 起
//! 相同），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL482", "offload-without-checkpointing", Severity::Error, page!("offload_without_checkpointing.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Torchtune, torchtune), (Dialect::Axolotl, axolotl)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let other = refusal.with.first().copied().unwrap_or_default();
        let Some(place) = keys.place(other).filter(|_| keys.value(other) == Some(&Value::Bool(false))) else { return finding };
        finding.with_fix(Fix {
            title: message!("turn `{other}` on", "打开 `{other}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, "true")],
        })
    });
}

fn torchtune(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // The recipes of PPO, GRPO and distillation do not check.
    let looks = ["ppo_batch_size", "teacher_model", "grpo_samples"].iter().all(|key| keys.place(key).is_none());
    (looks && keys.is_on("enable_activation_offloading") && keys.is_off("enable_activation_checkpointing")).then(|| {
        Refusal::new(
            "enable_activation_offloading",
            &["enable_activation_checkpointing"],
            message!("activations are offloaded, but checkpointing is off", "启用了激活值卸载，但没有启用检查点"),
            message!("set `enable_activation_checkpointing: true`", "请写 `enable_activation_checkpointing: true`"),
        )
        .since("torchtune", "0.4.0")
    })
}

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("activation_offloading") && keys.is_off("gradient_checkpointing")).then(|| {
        Refusal::new(
            "activation_offloading",
            &["gradient_checkpointing"],
            message!("activations are offloaded, but checkpointing is off", "启用了激活值卸载，但没有启用检查点"),
            message!("set `gradient_checkpointing: true`", "请写 `gradient_checkpointing: true`"),
        )
        .since("axolotl", "0.12.0")
    })
}
