//! # batch-rounded-down
//!
//! The batch size is not a multiple of the micro-batch size: Axolotl drops the remainder, and DeepSpeed under OpenRLHF raises
//! an error.
//!
//! ## Why it matters
//! Axolotl computes the accumulation as `batch_size // micro_batch_size` and silently drops the remainder: each optimizer step
//! uses fewer samples than the file says. OpenRLHF also rounds down, but passes both numbers to DeepSpeed, which asserts that
//! micro-batch × accumulation × processes equals the batch size. The run fails when the engine is created.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! batch_size: 10
//! micro_batch_size: 4
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
//! batch_size: 8
//! micro_batch_size: 4
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: either the batch size or the micro-batch size may be wrong.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/config/__init__.py:202`; OpenRLHF 0.11.2 `utils/deepspeed/deepspeed.py:110,455`; DeepSpeed 0.19.8
//! `runtime/config.py` (`_batch_assertion`), read.
//!
//! # 中文
//!
//! 批大小不是微批大小的整数倍：Axolotl 会舍去余数，OpenRLHF 下的 DeepSpeed 会报错。
//!
//! ## 为什么重要
//! Axolotl 以 `batch_size // micro_batch_size` 计算梯度累积步数，并静默舍去余数：优化器每步用到的样本比文件中写的少。OpenRLHF
//! 同样向下取整，但会把两个数传给 DeepSpeed，而 DeepSpeed 断言“微批大小 × 梯度累积步数 × 进程数”等于批大小，创建引擎时即报
//! 错。
//!
//! ## 修复
//! 无：可能是批大小有误，也可能是微批大小有误。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/config/__init__.py:202`；OpenRLHF 0.11.2 `utils/deepspeed/deepspeed.py:110,455`；DeepSpeed 0.19.8
//! `runtime/config.py`（`_batch_assertion`），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch, Symptom::RefusedAtStart],
    ..Rule::new("VL232", "batch-rounded-down", Severity::Warning, page!("batch_rounded_down.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Axolotl, axolotl), (Dialect::OpenRlhf, openrlhf)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

fn refusal(at: &'static str, micro_key: &'static str, batch: i64, micro: i64) -> Refusal {
    let left = batch / micro * micro;
    Refusal::new(
        at,
        &[micro_key],
        message!(
            "{at} is {batch}, which is not divisible by {micro}; it is rounded down to {left}",
            "{at} 为 {batch}，不能被 {micro} 整除；会向下取整为 {left}"
        ),
        message!("use a multiple of `{micro_key}`", "改为 `{micro_key}` 的倍数"),
    )
    .warning()
}

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let (batch, micro) = (keys.int("batch_size")?, keys.int("micro_batch_size")?);
    // A batch below the micro-batch is rejected elsewhere or means one step.
    (micro > 0 && batch > micro && batch % micro != 0 && keys.is_off("gradient_accumulation_steps"))
        .then(|| refusal("batch_size", "micro_batch_size", batch, micro))
}

fn openrlhf(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let names = [("train.batch_size", "train.micro_batch_size"), ("train_batch_size", "micro_train_batch_size")];
    names.into_iter().find_map(|(at, micro_key)| {
        let (batch, micro) = (keys.int(at)?, keys.int(micro_key)?);
        // With dynamic batches the micro-batch of the engine is 1.
        let dynamic = ["use_dynamic_batch", "train.dynamic_batch_enable"].iter().any(|key| !keys.is_off(key));
        // Rings and tensor parallelism multiply the batch first.
        let one = |key: &str| keys.is_unset(key) || keys.int(key) == Some(1);
        let shared = ["ds.ring_attn_size", "ring_attn_size", "ds.tensor_parallel_size", "ds_tensor_parallel_size"];
        let fixed = !dynamic && shared.iter().all(|key| one(key));
        (fixed && micro > 0 && batch > micro && batch % micro != 0).then(|| {
            Refusal::new(
                at,
                &[micro_key],
                message!(
                    "{at} is {batch}, which is not a multiple of {micro_key} {micro}",
                    "{at} 为 {batch}，不是 {micro_key} {micro} 的倍数"
                ),
                message!("use a multiple of `{micro_key}`", "改为 `{micro_key}` 的倍数"),
            )
            .by("DeepSpeed")
        })
    })
}
