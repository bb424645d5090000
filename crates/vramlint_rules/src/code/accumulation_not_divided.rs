//! # accumulation-not-divided
//!
//! A loop sums the gradients of several micro-batches before each step, but does not divide the loss by their number.
//!
//! ## Why it matters
//! `backward()` adds to the gradients. After N micro-batches the gradient is N times that of one batch with the same samples:
//! clipping cuts more, and with SGD the learning rate is effectively N times larger.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//!
//! def train(model, optimizer, batches):
//!     accumulation_steps = 4
//!     for step, (x, y) in enumerate(batches):
//!         loss = torch.nn.functional.mse_loss(model(x), y)
//!         loss.backward()
//!         if (step + 1) % accumulation_steps == 0:
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//!
//! def train(model, optimizer, batches):
//!     accumulation_steps = 4
//!     for step, (x, y) in enumerate(batches):
//!         loss = torch.nn.functional.mse_loss(model(x), y) / accumulation_steps
//!         loss.backward()
//!         if (step + 1) % accumulation_steps == 0:
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## Fix
//! Unsafe: the gradients become N times smaller, as they would be in one batch.
//!
//! ## When it stays silent
//! If N is not known or is 1; if the loss comes from a function of the project, is a sum, or is scaled anywhere; if the code
//! changes gradients directly; and with accelerate, DeepSpeed or Lightning, which divide the loss themselves.
//!
//! ## Sources
//! torch 2.15.0, gradient norms compared: 4.000 times with N = 4.
//!
//! # 中文
//!
//! 循环累加多个微批的梯度后才更新一次，但损失没有除以微批数量。
//!
//! ## 为什么重要
//! `backward()` 会累加梯度。经过 N 个微批，梯度是同样样本作为一个批次时的 N 倍：裁剪会更重，用 SGD 时相当于学习率变为 N 倍。
//!
//! ## 何时不报
//! N 未知或为 1；损失来自项目自己的函数、是求和、或在某处被缩放；代码直接修改梯度；使用会自行相除的 accelerate、DeepSpeed、
//! Lightning。
//!
//! ## 修复
//! 不安全：梯度会变为 1/N，与作为一个批次时相同。
//!
//! ## 来源
//! torch 2.15.0，比较梯度范数：N = 4 时为 4.000 倍。

use super::loops::{Loop, clears, loops, loss_of, steps};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::{Feature, SourceFile};
use vramlint_syntax::python::{Expr, ExprKind, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::OtherBatch],
    ..Rule::new("VL604", "accumulation-not-divided", Severity::Warning, page!("accumulation_not_divided.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| file.host.is_none()) {
        let features = cx.project.features(file.id);
        let counts_steps = features.has(Feature::BackwardCall) && features.has(Feature::Modulo);
        let Some(module) = file.python_if(counts_steps) else { continue };
        if features.has(Feature::LossScaledElsewhere) {
            continue;
        }
        for each in loops(module) {
            if let Some(finding) = in_loop(file, module, &each) {
                out.push(finding);
            }
        }
    }
}

