//! # allocator-setting-unsupported
//!
//! `expandable_segments` is set on Windows, where torch does not support it.
//!
//! ## Why it matters
//! Expandable segments map memory with the CUDA driver's virtual memory functions, which torch uses on Linux only. On Windows it prints one
//! warning and continues without them: the fragmentation remains.
//!
//! ## Example
//! ```powershell file=train.ps1
//! $env:PYTORCH_CUDA_ALLOC_CONF = "expandable_segments:True"
//! python train.py
//! ```
//!
//! ## Use instead
//! ```powershell file=train.ps1
//! $env:PYTORCH_CUDA_ALLOC_CONF = "max_split_size_mb:128"
//! python train.py
//! ```
//!
//! ## Fix
//! None: use smaller batches, `max_split_size_mb`, or WSL with a bash script.
//!
//! ## Severity
//! PowerShell also runs on Linux: info unless `vramlint.toml` has `os = "windows"` or the file is a batch file.
//!
//! ## Sources
//! torch `c10/cuda/CUDAAllocatorConfig.cpp`: "expandable_segments not supported on this platform" without
//! `PYTORCH_C10_DRIVER_API_SUPPORTED`, which `c10/cuda/CMakeLists.txt` defines on systems other than Windows, read.
//!
//! # 中文
//!
//! 在 Windows 上设置了 `expandable_segments`，而 torch 在那里不支持。
//!
//! ## 为什么重要
//! 可扩展段用 CUDA 驱动的虚拟内存函数映射显存，torch 只在 Linux 上使用它们。在 Windows 上它打印一条警告后照常继续：碎片问题依旧存在。
//!
//! ## 修复
//! 无：减小批大小、使用 `max_split_size_mb`，或改用 WSL（那里的脚本是 bash）。
//!
//! ## 严重程度
//! PowerShell 也能在 Linux 上运行：`vramlint.toml` 没有写 `os = "windows"`、文件也不是批处理文件时，仅作提示。
//!
//! ## 来源
//! torch `c10/cuda/CUDAAllocatorConfig.cpp`：没有 `PYTORCH_C10_DRIVER_API_SUPPORTED` 时提示 "expandable_segments not supported on
//! this platform"；`c10/cuda/CMakeLists.txt` 只在 Windows 以外的系统定义它，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_resolve::Feature;
use vramlint_resolve::environment::Setter;
use vramlint_semantic::alloc_conf::VARIABLES;

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::new("VL802", "allocator-setting-unsupported", Severity::Warning, page!("allocator_setting_unsupported.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for set in cx.project.environment().iter().filter(|set| set.exported && VARIABLES.contains(&set.name.as_str())) {
        let Some(value) = &set.value else { continue };
        let bare: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        if !bare.to_lowercase().contains("expandable_segments:true") {
            continue;
        }
        let os = cx.project.policy(set.file).target.os.as_deref();
        let severity = match (os, set.setter) {
            (Some("windows"), _) | (None, Setter::Batch) => Severity::Warning,
            (None, Setter::PowerShell) if !cx.project.features(set.file).has(Feature::UnixPath) => Severity::Info,
            _ => continue,
        };
        let finding = RULE
            .finding(
                set.place,
                message!(
                    "torch does not support `expandable_segments` on Windows",
                    "torch 在 Windows 上不支持 `expandable_segments`"
                ),
            )
            .with_severity(severity)
            .with_help(message!(
                "remove it; `max_split_size_mb` works on Windows",
                "去掉它；`max_split_size_mb` 在 Windows 上有效"
            ));
        out.push(finding);
    }
}
