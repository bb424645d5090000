//! # card-mostly-empty
//!
//! Gradients are accumulated over small micro-batches, although the GPU has room for larger ones.
//!
//! ## Why it matters
//! Accumulation makes up for missing memory. If most of the GPU is empty, a larger micro-batch with fewer steps trains the same and
//! uses the GPU better.
//!
//! ## Example
//! ```toml file=vramlint.toml
//! [target]
//! memory = "80GiB"
//! count = 1
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-0.5B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: qwen
//! output_dir: out
//! cutoff_len: 512
//! per_device_train_batch_size: 1
//! gradient_accumulation_steps: 16
//! bf16: true
//! ```
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//!
//! ## Use instead
//! ```toml file=vramlint.toml
//! [target]
//! memory = "80GiB"
//! count = 1
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-0.5B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: qwen
//! output_dir: out
//! cutoff_len: 512
//! per_device_train_batch_size: 16
//! gradient_accumulation_steps: 1
//! bf16: true
//! enable_liger_kernel: true
//! ```
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//!
//! ## Fix
//! Unsafe: the largest micro-batch whose upper bound stays below 85 % of the GPU, with the accumulation that keeps the effective batch size.
//!
//! ## When it stays silent
//! Without a target; without accumulation; when more than half of the GPU is used; when micro-batch, accumulation or sequence length is not set.
//!
//! ## Sources
//! The same step as in `does-not-fit`. That the gradient is the same: transformers 5.23.0 `trainer.py` and accelerate 1.15.0
//! `accelerator.py` divide the loss by the tokens or steps of the whole batch.
//!
//! # 中文
//!
//! GPU 放得下更大的微批，却仍以很小的微批累积梯度。
//!
//! ## 为什么重要
//! 梯度累积是为了弥补显存不足。若 GPU 大半空着，改用更大的微批、更少的累积步数，训练不变，GPU 利用率更高。
//!
//! ## 修复
//! 不安全：取上界不超过显存 85 % 的最大微批，并相应减少累积步数，使有效批大小不变。
//!
//! ## 何时不报
//! 没有目标；没有累积；显存占用超过一半；微批大小、梯度累积步数或序列长度未设置。
//!
//! ## 来源
//! 与 `does-not-fit` 相同的训练步。梯度不变的依据：transformers 5.23.0 `trainer.py` 与 accelerate 1.15.0 `accelerator.py`
//! 按整个批的 token 数或步数对损失取平均。

use super::fixes;
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_estimate::repairs::{Change, larger_batch};
use vramlint_resolve::{Origin, Run};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::new("VL303", "card-mostly-empty", Severity::Info, page!("card_mostly_empty.rs"), check)
};

/// Below this share of the GPU, in percent, the rest counts as empty.
const USED: u64 = 50;
/// The share of the GPU that a larger micro-batch may fill, in percent.
const FILLED: u64 = 85;

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let Some(capacity) = estimate.capacity.as_ref().filter(|_| estimate.is_well_supported()) else { continue };
        let high = estimate.estimate.high;
        let steps = estimate.setup.accumulation;
        if steps < 2 || high > capacity.bytes / 100 * USED || !is_stated(run) {
            continue;
        }
        let Some(repair) = larger_batch(estimate, FILLED) else { continue };
        let Change::Batch { rows, accumulation } = repair.change else { continue };
        let (own, old) = (format::gib(estimate.estimate.peak), estimate.setup.micro_batch);
        let (all, after) = (format::capacity(capacity.bytes), format::gib(repair.estimate.peak));
        let message = message!(
            "micro-batch {old} with {steps} accumulation steps needs only {own} of {all}; {rows} with {accumulation} would need {after}",
            "微批大小 {old}、累积 {steps} 步只需 {all} 中的 {own}；微批大小 {rows}、累积 {accumulation} 步需 {after}"
        );
        let place = locations::written(run, Concept::MicroBatch).unwrap_or(run.place);
        if !reported.insert((place, message.en.clone())) {
            continue;
        }
        let mut finding = RULE.finding(place, message).with_run(&run.id).with_help(message!(
            "use a larger micro-batch with fewer accumulation steps: the same training in less time",
            "增大微批大小、减少梯度累积步数：训练不变，耗时更少"
        ));
        if let Some(place) = locations::written(run, Concept::GradientAccumulationSteps) {
            finding = finding.with_related(place, message!("{steps} micro-batches are accumulated", "累积 {steps} 个微批"));
        }
        finding.related.extend(locations::target(cx.project, run));
        finding.fixes.extend(fixes::fix(cx.project, run, &repair, estimate));
        out.push(finding);
    }
}

/// Whether micro-batch, steps and lengths are set by the run, and not by one branch of several.
fn is_stated(run: &Run) -> bool {
    let value_place = |concept: Concept| {
        run.settings.get(&concept).is_some_and(|setting| {
            let single = setting.candidates.iter().all(|candidate| candidate.condition.is_none());
            let known = |origin: &Origin| !matches!(origin, Origin::Assumed { .. });
            single
                && setting
                    .winning()
                    .is_some_and(|winner| winner.known().is_some_and(|v| v.as_int().is_some()) && known(&winner.origin))
        })
    };
    let long = [Concept::SequenceLength, Concept::MaxCompletionLength].iter().any(|concept| value_place(*concept));
    value_place(Concept::MicroBatch) && value_place(Concept::GradientAccumulationSteps) && long
}
