//! # device-map-refused
//!
//! A model that is trained is loaded with a `device_map` that its run rejects.
//!
//! ## Why it matters
//! accelerate's `prepare()`, which Trainer calls too, rejects a map with more than one entry in every distributed run, even if all entries
//! name the same device and even with a single MULTI_GPU process. A 4-bit or 8-bit model must not be on the disk or on the GPU of another
//! process. With ZeRO-3, loading with any map raises an error.
//!
//! ## Severity
//! A warning if nothing raises an error: a map that puts the models of all processes on the same GPU, or one that leaves blocks of the
//! model on the CPU or the disk, where they are not updated.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 train.py
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from transformers import AutoModelForCausalLM
//!
//! accelerator = Accelerator()
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map={"model": 0, "lm_head": 1})
//! optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
//! model, optimizer = accelerator.prepare(model, optimizer)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 train.py
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from transformers import AutoModelForCausalLM
//!
//! accelerator = Accelerator()
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
//! model, optimizer = accelerator.prepare(model, optimizer)
//! ```
//!
//! ## When it stays silent
//! For strategies such as `auto`, whose number of entries depends on the GPUs (see `device-map-auto-in-training`); for unknown maps and
//! runs; if `ACCELERATE_BYPASS_DEVICE_MAP` is set.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:1478`, `:1867`, `:1876`, run; transformers 5.23.0 `integrations/accelerate.py:136` (ZeRO-3), read.
//!
//! # 中文
//!
//! 参与训练的模型以所在运行会拒绝的 `device_map` 加载。
//!
//! ## 为什么重要
//! accelerate 的 `prepare()`（Trainer 也会调用）在任何分布式运行中都拒绝多于一项的映射，即使各项都指向同一设备、即使以 MULTI_GPU 只启动一个进程。 4 位或 8
//! 位模型不能放在磁盘上，也不能放在非本进程的 GPU 上。使用 ZeRO-3 时，带任何映射的加载都会报错。
//!
//! ## 严重程度
//! 不报错的情形为警告：各进程的模型都放在同一张 GPU 上；部分层留在 CPU 或磁盘上，得不到更新。
//!
//! ## 何时不报
//! `auto` 等策略的项数取决于 GPU（见 `device-map-auto-in-training` 提示）；映射或运行无法得知；设置了 `ACCELERATE_BYPASS_DEVICE_MAP`。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:1478`、`:1867`、`:1876`，实际运行；transformers 5.23.0 `integrations/accelerate.py:136`（ZeRO-3），阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Finding, Message, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::code::{ArgValue, LibraryCall};
use vramlint_resolve::{CallRef, Feature, Run};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL153", "device-map-refused", Severity::Error, page!("device_map_refused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let load = at.call();
        let Some(argument) = load.argument("device_map", None).filter(|_| calls::loads_model(load) && !load.conditional) else {
            continue;
        };
        let Some(value) = argument.sole_value() else { continue };
        if bypassed(cx, at) {
            continue;
        }
        let trained = prepared(at, load);
        let finding =
            at.runs(cx.project).find_map(|run| in_run(at, load, &value.value, value.place, trained, run)).or_else(|| {
                trained?;
                on_disk(at, load, &value.value, value.place)
            });
        if let Some(finding) = finding.filter(|_| out.mark_reported(value.place)) {
            out.push(match trained {
                Some(user) => {
                    finding.with_related(user.place, message!("accelerate raises an error here", "accelerate 在此报错"))
                }
                None => finding,
            });
        }
    }
}