fn in_loop(file: &SourceFile, module: &Module, each: &Loop<'_>) -> Option<vramlint_base::Finding> {
    let all = || each.own.iter().flat_map(|own| own.calls().map(move |(expr, call)| (own, expr, call)));
    let (_, backward, call) = all().find(|(own, _, call)| own.tests.is_empty() && loss_of(call).is_some())?;
    let loss = loss_of(call)?;
    let name = loss.as_name()?;
    let (stepping, step, _) = all().find(|(own, _, call)| own.every().is_some() && steps(call))?;
    let unconditional = all().any(|(own, _, call)| own.tests.is_empty() && (steps(call) || clears(call)));
    let count = number(module, each, stepping.every()?)?;
    if unconditional
        || count < 2
        || !each.own.iter().all(|own| is_plain_use(module, own.stmt, name))
        || !each.own.iter().any(|own| assigns(own.stmt, name))
    {
        return None;
    }
    let divisor = stepping.every()?.range.slice(&file.text);
    let title = message!("divide the loss by {divisor}", "把损失除以 {divisor}");
    // The parentheses of a call or its own are enough.
    let (start, end) = (loss.range.start as usize, loss.range.end as usize);
    let enclosed = file.text[..start].ends_with('(') && file.text[end..].starts_with(')');
    let divided = if enclosed { format!("{name} / {divisor}") } else { format!("({name} / {divisor})") };
    let edits = vec![edit::replace(FileRange::new(file.id, loss.range), divided)];
    Some(
        RULE.finding(
            FileRange::new(file.id, backward.range),
            message!(
                "gradients of {count} micro-batches are summed, but the loss is not divided by {count}",
                "累加了 {count} 个微批的梯度，但损失没有除以 {count}"
            ),
        )
        .with_related(
            FileRange::new(file.id, step.range),
            message!("the optimizer steps here, every {count} iterations", "优化器在此每 {count} 次迭代更新一次"),
        )
        .with_help(message!("write `({name} / {divisor}).backward()`", "改为 `({name} / {divisor}).backward()`"))
        .with_fix(Fix { title, applicability: Applicability::Unsafe, edits }),
    )
}

fn assigns(stmt: &vramlint_syntax::python::Stmt, name: &str) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { targets, .. } if targets.iter().any(|target| target.as_name() == Some(name)))
}

/// Whether a statement leaves the loss a plain mean of one micro-batch.
fn is_plain_use(module: &Module, stmt: &vramlint_syntax::python::Stmt, name: &str) -> bool {
    match &stmt.kind {
        StmtKind::AugAssign { target, .. } => target.as_name() != Some(name),
        StmtKind::Assign { targets, value, .. } => {
            let sets = targets.iter().flat_map(Expr::walk).any(|target| target.as_name() == Some(name));
            !sets
                || targets.len() == 1
                    && targets[0].as_name() == Some(name)
                    && value.as_ref().is_some_and(|value| is_mean(module, value))
        }
        _ => true,
    }
}

/// A loss that is certainly a mean over the rows: of torch's functions, of a `…Loss()` object, of a model of transformers.
fn is_mean(module: &Module, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Attribute(base, name, _) => name == "loss" && base.as_name().is_some(),
        ExprKind::Call(call) => {
            let dotted = call.callee.dotted().unwrap_or_default();
            let last = dotted.rsplit('.').next().unwrap_or("");
            let functional = (dotted.starts_with("F.") || dotted.contains("functional."))
                && (last.ends_with("loss") || last.ends_with("entropy"));
            functional || call.name() == Some("mean") && dotted.is_empty() || made_of_loss_class(module, &dotted)
        }
        _ => false,
    }
}

/// Whether a name is given a `torch.nn.…Loss()` in the same file.
fn made_of_loss_class(module: &Module, dotted: &str) -> bool {
    !dotted.is_empty()
        && module.statements().any(|located| match &located.stmt.kind {
            StmtKind::Assign { targets, value: Some(value), .. } => {
                let own = targets.iter().any(|target| target.dotted().as_deref() == Some(dotted));
                let class = value.as_call().and_then(|call| call.callee.dotted()).unwrap_or_default();
                own && class.contains("nn.") && class.ends_with("Loss")
            }
            _ => false,
        })
}

/// The number that an expression is: a literal, or a name that is only ever given one literal.
pub(super) fn number(module: &Module, each: &Loop<'_>, expr: &Expr) -> Option<i64> {
    if let Some(value) = expr.as_value() {
        return value.as_int();
    }
    let name = expr.as_name()?;
    let mut found: Option<i64> = None;
    for located in module.statements() {
        let StmtKind::Assign { targets, value, .. } = &located.stmt.kind else { continue };
        if targets.iter().flat_map(Expr::walk).any(|target| target.as_name() == Some(name)) {
            let number = value.as_ref()?.as_value().and_then(Value::as_int)?;
            if found.is_some_and(|known| known != number) {
                return None;
            }
            found = Some(number);
        }
    }
    found.or_else(|| each.context.function()?.param(name)?.default.as_ref()?.as_value()?.as_int())
}
