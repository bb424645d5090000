//! DeepSpeed's file: the blocks that pydantic checks, and the keys outside of them that stop the engine all the same.

use crate::syntax_and_keys::wrong_type::{RULE, finding};
use crate::{Context, Sink};
use vramlint_base::{Severity, Value, is_templated, message};
use vramlint_catalog::keys::{self, Key, KeyType};
use vramlint_semantic::deepspeed::config::{self, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::schema::{self, KnownEntry, Strictness, Violation, check_node};
use vramlint_syntax::data::{Loader, NodeKind};

/// Blocks that must be blocks, with what else they take: deepspeed 0.19.8 `DeepSpeedConfig`, run with every other type.
const BLOCKS: &[(&str, &[&str])] = &[
    ("activation_checkpointing", &[]),
    ("aio", &["NoneType"]),
    ("autotuning", &[]),
    ("bf16", &["NoneType"]),
    ("bfloat16", &[]),
    ("checkpoint", &[]),
    ("checkpoint.writer", &["NoneType"]),
    ("comet", &[]),
    ("comms_logger", &[]),
    ("compile", &[]),
    ("csv_monitor", &[]),
    ("data_efficiency", &[]),
    ("data_types", &[]),
    ("flops_profiler", &[]),
    ("fp16", &[]),
    ("hybrid_engine", &[]),
    ("optimizer", &[]),
    ("optimizer.params", &["NoneType"]),
    ("pipeline", &[]),
    ("scheduler", &[]),
    ("tensor_parallel", &[]),
    ("tensorboard", &[]),
    ("torch_autocast", &[]),
    ("wandb", &[]),
    ("weight_quantization", &[]),
    // `true` and `false` are its first format; the rule `zero-without-stage` reports them.
    ("zero_optimization", &["bool"]),
];

/// Keys outside of pydantic's blocks of which another type raises: the same, run.
const RAW: &[&str] = &[
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "communication_data_type",
    "seq_parallel_communication_data_type",
    "optimizer.type",
    "flops_profiler.enabled",
    "wall_clock_breakdown",
    "checkpoint.tag_validation",
    "checkpoint.writer.type",
    "checkpoint.writer.data_parallel",
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    lists(cx, out);
    for config in cx.deepspeed_configs() {
        let tuned = config.flag("autotuning.enabled", false) != Some(false);
        for found in schema::known_entries(keys::deepspeed(), config.root) {
            // DeepSpeed's tuner takes a list for the values to try, and passes on one of them.
            if tuned && found.value.items().next().is_some() {
                continue;
            }
            let path = found.row.path.as_str();
            if schema::is_checked(path) {
                checked(cx, config, &found, out);
            } else if let Some((_, others)) = BLOCKS.iter().find(|(block, _)| *block == path) {
                block(config, &found, others, out);
            } else if RAW.contains(&path) {
                raw(config, &found, out);
            } else if path == "gradient_clipping" {
                clipping(config, &found, out);
            }
        }
    }
}

/// A file whose root is a list: every reader asks it for keys.
fn lists(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx.project, vramlint_resolve::FileKind::DeepSpeed) {
        if matches!(root.raw().kind, NodeKind::Sequence(_)) && certain && !cx.project.is_documentation_snippet(file.id) {
            let message =
                message!("expected a mapping as DeepSpeed configuration, got a list", "DeepSpeed 的配置应为映射，而不是列表");
            let start = root.range().start;
            let place = vramlint_base::FileRange::new(file.id, vramlint_base::TextRange::new(start, start + 1));
            out.push(RULE.finding(place, message).with_help(message!("remove the outer brackets", "去掉最外层的方括号")));
        }
    }
}

