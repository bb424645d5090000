//! # dataloader-refused
//!
//! `DataLoader()` gets arguments that torch rejects, alone or in combination.
//!
//! ## Why it matters
//! `prefetch_factor`, `persistent_workers` and `multiprocessing_context` need workers, and the default is 0. A sampler excludes `shuffle`,
//! a batch sampler excludes the batch size. torch raises an error when the loader is created.
//!
//! ## Example
//! ```python file=train.py
//! from torch.utils.data import DataLoader
//!
//! loader = DataLoader(list(range(8)), batch_size=2, prefetch_factor=4)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from torch.utils.data import DataLoader
//!
//! loader = DataLoader(list(range(8)), batch_size=2, num_workers=2, prefetch_factor=4)
//! ```
//!
//! ## Fix
//! Safe: an integer instead of its string; removes arguments that need workers if there are none, and `shuffle` next to a sampler.
//!
//! ## When it stays silent
//! If the number of workers or another value is not known or comes from the command line.
//!
//! ## Sources
//! torch 2.15.0 `utils/data/dataloader.py`, each run; torch 2.0 also rejects `prefetch_factor` without workers, earlier versions ignore it.
//!
//! # 中文
//!
//! `DataLoader(…)` 收到 torch 会拒绝的参数，单独或组合。
//!
//! ## 为什么重要
//! `prefetch_factor`、`persistent_workers`、`multiprocessing_context` 需要工作进程，而默认为 0。采样器与 `shuffle` 互斥，批采样器与批大小互斥。
//! torch 在创建 DataLoader 时报错。
//!
//! ## 何时不报
//! 工作进程数或其他值无法得知，或来自命令行。
//!
//! ## 修复
//! 安全：字符串改为整数；没有工作进程时去掉需要它的参数，有采样器时去掉 `shuffle`。
//!
//! ## 来源
//! torch 2.15.0 `utils/data/dataloader.py`，逐一实际运行；torch 2.0 起也拒绝没有工作进程的 `prefetch_factor`，更早则忽略。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Message, Severity, Value, message};
use vramlint_resolve::code::{ArgValue, CallArgument, LibraryCall};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL701", "dataloader-refused", Severity::Error, page!("dataloader_refused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("torch", "DataLoader") || call.is_subclass {
            continue;
        }
        numbers(call, out);
        without_workers(cx, call, out);
        pairs(cx, call, out);
    }
}

/// The positions of arguments in torch 2.15.0.
fn argument<'c>(call: &'c LibraryCall, name: &str) -> Option<&'c CallArgument> {
    const ORDER: &[&str] = &["dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers"];
    call.argument(name, ORDER.iter().position(|known| *known == name))
}

fn known_argument<'c>(call: &'c LibraryCall, name: &str) -> Option<(&'c CallArgument, &'c Value)> {
    let argument = argument(call, name)?;
    Some((argument, argument.constant()?))
}

fn push(place: FileRange, text: Message, help: Message, out: &mut Sink) -> bool {
    let first = out.mark_reported(place);
    if first {
        out.push(RULE.finding(place, text).with_help(help));
    }
    first
}

