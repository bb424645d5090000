//! # vocabulary-size-unaligned
//!
//! `vocabulary_size` in a DeepSpeed file is not a multiple of 8.
//!
//! ## Why it matters
//! Tensor cores need dimensions that are multiples of 8; DeepSpeed prints a warning for others. The key has no other effect.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "vocabulary_size": 50257,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "vocabulary_size": 50304,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! None: the model's embedding would have to be padded, too.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config.py:718`, run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的 `vocabulary_size` 不是 8 的倍数。
//!
//! ## 为什么重要
//! Tensor Core 要求维度是 8 的倍数；否则 DeepSpeed 会打印警告。该键本身没有其他作用。
//!
//! ## 修复
//! 无：模型的词嵌入也要相应填充。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config.py:718`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow, Symptom::RefusedAtStart],
    ..Rule::new("VL558", "vocabulary-size-unaligned", Severity::Info, page!("vocabulary_size_unaligned.rs"), check)
};

/// Tensor cores are efficient for multiples of this.
const ALIGNMENT: i64 = 8;

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(item) = config.entry("vocabulary_size") else { continue };
        if let Some(Value::Int(size)) =
            config.value("vocabulary_size").filter(|size| size.as_int().is_some_and(|n| n % ALIGNMENT != 0))
        {
            let padded = (size / ALIGNMENT + 1) * ALIGNMENT;
            let message = message!("vocabulary_size {size} is not a multiple of 8", "vocabulary_size {size} 不是 8 的倍数");
            let help = message!("pad the embedding to {padded}", "把词嵌入填充到 {padded}");
            out.push(RULE.finding(config.place(item), message).with_help(help));
        }
    }
}