/// A key that pydantic checks.
fn checked(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, out: &mut Sink) {
    let Some(problem) = check_node(found.row, found.value, Loader::Json, Strictness::Pydantic) else { return };
    let severity = match problem {
        Violation::Type { wanted, ref got, .. } => severity(cx, config, found.row, wanted, got),
        // pydantic takes null only where the field says so; two that hold anything and one with a validator of its own do not.
        Violation::Null if found.row.kind != KeyType::Any && found.row.path != "zero_optimization.leaf_module" => {
            severity(cx, config, found.row, found.row.kind, &Value::Null)
        }
        _ => return,
    };
    if let Some(severity) = severity {
        out.push(finding(config.file, found, "DeepSpeed", &problem, severity));
    }
}

/// pydantic reads fp16 and bf16 since 0.17.1; what pydantic 1 took elsewhere is rejected since DeepSpeed moved to pydantic 2.
fn severity(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, row: &Key, wanted: KeyType, got: &Value) -> Option<Severity> {
    let lax = matches!((wanted, got), (KeyType::Int, Value::Float(_)) | (KeyType::Text, Value::Int(_) | Value::Float(_)));
    if row.path.starts_with("fp16.") || row.path.starts_with("bf16.") {
        config::unless_older(cx.project, config.file.id, "0.17.1")
    } else if lax {
        config::unless_older(cx.project, config.file.id, "0.15")
    } else {
        Some(Severity::Error)
    }
}

fn block(config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, others: &[&str], out: &mut Sink) {
    let Some(value) = found.value.value(Loader::Json) else { return };
    let text = value.as_str().is_some_and(|text| text == "auto" || is_templated(text));
    if matches!(value, Value::Map(_)) || others.contains(&value.python_type()) || text {
        return;
    }
    let enabled =
        matches!(value, Value::Bool(_)) && keys::find(keys::deepspeed(), &format!("{}.enabled", found.row.path)).is_some();
    let meant = enabled.then(|| Value::Map(vec![(Value::Text("enabled".to_owned()), value.clone())]));
    let problem = Violation::Type { wanted: KeyType::Map, got: value, meant };
    out.push(finding(config.file, found, "DeepSpeed", &problem, Severity::Error));
}

fn raw(config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, out: &mut Sink) {
    let Some(value) = found.value.value(Loader::Json) else { return };
    if value == Value::Null || value.as_str().is_some_and(|text| text == "auto" || is_templated(text)) {
        return;
    }
    match (found.row.kind, &value) {
        // An integer with a point is as good as one without; half a sample does not exist, and no message says so.
        (KeyType::Int, Value::Float(number)) if number.fract() != 0.0 => {
            let written = found.value.range().slice(&config.file.text);
            let name = &found.row.path;
            let message = message!(
                "DeepSpeed accepts `{name}: {written}`, and computes with the fraction",
                "DeepSpeed 会接受 `{name}: {written}`，并按小数计算"
            );
            let place = vramlint_base::FileRange::new(config.file.id, found.key.range().cover(found.value.range()));
            let help = message!("write an integer", "改为整数");
            out.push(RULE.finding(place, message).with_severity(Severity::Warning).with_help(help));
        }
        (KeyType::Int, Value::Float(_)) | (KeyType::Bool, Value::Int(0 | 1)) | (KeyType::Text, Value::Text(_)) => {}
        _ => {
            let fits = schema::check_value(
                &schema::Constraint { values: &[], ..schema::Constraint::of(found.row) },
                &value,
                Strictness::Exact,
            );
            if let Some(problem @ Violation::Type { .. }) = fits {
                out.push(finding(config.file, found, "DeepSpeed", &problem, Severity::Error));
            }
        }
    }
}

/// `gradient_clipping` as text loads, and stops the first step (runtime/engine.py:3506). The Trainer compares it before.
fn clipping(config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, out: &mut Sink) {
    let text = matches!(found.value.value(Loader::Json), Some(Value::Text(text)) if text != "auto" && !is_templated(&text));
    if text && config.read_by(Consumers::PLAIN).is_some() {
        let Some(problem) = check_node(found.row, found.value, Loader::Json, Strictness::Exact) else { return };
        let found = finding(config.file, found, "DeepSpeed", &problem, Severity::Error);
        let help = message!("it loads, but the first step raises an error", "能够加载，但第一步更新会报错");
        out.push(found.with_help(help));
    }
}
