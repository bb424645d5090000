//! # accelerator-refused
//!
//! `Accelerator()` gets a value or a keyword that accelerate rejects.
//!
//! ## Why it matters
//! `mixed_precision` is one of `no`, `fp16`, `bf16`, `fp8`, in lowercase: accelerate rejects `fp32`, `BF16` and `False`.
//! Settings of the data loader (`dispatch_batches`, `even_batches`) moved to `DataLoaderConfiguration`, and `logging_dir` to
//! `ProjectConfiguration`. The number of accumulation steps must be an integer, also in
//! `ACCELERATE_GRADIENT_ACCUMULATION_STEPS` (only DeepSpeed accepts `auto`), and cannot be combined with a
//! `GradientAccumulationPlugin`.
//!
//! ## Example
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(mixed_precision="fp32")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(mixed_precision="no")
//! ```
//!
//! ## Fix
//! Safe: `"fp32"` and `False` become `"no"`, names become lowercase, and `"float16"` becomes `"fp16"`.
//!
//! ## Severity
//! Moved keywords are info findings if the version of accelerate is not known. An unknown value in `ACCELERATE_MIXED_PRECISION`
//! is a warning: under `torchrun` and `python` accelerate does not reject it, and trains in fp32.
//!
//! ## When it stays silent
//! If the value comes from the command line or a branch, and if a handler catches the error.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:315`, `:541-548` and the signature of `Accelerator`, run; the keywords are gone since 1.0.0, read.
//!
//! # 中文
//!
//! `Accelerator(…)` 收到 accelerate 会拒绝的值或关键字。
//!
//! ## 为什么重要
//! `mixed_precision` 应为小写的 `no`、`fp16`、`bf16`、`fp8` 之一：accelerate 拒绝 `fp32`、`BF16`、`False`。数据加载的设置
//! （`dispatch_batches`、`even_batches`）已移到 `DataLoaderConfiguration`，`logging_dir` 已移到 `ProjectConfiguration`。梯度累
//! 积步数须为整数，`ACCELERATE_GRADIENT_ACCUMULATION_STEPS` 亦然（只有 DeepSpeed 接受 `auto`），且不能与
//! `GradientAccumulationPlugin` 同时设置。
//!
//! ## 严重程度
//! accelerate 版本未知时，已移走的关键字仅作提示。`ACCELERATE_MIXED_PRECISION` 中的未知值为警告：在 `torchrun` 与 `python` 下
//! accelerate 不会拒绝它，而是以 fp32 训练。
//!
//! ## 何时不报
//! 值来自命令行或分支；错误会被异常处理捕获。
//!
//! ## 修复
//! 安全：`"fp32"` 与 `False` 改为 `"no"`，名称改为小写，`"float16"` 改为 `"fp16"`。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:315`、`:541-548` 与 `Accelerator` 的签名，实际运行；这些关键字自 1.0.0 起移除，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_catalog::classes;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::CallRef;
use vramlint_resolve::code::{ArgValue, LibraryCall};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::{calls, version_gate};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL603", "accelerator-refused", Severity::Error, page!("accelerator_refused.rs"), check)
};

/// Gone in accelerate 1.0.0, and where they went.
const MOVED: &[(&str, &str)] = &[
    ("dispatch_batches", "dataloader_config=DataLoaderConfiguration(dispatch_batches=…)"),
    ("even_batches", "dataloader_config=DataLoaderConfiguration(even_batches=…)"),
    ("use_seedable_sampler", "dataloader_config=DataLoaderConfiguration(use_seedable_sampler=…)"),
    ("logging_dir", "project_config=ProjectConfiguration(logging_dir=…)"),
    ("fp16", "mixed_precision=\"fp16\""),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("accelerate", "Accelerator") || call.is_subclass {
            continue;
        }
        precision(call, out);
        accumulation(cx, at, out);
        precision_of_the_environment(cx, at, out);
        for (name, instead) in MOVED {
            let Some(argument) = call.argument(name, None) else { continue };
            let Some(severity) =
                version_gate::severity(cx.project, call.file, &VersionRange::since("accelerate", "1.0.0"), Severity::Error)
            else {
                continue;
            };
            if out.mark_reported(argument.place) {
                out.push(
                    RULE.finding(
                        argument.place,
                        message!(
                            "`Accelerator({name}=…)` raises an error since accelerate 1.0",
                            "自 accelerate 1.0 起，`Accelerator({name}=…)` 会报错"
                        ),
                    )
                    .with_severity(severity)
                    .with_help(message!("use {instead} instead", "改用 {instead}")),
                );
            }
        }
    }
}

fn precision(call: &LibraryCall, out: &mut Sink) {
    let Some(argument) = call.argument("mixed_precision", None) else { return };
    let Some(value) = argument.sole_value() else { return };
    let ArgValue::Known(known) = &value.value else { return };
    let meant = match known {
        Value::Null => return,
        Value::Text(text) if is_precision(text) => return,
        Value::Bool(false) => Some("no"),
        Value::Text(text) => match text.to_lowercase().strip_prefix("torch.").unwrap_or(&text.to_lowercase()) {
            "no" | "none" | "fp32" | "float32" | "false" | "off" => Some("no"),
            "fp16" | "float16" | "half" => Some("fp16"),
            "bf16" | "bfloat16" => Some("bf16"),
            "fp8" => Some("fp8"),
            _ => None,
        },
        _ => None,
    };
    if !out.mark_reported(value.place) {
        return;
    }
    let mut finding = RULE
        .finding(
            value.place,
            message!(
                "accelerate rejects mixed_precision = {known}: expected one of: no, fp16, bf16, fp8",
                "accelerate 拒绝 mixed_precision = {known}：应为 no、fp16、bf16、fp8 之一"
            ),
        )
        .with_help(message!("write \"no\" to disable mixed precision", "不使用混合精度时写 \"no\""));
    if !call.place.range.contains(value.place.range) {
        finding = finding.with_related(call.place, calls::reached_message(call));
    }
    if let Some(fix) = meant.and_then(|name| calls::replace_argument(argument, value, format!("\"{name}\""), Applicability::Safe))
    {
        finding = finding.with_fix(fix);
    }
    out.push(finding);
}

