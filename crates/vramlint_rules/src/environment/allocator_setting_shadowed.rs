//! # allocator-setting-shadowed
//!
//! Two variables configure torch's allocator; torch reads only one of them.
//!
//! ## Why it matters
//! torch reads the first of `PYTORCH_CUDA_ALLOC_CONF`, `PYTORCH_HIP_ALLOC_CONF` and `PYTORCH_ALLOC_CONF` that is set. The others are not
//! even parsed: their settings have no effect, and mistakes in them are never reported.
//!
//! ## Example
//! ```bash file=launch.sh
//! export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64
//! export PYTORCH_ALLOC_CONF=expandable_segments:True
//! python train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64,expandable_segments:True
//! python train.py
//! ```
//!
//! ## Fix
//! None: it is not known which variable is intended, or whether the two should be joined.
//!
//! ## When it stays silent
//! If both have the same value, as in scripts for several versions of torch.
//!
//! ## Sources
//! torch 2.15.0, run with every pair of the three variables; `c10/core/AllocatorConfig.h`.
//!
//! # 中文
//!
//! 两个变量同时配置 torch 的分配器；torch 只读其中一个。
//!
//! ## 为什么重要
//! torch 依次查找 `PYTORCH_CUDA_ALLOC_CONF`、`PYTORCH_HIP_ALLOC_CONF`、`PYTORCH_ALLOC_CONF`，只取第一个已设置的。其余的甚至不会被
//! 解析：其中的设置无效，写错了也不会报告。
//!
//! ## 修复
//! 无：无法得知要保留哪一个，还是要合并两者。
//!
//! ## 何时不报
//! 两者内容相同，例如兼容多个 torch 版本的脚本。
//!
//! ## 来源
//! torch 2.15.0，三个变量两两组合实际运行；`c10/core/AllocatorConfig.h`。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{FileId, FileRange, Severity, message};
use vramlint_resolve::SourceFile;
use vramlint_resolve::environment::{Setter, VariableAssignment};
use vramlint_semantic::alloc_conf::VARIABLES;

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL803", "allocator-setting-shadowed", Severity::Warning, page!("allocator_setting_shadowed.rs"), check)
};

/// One variable that is set: its index in [`VARIABLES`], its value, its place.
type InForce<'a> = (usize, Option<&'a str>, FileRange);

fn check(cx: &Context<'_>, out: &mut Sink) {
    let sets = cx.project.environment();
    for file in sets.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = file.first() else { continue };
        let source = cx.project.file(first.file);
        if source.is_script() {
            script(source, out);
        } else {
            together(file, out);
        }
    }
}

/// What each command of a script sees.
fn script(file: &SourceFile, out: &mut Sink) {
    for command in file.script().into_iter().flat_map(|script| &script.commands) {
        let seen = VARIABLES.iter().enumerate().filter_map(|(number, name)| {
            let made = command.environment.iter().rev().find(|made| made.name == *name)?;
            Some((number, made.value.text(), FileRange::new(file.id, made.range)))
        });
        compare(&seen.collect::<Vec<_>>(), out);
    }
}

/// One of each in a file that is not a script: they are in one mapping, or in one program.
fn together(sets: &[VariableAssignment], out: &mut Sink) {
    let mut seen: Vec<InForce<'_>> = Vec::new();
    for (number, name) in VARIABLES.iter().enumerate() {
        let mut own = sets.iter().filter(|set| set.name == *name);
        if let (Some(set), None) = (own.next(), own.next()) {
            let near = set.setter != Setter::Data || seen.iter().all(|(_, _, place)| near(*place, set.full_range));
            if !set.conditional && near {
                seen.push((number, set.value.as_deref(), set.full_range));
            }
        }
    }
    compare(&seen, out);
}

/// Whether two entries are close enough to belong to one mapping.
fn near(a: FileRange, b: FileRange) -> bool {
    let same = |a: FileId, b: FileId| a == b;
    same(a.file, b.file) && a.range.start.abs_diff(b.range.start) < 400
}

fn compare(seen: &[InForce<'_>], out: &mut Sink) {
    let Some(((winner, Some(value), at), others)) = seen.split_first() else { return };
    for (loser, other, place) in others {
        let same = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        if other.is_none_or(|other| other.trim().is_empty() || same(other) == same(value)) || value.trim().is_empty() {
            continue;
        }
        if !out.mark_reported(*place) {
            continue;
        }
        let (winner, loser) = (VARIABLES[*winner], VARIABLES[*loser]);
        let finding = RULE
            .finding(*place, message!("torch reads `{winner}` and ignores `{loser}`", "torch 读取 `{winner}`，忽略 `{loser}`"))
            .with_related(*at, message!("`{winner}` is set here", "`{winner}` 在此设置"))
            .with_help(message!("join the settings in one variable", "把设置合并到一个变量中"));
        out.push(finding);
    }
}
