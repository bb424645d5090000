//! # yaml-boolean-trap
//!
//! An unquoted `NO`, `off` or `yes` in place of a string: YAML 1.1 parses it as a boolean.
//!
//! ## Why it matters
//! PyYAML parses `distributed_type: NO` as `False`. accelerate then has no type: it starts one process only if `num_processes`
//! is set, and raises an error otherwise. `mixed_precision: no` fails with `'bool' object has no attribute 'lower'`.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: NO
//! num_processes: 1
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! ```
//!
//! ## Fix
//! Safe: quotes the name, `'NO'` or `'no'`. The key does not accept a boolean, so the string must be intended. No fix for `yes`
//! and `on`.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py`; accelerate 1.15.0 `commands/launch.py:1306`, `utils/launch.py:169`, run; transformers 5.23.0
//! `IntervalStrategy`, `SaveStrategy`, run.
//!
//! # 中文
//!
//! 本应是字符串的位置写了未加引号的 `NO`、`off` 或 `yes`：YAML 1.1 会解析为布尔值。
//!
//! ## 为什么重要
//! PyYAML 把 `distributed_type: NO` 解析为 `False`。此时 accelerate 没有得到类型：只有设置了 `num_processes` 才会启动一个进程，
//! 否则会报错。`mixed_precision: no` 会以 `'bool' object has no attribute 'lower'` 失败。
//!
//! ## 修复
//! 安全：改为加引号的 `'NO'` 或 `'no'`；该键不接受布尔值，因此本意必然是字符串。对 `yes` 与 `on` 不提供修复。
//!
//! ## 来源
//! PyYAML 6.0.3 `resolver.py`；accelerate 1.15.0 `commands/launch.py:1306`、`utils/launch.py:169`，实际运行；transformers 5.23.0
//! `IntervalStrategy`、`SaveStrategy`，实际运行。

