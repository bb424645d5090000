//! # accumulation-divided-twice
//!
//! The loss is divided by the number of micro-batches, and `accelerator.backward()` divides it again.
//!
//! ## Why it matters
//! An `Accelerator(gradient_accumulation_steps=N)` divides every loss passed to `backward()` by N. If the code has already
//! divided it, the gradients are N times too small, as if the learning rate were N times smaller. The engine of DeepSpeed divides by
//! the accumulation in its file in the same way.
//!
//! ## Example
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//!
//! def train(model, optimizer, loader):
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//!     for batch in loader:
//!         with accelerator.accumulate(model):
//!             loss = model(**batch).loss / 4
//!             accelerator.backward(loss)
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//!
//! def train(model, optimizer, loader):
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//!     for batch in loader:
//!         with accelerator.accumulate(model):
//!             loss = model(**batch).loss
//!             accelerator.backward(loss)
//!             optimizer.step()
//!             optimizer.zero_grad()
//! ```
//!
//! ## Fix
//! Unsafe: passes the undivided loss; the gradients become N times larger.
//!
//! ## When it stays silent
//! If the number passed to the Accelerator is not known or is 1, and if the loss is divided by something else.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py` (`backward`), gradient norms compared: 0.633 for 2.534 with N = 4. DeepSpeed 0.19.6
//! `runtime/engine.py:3238` (`backward`), read.
//!
//! # 中文
//!
//! 损失已除以微批数量，而 `accelerator.backward()` 又除了一次。
//!
//! ## 为什么重要
//! `Accelerator(gradient_accumulation_steps=N)` 会把传给 `backward()` 的每个损失除以 N。若代码已经除过，梯度就只有应有的 1/N，
//! 相当于学习率变为 1/N。DeepSpeed 的引擎同样会除以其文件中的累积步数。
//!
//! ## 何时不报
//! 传给 Accelerator 的数目未知或为 1；损失除以的是别的量。
//!
//! ## 修复
//! 不安全：传入未除过的损失；梯度会变为 N 倍。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py`（`backward`），比较梯度范数：N = 4 时 0.633 对 2.534。DeepSpeed 0.19.6 `runtime/engine.py`
//! （第 3238 行 `backward`），阅读源码。

use super::loops::loops;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileId, FileRange, Fix, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_edit as edit;
use vramlint_resolve::code::CallArgument;
use vramlint_resolve::{Run, SourceFile};
use vramlint_semantic::calls;
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_syntax::python::{Expr, ExprKind, Imports, Located, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::OtherBatch],
    ..Rule::new("VL605", "accumulation-divided-twice", Severity::Warning, page!("accumulation_divided_twice.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !(call.library() == "accelerate" && call.name() == "backward") {
            continue;
        }
        let Some(maker) = call.receiver.as_ref().and_then(|receiver| at.producing_call(receiver)) else { continue };
        let Some(given) = maker.argument("gradient_accumulation_steps", None) else { continue };
        let Some((count, run)) = count(cx, call.file, given) else { continue };
        let file = cx.project.file(call.file);
        let written = given.place.range.slice(&cx.project.file(given.place.file).text);
        let written = written.rsplit('=').next().unwrap_or(written).trim();
        let Some(division) = division(file, call.place).filter(|_| count > 1) else { continue };
        if !is_count(&division, count, written) || !out.mark_reported(FileRange::new(call.file, division.range)) {
            continue;
        }
        let fix = division.whole.map(|loss| Fix {
            title: message!("pass the undivided loss", "传入未除过的损失"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(FileRange::new(call.file, division.range), loss.range.slice(&file.text))],
        });
        let (what, related) = if runs_agree(cx, call.file, count) {
            (
                message!(
                    "accelerator.backward() already divides by {count}: the gradients become {count} times too small",
                    "accelerator.backward() 已除以 {count}：梯度会变为应有的 1/{count}"
                ),
                message!("this Accelerator accumulates {count} micro-batches", "此 Accelerator 累积 {count} 个微批"),
            )
        } else {
            (
                message!(
                    "accelerator.backward() already divides by the accumulation: the gradients become as many times too small",
                    "accelerator.backward() 已除以累积步数：梯度会再缩小同样的倍数"
                ),
                message!("this Accelerator gets the accumulation", "累积步数在此交给 Accelerator"),
            )
        };
        let mut finding = RULE
            .finding(FileRange::new(call.file, division.range), what)
            .with_related(given.place, related)
            .with_help(message!("pass the undivided loss", "传入未除过的损失"));
        finding.fixes.extend(fix);
        finding.run = run.map(|run| run.id.clone());
        out.push(finding);
    }
    for config in cx.deepspeed_configs() {
        engines(cx, config, out);
    }
}

/// The number that an `Accelerator` gets: as written, or what an option gives it in a run.
fn count<'a>(cx: &Context<'a>, file: FileId, given: &CallArgument) -> Option<(i64, Option<&'a Run>)> {
    match given.constant() {
        Some(Value::Int(count)) => return Some((*count, None)),
        Some(_) => return None,
        None => {}
    }
    let by_option = given.values.iter().all(|value| value.may_be_overridden && value.condition.is_none());
    let runs = cx.project.runs.iter().filter(|run| run.code.as_ref().is_some_and(|code| code.files.contains(&file)));
    let counts = runs.filter_map(|run| Some((run.int(Concept::GradientAccumulationSteps)?, Some(run))));
    counts.filter(|_| by_option).max_by_key(|(count, _)| *count)
}

