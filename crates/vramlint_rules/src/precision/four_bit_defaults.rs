//! # four-bit-defaults
//!
//! 4-bit quantization uses the default settings: `fp4` weights and computation in `float32`.
//!
//! ## Why it matters
//! `nf4` fits the distribution of trained weights better than `fp4`, at the same size. Every block of weights is dequantized to the compute
//! dtype: `float32` takes twice the bytes of `bfloat16` and does not use its tensor cores.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! ```
//!
//! ## Fix
//! Unsafe: `nf4` and `bfloat16`; both change the numerics of training.
//!
//! ## Severity
//! Info if only one of the two is missing.
//!
//! ## When it stays silent
//! If arguments may exist that are not visible, or if an option selects 4 bits.
//!
//! ## Sources
//! transformers 5.23.0 `utils/quantization_config.py` (the defaults), run.
//!
//! # 中文
//!
//! 4 位量化使用默认值：权重为 `fp4`，计算为 `float32`。
//!
//! ## 为什么重要
//! 在同样大小下，`nf4` 比 `fp4` 更贴合训练后权重的分布。每块权重都会反量化为计算 dtype：用 `float32` 时占两倍字节，也用不上 `bfloat16` 的张量核心。
//!
//! ## 严重程度
//! 只缺其中一个时仅作提示。
//!
//! ## 何时不报
//! 可能还有看不到的参数，或由选项决定是否用 4 位。
//!
//! ## 修复
//! 不安全：改为 `nf4` 与 `bfloat16`；二者都会改变训练数值。
//!
//! ## 来源
//! transformers 5.23.0 `utils/quantization_config.py`（默认值），实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow, Symptom::OutOfMemory],
    ..Rule::new("VL443", "four-bit-defaults", Severity::Warning, page!("four_bit_defaults.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in cx.project.calls() {
        let call = at.call();
        let four = call.argument("load_in_4bit", None).filter(|argument| argument.constant() == Some(&Value::Bool(true)));
        let Some(four) = four.filter(|_| call.is("transformers", "BitsAndBytesConfig") && !call.is_subclass) else { continue };
        let set =
            |name: &str| !call.lacks(name, None) || call.assigned.iter().any(|argument| argument.name.as_deref() == Some(name));
        let (kind, compute) = (set("bnb_4bit_quant_type"), set("bnb_4bit_compute_dtype"));
        // Both widths at once raise an error, which another rule reports.
        let eight = call.argument("load_in_8bit", None).is_some_and(|argument| argument.constant() == Some(&Value::Bool(true)));
        if kind && compute || eight || !out.mark_reported(four.place) {
            continue;
        }
        let finding = match (kind, compute) {
            (false, false) => RULE.finding(
                four.place,
                message!(
                    "4-bit quantization uses the defaults: fp4 weights, computation in float32",
                    "4 位量化使用默认值：fp4 权重，以 float32 计算"
                ),
            ),
            (false, true) => RULE
                .finding(
                    four.place,
                    message!(
                        "`bnb_4bit_quant_type` is not set: the weights become fp4, not nf4",
                        "未设置 `bnb_4bit_quant_type`：权重为 fp4 而非 nf4"
                    ),
                )
                .with_severity(Severity::Info),
            _ => RULE
                .finding(
                    four.place,
                    message!(
                        "`bnb_4bit_compute_dtype` is not set: 4-bit layers compute in float32",
                        "未设置 `bnb_4bit_compute_dtype`：4 位层以 float32 计算"
                    ),
                )
                .with_severity(Severity::Info),
        };
        let mut finding = finding.with_help(message!(
            "add `bnb_4bit_quant_type=\"nf4\"` and `bnb_4bit_compute_dtype=torch.bfloat16` (torch.float16 before Ampere)",
            "加上 `bnb_4bit_quant_type=\"nf4\"` 与 `bnb_4bit_compute_dtype=torch.bfloat16`（Ampere 之前的 GPU 用 torch.float16）"
        ));
        let (name, source) = match (kind, compute) {
            (false, false) => ("bnb_4bit_quant_type", "\"nf4\", bnb_4bit_compute_dtype=\"bfloat16\""),
            (false, true) => ("bnb_4bit_quant_type", "\"nf4\""),
            _ => ("bnb_4bit_compute_dtype", "\"bfloat16\""),
        };
        if let Some(fix) = calls::add_argument(cx.project, call, name, source, Applicability::Unsafe) {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}
