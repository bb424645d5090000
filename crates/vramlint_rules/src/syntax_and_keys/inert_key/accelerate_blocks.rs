//! accelerate's blocks: those of a type that does not run, and keys that the version or the stage leaves unread.

use crate::rule::push_most_severe;
use crate::syntax_and_keys::inert_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{Evaluated, FileRange, Finding, Message, Severity, Value, message};
use vramlint_resolve::Feature;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue};
use vramlint_syntax::data::{DataFile, Loader};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut found = Vec::new();
    for start in cx.accelerate_launches() {
        found.extend(blocks(start));
        found.extend(fsdp(start));
        found.extend(deepspeed(start));
        found.extend(legacy(start));
    }
    push_most_severe(found, out);
}

/// Blocks, and the type that reads them.
const BLOCKS: &[(&str, &str)] =
    &[("deepspeed_config", "DEEPSPEED"), ("fsdp_config", "FSDP"), ("megatron_lm_config", "MEGATRON_LM")];

/// Filled blocks of another type than the one that runs.
fn blocks(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let (Some(file), Some(root), Some(kind)) = (start.file, start.root(), start.distributed_type()) else { return found };
    // A flag that replaces the file's own type is reported at the flag.
    if kind.by_flag || start.flag("--cpu").is_some() || start.method().is_none() {
        return found;
    }
    for (block, needs) in BLOCKS.iter().filter(|(_, needs)| *needs != kind.name) {
        let Some((key, _)) = root.entry(block).filter(|(_, node)| node.entries().next().is_some()) else { continue };
        let name = &kind.name;
        let message = message!(
            "{block} has no effect: distributed_type is {name}, not {needs}",
            "{block} 不起作用：distributed_type 为 {name}，而不是 {needs}"
        );
        let finding = RULE.finding(FileRange::new(file.id, key.range()), message);
        let finding = finding.with_related(kind.place, message!("the type", "类型"));
        found.push(finding.with_help(message!(
            "set `distributed_type: {needs}`, or remove the block",
            "设置 `distributed_type: {needs}`，或删除该块"
        )));
    }
    found.extend(fp8(start));
    if start.method() == Some(LaunchMethod::Single) && kind.name == "NO" {
        let Some((block, sizes)) = root.entry("parallelism_config") else { return found };
        if sizes.entries().any(|(_, value)| value.text().and_then(|text| text.parse::<i64>().ok()).is_some_and(|n| n > 1)) {
            let message = message!(
                "parallelism_config has no effect: with distributed_type NO only one process starts",
                "parallelism_config 不起作用：distributed_type 为 NO 时只启动一个进程"
            );
            found.push(
                RULE.finding(FileRange::new(file.id, block.range()), message)
                    .with_related(kind.place, message!("the type", "类型")),
            );
        }
    }
    found
}

/// fp8's block is passed on only with that precision (utils/launch.py:176, :287, :559).
fn fp8(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let (file, root) = (start.file?, start.root()?);
    let (key, _) = root.entry("fp8_config").filter(|(_, node)| node.entries().next().is_some())?;
    let (precision, place) = match start.top_level("mixed_precision") {
        Evaluated::Absent => ("no".to_owned(), None),
        Evaluated::Unknown(_) => return None,
        Evaluated::Known(given) if given.value == Value::Null => ("no".to_owned(), None),
        Evaluated::Known(given) => (given.text()?.to_owned(), Some(given.place)),
    };
    if precision.eq_ignore_ascii_case("fp8") || mentioned_in_code(start) {
        return None;
    }
    let message = message!(
        "fp8_config has no effect: mixed_precision is {precision}",
        "fp8_config 不起作用：mixed_precision 为 {precision}"
    );
    let finding = RULE.finding(FileRange::new(file.id, key.range()), message);
    let finding =
        finding.with_help(message!("set `mixed_precision: fp8`, or remove the block", "设置 `mixed_precision: fp8`，或删除该块"));
    Some(match place {
        Some(place) => finding.with_related(place, message!("the precision", "精度")),
        None => finding,
    })
}

/// The code may give the precision itself.
fn mentioned_in_code(start: &AccelerateLaunch<'_>) -> bool {
    let code = start.run.and_then(|run| run.code.as_deref());
    code.is_some_and(|code| start.project.any_has(&code.files, Feature::Fp8))
}

