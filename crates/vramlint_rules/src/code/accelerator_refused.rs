//! # accelerator-refused
//!
//! `Accelerator()` is given a value or a keyword that accelerate refuses.
//!
//! ## Why it matters
//! `mixed_precision` is `no`, `fp16`, `bf16` or `fp8`, in lower case: `fp32`, `BF16` and `False` are refused. Settings of the loader
//! (`dispatch_batches`, `even_batches`) moved into `DataLoaderConfiguration`, and `logging_dir` into `ProjectConfiguration`.
//!
//! ## Example
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(mixed_precision="fp32")
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(mixed_precision="no")
//! ```
//!
//! ## Fix
//! Safe: `"no"` for `"fp32"` and `False`, the name in lower case, `"fp16"` for `"float16"`.
//!
//! ## When it is milder
//! Keywords that moved are advice where the version of accelerate is not known.
//!
//! ## When it is silent
//! Where the value comes from the command line or a branch; where a handler catches the error.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:315` and the signature of `Accelerator`, run; the keywords are gone since 1.0.0, read.
//!
//! # 中文
//!
//! `Accelerator(…)` 收到 accelerate 会拒绝的值或关键字。
//!
//! ## 为什么重要
//! `mixed_precision` 只能是小写的 `no`、`fp16`、`bf16`、`fp8`：`fp32`、`BF16`、`False` 会被拒绝。数据加载的设置（`dispatch_batches`、
//! `even_batches`）已移到 `DataLoaderConfiguration`，`logging_dir` 已移到 `ProjectConfiguration`。
//!
//! ## 何时较轻
//! 无法得知 accelerate 版本时，已移走的关键字仅作提示。
//!
//! ## 何时不报
//! 值来自命令行或分支；错误会被异常处理捕获。
//!
//! ## 修复
//! 安全：`"fp32"` 与 `False` 改为 `"no"`，名称改为小写，`"float16"` 改为 `"fp16"`。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:315` 与 `Accelerator` 的签名，实际运行；这些关键字自 1.0.0 起移除，阅读源码。

use crate::rule::{Build, Once};
use crate::{Context, Group, Rule, Sink, calls, gate};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::code::{CallWhat, LibraryCall};
use vramlint_resolve::versions::Span;

pub(crate) static RULE: Rule = Rule {
    code: "VL603",
    name: "accelerator-refused",
    group: Group::Code,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("accelerator_refused.rs"),
    check: Some(check),
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
    let mut once = Once::default();
    for at in calls::made(cx) {
        let call = at.call();
        if !call.is("accelerate", "Accelerator") || call.derived {
            continue;
        }
        precision(call, &mut once, out);
        for (name, instead) in MOVED {
            let Some(argument) = call.argument(name, None) else { continue };
            let Some(severity) = gate::severity(cx, call.file, &Span::since("accelerate", "1.0.0"), Severity::Error) else {
                continue;
            };
            if once.first(argument.place) {
                out.push(
                    RULE.finding(
                        argument.place,
                        message!(
                            "Accelerator({name}=…) is refused since accelerate 1.0",
                            "自 accelerate 1.0 起，Accelerator({name}=…) 会被拒绝"
                        ),
                    )
                    .severity(severity)
                    .help(message!("give {instead} instead", "改用 {instead}")),
                );
            }
        }
    }
}

fn precision(call: &LibraryCall, once: &mut Once, out: &mut Sink) {
    let Some(argument) = call.argument("mixed_precision", None) else { return };
    let Some(value) = argument.only() else { return };
    let CallWhat::Known(known) = &value.what else { return };
    let meant = match known {
        Value::Null => return,
        Value::Text(text) if matches!(text.as_str(), "no" | "fp16" | "bf16" | "fp8") => return,
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
    if !once.first(value.place) {
        return;
    }
    let mut finding = RULE
        .finding(
            value.place,
            message!(
                "mixed_precision = {known} is refused: accelerate knows no, fp16, bf16 and fp8",
                "mixed_precision = {known} 会被拒绝：accelerate 只认 no、fp16、bf16、fp8"
            ),
        )
        .help(message!("for no mixed precision write \"no\"", "不使用混合精度时写 \"no\""));
    if !call.place.range.contains(value.place.range) {
        finding = finding.related(call.place, calls::reached(call));
    }
    if let Some(fix) = meant.and_then(|name| calls::replace(argument, value, format!("\"{name}\""), Applicability::Safe)) {
        finding = finding.fix(fix);
    }
    out.push(finding);
}
