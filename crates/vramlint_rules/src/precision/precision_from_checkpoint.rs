//! # precision-from-checkpoint
//!
//! The precision is not set, and ms-swift selects fp16.
//!
//! ## Why it matters
//! If neither `bf16` nor `fp16` is set, ms-swift uses the dtype of the weights: float32 and float16 turn fp16 mixed precision on. Its range
//! is small: a loss that overflows skips steps, and models that were trained in bfloat16 may diverge.
//!
//! ## Example
//! ```bash file=launch.sh
//! swift sft --model acme/tiny-llama --dataset data/train.jsonl --torch_dtype float32 --output_dir out
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! swift sft --model acme/tiny-llama --dataset data/train.jsonl --torch_dtype float32 --bf16 true --output_dir out
//! ```
//!
//! ## Fix
//! None: `--bf16 true` and `--fp16 false` are both possible.
//!
//! ## When it stays silent
//! If the dtype comes from the checkpoint, which is not read.
//!
//! ## Sources
//! ms-swift 4.6.0 `swift/arguments/base_args/model_args.py:126`, read.
//!
//! # 中文
//!
//! 没有设置精度，ms-swift 会选用 fp16。
//!
//! ## 为什么重要
//! 既没有 `bf16` 也没有 `fp16` 时，ms-swift 依据权重的 dtype 决定：float32 与 float16 都会打开 fp16 混合精度。它的数值范围小：损失溢出会
//! 跳过更新，以 bfloat16 训练的模型可能发散。
//!
//! ## 修复
//! 无：`--bf16 true` 与 `--fp16 false` 都有可能。
//!
//! ## 何时不报
//! dtype 由检查点决定时：检查点内容不会被读取。
//!
//! ## 来源
//! ms-swift 4.6.0 `swift/arguments/base_args/model_args.py:126`，阅读源码。

use crate::frameworks;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::Severity;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss],
    ..Rule::new("VL486", "precision-from-checkpoint", Severity::Info, page!("precision_from_checkpoint.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, &[], out);
}