/// Keys that one version of FSDP alone reads: what it does with them, and the value that changes nothing.
fn fsdp(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    if start.distributed_type().is_none_or(|kind| kind.name != "FSDP") || start.method() != Some(LaunchMethod::Torchrun) {
        return found;
    }
    let setting = |key: &str| start.block("fsdp_config", key).known();
    let word = |given: &LaunchValue| given.text().map(str::to_uppercase).unwrap_or_default();
    match start.fsdp_version() {
        Some(1) => {
            if let Some(given) = setting("fsdp_reshard_after_forward") {
                let same = word(&given) == "FULL_SHARD" || given.as_bool() == Some(true) || given.value == Value::Null;
                let named = setting("fsdp_sharding_strategy").is_some_and(|own| word(&own) == word(&given));
                if !same && !named {
                    let help = message!("use `fsdp_sharding_strategy`", "改用 `fsdp_sharding_strategy`");
                    found.push(unread("fsdp_reshard_after_forward", &given, 1, help));
                }
            }
        }
        Some(2) => {
            if let Some(given) = setting("fsdp_sharding_strategy") {
                let full =
                    matches!(word(&given).as_str(), "FULL_SHARD" | "1" | "HYBRID_SHARD" | "4") || given.as_int() == Some(1);
                let is_set = !matches!(start.block("fsdp_config", "fsdp_reshard_after_forward"), Evaluated::Absent);
                if !full && !is_set && given.value != Value::Null {
                    let help = message!(
                        "set `fsdp_reshard_after_forward` to false for SHARD_GRAD_OP, true for FULL_SHARD",
                        "SHARD_GRAD_OP 把 `fsdp_reshard_after_forward` 设为 false，FULL_SHARD 设为 true"
                    );
                    found.push(unread("fsdp_sharding_strategy", &given, 2, help));
                }
            }
            let remove = || message!("remove it", "删除它");
            if let Some(given) =
                setting("fsdp_backward_prefetch").filter(|given| given.text().is_some() && word(given) != "NO_PREFETCH")
            {
                found.push(unread("fsdp_backward_prefetch", &given, 2, remove()));
            }
            if let Some(given) = setting("fsdp_forward_prefetch").filter(|given| given.as_bool() == Some(true)) {
                found.push(unread("fsdp_forward_prefetch", &given, 2, remove()));
            }
            if let Some(given) = setting("fsdp_use_orig_params").filter(|given| given.as_bool() == Some(false)) {
                found.push(unread("fsdp_use_orig_params", &given, 2, remove()));
            }
        }
        _ => {}
    }
    found
}

fn unread(key: &str, given: &LaunchValue, version: i64, help: Message) -> Finding {
    let message = message!("FSDP {version} does not read {key}", "FSDP {version} 不读取 {key}");
    // What a GPU holds does not depend on the others.
    let shards = key.ends_with("sharding_strategy") || key.ends_with("reshard_after_forward");
    let severity = if shards { RULE.severity } else { Severity::Info };
    RULE.finding(given.entry(), message).with_severity(severity).with_help(help)
}

/// Keys of the DeepSpeed block that the stage, or the launcher, leaves unread.
fn deepspeed(start: &AccelerateLaunch<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    if start.distributed_type().is_none_or(|kind| kind.name != "DEEPSPEED") || start.method() != Some(LaunchMethod::DeepSpeed) {
        return found;
    }
    let setting = |key: &str| start.block("deepspeed_config", key).known();
    if let Some((stage, at)) = stage(start).filter(|(stage, _)| *stage < 3) {
        let below = |finding: Finding| match at {
            Some(at) => finding.with_related(at, message!("the stage", "阶段")),
            None => finding,
        };
        if let Some(given) = setting("zero3_init_flag").filter(|given| given.as_bool() == Some(true)) {
            let message = message!(
                "zero3_init_flag applies only to ZeRO stage 3: accelerate disables it at stage {stage}",
                "zero3_init_flag 只用于 ZeRO 第 3 阶段：第 {stage} 阶段时 accelerate 会将其关闭"
            );
            // The wizard writes it; nothing is lost without it.
            let finding = below(RULE.finding(given.entry(), message)).with_severity(Severity::Info);
            found.push(finding.with_help(message!(
                "set `zero_stage: 3` or `zero3_init_flag: false`",
                "设置 `zero_stage: 3` 或 `zero3_init_flag: false`"
            )));
        }
        let device =
            setting("offload_param_device").filter(|given| given.text().is_some_and(|text| text.to_lowercase() != "none"));
        if let Some(given) = device.filter(|_| start.has_json() == Some(false)) {
            let message = message!(
                "offload_param_device has no effect at ZeRO stage {stage}: only stage 3 shards parameters",
                "offload_param_device 在 ZeRO 第 {stage} 阶段不起作用：只有第 3 阶段才分片参数"
            );
            let finding = below(RULE.finding(given.entry(), message));
            found.push(finding.with_help(message!(
                "set `zero_stage: 3` or `offload_param_device: none`",
                "设置 `zero_stage: 3` 或 `offload_param_device: none`"
            )));
        }
        if let Some(given) =
            setting("zero3_save_16bit_model").filter(|given| given.as_bool() == Some(true) && start.has_json() == Some(false))
        {
            let message = message!(
                "zero3_save_16bit_model has no effect at ZeRO stage {stage}",
                "zero3_save_16bit_model 在 ZeRO 第 {stage} 阶段不起作用"
            );
            found.push(below(RULE.finding(given.entry(), message)).with_severity(Severity::Info));
        }
    }
    found.extend(["offload_optimizer", "offload_param"].into_iter().filter_map(|what| nvme(start, what)));
    found
}

