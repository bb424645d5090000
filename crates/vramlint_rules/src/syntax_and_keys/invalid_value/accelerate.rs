//! accelerate's file: the words that a launch checks, by what reads them.

use crate::rule::push_most_severe;
use crate::syntax_and_keys::invalid_value::{RULE, finding};
use crate::{Context, Sink};
use vramlint_base::{Applicability, Evaluated, FileRange, Finding, Fix, Message, Severity, Value, is_templated, message};
use vramlint_catalog::classes;
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::versions::VersionRange;
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue, is_sagemaker};
use vramlint_semantic::schema::{self, KnownEntry, Strictness, Violation, check_node};
use vramlint_semantic::version_gate;
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx.project, FileKind::Accelerate) {
        if is_sagemaker(root) {
            out.findings.extend(environment(file, root, certain));
            continue;
        }
        let loader = if file.is_json() { Loader::Json } else { Loader::PyYaml };
        // Read whatever the flags say: config_args.py:173.
        for found in
            schema::known_entries(keys::accelerate(), root).into_iter().filter(|found| found.row.path == "distributed_type")
        {
            let Some(problem @ Violation::Set { .. }) = check_node(found.row, found.value, loader, Strictness::Exact) else {
                continue;
            };
            if !removed(cx, file, &found, out) {
                let finding = finding(file, &found, "accelerate", &problem, schema::refusal_severity(certain));
                out.push(match found.value.text().and_then(meant_type) {
                    Some(name) if finding.fixes.is_empty() => finding.with_help(message!("write `{name}`", "改为 `{name}`")),
                    _ => finding,
                });
            }
        }
    }
    let mut found = Vec::new();
    for start in cx.accelerate_launches() {
        found.extend(by_start(start));
    }
    push_most_severe(found, out);
}

/// What people call the types elsewhere.
fn meant_type(written: &str) -> Option<&'static str> {
    Some(match written.to_lowercase().as_str() {
        "ddp" | "dp" | "gpu" | "multi-gpu" | "multigpu" | "distributed" => "MULTI_GPU",
        "single" | "single_gpu" | "none" | "no_distributed" => "'NO'",
        "zero" | "zero2" | "zero3" => "DEEPSPEED",
        "fsdp1" | "fsdp2" | "fully_sharded" => "FSDP",
        _ => return None,
    })
}

/// An environment that accelerate does not know chooses the class for Amazon, which rejects the keys of a machine.
fn environment(file: &SourceFile, root: NodeRef<'_>, certain: bool) -> Option<Finding> {
    let (key, node) = root.entry("compute_environment")?;
    let written = node.text().unwrap_or_default();
    if written == "AMAZON_SAGEMAKER" || is_templated(written) || node.value(Loader::PyYaml).is_none() {
        return None;
    }
    let written = node.range().slice(&file.text);
    let message = message!(
        "accelerate rejects `compute_environment: {written}`: expected one of: LOCAL_MACHINE, AMAZON_SAGEMAKER",
        "accelerate 拒绝 `compute_environment: {written}`：应为 LOCAL_MACHINE 或 AMAZON_SAGEMAKER"
    );
    let place = FileRange::new(file.id, key.range().cover(node.range()));
    let finding = RULE.finding(place, message).with_severity(schema::refusal_severity(certain));
    Some(match schema::fix(file, node, &Value::Text("LOCAL_MACHINE".to_owned()), Applicability::Unsafe) {
        Some(fix) => finding.with_fix(fix),
        None => finding,
    })
}