fn in_run(
    at: &CallRef,
    load: &LibraryCall,
    map: &ArgValue,
    place: FileRange,
    trained: Option<&LibraryCall>,
    run: &Run,
) -> Option<Finding> {
    if run.int(Concept::ZeroStage) == Some(3)
        && configured_before(at)
        && !matches!(map, ArgValue::Known(Value::Null) | ArgValue::Unknown | ArgValue::Loaded(..))
    {
        let text = message!(
            "`device_map` cannot be combined with ZeRO-3; loading the model raises an error",
            "`device_map` 不能与 ZeRO-3 同用；加载模型时会报错"
        );
        return Some(
            RULE.finding(place, text)
                .with_help(message!(
                    "remove `device_map`: DeepSpeed places the weights",
                    "去掉 `device_map`：由 DeepSpeed 放置权重"
                ))
                .with_run(&run.id),
        );
    }
    trained?;
    let distributed = distributed(run);
    if let (ArgValue::Dict { entries, .. }, Some(why)) = (map, &distributed)
        && entries.len() > 1
    {
        let count = entries.len();
        let text = message!(
            "`device_map` has {count} entries; accelerate rejects it in a distributed run",
            "`device_map` 有 {count} 项；accelerate 在分布式运行中拒绝它"
        );
        let finding = RULE
            .finding(place, text)
            .with_help(message!(
                "remove `device_map`, or start the run without distribution (`distributed_type: 'NO'`)",
                "去掉 `device_map`，或不以分布式启动（`distributed_type: 'NO'`）"
            ))
            .with_run(&run.id);
        return Some(match why {
            Some((place, what)) => finding.with_related(*place, what.clone()),
            None => finding,
        });
    }
    if distributed.is_none()
        && let Some(finding) = offloaded(at, load, map, place)
    {
        return Some(finding.with_run(&run.id));
    }
    let several = run.int(Concept::WorldSize).is_some_and(|world| world > 1);
    let Some((config, bits)) = calls::quantization(at, load) else {
        let local = run.int(Concept::WorldSize)? / run.int(Concept::NumMachines).unwrap_or(1).max(1);
        let device = one_device(map).filter(|_| local > 1 && load.lacks("quantization_config", None))?;
        let finding = RULE.finding(
            place,
            message!(
                "all {local} processes of a machine load the model on GPU {device}, which has to hold every copy",
                "一台机器上的 {local} 个进程都把模型加载到 GPU {device}，它要同时容纳全部副本"
            ),
        );
        let help = message!(
            "remove `device_map`, or map to the process's own GPU: {{\"\": PartialState().local_process_index}}",
            "去掉 `device_map`，或映射到进程自己的 GPU：{{\"\": PartialState().local_process_index}}"
        );
        return Some(finding.with_severity(Severity::Warning).with_help(help).with_run(&run.id));
    };
    let device = one_device(map)?;
    let alone =
        run.int(Concept::WorldSize) == Some(1) && device > 0 && trained.is_some_and(|user| user.library() == "accelerate");
    (several || alone).then(|| {
        RULE.finding(
            place,
            message!(
                "a {bits}-bit model on GPU {device} cannot be trained by a process that uses another GPU; accelerate raises an error",
                "{bits} 位模型放在 GPU {device} 上，使用其他 GPU 的进程无法训练它；accelerate 会报错"
            ),
        )
        .with_related(config.callee, message!("the model is quantized here", "在此量化模型"))
        .with_help(message!(
            "map to the process's own GPU: {{\"\": PartialState().local_process_index}}",
            "映射到进程自己的 GPU：{{\"\": PartialState().local_process_index}}"
        ))
        .with_run(&run.id)
    })
}

/// A trained model with blocks on the CPU or the disk: hooks load them for the forward pass, and they are never updated.
fn offloaded(at: &CallRef, load: &LibraryCall, map: &ArgValue, place: FileRange) -> Option<Finding> {
    let ArgValue::Dict { entries, .. } = map else { return None };
    let values: Vec<&ArgValue> =
        entries.iter().filter_map(|entry| calls::single_value(&entry.values)).map(|value| &value.value).collect();
    let host = |what: &&&ArgValue| matches!(what, ArgValue::Known(Value::Text(text)) if text == "cpu" || text == "disk");
    let away = values.iter().filter(host).count();
    // A model entirely on the CPU trains on the CPU; quantized models and adapters have rules of their own.
    let adapted = at.facts.calls.iter().any(|call| call.library() == "peft");
    let plain = load.lacks("quantization_config", None) && !adapted && away < entries.len();
    let name = values
        .iter()
        .find(host)
        .and_then(|what| if let ArgValue::Known(Value::Text(text)) = what { Some(text) } else { None })?;
    plain.then(|| {
        let finding = RULE.finding(
            place,
            message!(
                "blocks on the {name} are loaded for each forward pass only; they are not trained",
                "放在 {name} 上的层只在每次前向时调入：它们不会被训练"
            ),
        );
        finding.with_severity(Severity::Warning).with_help(message!(
            "use the offload of ZeRO or FSDP, which updates the weights it moves, or a smaller model",
            "改用 ZeRO 或 FSDP 的卸载（会更新被移动的权重），或换用更小的模型"
        ))
    })
}

