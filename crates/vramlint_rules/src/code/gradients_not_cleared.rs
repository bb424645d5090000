//! # gradients-not-cleared
//!
//! The optimizer steps in every round, but the gradients are cleared only every N rounds.
//!
//! ## Why it matters
//! That is half of an accumulation: the first round of N steps with its gradient, the second with the sum of two, and so on. The same
//! rows are applied several times.
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
//! ## Fine
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
//! ## When it is silent
//! With accelerate, whose optimizer skips steps by itself, with DeepSpeed, and where gradients are cleared in another way.
//!
//! ## Sources
//! torch 2.15.0 (`backward` adds to `.grad`), read.
//!
//! # 中文
//!
//! 优化器每轮都更新，但梯度每 N 轮才清零。
//!
//! ## 为什么重要
//! 这只写了一半的累积：N 轮中第一轮用自己的梯度更新，第二轮用两轮之和，依此类推，同样的数据被重复应用多次。
//!
//! ## 何时不报
//! 使用优化器会自行跳过更新的 accelerate、DeepSpeed，或以其他方式清零梯度。
//!
//! ## 来源
//! torch 2.15.0（`backward` 会累加到 `.grad`），阅读源码。

use super::loops::{clears, loops, loss_of, steps};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_resolve::Feature;

pub(crate) static RULE: Rule = Rule {
    code: "VL610",
    name: "gradients-not-cleared",
    group: Group::Code,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("gradients_not_cleared.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| file.host.is_none()) {
        let features = cx.project.features(file.id);
        let counts_steps = features.has(Feature::ZeroGradCall) && features.has(Feature::Modulo);
        let Some(module) = file.python().filter(|_| counts_steps) else { continue };
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
                            "this steps in every round on gradients that are cleared only every few",
                            "每轮都用隔几轮才清零的梯度更新"
                        ),
                    )
                    .with_related(FileRange::new(file.id, cleared[0].1.range), message!("they are cleared here", "在此清零"))
                    .with_help(message!(
                        "move the step beside zero_grad(), or clear in every round",
                        "把更新移到 zero_grad() 旁边，或每轮都清零"
                    )),
                );
            }
        }
    }
}
