//! # does-not-fit
//!
//! A training step needs more memory than the GPU has.
//!
//! ## Why it matters
//! The run stops with an out-of-memory error, at the first step or at the first long sample. The memory of a step follows from the
//! model and its settings, so you can know it before the job waits in a queue.
//!
//! ## Example
//! ```toml file=vramlint.toml
//! [target]
//! memory = "12GiB"
//! count = 1
//! ```
//! ```yaml file=train.yaml
//! model_name_or_path: meta-llama/Llama-2-70b-hf
//! stage: sft
//! finetuning_type: full
//! do_train: true
//! dataset: alpaca
//! template: llama2
//! output_dir: out
//! cutoff_len: 1024
//! per_device_train_batch_size: 1
//! gradient_accumulation_steps: 8
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
//! model_name_or_path: meta-llama/Llama-2-7b-hf
//! stage: sft
//! finetuning_type: lora
//! do_train: true
//! dataset: alpaca
//! template: llama2
//! output_dir: out
//! cutoff_len: 1024
//! per_device_train_batch_size: 2
//! gradient_accumulation_steps: 1
//! bf16: true
//! ```
//! ```bash file=run.sh
//! llamafactory-cli train train.yaml
//! ```
//!
//! ## Severity
//! Error only if even the lower bound does not fit, with the cheapest value of everything the project does not set. Warning if only
//! the upper bound is too large, or if a default or an assumption decides.
//!
//! ## Fix
//! Unsafe: single changes that fit and keep the training the same, such as a smaller micro-batch with more accumulation at the same
//! effective batch size. The help lists changes that alter the training. Where no single change fits, the smallest combination that does;
//! `vramlint fit` lists more.
//!
//! ## When it stays silent
//! Without a target; for a model of unknown architecture; when the micro-batch, the sequence length or the number of ranks is
//! unknown and decides. `vramlint estimate` lists what is missing.
//!
//! ## Sources
//! The step as transformers 5.23.0, trl 1.16.0, peft 0.21.2, bitsandbytes 0.50.2, deepspeed 0.19.8 and torch 2.15 run it; capacities as
//! NVML reports them.
//!
//! # 中文
//!
//! 一个训练步所需的显存超过 GPU 的容量。
//!
//! ## 为什么重要
//! 任务会在第一步，或遇到第一个长样本时因显存不足而停止。一步所需的显存由模型和设置决定，不必等任务排完队才知道。
//!
//! ## 严重程度
//! 只有在项目未说明的各项都取最省显存的值、下界仍放不下时才是 error。仅上界超出，或由默认值、假设决定时是 warning。
//!
//! ## 修复
//! 不安全：能放下且不改变训练的单项改动，例如减小微批大小、增加梯度累积步数而有效批大小不变。会改变训练的做法列在帮助中。
//! 没有哪一项改动能放下时，给出能放下的最小组合；`vramlint fit` 会列出更多。
//!
//! ## 何时不报
//! 没有目标；模型结构未知；微批大小、序列长度或进程数未知且起决定作用。`vramlint estimate` 会列出缺少什么。
//!
//! ## 来源
//! transformers 5.23.0、trl 1.16.0、peft 0.21.2、bitsandbytes 0.50.2、deepspeed 0.19.8 和 torch 2.15 实际执行的训练步；容量以 NVML 报告为准。

use super::fixes;
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Message, Severity};
use vramlint_estimate::{Capacity, RunEstimate, Verdict, repairs};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL301", "does-not-fit", Severity::Warning, page!("does_not_fit.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let (Some(capacity), Some(verdict)) = (&estimate.capacity, estimate.verdict) else { continue };
        if verdict == Verdict::Fits || !estimate.is_well_supported() && !estimate.certainly_too_large() {
            continue;
        }
        let (place, message) = (locations::deciding(run, estimate), headline(estimate, capacity, verdict));
        // Several commands may start the same run.
        if !reported.insert((place, message.en.clone())) {
            continue;
        }
        let found = repairs(estimate);
        let severity = if estimate.certainly_too_large() { Severity::Error } else { Severity::Warning };
        let mut finding =
            RULE.finding(place, message).with_severity(severity).with_help(fixes::help(&found, estimate)).with_run(&run.id);
        finding.related.extend(locations::target(cx.project, run));
        finding.fixes = fixes::fixes(cx.project, run, &found, estimate);
        out.push(finding);
    }
}

fn headline(estimate: &RunEstimate, capacity: &Capacity, verdict: Verdict) -> Message {
    let model = &estimate.model.id;
    let (all, parts) = (format::capacity(capacity.bytes), format::parts(&estimate.estimate));
    let (en, zh) = (&parts.en, &parts.zh);
    if verdict == Verdict::DoesNotFit {
        let needs = format::gib(estimate.estimate.peak);
        return Message {
            en: format!("training {model} needs {needs}, but the GPU has {all} ({en})"),
            zh: format!("训练 {model} 需要 {needs}，但 GPU 只有 {all}（{zh}）"),
        };
    }
    let high = format::gib(estimate.estimate.high);
    Message {
        en: format!("training {model} may need up to {high}; the GPU has {all} ({en})"),
        zh: format!("训练 {model} 最多可能需要 {high}，GPU 有 {all}（{zh}）"),
    }
}