/// A value that older versions took: reported here as far as the version is not an older one.
fn removed(cx: &Context<'_>, file: &SourceFile, found: &KnownEntry<'_>, out: &mut Sink) -> bool {
    let written = found.value.text().unwrap_or_default();
    let rows = keys::accelerate_removed_values();
    let Some(row) = rows.iter().find(|row| row.path == found.row.path && row.value == written) else { return false };
    let until = row.until.as_str();
    let Some(severity) = version_gate::severity(cx.project, file.id, &VersionRange::since("accelerate", until), Severity::Error)
    else {
        return true;
    };
    let path = &found.row.path;
    let message =
        message!("accelerate {until} and later reject `{path}: {written}`", "accelerate 从 {until} 起拒绝 `{path}: {written}`");
    let mut finding =
        RULE.finding(FileRange::new(file.id, found.key.range().cover(found.value.range())), message).with_severity(severity);
    if let Some(instead) = &row.instead {
        finding = finding.with_help(message!("write `{instead}`", "改为 `{instead}`"));
        let applicability = if severity == Severity::Error { Applicability::Safe } else { Applicability::Unsafe };
        let fix = schema::fix(file, found.value, &Value::Text(instead.clone()), applicability);
        finding.fixes.extend(fix);
    }
    out.push(finding);
    true
}

/// A set of words: where the key is, whether digits are taken for the number of a word.
struct Words {
    block: Option<&'static str>,
    key: &'static str,
    digits: bool,
}

const fn words(block: &'static str, key: &'static str, digits: bool) -> Words {
    Words { block: Some(block), key, digits }
}

/// What FSDP's plugin looks up in any case of letters (utils/dataclasses.py:1853, :1902, :1913, :2056).
const FSDP: &[Words] = &[
    words("fsdp_config", "fsdp_state_dict_type", true),
    words("fsdp_config", "fsdp_backward_prefetch", true),
    words("fsdp_config", "fsdp_auto_wrap_policy", false),
];

fn by_start(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let mut found = typed(start);
    let Some(path) = start.method() else { return found };
    if matches!(path, LaunchMethod::Single | LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) {
        found.extend(word(start, &Words { block: None, key: "mixed_precision", digits: false }));
    }
    if matches!(path, LaunchMethod::Single | LaunchMethod::Torchrun) {
        found.extend(word(start, &words("dynamo_config", "dynamo_backend", false)));
    }
    let kind = start.distributed_type().map(|kind| kind.name).unwrap_or_default();
    if kind == "FSDP" && path == LaunchMethod::Torchrun {
        found.extend(FSDP.iter().filter_map(|words| word(start, words)));
        if start.fsdp_version() == Some(1) {
            found.extend(word(start, &words("fsdp_config", "fsdp_sharding_strategy", true)));
        }
        found.extend(number(start, ("fsdp_config", "fsdp_version"), &[1, 2]));
    }
    if path == LaunchMethod::DeepSpeed && start.has_json() == Some(false) {
        found.extend(number(start, ("deepspeed_config", "zero_stage"), &[0, 1, 2, 3]));
        for key in ["offload_optimizer_device", "offload_param_device"] {
            found.extend(word(start, &words("deepspeed_config", key, false)));
        }
    }
    if path == LaunchMethod::Torchrun {
        found.extend(processes(start));
    }
    found.extend(compiling(start, path));
    found.extend(splitting(start, path));
    found
}

/// Flags of which argparse makes a number; whether it may have a fraction.
const NUMBERS: &[(&str, bool)] = &[
    ("num_processes", false),
    ("num_machines", false),
    ("num_cpu_threads_per_process", false),
    ("machine_rank", false),
    ("main_process_port", false),
    ("max_restarts", false),
    ("monitor_interval", true),
    ("zero_stage", false),
    ("gradient_accumulation_steps", false),
    ("gradient_clipping", true),
    ("fsdp_min_num_params", false),
    ("parallelism_config_dp_replicate_size", false),
    ("parallelism_config_dp_shard_size", false),
    ("parallelism_config_tp_size", false),
    ("parallelism_config_cp_size", false),
    ("parallelism_config_sp_size", false),
];

