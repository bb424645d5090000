//! # gpu-ids-not-text
//!
//! `gpu_ids` is a list or a number; accelerate expects a string.
//!
//! ## Why it matters
//! `accelerate launch` calls `gpu_ids.split(",")` for every distributed type. `[0]` and `0` have no `split`, so the launch crashes before
//! any process starts.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! gpu_ids: [0]
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! gpu_ids: '0'
//! ```
//!
//! ## Fix
//! Safe: the same ids, joined with commas, as a quoted string.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1258`, run: `'list' object has no attribute 'split'`.
//!
//! # 中文
//!
//! `gpu_ids` 写成了列表或数字；accelerate 要求字符串。
//!
//! ## 为什么重要
//! 不论分布式类型是什么，`accelerate launch` 都会调用 `gpu_ids.split(",")`。`[0]` 与 `0` 没有 `split`，尚未启动任何进程就会崩溃。
//!
//! ## 修复
//! 安全：同样的编号，用逗号连接并加引号。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1258`，实际运行：`'list' object has no attribute 'split'`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::FileKind;
use vramlint_syntax::data::{Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL102", "gpu-ids-not-text", Severity::Error, page!("gpu_ids_not_text.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files_of(FileKind::Accelerate) {
        let Some(node) = file.data().and_then(|data| data.root()?.get("gpu_ids")) else { continue };
        let loader = if file.is_json() { Loader::Json } else { Loader::PyYaml };
        let Some(value) = node.value(loader) else { continue };
        // A flag of every run that uses the file replaces the value.
        let mut runs = cx.project.runs_of(file.id).filter(|run| run.accelerate == Some(file.id)).peekable();
        let replaced =
            runs.peek().is_some() && runs.all(|run| run.launch.as_ref().is_some_and(|launch| launch.flag("--gpu_ids").is_some()));
        if replaced || matches!(value, Value::Null | Value::Text(_)) {
            continue;
        }
        out.push(finding(file.id, node, &value, loader));
    }
}

fn finding(file: vramlint_base::FileId, node: NodeRef<'_>, value: &Value, loader: Loader) -> vramlint_base::Finding {
    let place = FileRange::new(file, node.range());
    let kind = value.python_type();
    let finding = RULE
        .finding(
            place,
            message!(
                "`gpu_ids` is {value}, a Python {kind}; accelerate expects a string such as '0,1'",
                "`gpu_ids` 为 {value}，是 Python 的 {kind}；accelerate 要求字符串，如 '0,1'"
            ),
        )
        .with_help(message!(
            "write the ids as a quoted string, joined with commas, or `all`",
            "写成用逗号连接并加引号的字符串，或写 `all`"
        ));
    match ids(value) {
        Some(ids) => {
            let quoted = if loader == Loader::Json { format!("\"{ids}\"") } else { format!("'{ids}'") };
            finding.with_fix(Fix {
                title: message!("write {quoted}", "写作 {quoted}"),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(place, quoted)],
            })
        }
        None => finding,
    }
}

/// `[0, 1]` as `0,1`.
fn ids(value: &Value) -> Option<String> {
    match value {
        Value::Int(id) if *id >= 0 => Some(id.to_string()),
        Value::List(items) if !items.is_empty() => {
            let ids: Option<Vec<String>> = items
                .iter()
                .map(|item| match item {
                    Value::Int(id) if *id >= 0 => Some(id.to_string()),
                    Value::Text(text) if text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty() => Some(text.clone()),
                    _ => None,
                })
                .collect();
            Some(ids?.join(","))
        }
        _ => None,
    }
}
