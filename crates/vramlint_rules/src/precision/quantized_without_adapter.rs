//! # quantized-without-adapter
//!
//! The base model is quantized, but no adapter is trained on it.
//!
//! ## Why it matters
//! Quantized weights cannot be trained. Axolotl and LLaMA-Factory raise an error before the model is loaded.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! load_in_4bit: true
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
//! load_in_4bit: true
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
//! ## Fix
//! Unsafe for LLaMA-Factory: sets the tuning type to `lora`. Axolotl needs an adapter with its rank, which is left to you.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/peft.py:183`; LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:237`, the same from 0.7.1 to 0.9.5, read.
//!
//! # 中文
//!
//! 基座模型已量化，却没有在其上训练适配器。
//!
//! ## 为什么重要
//! 量化后的权重无法训练。Axolotl 与 LLaMA-Factory 在加载模型之前就会报错。
//!
//! ## 修复
//! LLaMA-Factory 为不安全修复：把训练方式改为 `lora`。Axolotl 需要适配器及其秩，由你决定。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/peft.py:183`；LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:237`（0.7.1 至 0.9.5 相同），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL480", "quantized-without-adapter", Severity::Error, page!("quantized_without_adapter.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Axolotl, axolotl), (Dialect::LlamaFactory, llamafactory)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let Some(place) = keys.place(refusal.at).filter(|_| refusal.at == "finetuning_type") else { return finding };
        finding.with_fix(Fix {
            title: message!("train adapters: lora", "训练适配器：lora"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, "lora")],
        })
    });
}

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["load_in_4bit", "load_in_8bit"].into_iter().find(|key| keys.is_on(key))?;
    (keys.is_off("adapter") && keys.is_off("inference")).then(|| {
        Refusal::new(
            at,
            &[],
            message!("`{at}` is set without an adapter", "设置了 `{at}`，但没有适配器"),
            message!(
                "set `adapter: qlora` (or `lora`), or remove `{at}` for full tuning",
                "请写 `adapter: qlora`（或 `lora`），全量训练则去掉 `{at}`"
            ),
        )
    })
}

fn llamafactory(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let kind = keys.text("finetuning_type").filter(|kind| !matches!(*kind, "lora" | "oft"))?;
    keys.is_set("quantization_bit").then(|| {
        Refusal::new(
            "finetuning_type",
            &["quantization_bit"],
            message!("{kind} tuning cannot train a quantized model", "{kind} 训练不支持量化模型"),
            message!(
                "set `finetuning_type` to lora or oft, or remove `quantization_bit`",
                "请把 `finetuning_type` 设为 lora 或 oft，或去掉 `quantization_bit`"
            ),
        )
    })
}
