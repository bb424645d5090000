//! # graph-kept
//!
//! A loop stores losses whose graphs are never freed: the activations of every iteration stay on the GPU.
//!
//! ## Why it matters
//! `backward()` frees the saved tensors; a loss that is stored afterwards is only a number. With `retain_graph=True`, or in an
//! evaluation without `no_grad` and without a backward pass, each stored loss keeps all activations of its batch. Memory grows
//! with every iteration until it runs out.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//!
//! def train(model, batches):
//!     history = []
//!     for x in batches:
//!         loss = model(x).mean()
//!         loss.backward(retain_graph=True)
//!         history.append(loss)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//!
//! def train(model, batches):
//!     history = []
//!     for x in batches:
//!         loss = model(x).mean()
//!         loss.backward()
//!         history.append(loss)
//! ```
//!
//! ## Fix
//! Safe if the loss is only summed: `.item()` keeps the number.
//!
//! ## When it stays silent
//! After a normal `backward()`; if `.item()`, `.detach()` or `float()` takes the number; under `no_grad`; if a loop has several
//! backward calls; in a function that is not an evaluation and returns the sum.
//!
//! ## Sources
//! torch 2.15.0, saved bytes counted: 10496 KiB more each round without `no_grad`, 0 after a normal backward.
//!
//! # 中文
//!
//! 循环保存了计算图从未释放的损失：每次迭代的激活都留在 GPU 上。
//!
//! ## 为什么重要
//! `backward()` 会释放保存的张量；此后保存的损失只是一个数。若使用 `retain_graph=True`，或评估时既没有 `no_grad` 也不做反向传
//! 播，则每个保存的损失都会占用该批的全部激活。显存每次迭代都增长，直到耗尽。
//!
//! ## 何时不报
//! 正常 `backward()` 之后；用 `.item()`、`.detach()` 或 `float()` 取数；处于 `no_grad` 之下；循环内有多次 backward；不是评估、
//! 且返回该和的函数。
//!
//! ## 修复
//! 损失仅用于累加时为安全修复：`.item()` 只保留数值。
//!
//! ## 来源
//! torch 2.15.0，统计保存的字节：没有 `no_grad` 时每轮多 10496 KiB，正常 backward 之后为 0。

