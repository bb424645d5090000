//! # qlora-without-4bit
//!
//! `adapter: qlora` is set, but the base model is not loaded in 4 bits.
//!
//! ## Why it matters
//! QLoRA is LoRA on 4-bit weights. Axolotl rejects `qlora` without `load_in_4bit: true`, and together with `load_in_8bit` or `gptq`.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! adapter: qlora
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! adapter: lora
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: `load_in_4bit: true` and `adapter: lora` are both possible.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/peft.py:205`, the same from 0.8.0, read.
//!
//! # 中文
//!
//! 设置了 `adapter: qlora`，但基座模型没有以 4 位加载。
//!
//! ## 为什么重要
//! QLoRA 是在 4 位 权重上的 LoRA。Axolotl 会拒绝没有 `load_in_4bit: true` 的 `qlora`，也拒绝它与 `load_in_8bit` 或 `gptq` 同用。
//!
//! ## 修复
//! 无：写 `load_in_4bit: true` 或 `adapter: lora` 都有可能。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/peft.py:205`（0.8.0 起相同），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL481", "qlora-without-4bit", Severity::Error, page!("qlora_without_4bit.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Axolotl, axolotl)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if keys.text("adapter") != Some("qlora") || !keys.is_off("merge_lora") {
        return None;
    }
    if let Some(other) = ["load_in_8bit", "gptq"].into_iter().find(|key| keys.is_on(key)) {
        return Some(Refusal::new(
            other,
            &["adapter"],
            message!("`adapter` is qlora, but {other} is set", "`adapter` 为 qlora，却设置了 {other}"),
            message!("qlora requires `load_in_4bit` and nothing else", "qlora 只能与 `load_in_4bit` 同用"),
        ));
    }
    keys.is_off("load_in_4bit").then(|| {
        Refusal::new(
            "adapter",
            &["load_in_4bit"],
            message!("`adapter` is qlora, but `load_in_4bit` is not set", "`adapter` 为 qlora，但没有设置 `load_in_4bit`"),
            message!("set `load_in_4bit: true`, or `adapter: lora`", "请写 `load_in_4bit: true`，或改为 `adapter: lora`"),
        )
    })
}