/// The stage, from the block or the JSON, and where it is written.
fn stage(start: &AccelerateLaunch<'_>) -> Option<(i64, Option<FileRange>)> {
    if let Some(stage) = start.zero_stage() {
        let given = start.block("deepspeed_config", "zero_stage").known();
        return Some((stage, given.map(|given| given.place)));
    }
    let given = start.block("deepspeed_config", "deepspeed_config_file").known()?;
    let folder = start.project.file(given.place.file).folder();
    let file = start.project.file(start.project.path_resolver.resolve(given.text()?, folder)?);
    let node = file.data().and_then(DataFile::root)?.at(&["zero_optimization", "stage"])?;
    Some((node.value(Loader::Json)?.as_int()?, Some(FileRange::new(file.id, node.range()))))
}

/// The launcher exports the device and not the path, which becomes the text `none`.
fn nvme(start: &AccelerateLaunch<'_>, what: &str) -> Option<Finding> {
    let device = start.block("deepspeed_config", &format!("{what}_device")).known()?;
    let on = device.text().is_some_and(|text| text.eq_ignore_ascii_case("nvme"));
    if !on || start.has_json() != Some(false) {
        return None;
    }
    let key = format!("{what}_nvme_path");
    let path = match start.block("deepspeed_config", &key) {
        Evaluated::Unknown(_) => return None,
        Evaluated::Absent => None,
        Evaluated::Known(given) => Some(given),
    };
    let variable = format!("ACCELERATE_DEEPSPEED_{}_NVME_PATH", what.to_uppercase());
    if start.launch.is_some_and(|launch| launch.variable(&variable).is_some()) {
        return None;
    }
    let message = message!(
        "accelerate does not pass on {key}: DeepSpeed offloads to a folder called `none`",
        "accelerate 不会传递 {key}：DeepSpeed 会卸载到名为 `none` 的文件夹"
    );
    let place = path.as_ref().map_or_else(|| device.entry(), LaunchValue::entry);
    let finding = RULE.finding(place, message).with_related(device.place, message!("the device", "设备"));
    Some(finding.with_help(message!(
        "configure the offload in a DeepSpeed JSON file, and set `deepspeed_config_file` to its path",
        "在 DeepSpeed JSON 中配置卸载，并把 `deepspeed_config_file` 设为其路径"
    )))
}

/// `fp16: true` of the first versions.
fn legacy(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let (file, root) = (start.file?, start.root()?);
    let (key, node) = root.entry("fp16")?;
    let on = matches!(node.value(start.loader()), Some(Value::Bool(true)));
    if !on {
        return None;
    }
    let place = FileRange::new(file.id, key.range().cover(node.range()));
    match root.entry("mixed_precision") {
        None => {
            let message = message!(
                "fp16 is the old name: accelerate reads it as mixed_precision: fp16",
                "fp16 是旧名：accelerate 会读作 mixed_precision: fp16"
            );
            let finding = RULE.finding(place, message).with_severity(Severity::Info);
            Some(finding.with_help(message!("set `mixed_precision: fp16`", "设置 `mixed_precision: fp16`")))
        }
        Some((_, own)) if own.text() != Some("fp16") => {
            let written = own.range().slice(&file.text);
            let message =
                message!("fp16 has no effect when mixed_precision is {written}", "mixed_precision 为 {written} 时 fp16 不起作用");
            let finding = RULE
                .finding(place, message)
                .with_related(FileRange::new(file.id, own.range()), message!("this key takes precedence", "该键优先"));
            Some(finding.with_help(message!("remove `fp16`", "删除 `fp16`")))
        }
        Some(_) => None,
    }
}