/// What argparse rejects before anything is read: the file may say `BF16` and `auto`, the flags may not.
fn typed(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let Some(launch) = start.launch.filter(|launch| launch.launcher == Launcher::Accelerate) else { return Vec::new() };
    let given = |name: &str| {
        let word = launch.flag(&format!("--{name}"))?.values.first()?;
        Some((word.text()?.trim().to_owned(), FileRange::new(launch.file, word.range)))
    };
    let mut found = Vec::new();
    for (name, fraction) in NUMBERS {
        let Some((text, place)) = given(name) else { continue };
        // int() takes underscores between digits.
        let plain = text.replace('_', "");
        let fine = if *fraction { plain.parse::<f64>().is_ok() } else { plain.parse::<i128>().is_ok() };
        if !fine && !text.is_empty() {
            let message = message!(
                "accelerate launch rejects --{name} {text}: expected a number",
                "accelerate launch 拒绝 --{name} {text}：应为数字"
            );
            found.push(RULE.finding(place, message));
        }
    }
    if let Some((text, place)) = given("mixed_precision") {
        let lower = text.to_lowercase();
        if lower != text && classes::values("accelerate.Accelerator", "mixed_precision").contains(&lower.as_str()) {
            let message = message!(
                "accelerate launch rejects --mixed_precision {text}: the flag takes {lower}",
                "accelerate launch 拒绝 --mixed_precision {text}：该参数应写 {lower}"
            );
            found.push(RULE.finding(place, message).with_fix(Fix {
                title: message!("write `{lower}`", "改为 `{lower}`"),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(place, lower)],
            }));
        }
    }
    found
}