/// Whether no run of a file is known to accumulate another number.
fn runs_agree(cx: &Context<'_>, file: FileId, count: i64) -> bool {
    let mut runs = cx.project.runs.iter().filter(|run| run.code.as_ref().is_some_and(|code| code.files.contains(&file)));
    runs.all(|run| run.int(Concept::GradientAccumulationSteps).is_none_or(|known| known == count))
}

/// The loops that train with an engine of DeepSpeed, which divides by the accumulation in its file.
fn engines(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    for (file, at, count) in engine_uses(cx, config) {
        let Some(module) = file.python_if(count > 1) else { continue };
        let engines = engine_names(module);
        for (site, call) in module.calls().map(|site| (site.expr, site.call)) {
            let ExprKind::Attribute(of, name, _) = &call.callee.kind else { continue };
            // `scale_wrt_gas=False` leaves the loss as it is.
            let plain = call.args.len() == 1 && name == "backward";
            if !plain || !of.as_name().is_some_and(|of| engines.contains(&of)) {
                continue;
            }
            let Some(division) = division(file, FileRange::new(file.id, site.range)) else { continue };
            let place = FileRange::new(file.id, division.range);
            if !is_count(&division, count, "") || !out.mark_reported(place) {
                continue;
            }
            let message = message!(
                "the engine's backward() already divides by {count}: the gradients become {count} times too small",
                "引擎的 backward() 已除以 {count}：梯度会变为应有的 1/{count}"
            );
            let mut finding = RULE
                .finding(place, message)
                .with_related(config.place(at), message!("the accumulation of the engine", "引擎的累积步数"))
                .with_help(message!("pass the undivided loss", "传入未除过的损失"));
            finding.fixes.extend(division.whole.map(|loss| Fix {
                title: message!("pass the undivided loss", "传入未除过的损失"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(place, loss.range.slice(&file.text))],
            }));
            out.push(finding);
        }
    }
}

/// The files of the programs whose engine takes a configuration, where its accumulation is written, and the number.
pub(super) fn engine_uses<'a>(
    cx: &'a Context<'_>,
    config: &'a DeepSpeedConfig<'a>,
) -> impl Iterator<Item = (&'a SourceFile, ConfigEntry<'a>, i64)> {
    let entry = config.entry("gradient_accumulation_steps").zip(config.value("gradient_accumulation_steps"));
    let entry = entry.and_then(|(at, value)| if let Value::Int(count) = value { Some((at, count)) } else { None });
    let runs = config.uses.iter().filter(|one| one.consumers.within(Consumers::PLAIN)).filter_map(|one| one.run);
    let files = runs.filter_map(|run| run.code.as_ref()).flat_map(|code| &code.files).map(|id| cx.project.file(*id));
    files.filter_map(move |file| entry.map(|(at, count)| (file, at, count)))
}

/// The names of engines: `engine, *_ = deepspeed.initialize(…)`.
pub(super) fn engine_names(module: &Module) -> Vec<&str> {
    let imports = Imports::of(module);
    let made = module.statements().filter_map(|Located { stmt, .. }| match &stmt.kind {
        StmtKind::Assign { targets, value: Some(value), .. } => {
            let full = imports.full_of(&value.as_call()?.callee)?;
            let first = targets.first().filter(|_| full == "deepspeed.initialize")?;
            match &first.kind {
                ExprKind::List(items) => items.first()?.as_name(),
                _ => None,
            }
        }
        _ => None,
    });
    made.collect()
}

/// `loss / N` and its divisor.
struct Division<'a> {
    range: vramlint_base::TextRange,
    /// What is divided, where the division is an expression.
    whole: Option<&'a Expr>,
    divisor: &'a Expr,
}

/// The division of the loss that a call of `backward` gets: in the call, or in the same round of the loop around it.
fn division(file: &SourceFile, backward: FileRange) -> Option<Division<'_>> {
    for each in loops(file.python()?) {
        let Some((_, call)) = each.own.iter().flat_map(super::loops::Own::calls).find(|(expr, _)| expr.range == backward.range)
        else {
            continue;
        };
        let loss = &call.positional(0)?.value;
        if let Some(found) = quotient(loss) {
            return Some(found);
        }
        let name = loss.as_name()?;
        return each.own.iter().find_map(|own| match &own.stmt.kind {
            StmtKind::Assign { targets, value: Some(value), .. }
                if targets.iter().any(|target| target.as_name() == Some(name)) =>
            {
                quotient(value)
            }
            StmtKind::AugAssign { target, op: "/", value } if target.as_name() == Some(name) => {
                Some(Division { range: own.stmt.range, whole: None, divisor: value })
            }
            _ => None,
        });
    }
    None
}

fn quotient(expr: &Expr) -> Option<Division<'_>> {
    match &expr.kind {
        ExprKind::Binary(whole, "/", divisor) => Some(Division { range: expr.range, whole: Some(whole), divisor }),
        _ => None,
    }
}

/// Whether a divisor is the number of micro-batches: the same number, the same expression, or a name that says so.
fn is_count(division: &Division<'_>, count: i64, written: &str) -> bool {
    match &division.divisor.kind {
        ExprKind::Value(value) => value.as_float() == Value::Int(count).as_float(),
        _ => division.divisor.dotted().is_some_and(|name| {
            let last = name.rsplit('.').next().unwrap_or(&name).to_lowercase();
            name == written || last.contains("accum") || last == "gas"
        }),
    }
}
