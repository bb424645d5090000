//! # empty-cache-in-loop
//!
//! `torch.cuda.empty_cache()` is called in every round of a training loop.
//!
//! ## Why it matters
//! It gives back only blocks that nothing uses; the peak comes from tensors that live and stays where it is. The next round asks the
//! driver for the same blocks again, and both calls wait for the GPU.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//!
//! def train(model, optimizer, batches):
//!     for x in batches:
//!         loss = model(x).mean()
//!         loss.backward()
//!         optimizer.step()
//!         optimizer.zero_grad()
//!         torch.cuda.empty_cache()
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! import torch
//!
//! def train(model, optimizer, batches):
//!     for epoch in range(3):
//!         for x in batches:
//!             loss = model(x).mean()
//!             loss.backward()
//!             optimizer.step()
//!             optimizer.zero_grad()
//!         torch.cuda.empty_cache()
//! ```
//!
//! ## When it is silent
//! Under a condition (every 100 steps, when memory is short), in a handler, and in loops without a backward.
//!
//! ## Sources
//! torch 2.15.0 `c10/cuda/CUDACachingAllocator.cpp` (only free blocks are released, after a synchronization), read.
//!
//! # 中文
//!
//! 训练循环的每一轮都调用 `torch.cuda.empty_cache()`。
//!
//! ## 为什么重要
//! 它只归还没有人使用的块；峰值来自存活的张量，不会因此降低。下一轮又要向驱动申请同样的块，两次调用都要等待 GPU。
//!
//! ## 何时不报
//! 带条件（每 100 步、显存紧张时），在异常处理中，以及没有 backward 的循环。
//!
//! ## 来源
//! torch 2.15.0 `c10/cuda/CUDACachingAllocator.cpp`（同步之后只释放空闲块），阅读源码。

use super::loops::loops;
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_resolve::Feature;

pub(crate) static RULE: Rule = Rule {
    code: "VL609",
    name: "empty-cache-in-loop",
    group: Group::Code,
    severity: Severity::Info,
    since: "0.1.0",
    source: include_str!("empty_cache_in_loop.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in
        cx.project.files.iter().filter(|file| file.host.is_none() && cx.project.features(file.id).has(Feature::EmptyCache))
    {
        let Some(module) = file.python() else { continue };
        for each in loops(module) {
            let calls = || each.own.iter().flat_map(|own| own.calls().map(move |(expr, call)| (own, expr, call)));
            if !calls().any(|(own, _, call)| !own.aside && call.name() == Some("backward")) {
                continue;
            }
            let emptied =
                calls().filter(|(own, _, call)| own.tests.is_empty() && !own.aside && call.name() == Some("empty_cache"));
            for (_, expr, _) in emptied {
                out.push(
                    RULE.finding(
                        FileRange::new(file.id, expr.range),
                        message!(
                            "empty_cache() in every round gives back blocks that the next round asks for again",
                            "每轮都调用 empty_cache() 会归还下一轮马上又要申请的块"
                        ),
                    )
                    .with_help(message!(
                        "it does not lower the peak: call it once per epoch, or not at all",
                        "它不会降低峰值：每个 epoch 调用一次即可，或不调用"
                    )),
                );
            }
        }
    }
}