/// The inductor looks its mode up when `prepare()` compiles the model (torch/_inductor/__init__.py:407); other backends do not.
fn compiling(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Option<Finding> {
    let backend = start.block("dynamo_config", "dynamo_backend").known()?;
    let inductor = backend.text().is_some_and(|text| text.eq_ignore_ascii_case("inductor"));
    let given = start.block("dynamo_config", "dynamo_mode").known()?;
    let text = given.text().filter(|text| !text.is_empty() && inductor)?;
    if MODES.contains(&text) || !matches!(path, LaunchMethod::Single | LaunchMethod::Torchrun) {
        return None;
    }
    let listed = &MODES[..4];
    Some(violation_finding(start, &given, "dynamo_mode", text, &listed.join(", "), keys::nearest(text, listed.iter().copied())))
}

/// Modes of torch 2.15.0; the last one is new there.
const MODES: &[&str] = &["default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite"];

/// What the class of the parallelism checks by its own (parallelism_config.py:318-326, utils/dataclasses.py:2247).
fn splitting(start: &AccelerateLaunch<'_>, path: LaunchMethod) -> Vec<Finding> {
    let mut found = Vec::new();
    let flag = start.flag("--use_parallelism_config").is_some();
    let block = start.root().and_then(|root| root.get("parallelism_config")).is_some_and(NodeRef::is_mapping);
    let dropped = start.distributed_type().is_none_or(|kind| kind.by_flag) && !flag;
    if dropped || !(flag || block) || !matches!(path, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) {
        return found;
    }
    for key in ["parallelism_config_cp_backend", "parallelism_config_sp_backend"] {
        found.extend(word(start, &words("parallelism_config", key, false)));
    }
    let key = "parallelism_config_cp_comm_strategy";
    let split = start.block("parallelism_config", "parallelism_config_cp_size").known().and_then(|given| given.as_int());
    if split.is_some_and(|size| size > 1)
        && let Some(given) = start.block("parallelism_config", key).known()
        && let Some(text) = given.text().filter(|text| !["allgather", "alltoall"].contains(text))
    {
        found.push(violation_finding(start, &given, key, text, "allgather, alltoall", None));
    }
    found
}

fn answer(start: &AccelerateLaunch<'_>, block: Option<&str>, key: &str) -> Evaluated<LaunchValue> {
    block.map_or_else(|| start.top_level(key), |block| start.block(block, key))
}

/// A word against its set, in any case of letters.
fn word(start: &AccelerateLaunch<'_>, Words { block, key, digits }: &Words) -> Option<Finding> {
    let given = answer(start, *block, key).known()?;
    let text = given.text()?;
    let path = block.map_or_else(|| (*key).to_owned(), |block| format!("{block}.{key}"));
    let row = keys::find(keys::accelerate(), &path)?;
    let same = |known: &String| known.eq_ignore_ascii_case(text);
    let number = *digits && !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if row.values.is_empty() || row.values.iter().any(same) || number || text.is_empty() || more_backends(key, text) {
        return None;
    }
    let listed = row.values.iter().filter(|value| value.parse::<i64>().is_err()).map(String::as_str);
    let listed = listed.collect::<Vec<_>>();
    let near = keys::nearest(&text.to_uppercase(), listed.iter().copied()).or_else(|| meant_word(key, text));
    Some(violation_finding(start, &given, key, text, &listed.join(", "), near))
}

/// Names that some versions of accelerate have besides.
fn more_backends(key: &str, text: &str) -> bool {
    let more = ["ipex", "hpu_backend", "nvfuser", "aot_nvfuser", "aot_inductor", "cudagraph", "openxla"];
    key == "dynamo_backend" && more.iter().any(|name| name.eq_ignore_ascii_case(text))
}

/// What the words of other tools are called here.
fn meant_word(key: &str, text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    Some(match (key, text.as_str()) {
        ("mixed_precision", "bfloat16" | "bfloat" | "torch.bfloat16" | "bf16-mixed") => "bf16",
        ("mixed_precision", "float16" | "half" | "torch.float16" | "16" | "fp16-mixed") => "fp16",
        ("mixed_precision", "fp32" | "float32" | "none" | "32" | "tf32" | "false") => "no",
        ("fsdp_sharding_strategy", "zero3") => "FULL_SHARD",
        ("fsdp_sharding_strategy", "zero2") => "SHARD_GRAD_OP",
        ("fsdp_state_dict_type", "sharded") => "SHARDED_STATE_DICT",
        ("fsdp_state_dict_type", "full") => "FULL_STATE_DICT",
        ("fsdp_auto_wrap_policy", "transformer" | "transformer_based" | "transformer_auto_wrap_policy") => {
            "TRANSFORMER_BASED_WRAP"
        }
        ("fsdp_auto_wrap_policy", "size" | "size_based") => "SIZE_BASED_WRAP",
        ("offload_optimizer_device" | "offload_param_device", "disk" | "ssd") => "nvme",
        _ => return None,
    })
}

fn violation_finding(
    start: &AccelerateLaunch<'_>,
    given: &LaunchValue,
    key: &str,
    text: &str,
    listed: &str,
    near: Option<&str>,
) -> Finding {
    let name = if given.by_flag() { format!("--{key} {text}") } else { format!("{key}: {text}") };
    let message =
        message!("accelerate rejects `{name}`: expected one of: {listed}", "accelerate 拒绝 `{name}`：应为 {listed} 之一");
    let finding = RULE.finding(given.entry(), message);
    let Some(near) = near else { return finding };
    let json = start.file.and_then(|file| file.data()).is_some_and(|data| data.json);
    let written = match (given.by_flag(), json, near) {
        (false, true, _) => format!("\"{near}\""),
        (false, false, "no") => "'no'".to_owned(),
        _ => near.to_owned(),
    };
    finding.with_help(message!("did you mean `{near}`?", "是否想写 `{near}`？")).with_fix(Fix {
        title: message!("write `{written}`", "改为 `{written}`"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(given.place, written)],
    })
}

/// A number against its set, as text too.
fn number(start: &AccelerateLaunch<'_>, (block, key): (&str, &str), known: &[i64]) -> Option<Finding> {
    let given = start.block(block, key).known()?;
    let number = match &given.value {
        Value::Int(number) => *number,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    let listed: Vec<String> = known.iter().map(i64::to_string).collect();
    (!known.contains(&number)).then(|| violation_finding(start, &given, key, &number.to_string(), &listed.join(", "), None))
}

/// torchrun starts at least one process on each machine; -1 is not a number of processes.
fn processes(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let (count, given) = start.processes().filter(|(count, _)| *count <= 0)?;
    let why: Message = if count == -1 {
        message!("it requires --num_processes instead", "它会要求给出 --num_processes")
    } else {
        message!("torchrun needs at least one process", "torchrun 至少需要一个进程")
    };
    let Message { en, zh } = why;
    let message = message!("accelerate rejects `num_processes: {count}`: {en}", "accelerate 拒绝 `num_processes: {count}`：{zh}");
    Some(RULE.finding(given.entry(), message))
}