/// `int()` of the argument, or of the variable that replaces it; a plugin of its own excludes the argument (accelerator.py:541-548).
fn accumulation(cx: &Context<'_>, at: &CallRef, out: &mut Sink) {
    const VARIABLE: &str = "ACCELERATE_GRADIENT_ACCUMULATION_STEPS";
    let call = at.call();
    let argument = call.argument("gradient_accumulation_steps", Some(3));
    let plugin = call.argument("gradient_accumulation_plugin", None);
    let made = plugin
        .and_then(|plugin| at.producing_call(&plugin.sole_value()?.value))
        .is_some_and(|made| made.is("accelerate", "GradientAccumulationPlugin"));
    if let (Some(plugin), Some(argument), true) = (plugin, argument, made) {
        let steps = argument.constant().and_then(Value::as_int).filter(|steps| *steps != 1);
        if let Some(steps) = steps.filter(|_| out.mark_reported(argument.place)) {
            let message = message!(
                "Accelerator() rejects gradient_accumulation_steps={steps} together with a gradient_accumulation_plugin",
                "已给出 gradient_accumulation_plugin 时 Accelerator() 拒绝 gradient_accumulation_steps={steps}"
            );
            let finding = RULE.finding(argument.place, message).with_related(plugin.place, message!("the plugin", "插件"));
            out.push(finding.with_help(message!(
                "set the number only in `GradientAccumulationPlugin(num_steps=…)`",
                "只在 `GradientAccumulationPlugin(num_steps=…)` 中设置步数"
            )));
        }
        return;
    }
    if plugin.is_some() || call.open {
        return;
    }
    let number = |text: &str| text.trim().parse::<i64>().is_ok();
    let help = message!("set an integer, or remove it: the default is 1", "改为整数，或删除：默认为 1");
    if let Some(value) = argument.and_then(|argument| argument.sole_value())
        && let ArgValue::Known(Value::Text(text)) = &value.value
        && !number(text)
        && out.mark_reported(value.place)
    {
        let message = message!(
            "Accelerator() raises an error: gradient_accumulation_steps = '{text}' is not an integer",
            "Accelerator() 会报错：gradient_accumulation_steps = '{text}' 不是整数"
        );
        out.push(RULE.finding(value.place, message).with_help(help.clone()));
    }
    for run in at.runs(cx.project) {
        let Some(launch) = run.launch.as_deref() else { continue };
        let Some(variable) = launch.variable(VARIABLE).filter(|variable| !variable.conditional) else { continue };
        let Some(text) = variable.value.text().filter(|text| !number(text)) else { continue };
        // The launcher of DeepSpeed may write another number over it.
        if run.deepspeed.is_some() || run.int(vramlint_catalog::Concept::ZeroStage).is_some() {
            continue;
        }
        let place = launch.variable_place(variable);
        if out.mark_reported(place) {
            let message = message!(
                "Accelerator() raises an error: {VARIABLE}={text} is not an integer",
                "Accelerator() 会报错：{VARIABLE}={text} 不是整数"
            );
            out.push(
                RULE.finding(place, message).with_related(call.place, message!("read here", "在此读取")).with_help(help.clone()),
            );
        }
    }
}

/// torchrun and python pass the variable on as it is, without a check: an unknown word means no mixed precision.
fn precision_of_the_environment(cx: &Context<'_>, at: &CallRef, out: &mut Sink) {
    const VARIABLE: &str = "ACCELERATE_MIXED_PRECISION";
    let call = at.call();
    if !call.lacks("mixed_precision", Some(2)) {
        return;
    }
    for run in at.runs(cx.project).filter(|run| matches!(run.launcher, Some(Launcher::Torchrun | Launcher::Python))) {
        let Some(launch) = run.launch.as_deref() else { continue };
        let Some(variable) = launch.variable(VARIABLE).filter(|variable| !variable.conditional) else { continue };
        let Some(text) = variable.value.text() else { continue };
        if text.is_empty() || is_precision(text) {
            continue;
        }
        let place = launch.variable_place(variable);
        if out.mark_reported(place) {
            let message = message!(
                "{VARIABLE}={text} has no effect: accelerate expects one of: no, fp16, bf16, fp8, in lowercase",
                "{VARIABLE}={text} 不起作用：accelerate 需要小写的 no、fp16、bf16、fp8 之一"
            );
            out.push(
                RULE.finding(place, message)
                    .with_severity(Severity::Warning)
                    .with_related(call.place, message!("read here", "在此读取")),
            );
        }
    }
}

/// Whether accelerate takes it as `mixed_precision`.
fn is_precision(text: &str) -> bool {
    classes::values("accelerate.Accelerator", "mixed_precision").contains(&text)
}
