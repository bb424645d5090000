//! # zero-without-optimizer
//!
//! ZeRO stage 1 or 2 without an optimizer in the file or in the code.
//!
//! ## Why it matters
//! Stages 1 and 2 shard the optimizer: without one `deepspeed.initialize` stops with `zero stage 2 requires an optimizer`.
//! (Stage 3 continues and only offloads parameters, as for inference.)
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
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
//! None: the intended optimizer is unknown.
//!
//! ## When it stays silent
//! When accelerate or the Trainer reads the file, and when the arguments of `deepspeed.initialize` are unknown.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2659`, run.
//!
//! # 中文
//!
//! ZeRO 阶段 1 或 2 没有优化器，文件与代码中都没有。
//!
//! ## 为什么重要
//! 阶段 1 与 2 对优化器分片：没有优化器时 `deepspeed.initialize` 会以 `zero stage 2 requires an optimizer` 终止。（阶段 3
//! 会继续，但只像推理那样卸载参数。）
//!
//! ## 修复
//! 无：无法得知本意是哪个优化器。
//!
//! ## 何时不报
//! 由 accelerate 或 Trainer 读取该文件时；看不出传给 `deepspeed.initialize` 的内容时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2659`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::deepspeed::initialize::{self, EngineArgument};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL546", "zero-without-optimizer", Severity::Error, page!("zero_without_optimizer.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(stage @ (1 | 2)) = config.stage() else { continue };
        let Some(one) = config.read_by(Consumers::PLAIN) else { continue };
        let absent =
            config.entry("optimizer").is_none() || config.block("optimizer").is_some_and(|block| block.get("type").is_none());
        if !absent || initialize::engine_argument(one, "optimizer", initialize::OPTIMIZER) != EngineArgument::No {
            continue;
        }
        let at = config.entry("zero_optimization.stage").map_or_else(|| config.head(), |item| config.place(item));
        let message = message!(
            "stage {stage} needs an optimizer, but neither the file nor deepspeed.initialize has one; DeepSpeed raises an error",
            "阶段 {stage} 需要优化器，但文件与 deepspeed.initialize 都没有；DeepSpeed 会报错"
        );
        let help = message!(
            "add \"optimizer\" to the file, or pass one to deepspeed.initialize",
            "在文件中加入 \"optimizer\"，或传给 deepspeed.initialize"
        );
        let mut finding = RULE.finding(at, message).with_help(help);
        if let Some(call) = one.run.and_then(|run| run.code.as_deref()).and_then(|code| initialize::calls(code).next()) {
            finding = finding.with_related(call.place, message!("the engine is created here", "引擎在此处创建"));
        }
        out.push(finding);
    }
}
