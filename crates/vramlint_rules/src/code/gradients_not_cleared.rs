//! # gradients-not-cleared
//!
//! The optimizer steps in every iteration, but the gradients are cleared only every N iterations.
//!
//! ## Why it matters
//! This is only half of gradient accumulation: of N iterations, the first steps with its own gradient, the second with the sum
//! of two, and so on. The same samples are applied several times.
//!
//! ## Example
//! ```python file=train.py
//! def train(model, optimizer, batches):
//!     for step, x in enumerate(batches):
//!         loss = model(x).mean() / 4
//!         loss.backward()
//!         optimizer.step()
//!         if (step + 1) % 4 == 0:
//!             optimizer.zero_grad()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! def train(model, optimizer, batches):
//!     for step, x in enumerate(batches):
//!         loss = model(x).mean() / 4
//!         loss.backward()
//!         if (step + 1) % 4 == 0:
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## When it stays silent
//! With accelerate, whose optimizer skips steps itself, with DeepSpeed, and if the gradients are cleared in another way.
//!
//! ## Sources
//! torch 2.15.0 (`backward` adds to `.grad`), read.
//!
//! # 中文
//!
//! 优化器每次迭代都更新，但梯度每 N 次迭代才清零。
//!
//! ## 为什么重要
//! 这只实现了梯度累积的一半：N 次迭代中，第一次用自己的梯度更新，第二次用两次之和，依此类推。同样的样本被重复应用多次。
//!
//! ## 何时不报
//! 使用优化器会自行跳过更新的 accelerate、DeepSpeed，或以其他方式清零梯度。
//!
//! ## 来源
//! torch 2.15.0（`backward` 会累加到 `.grad`），阅读源码。

use super::loops::{clears, loops, loss_of, steps};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_resolve::Feature;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss],
    ..Rule::new("VL610", "gradients-not-cleared", Severity::Warning, page!("gradients_not_cleared.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| file.host.is_none()) {
        let features = cx.project.features(file.id);
        let counts_steps = features.has(Feature::ZeroGradCall) && features.has(Feature::Modulo);
        let Some(module) = file.python_if(counts_steps) else { continue };
        if features.has(Feature::GradientsClearedElsewhere) {
            continue;
        }
        for each in loops(module) {
            let calls = || each.own.iter().flat_map(|own| own.calls().map(move |(expr, call)| (own, expr, call)));
            let backward = calls().any(|(own, _, call)| own.tests.is_empty() && loss_of(call).is_some());
            let Some((_, step, _)) = calls().find(|(own, _, call)| own.tests.is_empty() && !own.aside && steps(call)) else {
                continue;
            };
            let cleared: Vec<_> = calls().filter(|(_, _, call)| clears(call)).collect();
            let only_sometimes = !cleared.is_empty() && cleared.iter().all(|(own, ..)| own.every().is_some());
            if backward && only_sometimes {
                out.push(
                    RULE.finding(
                        FileRange::new(file.id, step.range),
                        message!(
                            "the optimizer steps in every iteration, but the gradients are cleared only every few iterations",
                            "优化器每次迭代都更新，但梯度隔几次迭代才清零"
                        ),
                    )
                    .with_related(FileRange::new(file.id, cleared[0].1.range), message!("cleared here", "在此清零"))
                    .with_help(message!(
                        "move the step next to `zero_grad()`, or clear the gradients in every iteration",
                        "把更新移到 `zero_grad()` 旁边，或每次迭代都清零"
                    )),
                );
            }
        }
    }
}
