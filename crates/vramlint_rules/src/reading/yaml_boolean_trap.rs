//! # yaml-boolean-trap
//!
//! An unquoted `NO`, `off` or `yes` where text is expected: YAML 1.1 makes a truth value of it.
//!
//! ## Why it matters
//! PyYAML reads `distributed_type: NO` as `False`. accelerate then has no type at all: it starts one process only because
//! `num_processes` is given, and refuses the file otherwise. `mixed_precision: no` crashes with `'bool' object has no attribute
//! 'lower'`.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: NO
//! num_processes: 1
//! ```
//!
//! ## Fine
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! ```
//!
//! ## Fix
//! Safe: quotes. The text was certainly meant, since the key takes no truth value.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py`; accelerate 1.15.0 `commands/launch.py:1306`, `utils/launch.py:169`, run; transformers 5.23.0
//! `IntervalStrategy`, `SaveStrategy`, run.
//!
//! # 中文
//!
//! 本应是文本的位置写了未加引号的 `NO`、`off` 或 `yes`：YAML 1.1 会把它读成布尔值。
//!
//! ## 为什么重要
//! PyYAML 把 `distributed_type: NO` 读成 `False`。此时 accelerate 并没有得到类型：只因给出了 `num_processes` 才启动一个进程，
//! 否则会拒绝该文件。`mixed_precision: no` 会以 `'bool' object has no attribute 'lower'` 崩溃。
//!
//! ## 修复
//! 安全：加引号。该键不接受布尔值，因此写的必然是文本。

use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Fix, Message, Place, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Kind, Project, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    code: "VL005",
    name: "yaml-boolean-trap",
    group: Group::Reading,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("yaml_boolean_trap.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let Some(data) = file.data().filter(|data| !data.json) else { continue };
        let Some(root) = data.root() else { continue };
        match cx.project.kind(file.id) {
            Kind::Accelerate => accelerate(cx.project, file, root, out),
            Kind::HfTrainer | Kind::Trl => trainer(file, root, out),
            _ => {}
        }
    }
}

/// Keys of accelerate's file that take a name, never a truth value.
const NAMES: &[&[&str]] = &[
    &["distributed_type"],
    &["mixed_precision"],
    &["dynamo_backend"],
    &["dynamo_config", "dynamo_backend"],
    &["dynamo_config", "backend"],
];

fn accelerate(project: &Project, file: &SourceFile, root: NodeRef<'_>, out: &mut Sink) {
    for path in NAMES {
        let Some(node) = root.at(path) else { continue };
        let Some(Value::Bool(value)) = node.value(Loader::PyYaml) else { continue };
        let key = path[path.len() - 1];
        let (severity, help) = if key == "distributed_type" && !value {
            distributed_type(project, file, root)
        } else {
            (Severity::Error, crash(key))
        };
        out.push(finding(file, node, key, value, severity, help));
    }
}

fn distributed_type(project: &Project, file: &SourceFile, root: NodeRef<'_>) -> (Severity, Message) {
    let counted = root.get("num_processes").is_some_and(|node| !matches!(node.value(Loader::PyYaml), None | Some(Value::Null)));
    let by_flag = |run: &vramlint_resolve::Run| run.settings.get(&Concept::NumProcesses).is_some_and(|s| s.value().is_some());
    let mut runs = project.runs_of(file.id).peekable();
    let refused = !counted && (runs.peek().is_none() || runs.any(|run| !by_flag(run)));
    if refused && !project.is_fragment(file.id) {
        let help = message!(
            "accelerate then asks for --num_processes and stops (commands/launch.py:1306); quote it",
            "accelerate 会要求给出 --num_processes 并停止（commands/launch.py:1306）；请加引号"
        );
        return (Severity::Error, help);
    }
    let help = message!("it works only because num_processes is given; quote it", "只因给出了 num_processes 才能运行；请加引号");
    (Severity::Info, help)
}

fn crash(key: &str) -> Message {
    let method = if key.contains("dynamo") || key == "backend" { "upper" } else { "lower" };
    message!(
        "accelerate stops with 'bool' object has no attribute '{method}'; quote it",
        "accelerate 会因 'bool' object has no attribute '{method}' 停止；请加引号"
    )
}

/// Keys of transformers' arguments that take a strategy.
const STRATEGIES: &[&str] = &["eval_strategy", "save_strategy", "logging_strategy", "evaluation_strategy", "hub_strategy"];

fn trainer(file: &SourceFile, root: NodeRef<'_>, out: &mut Sink) {
    for key in STRATEGIES {
        let Some(node) = root.get(key) else { continue };
        if let Some(Value::Bool(value)) = node.value(Loader::PyYaml) {
            let help = message!(
                "transformers takes 'no', 'steps' or 'epoch' and refuses a truth value; quote it",
                "transformers 只接受 'no'、'steps' 或 'epoch'，不接受布尔值；请加引号"
            );
            out.push(finding(file, node, key, value, Severity::Error, help));
        }
    }
}

fn finding(
    file: &SourceFile,
    node: NodeRef<'_>,
    key: &str,
    value: bool,
    severity: Severity,
    help: Message,
) -> vramlint_base::Finding {
    let written = node.text().unwrap_or_default();
    let read = if value { "True" } else { "False" };
    let place = Place::new(file.id, node.range());
    let quoted = format!("'{}'", if key.ends_with("strategy") { written.to_lowercase() } else { written.to_owned() });
    RULE.finding(
        place,
        message!("PyYAML reads `{key}: {written}` as the truth value {read}", "PyYAML 把 `{key}: {written}` 读成布尔值 {read}"),
    )
    .severity(severity)
    .help(help)
    .fix(Fix {
        title: message!("quote it: {quoted}", "加引号：{quoted}"),
        applicability: Applicability::Safe,
        edits: vec![edit::replace(place, quoted)],
    })
}
