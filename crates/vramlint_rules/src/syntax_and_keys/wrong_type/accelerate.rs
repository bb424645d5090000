//! accelerate's file. No type is checked when it is read; what fails depends on the launcher's way (accelerate 1.15.0, each run).

use crate::rule::push_most_severe;
use crate::syntax_and_keys::wrong_type::RULE;
use crate::{Context, Sink};
use vramlint_base::{Applicability, Evaluated, Finding, Fix, Message, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::accelerate::deepspeed_json::is_plain_loop;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue};
use vramlint_semantic::schema::Effect;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut found = Vec::new();
    for start in cx.accelerate_launches() {
        let Some(path) = start.method() else { continue };
        found.extend(num_processes(start, path));
        found.extend(num_machines(start, path));
        found.extend(main_process_port(start, path));
        found.extend(machine_rank(start, path));
        found.extend(use_cpu(start, path));
        found.extend(mixed_precision(start, path));
        found.extend(blocks(start, path));
        if path == LaunchMethod::DeepSpeed {
            found.extend(deepspeed(start));
        }
        if path == LaunchMethod::Torchrun && start.distributed_type().is_some_and(|kind| kind.name == "FSDP") {
            found.extend(fsdp(start));
        }
        found.extend(sizes(start, path));
    }
    push_most_severe(found, out);
}

/// What a file gives: flags are words that argparse types itself.
fn in_file(answer: Evaluated<LaunchValue>) -> Option<LaunchValue> {
    answer.known().filter(|given| !given.by_flag())
}

/// `accelerate launch` rejects `key: value`, because of `why`.
fn refused(key: &str, given: &LaunchValue, why: &Message) -> Finding {
    violation_finding(key, given, Effect::Refused, why)
}

fn violation_finding(key: &str, given: &LaunchValue, effect: Effect, Message { en, zh }: &Message) -> Finding {
    let value = match &given.value {
        Value::Map(_) => "{…}".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        value => value.to_string(),
    };
    let message = match effect {
        Effect::Refused => message!("accelerate rejects `{key}: {value}`: {en}", "accelerate 拒绝 `{key}: {value}`：{zh}"),
        Effect::Ignored => message!("accelerate ignores `{key}: {value}`: {en}", "accelerate 会忽略 `{key}: {value}`：{zh}"),
    };
    RULE.finding(given.entry(), message)
}

/// The number that a text holds, as the only repair that can be meant.
fn with_number(finding: Finding, given: &LaunchValue) -> Finding {
    match given.text().and_then(|text| text.trim().parse::<i64>().ok()) {
        Some(number) => with_text(finding, given, &number.to_string(), Applicability::Safe),
        None => finding,
    }
}

fn with_text(finding: Finding, given: &LaunchValue, text: &str, applicability: Applicability) -> Finding {
    // Nothing is written after the key of a missing value.
    if given.key == Some(given.place) {
        return finding;
    }
    let edits = vec![edit::replace(given.place, text)];
    finding.with_fix(Fix { title: message!("write {text}", "改为 {text}"), applicability, edits })
}

fn num_processes(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("num_processes"))?;
    let why_number = message!("expected a number", "应为数字");
    match (path, &given.value) {
        (LaunchMethod::Single, Value::Text(_)) => Some(with_number(refused("num_processes", &given, &why_number), &given)),
        (LaunchMethod::Torchrun | LaunchMethod::DeepSpeed, value) => {
            let several = start.machines()? > 1;
            match value {
                Value::Int(_) => None,
                Value::Text(_) if several => Some(with_number(refused("num_processes", &given, &why_number), &given)),
                Value::Text(text) if text.trim().parse::<i64>().is_ok() => {
                    let message = message!(
                        "num_processes is the string '{text}', which works only on one machine",
                        "num_processes 是字符串 '{text}'，只在单机时可用"
                    );
                    Some(with_number(RULE.finding(given.entry(), message).with_severity(Severity::Info), &given))
                }
                // torchrun counts the devices itself.
                Value::Text(text) if matches!(text.as_str(), "auto" | "gpu" | "cpu" | "xpu") => None,
                _ => Some(refused("num_processes", &given, &message!("torchrun expects an integer", "torchrun 需要整数"))),
            }
        }
        _ => None,
    }
}

fn num_machines(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("num_machines"))?;
    let compared = matches!(path, LaunchMethod::Single | LaunchMethod::Torchrun | LaunchMethod::DeepSpeed);
    if !compared || matches!(given.value, Value::Int(_) | Value::Bool(_) | Value::Float(_)) {
        return None;
    }
    let finding = refused("num_machines", &given, &message!("it is compared with 1", "它会与 1 比较"));
    Some(if given.value == Value::Null {
        with_text(finding, &given, "1", Applicability::Safe)
    } else {
        with_number(finding, &given)
    })
}

