//! # activation-checkpointing-block-inert
//!
//! No code uses the `activation_checkpointing` block of a DeepSpeed file.
//!
//! ## Why it matters
//! The block only configures `deepspeed.checkpointing.checkpoint`. Unless the model calls it, nothing is recomputed and no
//! activation leaves the GPU, whatever the block sets; gradient checkpointing in transformers does not read the block.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "activation_checkpointing": {"partition_activations": true, "cpu_checkpointing": true},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Fix
//! None: turn on the framework's gradient checkpointing.
//!
//! ## When it stays silent
//! When the code mentions `deepspeed.checkpointing`, or is not in the project.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/activation_checkpointing/config.py`, run: `is_configured()` is false after `deepspeed.initialize`.
//!
//! # 中文
//!
//! DeepSpeed 文件中的 `activation_checkpointing` 块没有代码使用。
//!
//! ## 为什么重要
//! 该块只用于配置 `deepspeed.checkpointing.checkpoint`。模型没有调用它时，无论块中写了什么，都不会重计算，也不会把激活值
//! 移出 GPU；transformers 的梯度检查点不读取它。
//!
//! ## 修复
//! 无：请在框架中启用梯度检查点。
//!
//! ## 何时不报
//! 代码提到 `deepspeed.checkpointing` 时；代码不在项目中时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/activation_checkpointing/config.py`，实际运行：`deepspeed.initialize` 之后 `is_configured()`
//! 为 false。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, Value, message};
use vramlint_resolve::{Feature, Run};
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new(
        "VL555",
        "activation-checkpointing-block-inert",
        Severity::Info,
        page!("activation_checkpointing_block_inert.rs"),
        check,
    )
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(block) = config.block("activation_checkpointing") else { continue };
        let Some(item) = config.entry("activation_checkpointing") else { continue };
        let on = block.entries().any(|(_, value)| matches!(config.setting_of(value), Evaluated::Known(Value::Bool(true))));
        let seen =
            |run: &Run| run.code.as_deref().is_some_and(|code| !cx.project.any_has(&code.files, Feature::DeepSpeedCheckpointing));
        let idle = config.uses.iter().all(|one| one.consumers.within(Consumers::KNOWN) && one.run.is_some_and(seen));
        if on && idle {
            let message = message!(
                "`activation_checkpointing` has no effect: no code calls deepspeed.checkpointing",
                "`activation_checkpointing` 不起作用：没有代码调用 deepspeed.checkpointing"
            );
            let help =
                message!("use the framework's gradient checkpointing, and delete the block", "改用框架的梯度检查点，并删除该块");
            out.push(RULE.finding(config.key_place(item), message).with_help(help));
        }
    }
}
