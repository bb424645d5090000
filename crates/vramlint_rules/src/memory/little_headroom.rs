//! # little-headroom
//!
//! A training step fits the GPU with almost nothing to spare.
//!
//! ## Why it matters
//! A longer sample, another process on the GPU, an evaluation with larger batches or a newer library then ends the run, often after hours.
//!
//! ## Example
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: meta-llama/Llama-2-7b-hf
//! stage: sft
//! finetuning_type: full
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 64
//! per_device_train_batch_size: 1
//! gradient_accumulation_steps: 1
//! bf16: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "116.6GiB"
//! count = 1
//! ```
//!
//! ## Use instead
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: meta-llama/Llama-2-7b-hf
//! stage: sft
//! finetuning_type: full
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 64
//! per_device_train_batch_size: 1
//! gradient_accumulation_steps: 1
//! bf16: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "136GiB"
//! count = 1
//! ```
//!
//! ## When it stays silent
//! Without a target; when more than 5 % of the GPU is left above the upper bound; when the run does not fit, which `does-not-fit` reports.
//!
//! ## Sources
//! The same step as in `does-not-fit`; capacities as NVML reports them.
//!
//! # 中文
//!
//! 训练步虽然放得下，但显存几乎没有余量。
//!
//! ## 为什么重要
//! 更长的样本、GPU 上的其他进程、批大小更大的评估，或更新版本的库，都会让任务中断，而且往往是在运行数小时之后。
//!
//! ## 何时不报
//! 没有目标；上界之上仍有超过 5 % 的余量；放不下的情况由 `does-not-fit` 报告。
//!
//! ## 来源
//! 与 `does-not-fit` 相同的训练步；容量以 NVML 报告为准。

use super::fixes;
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_estimate::{RunEstimate, Verdict, repairs};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL302", "little-headroom", Severity::Info, page!("little_headroom.rs"), check)
};

/// The share of the GPU that should stay free above the upper bound, in percent.
const SPARE: u64 = 5;

/// Bytes left above the upper bound, if the run fits with too little headroom.
pub(super) fn tight(estimate: &RunEstimate) -> Option<u64> {
    let capacity = estimate.capacity.as_ref()?.bytes;
    let left = capacity.checked_sub(estimate.estimate.high)?;
    (estimate.is_well_supported() && estimate.verdict == Some(Verdict::Fits) && left < capacity / 100 * SPARE).then_some(left)
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let (Some(left), Some(capacity)) = (tight(estimate), &estimate.capacity) else { continue };
        let (left, all, high) = (format::gib(left), format::capacity(capacity.bytes), format::gib(estimate.estimate.high));
        let model = &estimate.model.id;
        let message = message!(
            "training {model} needs up to {high}, and the GPU has {all}: only {left} is left",
            "训练 {model} 最多需要 {high}，GPU 有 {all}：仅余 {left}"
        );
        let place = locations::deciding(run, estimate);
        if reported.insert((place, message.en.clone())) {
            let mut finding = RULE.finding(place, message).with_help(fixes::help(&repairs(estimate), estimate)).with_run(&run.id);
            finding.related.extend(locations::target(cx.project, run));
            out.push(finding);
        }
    }
}
