//! DeepSpeed's file: the blocks that pydantic checks, and the keys outside of them whose values DeepSpeed compares itself.

use crate::syntax_and_keys::invalid_value::finding;
use crate::{Context, Sink};
use vramlint_base::{Evaluated, Finding, Severity, Value};
use vramlint_catalog::keys;
use vramlint_semantic::deepspeed::config::{self, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::schema::{self, Bound, KnownEntry, Strictness, Violation, check_node};
use vramlint_syntax::data::Loader;

/// Keys outside of pydantic's blocks, and the version from which on others are rejected: deepspeed 0.19.8 `runtime/config.py:190`,
/// `:230`, `:246`, `:393`, `:590`, `runtime/model_checkpointing/config.py:27`, `runtime/engine.py:1809`, each run.
const RAW: &[(&str, Option<&str>)] = &[
    ("train_batch_size", None),
    ("train_micro_batch_size_per_gpu", None),
    ("gradient_accumulation_steps", None),
    ("communication_data_type", None),
    ("seq_parallel_communication_data_type", None),
    ("gradient_allreduce_op", Some("0.19.8")),
    ("checkpoint.tag_validation", None),
    ("checkpoint.writer.type", Some("0.17.1")),
    ("checkpoint.writer.data_parallel", Some("0.17.1")),
    ("torch_autocast.dtype", Some("0.17.2")),
    ("data_types.grad_accum_dtype", None),
    ("data_types.param_dtype", Some("0.19.8")),
];

/// Of these the letters' case does not matter: DeepSpeed changes it before it compares.
const ANY_CASE: &[&str] = &[
    "communication_data_type",
    "seq_parallel_communication_data_type",
    "gradient_allreduce_op",
    "checkpoint.tag_validation",
    "checkpoint.writer.type",
    "checkpoint.writer.data_parallel",
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        for found in schema::known_entries(keys::deepspeed(), config.root) {
            let path = found.row.path.as_str();
            if schema::is_checked(path) {
                let problem = check_node(found.row, found.value, Loader::Json, Strictness::Pydantic);
                if let Some(problem @ (Violation::Set { .. } | Violation::Range { .. })) = problem {
                    out.push(violation_finding(config, &found, &problem, Severity::Error));
                } else if let Some((bound, severity)) = loss_scaling(cx, config, &found) {
                    out.push(violation_finding(config, &found, &Violation::Range { bound }, severity));
                }
            } else if let Some((_, since)) = RAW.iter().find(|(raw, _)| *raw == path) {
                raw(cx, config, &found, *since, out);
            }
        }
    }
}

fn raw(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, since: Option<&'static str>, out: &mut Sink) {
    let path = found.row.path.as_str();
    let wants =
        schema::Constraint { case_insensitive: ANY_CASE.contains(&path), nullable: true, ..schema::Constraint::of(found.row) };
    let Some(value) = found.value.value(Loader::Json) else { return };
    let problem = match &value {
        // Nobody fills it in: accelerate says so where it reads the file, else DeepSpeed compares the word with its own.
        Value::Text(text) if text == "auto" && !wants.values.is_empty() && !wants.values.contains(text) => {
            if found.row.auto.is_empty() && config.read_by(Consumers::HUGGING_FACE).is_none() {
                Violation::Set { values: wants.values.to_vec(), got: value.clone(), meant: None }
            } else {
                return;
            }
        }
        _ => match schema::check_value(&wants, &value, Strictness::Exact) {
            Some(problem @ (Violation::Set { .. } | Violation::Range { .. })) => problem,
            _ => return,
        },
    };
    let severity = match since {
        Some(since) => config::unless_older(cx.project, config.file.id, since),
        None => Some(Severity::Error),
    };
    if let Some(severity) = severity {
        out.push(violation_finding(config, found, &problem, severity));
    }
}

/// The finding. Only the case of letters tells which device or dtype was meant: `disk` is not a slip for `nvme`, `float8` none for
/// `float`.
fn violation_finding(config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>, problem: &Violation, severity: Severity) -> Finding {
    let word = found.value.text().unwrap_or_default();
    let same = |meant: &Value| meant.as_str().is_some_and(|meant| meant.eq_ignore_ascii_case(word));
    let name = found.row.path.rsplit('.').next().unwrap_or_default();
    let other = ["device", "dtype"].iter().any(|end| name.ends_with(end)) || name.ends_with("data_type");
    let problem = match problem {
        Violation::Set { values, got, meant: Some(meant) } if other && !same(meant) => {
            &Violation::Set { values: values.clone(), got: got.clone(), meant: None }
        }
        problem => problem,
    };
    finding(config.file, found, "DeepSpeed", problem, severity)
}

/// What fp16's own validators reject: a negative scale, and a window or least scale of 0 where scaling is dynamic
/// (runtime/precision_config.py:120, :183, run).
fn loss_scaling(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, found: &KnownEntry<'_>) -> Option<(Bound, Severity)> {
    let number = found.value.value(Loader::Json)?.as_float()?;
    let dynamic = || {
        let scale = config.setting("fp16.loss_scale");
        let zero = matches!(&scale, Evaluated::Known(value) if value.as_float() == Some(0.0)) || scale == Evaluated::Absent;
        zero && config.flag("fp16.enabled", false) == Some(true)
    };
    let bound = match found.row.path.as_str() {
        "fp16.loss_scale" if number < 0.0 => Bound::AtLeast(0.0),
        "fp16.loss_scale_window" | "fp16.min_loss_scale" if number <= 0.0 && dynamic() => Bound::Above(0.0),
        _ => return None,
    };
    config::recent(cx.project, config.file.id, SCALE_CHECKED).map(|severity| (bound, severity))
}

/// The first release that looks at these numbers.
const SCALE_CHECKED: &str = "0.19.5";
