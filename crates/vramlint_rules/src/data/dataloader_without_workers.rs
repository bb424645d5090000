//! # dataloader-without-workers
//!
//! The data loader of a training run has no workers: the process that feeds the GPU also builds each batch.
//!
//! ## Why it matters
//! While a batch is read, tokenized and collated, the GPU waits. Workers do this in parallel with the training step; two to four per GPU
//! are enough for most data, and with `pin_memory=True` the copy to the GPU overlaps too.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def train(model, dataset):
//!     loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=0)
//!     optimizer = torch.optim.AdamW(model.parameters())
//!     for batch in loader:
//!         loss = model(batch.cuda()).mean()
//!         loss.backward()
//!         optimizer.step()
//!         optimizer.zero_grad()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def train(model, dataset):
//!     loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
//!     optimizer = torch.optim.AdamW(model.parameters())
//!     for batch in loader:
//!         loss = model(batch.cuda()).mean()
//!         loss.backward()
//!         optimizer.step()
//!         optimizer.zero_grad()
//! ```
//!
//! ## When it stays silent
//! For evaluation loaders; if the number is not known; for data in memory (`TensorDataset`, lists); on a target without a GPU; in code that
//! does not train. On Windows, where workers are costly to start, the advice may not apply.
//!
//! ## Sources
//! torch 2.15.0 `utils/data/dataloader.py` (the default is 0), read.
//!
//! # 中文
//!
//! 训练用的数据加载器没有工作进程：给 GPU 供数的进程还要自己组装每个批次。
//!
//! ## 为什么重要
//! 读取、分词、拼批期间，GPU 在等待。工作进程可与训练步并行完成这些工作；多数数据每张 GPU 用二到四个就够，配合 `pin_memory=True` 还能让拷贝重叠。
//!
//! ## 何时不报
//! 评估用的加载器；数目无法得知；数据已在内存中（`TensorDataset`、列表）；目标机器没有 GPU；不训练的代码。Windows 上启动工作进程代价较高，此建议可能不适用。
//!
//! ## 来源
//! torch 2.15.0 `utils/data/dataloader.py`（默认为 0），阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileId, FileRange, Severity, Value, message};
use vramlint_resolve::code::ArgValue;
use vramlint_resolve::{CallRef, Feature};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::new("VL702", "dataloader-without-workers", Severity::Info, page!("dataloader_without_workers.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let loader = call.is("torch", "DataLoader") && !call.is_subclass && !call.open && at.facts.trains();
        // Without the argument the default applies, which was not chosen: report it only for a run that the project shows.
        let Some(workers) = call.argument("num_workers", Some(5)).filter(|_| loader) else { continue };
        if workers.constant() != Some(&Value::Int(0))
            || in_memory(at)
            || evaluates(cx, at)
            || cx.project.policy(call.file).target.count == Some(0)
        {
            continue;
        }
        if is_default_of_a_library(cx, at.call().file, workers.place) || !uses_gpu(cx, at) || !out.mark_reported(workers.place) {
            continue;
        }
        out.push(
            RULE.finding(
                workers.place,
                message!(
                    "`num_workers = 0`: the GPU waits while the training process builds each batch",
                    "`num_workers = 0`：训练进程组装每个批次时 GPU 在等待"
                ),
            )
            .with_help(message!(
                "try 2 to 4 workers per GPU, with `pin_memory=True`",
                "建议每张 GPU 用 2 到 4 个工作进程，并设 `pin_memory=True`"
            )),
        );
    }
}

/// Whether the number is the default of a parameter in code that no run of the project reaches: whoever calls it chooses.
fn is_default_of_a_library(cx: &Context<'_>, file: FileId, place: FileRange) -> bool {
    let text = place.range.slice(&cx.project.file(place.file).text);
    let literal = text.rsplit('=').next().is_some_and(|value| value.trim() == "0");
    let in_a_run = cx.project.runs.iter().filter_map(|run| run.code.as_ref()).any(|code| code.files.contains(&file));
    !literal && !in_a_run
}

fn in_memory(at: &CallRef) -> bool {
    let data = at.call().argument("dataset", Some(0)).and_then(|argument| argument.sole_value());
    data.is_some_and(|value| match &value.value {
        ArgValue::Known(_) | ArgValue::List(_) => true,
        what => at.producing_call(what).is_some_and(|made| made.name() == "TensorDataset"),
    })
}

fn evaluates(cx: &Context<'_>, at: &CallRef) -> bool {
    let call = at.call();
    let words = ["eval", "val", "test", "infer", "predict", "calib"];
    let mentions = |text: &str| {
        text.to_lowercase()
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|word| words.iter().any(|known| word.starts_with(known)))
    };
    let text = call
        .argument("dataset", Some(0))
        .map_or("", |argument| argument.place.range.slice(&cx.project.file(argument.place.file).text));
    call.assigned_to.as_deref().is_some_and(mentions) || mentions(text)
}

fn uses_gpu(cx: &Context<'_>, at: &CallRef) -> bool {
    at.facts.accelerator.is_some() || cx.project.any_has(&at.facts.files, Feature::GpuCode)
}