use crate::syntax_and_keys::loads::{Load, loads};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Message, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, KindConfidence, Project, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::NoEffect],
    ..Rule::new("VL005", "yaml-boolean-trap", Severity::Warning, page!("yaml_boolean_trap.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let loads = loads(cx.project);
    for file in &cx.project.files {
        let Some(data) = file.data().filter(|data| !data.json) else { continue };
        let Some(root) = data.root() else { continue };
        let calls = loads.get(&file.id).map_or(&[][..], Vec::as_slice);
        match cx.project.kind(file.id) {
            FileKind::Accelerate => accelerate(cx.project, file, root, out),
            // The same class takes the values, read with another loader that makes the same of them.
            FileKind::Framework(Dialect::LlamaFactory) => trainer(file, root, Severity::Warning, None, out),
            kind => {
                let arguments = calls.iter().find(|load| load.into_arguments);
                let trainers = matches!(kind, FileKind::Framework(Dialect::HfTrainer | Dialect::Trl));
                // YAML 1.2 readers take `no` for text.
                let text = calls.iter().any(|load| load.loader == Some(Loader::Yaml12));
                if (trainers || arguments.is_some()) && !text {
                    let certain = arguments.is_some() || cx.project.class(file.id).confidence >= KindConfidence::Recognized;
                    let severity = if certain { Severity::Error } else { Severity::Warning };
                    trainer(file, root, severity, arguments, out);
                }
            }
        }
    }
}

/// Keys of accelerate's file that take a name, never a boolean.
const NAMES: &[&[&str]] = &[
    &["distributed_type"],
    &["mixed_precision"],
    &["dynamo_backend"],
    &["dynamo_config", "dynamo_backend"],
    &["dynamo_config", "backend"],
];

fn accelerate(project: &Project, file: &SourceFile, root: NodeRef<'_>, out: &mut Sink) {
    // Another class, with other rules, reads the file of a cluster at Amazon.
    if root.get("compute_environment").is_some_and(|node| node.text() != Some("LOCAL_MACHINE")) {
        return;
    }
    for path in NAMES {
        let Some(node) = root.at(path) else { continue };
        let Some(Value::Bool(value)) = node.value(Loader::PyYaml) else { continue };
        let key = path[path.len() - 1];
        if replaced(project, file, key) {
            continue;
        }
        let (severity, help) = match key {
            "distributed_type" if value => (
                Severity::Warning,
                message!(
                    "write the name of a distributed type, such as 'NO' or MULTI_GPU",
                    "请写分布式类型的名称，例如 'NO' 或 MULTI_GPU"
                ),
            ),
            "distributed_type" => distributed_type(project, file, root),
            _ => (Severity::Error, crash(key)),
        };
        out.push(finding(file, node, key, value, severity, help));
    }
}

/// Whether a flag of every launch that uses the file replaces the value.
fn replaced(project: &Project, file: &SourceFile, key: &str) -> bool {
    let flags: &[&str] = match key {
        "distributed_type" => &["--multi_gpu", "--use_deepspeed", "--use_fsdp", "--use_megatron_lm", "--tpu"],
        "mixed_precision" => &["--mixed_precision"],
        _ => &["--dynamo_backend"],
    };
    let mut runs = project.runs_of(file.id).filter(|run| run.accelerate == Some(file.id)).peekable();
    let given = |run: &vramlint_resolve::Run| {
        run.launch.as_ref().is_some_and(|launch| flags.iter().any(|flag| launch.flag(flag).is_some()))
    };
    runs.peek().is_some() && runs.all(given)
}

fn distributed_type(project: &Project, file: &SourceFile, root: NodeRef<'_>) -> (Severity, Message) {
    let counted = root.get("num_processes").is_some_and(|node| !matches!(node.value(Loader::PyYaml), None | Some(Value::Null)));
    let by_flag = |run: &vramlint_resolve::Run| run.settings.get(&Concept::NumProcesses).is_some_and(|s| s.value().is_some());
    let mut runs = project.runs_of(file.id).peekable();
    let refused = !counted && (runs.peek().is_none() || runs.any(|run| !by_flag(run)));
    if refused && !project.is_documentation_snippet(file.id) {
        let help = message!(
            "quote it; otherwise accelerate requires --num_processes and stops (commands/launch.py:1306)",
            "请加引号；否则 accelerate 会要求给出 --num_processes 并停止（commands/launch.py:1306）"
        );
        return (Severity::Error, help);
    }
    let help = message!(
        "quote it; the launch works only because num_processes is set",
        "请加引号；目前只因设置了 num_processes 才能启动"
    );
    (Severity::Info, help)
}

fn crash(key: &str) -> Message {
    let method = if key.contains("dynamo") || key == "backend" { "upper" } else { "lower" };
    message!(
        "quote it; accelerate stops with 'bool' object has no attribute '{method}'",
        "请加引号；accelerate 会因 'bool' object has no attribute '{method}' 停止"
    )
}

/// Keys of transformers' arguments that take a strategy.
const STRATEGIES: &[&str] = &["eval_strategy", "save_strategy", "logging_strategy", "evaluation_strategy"];

fn trainer(file: &SourceFile, root: NodeRef<'_>, severity: Severity, call: Option<&Load>, out: &mut Sink) {
    for key in STRATEGIES {
        let Some(node) = root.get(key) else { continue };
        if let Some(Value::Bool(value)) = node.value(Loader::PyYaml) {
            let help = message!(
                "quote it; transformers accepts 'no', 'steps' or 'epoch', and rejects a boolean",
                "请加引号；transformers 只接受 'no'、'steps' 或 'epoch'，拒绝布尔值"
            );
            let mut finding = finding(file, node, key, value, severity, help);
            if let Some(load) = call {
                finding = finding.with_related(load.place, message!("read here", "在此读取"));
            }
            out.push(finding);
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
    // The text of an alias is at its anchor.
    let target = node.follow();
    let place = FileRange::new(file.id, node.range());
    let fix_at = FileRange::new(file.id, target.range());
    let finding = RULE
        .finding(
            place,
            message!(
                "YAML 1.1 parses `{key}: {written}` as the boolean `{read}`",
                "YAML 1.1 把 `{key}: {written}` 解析为布尔值 `{read}`"
            ),
        )
        .with_severity(severity)
        .with_help(help);
    // `off` and `false` stand for the name of "none"; what `yes` was meant to be is not known.
    let quoted = match key {
        _ if value => return finding,
        "distributed_type" => "'NO'",
        _ if written.eq_ignore_ascii_case("no") && !key.ends_with("strategy") => &format!("'{written}'"),
        _ => "'no'",
    };
    finding.with_fix(Fix {
        title: message!("write {quoted}", "改为 {quoted}"),
        applicability: Applicability::Safe,
        edits: vec![edit::replace(fix_at, quoted)],
    })
}
