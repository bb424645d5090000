//! # logits-dominate
//!
//! A large part of the memory peak is the logits of every token over the whole vocabulary, with their gradient.
//!
//! ## Why it matters
//! The loss in transformers materializes the logits in the model's type and in fp32, plus their gradient: 10 to 12 bytes for every
//! token and every vocabulary entry. A fused or chunked loss computes the same result from the hidden states, chunk by chunk, and
//! needs none of this.
//!
//! ## Example
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-0.5B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 2048
//! per_device_train_batch_size: 16
//! gradient_accumulation_steps: 1
//! bf16: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "96GiB"
//! count = 1
//! ```
//!
//! ## Use instead
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: Qwen/Qwen2.5-0.5B
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: default
//! output_dir: out
//! cutoff_len: 2048
//! per_device_train_batch_size: 16
//! gradient_accumulation_steps: 1
//! bf16: true
//! enable_liger_kernel: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "96GiB"
//! count = 1
//! ```
//!
//! ## Fix
//! Unsafe, if the library has a flag for it: enable Liger kernels. The package `liger-kernel` must be installed.
//!
//! ## When it stays silent
//! When logits are less than 30 % of the peak; when the library already computes the loss in chunks (TRL, unsloth); in custom training loops.
//!
//! ## Sources
//! transformers 5.23.0 `loss/loss_utils.py`, `integrations/liger.py`, `training_args.py` `use_liger_kernel`; LLaMA-Factory 0.9.6
//! `hparams/model_args.py` `enable_liger_kernel`; torchtune 0.7.0 `LinearCrossEntropyLoss`.
//!
//! # 中文
//!
//! 显存峰值中很大一部分是所有 token 在整个词表上的 logits 及其梯度。
//!
//! ## 为什么重要
//! transformers 的损失会以模型的类型和 fp32 各保存一份 logits，另加其梯度：每个 token、每个词表项占 10 到 12 字节。
//! 融合或分块的损失直接从隐藏状态逐块计算，结果相同，且不需要这部分显存。
//!
//! ## 修复
//! 不安全，仅在库提供开关时给出：启用 Liger 内核，需要安装 `liger-kernel` 包。
//!
//! ## 何时不报
//! logits 不足峰值的 30 %；库已经分块计算损失（TRL、unsloth）；项目自己编写的训练循环。
//!
//! ## 来源
//! transformers 5.23.0 `loss/loss_utils.py`、`integrations/liger.py`、`training_args.py` 的 `use_liger_kernel`；LLaMA-Factory 0.9.6
//! `hparams/model_args.py` 的 `enable_liger_kernel`；torchtune 0.7.0 `LinearCrossEntropyLoss`。

use super::fixes;
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_estimate::repairs::cheaper_loss;
use vramlint_memory::estimate::Part;
use vramlint_memory::{Arch, Setup};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL306", "logits-dominate", Severity::Info, page!("logits_dominate.rs"), check)
};

/// Share of the peak, in percent, from which logits dominate.
const SHARE: u64 = 30;

/// Whether logits are a large share of weights and logits alone; if not, they are not of the whole either.
fn may_dominate(arch: &Arch, setup: &Setup) -> bool {
    let tokens = setup.micro_batch.saturating_mul(setup.task.sequences_per_sample()).saturating_mul(setup.sequence_length);
    let logits = tokens.saturating_mul(arch.vocabulary()).saturating_mul(12);
    // 4 bits per weight is the minimum.
    let least = arch.parameters() / 2;
    u128::from(logits) * 100 >= u128::from(SHARE) * (u128::from(logits) + u128::from(least))
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.well_supported(cx.project, cx.models, may_dominate) {
        let (logits, peak) = (estimate.part(Part::Logits), estimate.estimate.peak);
        let share = format::percent(logits, peak);
        if share < SHARE || !estimate.is_well_supported() {
            continue;
        }
        let Some(repair) = cheaper_loss(estimate) else {
            continue;
        };
        let (logits, peak, gained) = (format::gib(logits), format::gib(peak), format::gib(repair.gained));
        let message = message!(
            "logits take {logits} of the {peak} peak ({share} %); a fused or chunked loss needs {gained} less",
            "logits 占峰值 {peak} 中的 {logits}（{share} %）；融合或分块的损失可少用 {gained}"
        );
        let place = locations::written(run, Concept::MicroBatch).unwrap_or_else(|| locations::deciding(run, estimate));
        if reported.insert((place, message.en.clone())) {
            let mut finding = RULE.finding(place, message).with_run(&run.id);
            finding.help = format::assumptions(estimate);
            finding.fixes.extend(fixes::fix(cx.project, run, &repair, estimate));
            out.push(finding);
        }
    }
}
