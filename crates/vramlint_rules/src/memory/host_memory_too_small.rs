//! # host-memory-too-small
//!
//! The run needs more host memory than the target has.
//!
//! ## Why it matters
//! Offloaded optimizer states, pinned buffers, one copy of the checkpoint per process while it loads, and data loader workers use
//! host memory. When it is full, the system kills a process, without a Python error.
//!
//! ## Example
//! ```bash file=run.sh
//! torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-2-70b-hf --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --bf16 --gradient_checkpointing true --deepspeed ds.json --output_dir out
//! ```
//! ```json file=ds.json
//! {
//!   "train_micro_batch_size_per_gpu": 1,
//!   "gradient_accumulation_steps": 1,
//!   "bf16": {"enabled": true},
//!   "zero_optimization": {
//!     "stage": 3,
//!     "offload_optimizer": {"device": "cpu"},
//!     "stage3_gather_16bit_weights_on_model_save": false
//!   }
//! }
//! ```
//! ```python file=train.py
//! from dataclasses import dataclass
//!
//! from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
//!
//!
//! @dataclass
//! class ModelArguments:
//!     model_name_or_path: str = ""
//!     max_length: int = 512
//!
//!
//! model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
//! model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
//! trainer = Trainer(model, args, train_dataset=load(max_length=model_args.max_length))
//! trainer.train()
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "141GiB"
//! count = 8
//! host-memory = "64GiB"
//! ```
//!
//! ## Use instead
//! ```bash file=run.sh
//! torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-2-70b-hf --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --bf16 --gradient_checkpointing true --deepspeed ds.json --output_dir out
//! ```
//! ```json file=ds.json
//! {
//!   "train_micro_batch_size_per_gpu": 1,
//!   "gradient_accumulation_steps": 1,
//!   "bf16": {"enabled": true},
//!   "zero_optimization": {
//!     "stage": 3,
//!     "offload_optimizer": {"device": "cpu"},
//!     "stage3_gather_16bit_weights_on_model_save": false
//!   }
//! }
//! ```
//! ```python file=train.py
//! from dataclasses import dataclass
//!
//! from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
//!
//!
//! @dataclass
//! class ModelArguments:
//!     model_name_or_path: str = ""
//!     max_length: int = 512
//!
//!
//! model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
//! model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
//! trainer = Trainer(model, args, train_dataset=load(max_length=model_args.max_length))
//! trainer.train()
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! memory = "141GiB"
//! count = 8
//! host-memory = "3TiB"
//! ```
//!
//! ## When it stays silent
//! When the target does not set `host-memory`; for memory that the project's own code uses; when only saving needs too much, which
//! `gather-at-save` reports.
//!
//! ## Sources
//! deepspeed 0.19.8 `runtime/zero/stage_1_and_2.py`, `stage3.py`: fp32 masters, moments and gradients on the host; torch 2.15
//! `utils/data/dataloader.py`.
//!
//! # 中文
//!
//! 任务所需的主机内存超过目标机器的内存。
//!
//! ## 为什么重要
//! 卸载的优化器状态、锁页缓冲区、加载时各进程各自的检查点副本，以及数据加载的工作进程都占用主机内存。内存耗尽时系统会直接杀死进程，
//! Python 不会报错。
//!
//! ## 何时不报
//! 目标没有设置 `host-memory`；项目自身代码占用的内存；仅保存时超出的情况由 `gather-at-save` 报告。
//!
//! ## 来源
//! deepspeed 0.19.8 `runtime/zero/stage_1_and_2.py`、`stage3.py`：主机上的 fp32 主权重、动量和梯度；torch 2.15
//! `utils/data/dataloader.py`。

use super::gather_at_save;
use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{FileRange, Message, Severity, message};
use vramlint_catalog::Concept;
use vramlint_estimate::{RunEstimate, Verdict};
use vramlint_memory::setup::Offload;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Killed],
    ..Rule::new("VL304", "host-memory-too-small", Severity::Warning, page!("host_memory_too_small.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let grounded = estimate.is_well_supported();
        let (Some(all), Some(Verdict::DoesNotFit), true) = (estimate.host_capacity, estimate.host_verdict, grounded) else {
            continue;
        };
        if gather_at_save::decides(estimate).is_some() {
            continue;
        }
        let (place, message) = (place(run, estimate), headline(estimate, all));
        if reported.insert((place, message.en.clone())) {
            let mut finding = RULE.finding(place, message).with_run(&run.id).with_help(help(estimate));
            finding.related.extend(locations::host(cx.project, run));
            out.push(finding);
        }
    }
}

/// Where the offload is written, else the workers, else the model.
fn place(run: &Run, estimate: &RunEstimate) -> FileRange {
    let parallel = &estimate.setup.parallel;
    let offload = parallel.offload_optimizer != Offload::None || parallel.offload_param != Offload::None;
    let order: &[Concept] = if offload {
        &[Concept::OffloadOptimizer, Concept::OffloadParam, Concept::Model]
    } else {
        &[Concept::Model, Concept::DataloaderWorkers]
    };
    order.iter().find_map(|concept| locations::written(run, *concept)).unwrap_or(run.place)
}

fn headline(estimate: &RunEstimate, all: u64) -> Message {
    let host = &estimate.estimate.host;
    let (needs, all) = (format::gib(host.peak), format::capacity(all));
    let mut parts: Vec<_> = host.parts.iter().filter(|item| item.bytes > host.peak / 50).collect();
    parts.sort_by_key(|item| std::cmp::Reverse(item.bytes));
    parts.truncate(1);
    let join = |text: &dyn Fn(usize) -> &'static str, between: &str| {
        (0..parts.len()).map(|i| format!("{} {}", text(i), format::gib(parts[i].bytes))).collect::<Vec<_>>().join(between)
    };
    let (en, zh) = (join(&|i| parts[i].label.en, ", "), join(&|i| parts[i].label.zh, "、"));
    Message {
        en: format!("the processes of one machine need {needs} of host memory, but it has {all} ({en})"),
        zh: format!("一台机器上的进程需要 {needs} 内存，但机器只有 {all}（{zh}）"),
    }
}

fn help(estimate: &RunEstimate) -> Message {
    let parallel = &estimate.setup.parallel;
    if parallel.offload_optimizer == Offload::None && parallel.offload_param == Offload::None {
        return message!(
            "load the checkpoint in one process at a time, or use fewer data loader workers",
            "逐个进程加载检查点，或减少数据加载的工作进程"
        );
    }
    message!(
        "keep the states on the GPUs and shard them over more ranks, or offload them to NVMe",
        "把状态留在 GPU 上并分片到更多进程，或卸载到 NVMe"
    )
}