fn main_process_port(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("main_process_port"))?;
    let asked = matches!(path, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) && start.machines()? <= 1;
    if !asked || !matches!(given.value, Value::Text(_) | Value::Float(_) | Value::List(_) | Value::Map(_)) {
        return None;
    }
    let why = message!("checking for a free port needs an integer", "检查端口是否空闲需要整数");
    Some(with_number(refused("main_process_port", &given, &why), &given))
}

fn machine_rank(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("machine_rank"))?;
    if path != LaunchMethod::Torchrun || start.machines()? <= 1 {
        return None;
    }
    let fine = match &given.value {
        Value::Int(_) | Value::Bool(_) | Value::Float(_) => true,
        Value::Text(text) => text.trim().parse::<i64>().is_ok(),
        _ => false,
    };
    (!fine).then(|| refused("machine_rank", &given, &message!("each machine needs its own rank", "每台机器都需要自己的编号")))
}

/// The single-process launcher reads it back from the environment.
fn use_cpu(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("use_cpu"))?;
    let odd =
        path == LaunchMethod::Single && start.flag("--cpu").is_none() && given.value != Value::Null && given.as_bool().is_none();
    odd.then(|| refused("use_cpu", &given, &message!("expected a boolean", "应为布尔值")))
}

/// PyYAML's booleans are reported by `yaml-boolean-trap`.
fn mixed_precision(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let given = in_file(start.top_level("mixed_precision"))?;
    let json = start.file.and_then(|file| file.data()).is_some_and(|data| data.json);
    let wrong = match &given.value {
        Value::Bool(_) => json,
        // Zero and the empty list are taken for nothing.
        Value::Int(number) => *number != 0,
        Value::Float(_) | Value::List(_) | Value::Map(_) => true,
        _ => false,
    };
    let read = matches!(path, LaunchMethod::Single | LaunchMethod::Torchrun | LaunchMethod::DeepSpeed);
    (wrong && read).then(|| refused("mixed_precision", &given, &message!("expected the name of a type", "应为类型名称")))
}

