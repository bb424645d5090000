//! # environment-set-too-late
//!
//! Python sets a variable that CUDA or torch has already read.
//!
//! ## Why it matters
//! The driver reads `CUDA_VISIBLE_DEVICES` once, when the process initializes CUDA; torch reads `PYTORCH_CUDA_ALLOC_CONF` with its first
//! allocation. Calls such as `torch.cuda.get_device_name()` and `torch.cuda.set_device()` trigger this: a variable set after them silently
//! has no effect. `import torch` alone does not trigger it.
//!
//! ## Example
//! ```python file=train.py
//! import os
//!
//! import torch
//!
//! print(torch.cuda.get_device_name(0))
//! os.environ["CUDA_VISIBLE_DEVICES"] = "1"
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import os
//!
//! os.environ["CUDA_VISIBLE_DEVICES"] = "1"
//! import torch
//!
//! print(torch.cuda.get_device_name(0))
//! ```
//!
//! ## Fix
//! None: move the line before the first use of CUDA, or set the variable in the script that starts the program.
//!
//! ## When it stays silent
//! In branches and loops, across functions, and for the environment of a child process.
//!
//! ## Sources
//! torch 2.15.0 `torch/cuda/__init__.py` `_lazy_init`, read; CUDA C++ Programming Guide, "CUDA Environment Variables".
//!
//! # 中文
//!
//! Python 设置了 CUDA 或 torch 已经读过的变量。
//!
//! ## 为什么重要
//! 驱动只在进程初始化 CUDA 时读取一次 `CUDA_VISIBLE_DEVICES`；torch 在第一次分配显存时读取 `PYTORCH_CUDA_ALLOC_CONF`。
//! `torch.cuda.get_device_name()`、`torch.cuda.set_device()` 等调用都会提前触发：其后再设置会静默失效。仅 `import torch` 不会触发。
//!
//! ## 修复
//! 无：把这一行移到首次使用 CUDA 之前，或在启动程序的脚本中设置该变量。
//!
//! ## 何时不报
//! 位于分支或循环中、跨函数，或为子进程准备的环境。
//!
//! ## 来源
//! torch 2.15.0 `torch/cuda/__init__.py` 的 `_lazy_init`，阅读源码；CUDA C++ Programming Guide 的 “CUDA Environment Variables”。

use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{FileRange, Severity, TextRange, Value, message};
use vramlint_resolve::environment::{Setter, VariableAssignment};
use vramlint_resolve::{Feature, SourceFile};
use vramlint_semantic::alloc_conf::VARIABLES;
use vramlint_syntax::python::{Call, Expr, ExprKind, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL805", "environment-set-too-late", Severity::Warning, page!("environment_set_too_late.rs"), check)
};

/// Functions of `torch.cuda` that initialize CUDA.
const INITIALISE: &[&str] = &[
    "init",
    "current_device",
    "set_device",
    "get_device_name",
    "get_device_properties",
    "get_device_capability",
    "mem_get_info",
    "synchronize",
    "current_stream",
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let sets = cx.project.environment();
    for sets in sets.chunk_by(|a, b| a.file == b.file) {
        let Some(file) = sets.first().map(|set| cx.project.file(set.file)) else { continue };
        let features = cx.project.features(file.id);
        let Some(module) = file.python_if(features.has(Feature::Cuda) && !cx.project.is_documentation_snippet(file.id)) else {
            continue;
        };
        let late = |set: &&VariableAssignment| {
            let ours = set.name == super::visible_devices_misread::VARIABLE || VARIABLES.contains(&set.name.as_str());
            // Among the entries of a dict, only those of the process's own environment count.
            let own = set.full_range.range.slice(&file.text).starts_with("os.environ");
            ours && set.setter == Setter::Python && !set.conditional && own
        };
        // Programs and workers that start afterwards inherit it.
        if features.has(Feature::ProcessStart) {
            continue;
        }
        for set in sets.iter().filter(late) {
            if let Some((call, allocates)) = first_use(module, set.full_range.range) {
                let allocator = set.name != super::visible_devices_misread::VARIABLE;
                if !allocator || allocates {
                    out.push(finding(set, FileRange::new(set.file, call), file));
                }
            }
        }
    }
}

