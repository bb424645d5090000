//! # optimizer-in-backward-conflict
//!
//! The optimizer steps during the backward pass, but another setting needs all gradients first.
//!
//! ## Why it matters
//! With `optimizer_in_bwd`, torchtune updates each parameter as soon as its gradient is available, and then frees the gradient.
//! Accumulation over several micro-batches and clipping by the global gradient norm are then impossible: the recipe raises a
//! `RuntimeError`.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! gradient_accumulation_steps: 8
//! optimizer_in_bwd: true
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! gradient_accumulation_steps: 1
//! optimizer_in_bwd: true
//! ```
//!
//! ## Fix
//! None: either the lower memory use or the accumulation may be intended.
//!
//! ## Sources
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:157`; the same in the recipes of 0.4.0 to 0.6.1, read.
//!
//! # 中文
//!
//! 优化器在反向传播中更新，而另一项设置需要先得到全部梯度。
//!
//! ## 为什么重要
//! 启用 `optimizer_in_bwd` 时，torchtune 在每个梯度算出后立即更新参数并释放梯度。此时无法跨多个微批累积，也无法按全局梯度范数裁
//! 剪：配方会抛出 `RuntimeError`。
//!
//! ## 修复
//! 无：本意可能是降低显存占用，也可能是累积。
//!
//! ## 来源
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py:157`；0.4.0 至 0.6.1 的配方相同，阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL231", "optimizer-in-backward-conflict", Severity::Error, page!("optimizer_in_backward_conflict.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Torchtune, accumulation), (Dialect::Torchtune, clipping)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

fn accumulation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let steps = keys.int("gradient_accumulation_steps").filter(|steps| *steps > 1)?;
    (keys.is_on("optimizer_in_bwd") && full(keys)).then(|| {
        Refusal::new(
            "gradient_accumulation_steps",
            &["optimizer_in_bwd"],
            message!(
                "gradient_accumulation_steps is {steps}, but the optimizer steps in the backward pass",
                "gradient_accumulation_steps 为 {steps}，但优化器在反向传播中更新"
            ),
            message!(
                "set `gradient_accumulation_steps: 1` or `optimizer_in_bwd: false`",
                "设置 `gradient_accumulation_steps: 1` 或 `optimizer_in_bwd: false`"
            ),
        )
    })
}

fn clipping(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // The PPO recipe does not look at clipping.
    let looked_at = keys.is_unset("ppo_batch_size");
    (keys.is_on("optimizer_in_bwd") && keys.is_set("clip_grad_norm") && full(keys) && looked_at).then(|| {
        Refusal::new(
            "clip_grad_norm",
            &["optimizer_in_bwd"],
            message!(
                "gradient norm clipping is enabled, but the optimizer steps in the backward pass",
                "启用了梯度范数裁剪，但优化器在反向传播中更新"
            ),
            message!(
                "set `clip_grad_norm: null` or `optimizer_in_bwd: false`",
                "设置 `clip_grad_norm: null` 或 `optimizer_in_bwd: false`"
            ),
        )
        .since("torchtune", "0.4.0")
    })
}

/// The recipes for adapters do not read the key.
fn full(keys: &FrameworkConfig<'_>) -> bool {
    keys.text("model._component_").is_none_or(|model| !model.contains("lora_"))
}
