//! # precision-and-deepspeed-json
//!
//! The precision of an `Accelerator` run and the DeepSpeed JSON that it reads disagree.
//!
//! ## Why it matters
//! Under DeepSpeed the JSON decides the type of the weights. accelerate rejects a JSON that enables the other 16-bit type;
//! `bf16.enabled: false` with `--mixed_precision bf16` silently trains in fp32; and `"auto"` takes the value of `mixed_precision`,
//! fp32 if it is not set: weights, gradients and activations are then twice as large as expected.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "bf16": {"enabled": "auto"}
//! }
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --mixed_precision bf16 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "bf16": {"enabled": "auto"}
//! }
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## When it stays silent
//! When a trainer of transformers or TRL fills the JSON from its own arguments, and when the precision in the code is unknown.
//!
//! ## Fix
//! Unsafe: `"auto"` for the contradicting key.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:1412-1450`, run: `--mixed_precision arg cannot be set to`; types of the weights after
//! `prepare()`, run.
//!
//! # 中文
//!
//! `Accelerator` 运行的精度与它读取的 DeepSpeed JSON 不一致。
//!
//! ## 为什么重要
//! 使用 DeepSpeed 时由 JSON 决定权重的类型。JSON 打开了另一种 16 位类型会被拒绝；`bf16.enabled: false` 与 `--mixed_precision bf16` 并存时会静默以
//! fp32 训练；`"auto"` 取 `mixed_precision` 的值，未设置时就是 fp32：权重、梯度、激活都是预想的两倍。
//!
//! ## 何时不报
//! 由 transformers 或 TRL 的 Trainer 用自己的参数填写 JSON 时；代码中的精度未知时。
//!
//! ## 修复
//! 不安全：把矛盾的键改为 `"auto"`。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:1412-1450`，实际运行；`prepare()` 之后的权重类型，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Evaluated, FileRange, Finding, Fix, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_edit as edit;
use vramlint_resolve::Run;
use vramlint_semantic::accelerate::AccelerateLaunch;
use vramlint_semantic::accelerate::deepspeed_json::{self, DeepSpeedJson};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL508", "precision-and-deepspeed-json", Severity::Warning, page!("precision_and_deepspeed_json.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(json) = deepspeed_json::deepspeed_json(start) else { continue };
        let Some((precision, at)) = precision(start, json.run) else { continue };
        let weights = weights(json.run);
        if let Some(finding) = against(&json, &precision, at, weights).filter(|finding| out.mark_reported(finding.place)) {
            out.push(finding.with_run(&json.run.id));
        }
    }
}

/// The precision that accelerate requests, and its place; `None` if unknown.
fn precision(start: &AccelerateLaunch<'_>, run: &Run) -> Option<(String, Option<FileRange>)> {
    let code = run.code.as_deref()?;
    for call in code.calls.iter().filter(|call| call.is("accelerate", "Accelerator")) {
        if call.open {
            return None;
        }
        if let Some(argument) = call.argument("mixed_precision", Some(2)) {
            return match argument.constant()? {
                Value::Null => continue,
                value => Some((value.as_str()?.to_lowercase(), Some(argument.place))),
            };
        }
    }
    // An argument that the calls do not show.
    if code.candidates.iter().any(|(concept, _)| *concept == Concept::MixedPrecision) {
        return None;
    }
    match start.top_level("mixed_precision") {
        Evaluated::Absent => Some(("no".to_owned(), None)),
        Evaluated::Unknown(_) => None,
        Evaluated::Known(given) if given.value == Value::Null => Some(("no".to_owned(), None)),
        Evaluated::Known(given) => Some((given.text()?.to_lowercase(), Some(given.place))),
    }
}

/// The dtype in which the weights are loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weights {
    Half,
    Single,
    Unknown,
}

