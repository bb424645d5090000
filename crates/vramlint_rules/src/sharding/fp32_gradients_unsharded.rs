//! # fp32-gradients-unsharded
//!
//! With ZeRO stage 1 and fp32 gradients, every process keeps all gradients.
//!
//! ## Why it matters
//! With bf16, stage 1 and `grad_accum_dtype: fp32` DeepSpeed uses another optimizer, which keeps a full fp32 gradient in addition
//! to the 16-bit one on every rank: 4 bytes per parameter, however many processes there are. At stage 2 the same fp32 gradients are
//! sharded.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "bf16": {"enabled": true},
//!   "data_types": {"grad_accum_dtype": "fp32"},
//!   "zero_optimization": {"stage": 1}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "bf16": {"enabled": true},
//!   "data_types": {"grad_accum_dtype": "fp32"},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! None: use stage 2, or gradients in bf16.
//!
//! ## When it stays silent
//! When the optimizer is offloaded: DeepSpeed then does not use the other optimizer.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2299`, measured: 8 / 14 / 12 bytes per parameter on two processes, 4 / 9 / 8 without.
//!
//! # 中文
//!
//! ZeRO 阶段 1 使用 fp32 梯度，每个进程都会保留完整的一份。
//!
//! ## 为什么重要
//! 在 bf16、阶段 1、`grad_accum_dtype: fp32` 下，DeepSpeed 会改用另一个优化器，在每个 rank 上除 16 位梯度外再保留完整的
//! fp32 梯度：每个参数 4 字节，进程再多也不会减少。阶段 2 的 fp32 梯度则是分片的。
//!
//! ## 修复
//! 无：改用阶段 2，或使用 bf16 梯度。
//!
//! ## 何时不报
//! 卸载优化器时不报：此时不会改用另一个优化器。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2299`，实测：两个进程下每参数 8 / 14 / 12 字节，不设置时为 4 / 9 / 8。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, Value, message};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL564", "fp32-gradients-unsharded", Severity::Warning, page!("fp32_gradients_unsharded.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let device = config.setting("zero_optimization.offload_optimizer.device");
        let none = matches!(device, Evaluated::Absent) || device == Evaluated::Known(Value::Text("none".to_owned()));
        let bf16 = config.flag("bf16.enabled", false) == Some(true);
        if config.stage() != Some(1) || !bf16 || !none {
            continue;
        }
        let Some(item) = config.entry("data_types.grad_accum_dtype") else { continue };
        let dtype = config.value("data_types.grad_accum_dtype");
        if dtype
            .as_ref()
            .and_then(Value::as_str)
            .is_some_and(|name| matches!(name, "fp32" | "float32" | "torch.float32" | "float"))
        {
            let message = message!(
                "at stage 1 every process keeps all fp32 gradients: 4 more bytes per parameter",
                "阶段 1 下每个进程都保留完整的 fp32 梯度：每个参数多占 4 字节"
            );
            let mut finding = RULE
                .finding(config.place(item), message)
                .with_help(message!("use stage 2, which shards them", "改用阶段 2，它会对其分片"));
            if let Some(stage) = config.entry("zero_optimization.stage") {
                finding = finding.with_related(config.place(stage), message!("the stage is set here", "阶段在此设置"));
            }
            out.push(finding);
        }
    }
}