/// The first call before a place that certainly initializes CUDA, in the same function or at module level; and whether it allocates.
fn first_use(module: &Module, set: TextRange) -> Option<(TextRange, bool)> {
    let own = module.statements().find(|located| {
        located.stmt.range.start <= set.start && set.end <= located.stmt.range.end && located.stmt.bodies().is_empty()
    })?;
    let scope = own.context.path();
    let before =
        module.calls().filter(|site| site.expr.range.end <= set.start && site.is_straight() && site.context.path() == scope);
    let devices = devices(module);
    let mut first = None;
    for site in before {
        match uses(site.call, &devices) {
            Some(true) => return Some((site.expr.range, true)),
            Some(false) => first = first.or(Some((site.expr.range, false))),
            None => {}
        }
    }
    first
}

/// Whether a call initializes CUDA and, if so, whether it allocates.
fn uses(call: &Call, devices: &BTreeSet<&str>) -> Option<bool> {
    let path = call.callee.dotted().unwrap_or_default();
    if let Some(name) = path.strip_prefix("torch.cuda.") {
        return INITIALISE.contains(&name).then_some(false);
    }
    let on_cuda = |value: &Value| value.as_str().is_some_and(|text| text == "cuda" || text.starts_with("cuda:"));
    let named = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if devices.contains(name.as_str()));
    let is_cuda = |expr: &Expr| expr.as_value().is_some_and(on_cuda) || named(expr);
    let device = call.keyword("device").is_some_and(|arg| is_cuda(&arg.value));
    if path.starts_with("torch.") && device && !path.ends_with("device") {
        return Some(true);
    }
    // `.to("cuda")` on any object.
    let to = call.name() == Some("to") && call.positional(0).is_some_and(|arg| is_cuda(&arg.value));
    to.then_some(true)
}

/// Names that mean the GPU anywhere in the module: `device = torch.device("cuda")`.
fn devices(module: &Module) -> BTreeSet<&str> {
    let (mut gpu, mut other) = (BTreeSet::new(), BTreeSet::new());
    for located in module.statements() {
        let StmtKind::Assign { targets, value, .. } = &located.stmt.kind else { continue };
        let is_gpu = value.as_ref().is_some_and(|value| {
            let text = match &value.kind {
                ExprKind::Call(call) if call.callee.dotted().as_deref() == Some("torch.device") => {
                    call.positional(0).and_then(|arg| arg.value.as_str())
                }
                _ => value.as_str(),
            };
            text.is_some_and(|text| text == "cuda" || text.starts_with("cuda:"))
        });
        for target in targets {
            if let ExprKind::Name(name) = &target.kind {
                if is_gpu {
                    gpu.insert(name.as_str())
                } else {
                    other.insert(name.as_str())
                };
            }
        }
    }
    gpu.difference(&other).copied().collect()
}

fn finding(set: &VariableAssignment, call: FileRange, file: &SourceFile) -> vramlint_base::Finding {
    let name = &set.name;
    let used = call.range.slice(&file.text);
    let used: String = used.lines().next().unwrap_or_default().chars().take(60).collect();
    RULE.finding(
        set.full_range,
        message!(
            "`{name}` is set after the first use of CUDA and has no effect",
            "`{name}` 在首次使用 CUDA 之后才设置，不起作用"
        ),
    )
    .with_related(call, message!("`{used}` initializes CUDA", "`{used}` 会初始化 CUDA"))
    .with_help(message!(
        "set it before that call, or in the script that starts the program",
        "请在该调用之前设置，或在启动程序的脚本中设置"
    ))
}