/// DeepSpeed casts nothing where both precisions are off (deepspeed 0.19.8 `runtime/engine.py`).
fn weights(run: &Run) -> Weights {
    match run.value(Concept::WeightsDtype).and_then(Value::as_str) {
        Some("bf16" | "fp16") => Weights::Half,
        Some("fp32") => Weights::Single,
        Some(_) => Weights::Unknown,
        None if run.settings.contains_key(&Concept::WeightsDtype) => Weights::Unknown,
        None => Weights::Single,
    }
}

fn against(json: &DeepSpeedJson<'_>, precision: &str, at: Option<FileRange>, weights: Weights) -> Option<Finding> {
    let own = if precision == "fp8" { "bf16" } else { precision };
    let switch = |name: &str| json.value(&[name, "enabled"]);
    let with_other_end = |finding: Finding| match at {
        Some(at) => finding.with_related(at, message!("mixed_precision is {precision}", "mixed_precision 为 {precision}")),
        None => finding,
    };
    if matches!(own, "fp16" | "bf16") {
        let other = if own == "fp16" { "bf16" } else { "fp16" };
        if let Some((place, Value::Bool(true))) = switch(other) {
            let finding = RULE.finding(
                place,
                message!(
                    "mixed_precision is {precision}, but the DeepSpeed JSON enables {other}; accelerate raises an error",
                    "mixed_precision 为 {precision}，但 DeepSpeed JSON 启用了 {other}；accelerate 会报错"
                ),
            );
            let help = message!("enable one type, or set both to \"auto\"", "只启用一种类型，或把两者都设为 \"auto\"");
            return Some(auto(with_other_end(finding).with_severity(Severity::Error).with_help(help), place));
        }
        if let Some((place, Value::Bool(false))) = switch(own).filter(|_| weights != Weights::Half) {
            let finding = RULE.finding(
                place,
                if weights == Weights::Single {
                    message!(
                        "{own}.enabled is false in the DeepSpeed JSON: mixed_precision {precision} has no effect, and the run trains in fp32",
                        "DeepSpeed JSON 中 {own}.enabled 为 false：mixed_precision {precision} 不起作用，以 fp32 训练"
                    )
                } else {
                    message!(
                        "{own}.enabled is false in the DeepSpeed JSON: mixed_precision {precision} has no effect, and the model keeps its dtype",
                        "DeepSpeed JSON 中 {own}.enabled 为 false：mixed_precision {precision} 不起作用，模型保持原有 dtype"
                    )
                },
            );
            return Some(auto(
                with_other_end(finding).with_help(message!("set it to \"auto\" or true", "设为 \"auto\" 或 true")),
                place,
            ));
        }
        return None;
    }
    let on = ["bf16", "fp16"].iter().any(|name| matches!(switch(name), Some((_, Value::Bool(true) | Value::Null))));
    let auto = |name: &&str| switch(name).is_some_and(|(_, value)| value.as_str() == Some("auto"));
    let name =
        ["bf16", "fp16"].into_iter().find(|name| auto(name)).filter(|_| precision == "no" && !on && weights != Weights::Half)?;
    let (place, _) = switch(name)?;
    let finding = RULE.finding(
        place,
        if weights == Weights::Single {
            message!(
                "{name}.enabled \"auto\" becomes false without `mixed_precision`: the run trains in fp32",
                "未设置 `mixed_precision` 时 {name}.enabled 的 \"auto\" 变为 false：以 fp32 训练"
            )
        } else {
            message!(
                "{name}.enabled \"auto\" becomes false without `mixed_precision`: the model keeps its dtype",
                "未设置 `mixed_precision` 时 {name}.enabled 的 \"auto\" 变为 false：模型保持原有 dtype"
            )
        },
    );
    Some(with_other_end(finding).with_help(message!(
        "pass `--mixed_precision {name}` to accelerate launch, or `mixed_precision=\"{name}\"` to Accelerator()",
        "给 accelerate launch 加上 `--mixed_precision {name}`，或给 Accelerator() 传入 `mixed_precision=\"{name}\"`"
    )))
}

fn auto(finding: Finding, place: FileRange) -> Finding {
    finding.with_fix(Fix {
        title: message!("set it to \"auto\"", "设为 \"auto\""),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(place, "\"auto\"")],
    })
}
