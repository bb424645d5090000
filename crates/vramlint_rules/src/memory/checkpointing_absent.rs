//! # checkpointing-absent
//!
//! The run does not fit, or only just, and would fit with activation checkpointing, which is off.
//!
//! ## Why it matters
//! Without activation checkpointing, every block keeps what its backward pass needs. With it, only the input of each block is kept
//! and the rest is recomputed, for about a third more time. When memory is the limit, this is the cheapest change.
//!
//! ## Example
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-7B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 2048
//! per_device_train_batch_size: 4
//! gradient_accumulation_steps: 1
//! bf16: true
//! disable_gradient_checkpointing: true
//! enable_liger_kernel: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "48GiB"
//! count = 1
//! ```
//!
//! ## Use instead
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-7B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 2048
//! per_device_train_batch_size: 4
//! gradient_accumulation_steps: 1
//! bf16: true
//! enable_liger_kernel: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "48GiB"
//! count = 1
//! ```
//!
//! ## Fix
//! Unsafe: turns it on, if the setting is written or the library has a key for it.
//!
//! ## When it stays silent
//! When it is on, or the run fits without it; when it alone does not make the run fit; without a target.
//!
//! ## Sources
//! The same step as in `does-not-fit`; transformers 5.23.0 `modeling_layers.py` `GradientCheckpointingLayer`.
//!
//! # 中文
//!
//! 任务放不下，或只是勉强放下；开启激活检查点即可放下，但它没有开启。
//!
//! ## 为什么重要
//! 不开启时，每个块都保留反向所需的全部内容；开启后只保留每个块的输入，其余在反向时重新计算，耗时约增加三分之一。
//! 显存不够时，这是代价最小的改动。
//!
//! ## 修复
//! 不安全：在写明该设置处，或库提供相应键时开启。
//!
//! ## 何时不报
//! 已经开启，或不开启也放得下；仅靠它仍放不下；没有目标。
//!
//! ## 来源
//! 与 `does-not-fit` 相同的训练步；transformers 5.23.0 `modeling_layers.py` 的 `GradientCheckpointingLayer`。

use super::{fixes, little_headroom};
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_estimate::Verdict;
use vramlint_estimate::repairs::{Change, repair};
use vramlint_memory::setup::Checkpointing;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL308", "checkpointing-absent", Severity::Info, page!("checkpointing_absent.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let decides = estimate.is_well_supported() && estimate.verdict.is_some_and(|verdict| verdict != Verdict::Fits)
            || little_headroom::tight(estimate).is_some();
        let open = estimate.setup.checkpointing == Checkpointing::None;
        let Some(capacity) = estimate.capacity.as_ref().filter(|_| decides && open) else { continue };
        let repair = repair(estimate, Change::Checkpointing).filter(|repair| repair.fits);
        let Some(repair) = repair else { continue };
        let (own, after) = (format::gib(estimate.estimate.peak), format::gib(repair.estimate.peak));
        let all = format::capacity(capacity.bytes);
        let message = message!(
            "without activation checkpointing the step needs {own}, with it {after}; the GPU has {all}",
            "不开启激活检查点时一步需要 {own}，开启后需要 {after}；GPU 有 {all}"
        );
        let place = locations::written(run, Concept::GradientCheckpointing).unwrap_or_else(|| locations::deciding(run, estimate));
        if reported.insert((place, message.en.clone())) {
            let mut finding = RULE.finding(place, message).with_run(&run.id);
            finding.related.extend(locations::target(cx.project, run));
            finding.fixes.extend(fixes::fix(cx.project, run, &repair, estimate));
            out.push(finding);
        }
    }
}