fn numbers(call: &LibraryCall, out: &mut Sink) {
    for (name, least) in [("batch_size", 1), ("num_workers", 0), ("prefetch_factor", 0), ("timeout", 0)] {
        let Some((argument, value)) = known_argument(call, name) else { continue };
        let fine = match value {
            Value::Int(number) => *number >= least,
            Value::Float(number) if name == "timeout" => *number >= 0.0,
            Value::Null => !matches!(name, "num_workers" | "timeout"),
            // torch accepts booleans as 1 and 0 workers.
            Value::Bool(_) => name != "batch_size",
            _ => false,
        };
        let place = argument.values[0].place;
        if fine || !out.mark_reported(place) {
            continue;
        }
        let mut finding = RULE
            .finding(
                place,
                message!(
                    "`{name} = {value}` raises an error: expected an integer of at least {least}",
                    "`{name} = {value}` 会报错：应为不小于 {least} 的整数"
                ),
            )
            .with_help(message!("use an integer", "改用整数"));
        let whole = match value {
            Value::Text(text) => text.trim().parse::<i64>().ok(),
            Value::Float(number) if number.fract() == 0.0 => format!("{number:.0}").parse().ok(),
            _ => None,
        };
        if let Some(fix) = whole
            .filter(|number| *number >= least)
            .and_then(|number| calls::replace_argument(argument, &argument.values[0], number.to_string(), Applicability::Safe))
        {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}

/// Arguments that only make sense with workers.
fn without_workers(cx: &Context<'_>, call: &LibraryCall, out: &mut Sink) {
    let workers = argument(call, "num_workers");
    let none = match workers {
        None => !call.open,
        Some(argument) => argument.constant() == Some(&Value::Int(0)),
    };
    if !none {
        return;
    }
    for name in ["prefetch_factor", "persistent_workers", "multiprocessing_context"] {
        let Some((given, value)) = known_argument(call, name) else { continue };
        let asks =
            !matches!(value, Value::Null | Value::Bool(false)) && (name != "persistent_workers" || *value == Value::Bool(true));
        if !asks || !out.mark_reported(given.place) {
            continue;
        }
        let mut finding = RULE
            .finding(
                given.place,
                message!(
                    "`{name}` needs workers, but `num_workers` is 0; torch raises an error",
                    "`{name}` 需要工作进程，但 `num_workers` 为 0；torch 会报错"
                ),
            )
            .with_help(message!(
                "set `num_workers` to at least 1, or remove `{name}`",
                "把 `num_workers` 设为 1 或更大，或去掉 `{name}`"
            ));
        if let Some(workers) = workers {
            finding = finding.with_related(workers.place, message!("`num_workers` is 0 here", "此处 `num_workers` 为 0"));
        }
        if let Some(fix) = calls::remove_argument(cx.project, call, given, Applicability::Safe) {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}

/// Arguments that exclude each other.
fn pairs(cx: &Context<'_>, call: &LibraryCall, out: &mut Sink) {
    let is = |name: &str, value: &Value| known_argument(call, name).is_some_and(|(_, known)| known == value);
    let thing = |name: &str| {
        argument(call, name).filter(|argument| {
            argument.sole_value().is_some_and(|value| {
                matches!(value.value, ArgValue::ResultOf(_) | ArgValue::List(_) | ArgValue::Known(Value::List(_)))
            })
        })
    };
    let on = |name: &str| argument(call, name).filter(|_| is(name, &Value::Bool(true)));
    if let (Some(sampler), Some(shuffle)) = (thing("sampler"), on("shuffle")) {
        let text = message!(
            "`shuffle=True` and a sampler exclude each other; torch raises an error",
            "`shuffle=True` 与采样器互斥；torch 会报错"
        );
        let help = message!("remove shuffle: the sampler determines the order", "去掉 shuffle：顺序由采样器决定");
        if push(shuffle.place, text, help, out)
            && let Some(finding) = out.findings.pop()
        {
            let finding = finding.with_related(sampler.place, message!("the sampler", "采样器"));
            out.push(match calls::remove_argument(cx.project, call, shuffle, Applicability::Safe) {
                Some(fix) => finding.with_fix(fix),
                None => finding,
            });
        }
    }
    if let Some(batches) = thing("batch_sampler") {
        let size = argument(call, "batch_size")
            .filter(|_| known_argument(call, "batch_size").is_some_and(|(_, value)| !matches!(value, Value::Int(1))));
        let other = size.or_else(|| on("shuffle")).or_else(|| thing("sampler")).or_else(|| on("drop_last"));
        if let Some(other) = other {
            let name = other.name.as_deref().unwrap_or("batch_size");
            let text = message!(
                "`{name}` and a batch sampler exclude each other; torch raises an error",
                "`{name}` 与批采样器互斥；torch 会报错"
            );
            let help = message!("remove `{name}`: the batch sampler determines it", "去掉 `{name}`：由批采样器决定");
            if push(other.place, text, help, out)
                && let Some(finding) = out.findings.pop()
            {
                out.push(finding.with_related(batches.place, message!("the batch sampler", "批采样器")));
            }
        }
    } else if is("batch_size", &Value::Null)
        && let Some(drop) = on("drop_last")
    {
        let text = message!(
            "`drop_last` has no batches to drop with `batch_size=None`; torch raises an error",
            "`batch_size=None` 时不成批，`drop_last` 没有可丢弃的批次；torch 会报错"
        );
        push(drop.place, text, message!("remove `drop_last`", "去掉 `drop_last`"), out);
    }
}
