//! # empty-cache-in-loop
//!
//! `torch.cuda.empty_cache()` is called in every iteration of a training loop.
//!
//! ## Why it matters
//! It frees only unused blocks; the peak comes from live tensors and does not change. The next iteration allocates the same
//! blocks from the driver again, and both calls synchronize with the GPU.
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
//! ## Use instead
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
//! ## When it stays silent
//! Under a condition (every 100 steps, when memory is low), in an exception handler, and in loops without a backward pass.
//!
//! ## Sources
//! torch 2.15.0 `c10/cuda/CUDACachingAllocator.cpp` (only free blocks are released, after a synchronization), read.
//!
//! # 中文
//!
//! 训练循环的每次迭代都调用 `torch.cuda.empty_cache()`。
//!
//! ## 为什么重要
//! 它只释放未使用的块；峰值来自存活的张量，不会改变。下一次迭代又要向驱动分配同样的块，两次调用都要与 GPU 同步。
//!
//! ## 何时不报
//! 有条件地调用时（每 100 步、显存不足时），在异常处理中，以及没有反向传播的循环。
//!
//! ## 来源
//! torch 2.15.0 `c10/cuda/CUDACachingAllocator.cpp`（同步之后只释放空闲块），阅读源码。

use super::loops::loops;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_resolve::Feature;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::new("VL609", "empty-cache-in-loop", Severity::Info, page!("empty_cache_in_loop.rs"), check)
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
                            "empty_cache() in every iteration frees blocks that the next iteration allocates again",
                            "每次迭代都调用 empty_cache() 会释放下次迭代又要分配的块"
                        ),
                    )
                    .with_help(message!(
                        "it does not lower the peak: call it once per epoch, or remove it",
                        "它不会降低峰值：每个 epoch 调用一次，或删除"
                    )),
                );
            }
        }
    }
}