/// A quantized model with blocks on the disk.
fn on_disk(at: &CallRef, load: &LibraryCall, map: &ArgValue, place: FileRange) -> Option<Finding> {
    let (config, bits) = calls::quantization(at, load)?;
    let ArgValue::Dict { entries, .. } = map else { return None };
    let disk = entries
        .iter()
        .filter_map(|entry| calls::single_value(&entry.values))
        .any(|value| matches!(&value.value, ArgValue::Known(Value::Text(text)) if text == "disk"));
    disk.then(|| {
        RULE.finding(
            place,
            message!(
                "a {bits}-bit model with blocks on the disk cannot be trained; accelerate raises an error",
                "部分层在磁盘上的 {bits} 位模型无法训练；accelerate 会报错"
            ),
        )
        .with_related(config.callee, message!("the model is quantized here", "在此量化模型"))
        .with_help(message!("keep every block on the GPU of the process", "把所有层放在进程的 GPU 上"))
    })
}

/// The GPU on which a map puts everything.
fn one_device(map: &ArgValue) -> Option<i64> {
    let of = |value: &Value| match value {
        Value::Int(number) => Some(*number),
        Value::Text(text) => text.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
        _ => None,
    };
    match map {
        ArgValue::Known(value) => of(value),
        ArgValue::Dict { entries, open: false } => match entries.as_slice() {
            [entry] => match &calls::single_value(&entry.values)?.value {
                ArgValue::Known(value) => of(value),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The call that prepares the model for training: accelerate's own, or that of a trainer.
fn prepared<'a>(at: &'a CallRef, load: &LibraryCall) -> Option<&'a LibraryCall> {
    let own =
        |what: &ArgValue| matches!(what, ArgValue::Model(_)) && at.model(what).is_some_and(|model| model.place == load.place);
    at.facts.calls.iter().find(|call| {
        let takes = match (call.library(), call.name()) {
            ("accelerate", "prepare" | "prepare_model") => true,
            ("transformers" | "trl", name) => name.ends_with("Trainer"),
            _ => false,
        };
        takes
            && !call.conditional
            && call.arguments.iter().filter_map(|argument| argument.sole_value()).any(|value| own(&value.value))
    })
}

/// Whether DeepSpeed is configured before the load: transformers looks for a live configuration object.
fn configured_before(at: &CallRef) -> bool {
    at.facts.calls[..at.index].iter().any(|call| {
        let configures = match call.library() {
            "transformers" => call.name().ends_with("TrainingArguments") || call.name() == "HfDeepSpeedConfig",
            "trl" => call.name().ends_with("Config") && call.name() != "ModelConfig",
            "accelerate" => call.name() == "Accelerator",
            _ => false,
        };
        configures && !call.conditional
    })
}

fn bypassed(cx: &Context<'_>, at: &CallRef) -> bool {
    let runs = at.runs(cx.project).flat_map(|run| &run.files);
    at.facts.files.iter().chain(runs).any(|file| cx.project.features(*file).has(Feature::DeviceMapBypass))
}

/// Whether the run is distributed, and where that is set, if anywhere.
#[allow(clippy::option_option)] // distributed or not, written or not
fn distributed(run: &Run) -> Option<Option<(FileRange, Message)>> {
    let kind = run.settings.get(&Concept::DistributedType).and_then(|setting| setting.winning());
    if let Some((candidate, text)) = kind.and_then(|candidate| Some((candidate, candidate.known()?.as_str()?))) {
        let several = text.starts_with("MULTI_") || matches!(text, "FSDP" | "DEEPSPEED");
        let what = message!("`distributed_type` is {text}", "`distributed_type` 为 {text}");
        return several.then(|| candidate.origin.place().map(|place| (place, what)));
    }
    let torchrun = matches!(run.launcher, Some(Launcher::Torchrun | Launcher::DeepSpeed));
    (torchrun && run.int(Concept::WorldSize).is_some_and(|world| world > 1)).then_some(None)
}