/// A path where a block is wanted.
fn blocks(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Vec<Finding> {
    let used = |block: &str| match block {
        "deepspeed_config" => path == LaunchMethod::DeepSpeed,
        "fsdp_config" => start.distributed_type().is_some_and(|kind| kind.name == "FSDP"),
        "megatron_lm_config" => start.distributed_type().is_some_and(|kind| kind.name == "MEGATRON_LM"),
        _ => false,
    };
    let mut found = Vec::new();
    for block in ["deepspeed_config", "fsdp_config", "megatron_lm_config"].into_iter().filter(|block| used(block)) {
        let Some(given) = in_file(start.top_level(block)) else { continue };
        if matches!(given.value, Value::Map(_) | Value::Null) {
            continue;
        }
        let why = message!("expected a mapping", "应为映射");
        if block == "deepspeed_config" {
            let finding = refused(block, &given, &why);
            found.push(match given.text().filter(|text| text.ends_with(".json")) {
                Some(path) => finding.with_help(message!(
                    "add `deepspeed_config:` with `deepspeed_config_file: {path}` under it",
                    "加入 `deepspeed_config:`，并在其下设置 `deepspeed_config_file: {path}`"
                )),
                None => finding,
            });
        } else {
            found.push(violation_finding(block, &given, Effect::Ignored, &why).with_severity(Severity::Warning));
        }
    }
    found
}

fn deepspeed(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let setting = |key| in_file(start.block("deepspeed_config", key));
    let mut found = Vec::new();
    let whole = message!("expected an integer", "应为整数");
    if let Some(given) = setting("zero_stage") {
        let fine = match &given.value {
            Value::Int(_) | Value::Null => true,
            Value::Text(text) => text.trim().parse::<i64>().is_ok(),
            _ => false,
        };
        if !fine && start.has_json() == Some(false) {
            found.push(refused("zero_stage", &given, &whole));
        }
    }
    if let Some(given) = setting("gradient_accumulation_steps") {
        found.extend(accumulation(start, &given));
    }
    if let Some(given) = setting("gradient_clipping") {
        let wrong = match &given.value {
            Value::Text(text) => text != "auto" && text.trim().parse::<f64>().is_err(),
            Value::Bool(_) | Value::List(_) | Value::Map(_) => true,
            _ => false,
        };
        if wrong && start.has_json() == Some(false) {
            found.push(refused("gradient_clipping", &given, &message!("expected a number", "应为数字")));
        }
    }
    if let Some(given) = setting("zero3_init_flag").filter(|given| given.value != Value::Null && given.as_bool().is_none()) {
        found.push(refused("zero3_init_flag", &given, &message!("expected a boolean", "应为布尔值")));
    }
    found
}

/// `int()` in `Accelerator()`; a trainer of transformers gives it a plugin of its own, which does not read the variable.
fn accumulation(start: &AccelerateLaunch<'_>, given: &LaunchValue) -> Option<Finding> {
    let fine = match &given.value {
        Value::Int(_) | Value::Null => true,
        Value::Text(text) => text.trim().parse::<i64>().is_ok(),
        _ => false,
    };
    if fine || start.has_json() != Some(false) {
        return None;
    }
    let severity = match start.run {
        Some(run) if is_plain_loop(run) => Severity::Error,
        Some(run) if run.code.is_some() => return None,
        _ => Severity::Warning,
    };
    let why = message!("Accelerator() converts it to an integer", "Accelerator() 会把它转换为整数");
    let finding = refused("gradient_accumulation_steps", given, &why).with_severity(severity);
    Some(finding.with_help(message!("remove the key: the number in the code then applies", "删除该键：此时以代码中的数字为准")))
}

/// Switches of FSDP that go through the environment as text (utils/environment.py:71), and the versions that read them.
const SWITCHES: &[(&str, &[i64])] = &[
    ("fsdp_offload_params", &[1, 2]),
    ("fsdp_cpu_ram_efficient_loading", &[1, 2]),
    ("fsdp_activation_checkpointing", &[1, 2]),
    ("fsdp_activation_checkpointing_offload", &[1, 2]),
    ("fsdp_reshard_after_forward", &[2]),
    ("fsdp_use_orig_params", &[1]),
    ("fsdp_sync_module_states", &[1]),
    ("fsdp_forward_prefetch", &[1]),
];

fn fsdp(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some(version) = start.fsdp_version() else { return found };
    for (key, versions) in SWITCHES {
        let Some(given) = in_file(start.block("fsdp_config", key)).filter(|_| versions.contains(&version)) else { continue };
        if given.as_bool().is_some() {
            continue;
        }
        let finding = refused(key, &given, &message!("expected a boolean", "应为布尔值"));
        let strategy = given.text().map(str::to_uppercase).filter(|_| *key == "fsdp_reshard_after_forward");
        found.push(match strategy.as_deref() {
            Some("FULL_SHARD" | "HYBRID_SHARD") => with_text(finding, &given, "true", Applicability::Safe),
            Some("SHARD_GRAD_OP" | "HYBRID_SHARD_ZERO2") => with_text(finding, &given, "false", Applicability::Safe),
            _ => finding,
        });
    }
    let policy = start.block("fsdp_config", "fsdp_auto_wrap_policy").known();
    match policy.as_ref().and_then(LaunchValue::text).map(str::to_uppercase).as_deref() {
        Some("SIZE_BASED_WRAP") => found.extend(least_unit(start)),
        Some("TRANSFORMER_BASED_WRAP") => found.extend(classes(start)),
        _ => {}
    }
    found
}

/// `int(os.environ["FSDP_MIN_NUM_PARAMS"])`; texts that hold a number are reported by `yaml-number-is-text`.
fn least_unit(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let given = in_file(start.block("fsdp_config", "fsdp_min_num_params"))?;
    let wrong = match &given.value {
        Value::Int(_) => false,
        Value::Text(text) => text.trim().parse::<f64>().is_err(),
        _ => true,
    };
    wrong.then(|| refused("fsdp_min_num_params", &given, &message!("expected an integer", "应为整数")))
}

/// A list becomes the text `['A', 'B']`, and no class of the model is called so.
fn classes(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let given = in_file(start.block("fsdp_config", "fsdp_transformer_layer_cls_to_wrap"))?;
    let Value::List(items) = &given.value else { return None };
    let why = message!(
        "expected a comma-separated string; a list becomes the name of a class that does not exist",
        "应为逗号分隔的字符串；列表会变成一个不存在的类名"
    );
    let finding = refused("fsdp_transformer_layer_cls_to_wrap", &given, &why);
    let names: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let json = start.file.and_then(|file| file.data()).is_some_and(|data| data.json);
    // Only a list on one line: the lines of a longer one belong to the block.
    let one_line = start.file.is_some_and(|file| given.place.range.slice(&file.text).starts_with('['));
    Some(match names.filter(|names| !names.is_empty() && one_line) {
        Some(names) => {
            let text = if json { format!("\"{}\"", names.join(",")) } else { names.join(",") };
            with_text(finding, &given, &text, Applicability::Safe)
        }
        None => finding,
    })
}

/// Sizes that the launcher compares with 1 (utils/launch.py:389-396).
fn sizes(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Vec<Finding> {
    let block = "parallelism_config";
    let dropped = start.distributed_type().is_none_or(|kind| kind.by_flag) && start.flag("--use_parallelism_config").is_none();
    if dropped || path != LaunchMethod::Torchrun {
        return Vec::new();
    }
    let keys = ["parallelism_config_cp_size", "parallelism_config_sp_size"];
    let texts = keys.into_iter().filter_map(|key| {
        let given = in_file(start.block(block, key))?;
        let text = matches!(given.value, Value::Text(_) | Value::Null | Value::List(_));
        text.then(|| with_number(refused(key, &given, &message!("it is compared with 1", "它会与 1 比较")), &given))
    });
    texts.collect()
}
