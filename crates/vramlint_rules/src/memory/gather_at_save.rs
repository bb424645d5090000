//! # gather-at-save
//!
//! Saving a checkpoint gathers the whole model in one process, on a machine without enough memory for it.
//!
//! ## Why it matters
//! Sharded training keeps a part of the model in each process. DeepSpeed's `stage3_gather_16bit_weights_on_model_save` and FSDP's
//! full state dict gather all parts in the memory of the first host. The run then trains for hours and dies at the first save,
//! without a checkpoint.
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
//!     "offload_optimizer": {"device": "none"},
//!     "stage3_gather_16bit_weights_on_model_save": true
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
//! memory = "288GiB"
//! count = 8
//! host-memory = "48GiB"
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
//!     "offload_optimizer": {"device": "none"},
//!     "stage3_gather_16bit_weights_on_model_save": true
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
//! memory = "288GiB"
//! count = 8
//! host-memory = "2TiB"
//! ```
//!
//! ## When it stays silent
//! When the target does not set `host-memory`; when checkpoints are saved in shards.
//!
//! ## Sources
//! deepspeed 0.19.8 `runtime/engine.py` `_zero3_consolidated_16bit_state_dict`; torch 2.15 `distributed/checkpoint/state_dict.py`
//! (`full_state_dict`, `cpu_offload`).
//!
//! # 中文
//!
//! 保存检查点时会在一个进程中汇集整个模型，而其所在机器放不下。
//!
//! ## 为什么重要
//! 分片训练时每个进程只持有模型的一部分。DeepSpeed 的 `stage3_gather_16bit_weights_on_model_save` 和 FSDP 的完整 state dict
//! 会把所有部分汇集到第一台主机的内存中。任务训练数小时后，会在第一次保存时崩溃，连检查点也没有留下。
//!
//! ## 何时不报
//! 目标没有设置 `host-memory`；检查点按分片保存。
//!
//! ## 来源
//! deepspeed 0.19.8 `runtime/engine.py` 的 `_zero3_consolidated_16bit_state_dict`；torch 2.15 `distributed/checkpoint/state_dict.py`
//! （`full_state_dict`、`cpu_offload`）。

use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{FileRange, Severity, message};
use vramlint_catalog::Concept;
use vramlint_estimate::RunEstimate;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Killed, Symptom::OutOfMemory, Symptom::Checkpoints],
    ..Rule::new("VL309", "gather-at-save", Severity::Warning, page!("gather_at_save.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, estimate) in cx.estimates.on_target(cx.project, cx.models) {
        let Some((whole, held, all)) = decides(estimate) else { continue };
        let (whole, held, all) = (format::gib(whole), format::gib(held), format::capacity(all));
        let message = message!(
            "saving gathers {whole} of weights on one host with {all}, where {held} is already in use",
            "保存时会在一台内存为 {all} 的主机上汇集 {whole} 权重，而该主机已占用 {held}"
        );
        let place = place(run);
        if reported.insert((place, message.en.clone())) {
            let mut finding = RULE.finding(place, message).with_run(&run.id).with_help(message!(
                "save in shards and merge them later with `zero_to_fp32.py` or torch's converter",
                "按分片保存，之后用 `zero_to_fp32.py` 或 torch 自带的工具合并"
            ));
            finding.related.extend(locations::host(cx.project, run));
            out.push(finding);
        }
    }
}

/// The gathered weights, what else the host holds and its memory, in bytes, if training fits one machine but saving does not.
pub(super) fn decides(estimate: &RunEstimate) -> Option<(u64, u64, u64)> {
    let (host, all) = (&estimate.estimate.host, estimate.host_capacity?);
    let whole = host.parts.iter().find(|part| part.name == "checkpoint")?.bytes;
    let held = host.peak.saturating_sub(whole);
    // The weights follow from the model alone; everything else depends on ranks and micro-batch.
    (held <= all && host.peak > all && (whole > all || estimate.is_well_supported())).then_some((whole, held, all))
}

fn place(run: &Run) -> FileRange {
    let own = Concept::from_name("gather_16bit_on_save").and_then(|concept| locations::written(run, concept));
    own.or_else(|| locations::written(run, Concept::ZeroStage))
        .or_else(|| locations::written(run, Concept::Model))
        .unwrap_or(run.place)
}
