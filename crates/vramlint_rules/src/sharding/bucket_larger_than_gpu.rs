//! # bucket-larger-than-gpu
//!
//! A gradient bucket in a DeepSpeed file does not fit any GPU.
//!
//! ## Why it matters
//! With `contiguous_gradients` DeepSpeed allocates a whole bucket of `reduce_bucket_size` elements, however small the model is: at
//! stage 3 when the engine starts, at stages 1 and 2 in the first backward pass, and twice with `overlap_comm`. With one zero too
//! many, the allocation fails.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "reduce_bucket_size": 1e12}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "reduce_bucket_size": 5e8}
//! }
//! ```
//!
//! ## Fix
//! None: the default is 5e8 elements.
//!
//! ## When it stays silent
//! When the bucket fits the project's GPU, or some GPU if none is declared.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/zero/stage3.py:782`, `runtime/zero/stage_1_and_2.py:3264`, run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的梯度桶大到任何 GPU 都放不下。
//!
//! ## 为什么重要
//! 启用 `contiguous_gradients` 时，无论模型多小，DeepSpeed 都会按 `reduce_bucket_size` 个元素分配整个桶：阶段 3 在引擎启
//! 动时，阶段 1 与 2 在首次反向传播时；启用 `overlap_comm` 则分配两份。多写一个零，分配就会失败。
//!
//! ## 修复
//! 无：默认值为 5e8 个元素。
//!
//! ## 何时不报
//! 桶能放进项目的 GPU 时；未指明 GPU 时，能放进任何一种 GPU 即不报。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/zero/stage3.py:782`，`runtime/zero/stage_1_and_2.py:3264`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::pydantic_int;
use vramlint_base::{Severity, message};
use vramlint_catalog::gpus;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL557", "bucket-larger-than-gpu", Severity::Error, page!("bucket_larger_than_gpu.rs"), check)
};

/// More than any GPU has.
const LARGEST: u64 = 512 << 30;

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let sharded = config.stage().is_some_and(|stage| stage > 0);
        let contiguous = config.flag("zero_optimization.contiguous_gradients", true) == Some(true);
        let Some(item) = config.entry("zero_optimization.reduce_bucket_size").filter(|_| sharded && contiguous) else { continue };
        let elements = config.value("zero_optimization.reduce_bucket_size").as_ref().and_then(pydantic_int);
        let Some(elements) = elements.and_then(|elements| u64::try_from(elements).ok()) else { continue };
        // 16 bits, the smallest type of any mode.
        let bytes = elements.saturating_mul(2);
        let target = &cx.project.policy(config.file.id).target;
        let named = || target.gpu.as_deref().and_then(gpus::find).map(|gpu| gpu.memory_mib << 20);
        let known = target.memory.or_else(named);
        let limit = known.unwrap_or(LARGEST);
        if bytes > limit {
            let (bucket, holds) = (bytes >> 30, limit >> 30);
            let message = match known {
                Some(_) => message!(
                    "a bucket of {elements} elements takes at least {bucket} GiB, but the GPU has {holds} GiB",
                    "{elements} 个元素的桶至少占 {bucket} GiB，而 GPU 只有 {holds} GiB"
                ),
                None => message!(
                    "a bucket of {elements} elements takes at least {bucket} GiB, more than any GPU has",
                    "{elements} 个元素的桶至少占 {bucket} GiB，没有任何 GPU 放得下"
                ),
            };
            out.push(
                RULE.finding(config.place(item), message)
                    .with_help(message!("set it to 5e8, the default, or less", "设为默认值 5e8 或更小")),
            );
        }
    }
}
