//! # micro-batch-differs-from-loader
//!
//! The micro-batch in the DeepSpeed JSON differs from the data loader's batch size.
//!
//! ## Why it matters
//! In a loop with `Accelerator()` the data loader decides how many samples a step has; `train_micro_batch_size_per_gpu` is only
//! what DeepSpeed assumes. Nothing compares the two: the throughput and batch size in the log are wrong, and so is a
//! `train_batch_size` computed from it.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": 1,
//!   "gradient_accumulation_steps": "auto"
//! }
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from torch.utils.data import DataLoader
//!
//!
//! def main(model, dataset):
//!     accelerator = Accelerator()
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     loader = DataLoader(dataset, batch_size=4)
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto"
//! }
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from torch.utils.data import DataLoader
//!
//!
//! def main(model, dataset):
//!     accelerator = Accelerator()
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     loader = DataLoader(dataset, batch_size=4)
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## When it stays silent
//! When any loader has the JSON's number, when the size of one is unknown, and with `split_batches`.
//!
//! ## Fix
//! Unsafe: `"auto"`, which takes the loader's number.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:2180-2205`, run: no message.
//!
//! # 中文
//!
//! DeepSpeed JSON 写明的微批大小与数据加载器不符。
//!
//! ## 为什么重要
//! 在使用 `Accelerator()` 的循环中，每步的样本数由加载器决定；`train_micro_batch_size_per_gpu` 的数字只是 DeepSpeed 以为的值。没有任何检查：日志中的吞吐与批次是错的，
//! 据此推算的 `train_batch_size` 也是错的。
//!
//! ## 何时不报
//! 任一加载器的大小与 JSON 相同时；某个加载器的大小未知时；使用 `split_batches` 时。
//!
//! ## 修复
//! 不安全：改为 `"auto"`，取加载器的数字。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:2180-2205`，实际运行：没有提示。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, count_noun, message};
use vramlint_edit as edit;
use vramlint_resolve::code::LibraryCall;
use vramlint_semantic::accelerate::deepspeed_json;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::new("VL510", "micro-batch-differs-from-loader", Severity::Warning, page!("micro_batch_differs_from_loader.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(json) = deepspeed_json::deepspeed_json(start) else { continue };
        let Some((place, Value::Int(believed))) = json.value(&["train_micro_batch_size_per_gpu"]) else { continue };
        let Some(code) = json.run.code.as_deref() else { continue };
        let splits = |call: &&LibraryCall| {
            call.is("accelerate", "Accelerator")
                && (call.open
                    || call.argument("split_batches", Some(1)).is_some()
                    || call.argument("dataloader_config", None).is_some())
        };
        if code.calls.iter().any(|call| splits(&call)) {
            continue;
        }
        let mut sizes = Vec::new();
        for call in code.calls.iter().filter(|call| call.is("torch", "DataLoader")) {
            sizes.push((size(call), call.place));
        }
        let different = |(size, _): &(Option<i64>, FileRange)| size.is_some_and(|size| size != believed);
        let Some((Some(rows), at)) = sizes.first().copied().filter(|_| sizes.iter().all(different)) else { continue };
        if !out.mark_reported(place) {
            continue;
        }
        let loaded = count_noun(rows, "sample");
        let finding = RULE.finding(
            place,
            message!(
                "train_micro_batch_size_per_gpu is {believed}, but the data loader yields {loaded}",
                "train_micro_batch_size_per_gpu 为 {believed}，而数据加载器每次给出 {rows} 个样本"
            ),
        );
        let finding = finding.with_related(at, message!("the loader decides", "由加载器决定")).with_run(&json.run.id);
        out.push(finding.with_help(message!("set it to \"auto\"", "设为 \"auto\"")).with_fix(Fix {
            title: message!("set it to \"auto\"", "设为 \"auto\""),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, "\"auto\"")],
        }));
    }
}

/// Batch size of a loader: 1 by default; `None` if unknown, or if a sampler decides.
fn size(call: &LibraryCall) -> Option<i64> {
    if call.argument("batch_sampler", Some(4)).is_some() {
        return None;
    }
    match call.argument("batch_size", Some(1)) {
        Some(argument) => argument.constant()?.as_int(),
        None => call.lacks("batch_size", Some(1)).then_some(1),
    }
}