use super::loops::{Loop, loops, loss_of, stops_gradients};
use crate::{Rule, Sink, Symptom};
use std::collections::HashMap;
use vramlint_base::{Applicability, FileRange, Finding, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::{Feature, FileFeatures, SourceFile};
use vramlint_syntax::python::{Expr, ExprKind, Module, Stmt, StmtKind};

pub(crate) static RULE: Rule = Rule {
    check_file: Some(in_file),
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::without_check("VL607", "graph-kept", Severity::Warning, page!("graph_kept.rs"))
};

/// What there is to say of one file; no other takes part.
fn in_file(file: &SourceFile, features: FileFeatures, out: &mut Sink) {
    let retains = features.has(Feature::RetainGraph);
    let evaluates = !features.has(Feature::GradientsOff);
    let may_keep = file.host.is_none() && features.has(Feature::Torch) && (retains || evaluates && sums_a_loss(&file.text));
    if let Some(module) = file.python_if(may_keep) {
        let mut of_functions = HashMap::new();
        for each in loops(module) {
            let own = each.context.function().map_or(features, |function| {
                let range = extent(function);
                *of_functions.entry(range).or_insert_with(|| FileFeatures::scan(range.slice(&file.text)))
            });
            let may_evaluate = evaluates && !features.has(Feature::CreateGraph);
            let finding = retained(file, &each).or_else(|| if may_evaluate { evaluated(file, own, module, &each) } else { None });
            if let Some(finding) = finding.filter(|finding| out.mark_reported(finding.place)) {
                out.push(finding);
            }
        }
    }
}

/// Whether a line may add a loss to what a loop keeps.
fn sums_a_loss(text: &str) -> bool {
    text.lines().any(|line| line.contains("loss") && ["+=", "append(", " + "].iter().any(|sum| line.contains(sum)))
}

/// `loss.backward(retain_graph=True)` and a list that keeps the loss.
fn retained(file: &SourceFile, each: &Loop<'_>) -> Option<Finding> {
    let backwards: Vec<_> =
        each.own.iter().flat_map(super::loops::Own::calls).filter(|(_, call)| call.name() == Some("backward")).collect();
    let [(_, call)] = backwards.as_slice() else { return None };
    let retain = call.args.iter().find(|argument| {
        argument.name().is_some_and(|(name, _)| name == "retain_graph") && argument.value.as_value() == Some(&Value::Bool(true))
    })?;
    let name = loss_of(call)?.as_name()?;
    let keeps: Vec<&Expr> = each.own.iter().filter_map(|own| kept(own.stmt, name)).collect();
    let kept = *keeps.first()?;
    Some(
        RULE.finding(
            FileRange::new(file.id, retain.range),
            message!(
                "retain_graph=True keeps the graph of every {name} that the loop stores",
                "retain_graph=True 会保留循环所保存的每个 {name} 的计算图"
            ),
        )
        .with_related(FileRange::new(file.id, kept.range), message!("{name} is stored here", "在此保存 {name}"))
        .with_help(message!("remove `retain_graph`, or store `{name}.item()`", "删除 `retain_graph`，或改为保存 `{name}.item()`"))
        .with_fix(by_item(file, &keeps, name, Applicability::Unsafe)),
    )
}

/// A loss that an evaluation adds up with gradients on. `features` are those of the function that the loop is in.
fn evaluated(file: &SourceFile, features: FileFeatures, module: &Module, each: &Loop<'_>) -> Option<Finding> {
    let in_function = each.context.function();
    let body: &[Stmt] = in_function.map_or(&module.body, |function| &function.body);
    let off = in_function.is_some_and(|function| function.decorators.iter().any(stops_gradients));
    // A sum that a function hands back may be learned from elsewhere, unless the function says that it evaluates.
    let evaluation = in_function.is_none_or(|function| {
        ["eval", "valid", "test"].iter().any(|word| function.name.to_lowercase().contains(word))
            || features.has(Feature::EvaluationMode)
    });
    if off || features.has(Feature::Learning) || !evaluation || body.is_empty() {
        return None;
    }
    for own in each.own.iter().filter(|own| !own.aside) {
        let StmtKind::Assign { targets, value: Some(value), .. } = &own.stmt.kind else { continue };
        let [target] = targets.as_slice() else { continue };
        let Some(name) = target.as_name().filter(|name| name.contains("loss") && !is_number(value) && from_model(each, value))
        else {
            continue;
        };
        let keeps: Vec<&Expr> = each.own.iter().filter(|own| !own.aside).filter_map(|own| kept(own.stmt, name)).collect();
        let Some(kept) = keeps.first() else { continue };
        return Some(
            RULE.finding(
                FileRange::new(file.id, kept.range),
                message!(
                    "{name} keeps the activations of its batch: no backward() frees them, and gradients are enabled",
                    "{name} 使该批的激活无法释放：没有 backward() 释放它们，且未关闭梯度"
                ),
            )
            .with_help(message!(
                "sum `{name}.item()`, and evaluate under `torch.no_grad()`",
                "累加 `{name}.item()`，并在 `torch.no_grad()` 下评估"
            ))
            .with_fix(by_item(file, &keeps, name, Applicability::Safe)),
        );
    }
    None
}

/// Whether only the number is taken, without the graph.
fn is_number(value: &Expr) -> bool {
    value.walk().filter_map(Expr::as_call).any(|call| {
        let name = call.name().unwrap_or("");
        matches!(name, "item" | "detach" | "detach_" | "float" | "numpy" | "tolist" | "no_grad")
    })
}

/// Whether a value is computed by a model: called right there, or read from what a model gave in this round.
fn from_model(each: &Loop<'_>, value: &Expr) -> bool {
    let model = |expr: &Expr| {
        expr.walk().filter_map(Expr::as_call).any(|call| {
            let name = call.callee.dotted().unwrap_or_default();
            let last = name.rsplit('.').next().unwrap_or("").to_lowercase();
            last == "model" || last == "net" || last.ends_with("_model") || last == "network"
        })
    };
    if model(value) {
        return true;
    }
    each.own.iter().any(|own| match &own.stmt.kind {
        StmtKind::Assign { targets, value: Some(given), .. } if model(given) => {
            let mut names = targets.iter().flat_map(Expr::walk).filter_map(Expr::as_name);
            names.any(|name| value.walk().any(|inner| inner.as_name() == Some(name)))
        }
        _ => false,
    })
}

/// The name itself, where a statement keeps it beyond the round: `total += loss`, `total = total + loss`, `losses.append(loss)`.
fn kept<'a>(stmt: &'a Stmt, name: &str) -> Option<&'a Expr> {
    let own = |expr: &'a Expr| (expr.as_name() == Some(name)).then_some(expr);
    match &stmt.kind {
        StmtKind::AugAssign { op: "+", value, .. } => match &value.kind {
            ExprKind::List(items) => items.iter().find_map(own),
            _ => own(value),
        },
        StmtKind::Assign { targets, value: Some(value), .. } => match (&value.kind, targets.as_slice()) {
            (ExprKind::Binary(left, "+", right), [target]) if target.dotted().is_some() && left.dotted() == target.dotted() => {
                own(right)
            }
            _ => None,
        },
        StmtKind::Expr(expr) => {
            expr.as_call().filter(|call| call.name() == Some("append")).and_then(|call| own(&call.positional(0)?.value))
        }
        _ => None,
    }
}

fn by_item(file: &SourceFile, keeps: &[&Expr], name: &str, applicability: Applicability) -> Fix {
    let edits = keeps.iter().map(|kept| edit::replace(FileRange::new(file.id, kept.range), format!("{name}.item()"))).collect();
    Fix { title: message!("store `{name}.item()`", "改为 `{name}.item()`"), applicability, edits }
}

fn extent(function: &vramlint_syntax::python::Function) -> vramlint_base::TextRange {
    function.body.last().map_or(function.name_range, |last| function.name_range.cover(last.range))
}
