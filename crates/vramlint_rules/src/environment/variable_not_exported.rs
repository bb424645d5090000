//! # variable-not-exported
//!
//! A script sets a variable that the program it starts never sees.
//!
//! ## Why it matters
//! `CUDA_VISIBLE_DEVICES=0,1` on its own line is a shell variable. Without `export`, the program started after it does not get the
//! variable: all GPUs are visible, and the allocator uses its defaults.
//!
//! ## Example
//! ```bash file=launch.sh
//! CUDA_VISIBLE_DEVICES=0,1
//! python train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! export CUDA_VISIBLE_DEVICES=0,1
//! python train.py
//! ```
//!
//! ## Fix
//! Unsafe: adds `export`. The shell that runs the script may already have exported the variable.
//!
//! ## When it stays silent
//! If the script uses the variable itself (`$CUDA_VISIBLE_DEVICES`), or if no program starts after it.
//!
//! ## Sources
//! POSIX.1-2024, Shell Command Language, 2.12 "Shell Execution Environment".
//!
//! # 中文
//!
//! 脚本设置了变量，但它启动的程序看不到。
//!
//! ## 为什么重要
//! 单独一行的 `CUDA_VISIBLE_DEVICES=0,1` 只是 shell 的变量。没有 `export`，其后的程序得不到该变量：所有 GPU 都可见，分配器也使用默认设置。
//!
//! ## 修复
//! 不安全：在前面加 `export`。运行脚本的 shell 可能早已导出该变量。
//!
//! ## 何时不报
//! 脚本自己使用了该变量（`$CUDA_VISIBLE_DEVICES`），或其后没有启动程序。
//!
//! ## 来源
//! POSIX.1-2024，Shell Command Language，2.12 “Shell Execution Environment”。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, TextRange, message};
use vramlint_edit as edit;
use vramlint_resolve::Feature;
use vramlint_resolve::environment::{Setter, VariableAssignment};
use vramlint_semantic::alloc_conf::VARIABLES;

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL807", "variable-not-exported", Severity::Warning, page!("variable_not_exported.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for set in cx.project.environment() {
        let ours = set.name == super::visible_devices_misread::VARIABLE || VARIABLES.contains(&set.name.as_str());
        if set.exported || !ours || set.setter != Setter::Bash || cx.project.is_documentation_snippet(set.file) {
            continue;
        }
        let file = cx.project.file(set.file);
        let name = &set.name;
        let used = [format!("${name}"), format!("${{{name}")].iter().any(|reference| file.mentions(reference));
        // A host that is not itself a script (a Makefile) passes variables in other ways. In a scheduler's job, or in a script that sources
        // another, the environment may already contain it: bash then passes it on.
        let before = set.full_range.range.start as usize;
        let taken_in = cx.project.features(file.id).has(Feature::JobEnvironment)
            || file.text[..before].lines().any(|line| {
                let line = line.trim_start();
                line.starts_with("source ") || line.starts_with(". ")
            });
        let marked = file.text.lines().any(|line| {
            let mut words = line.split_whitespace();
            matches!(words.next(), Some("export" | "declare" | "typeset")) && words.any(|word| word == name)
        });
        let elsewhere =
            cx.project.environment().iter().any(|other| other.file != set.file && other.name == *name && other.exported);
        if taken_in || marked || elsewhere {
            continue;
        }
        if used || file.host.is_some() || cx.project.features(file.id).has(Feature::ExportAll) {
            continue;
        }
        let behind = |launch: &&std::sync::Arc<vramlint_resolve::launch::Launch>| {
            launch.file == set.file && launch.range.start > set.full_range.range.end
        };
        let mut launches = cx.project.launches.iter().filter(behind).peekable();
        if let Some(first) = launches.peek().copied().cloned()
            && launches.all(|launch| launch.variable(name).is_none())
        {
            out.push(finding(set, FileRange::new(first.file, first.range)));
        }
    }
}

fn finding(set: &VariableAssignment, launch: FileRange) -> vramlint_base::Finding {
    let name = &set.name;
    let start = set.full_range.range.start;
    RULE.finding(set.full_range, message!("`{name}` is set but not exported", "`{name}` 已设置但未导出"))
        .with_related(launch, message!("started without it", "启动时没有它"))
        .with_help(message!("the program does not see it; add export before it", "程序看不到它；请在前面加 export"))
        .with_fix(Fix {
            title: message!("export it", "导出它"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(FileRange::new(set.file, TextRange::at(start)), "export ")],
        })
}
