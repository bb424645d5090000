//! # deepspeed-precision-conflict
//!
//! Precision settings of a DeepSpeed file that contradict each other.
//!
//! ## Why it matters
//! One engine has one dtype. DeepSpeed raises an error if fp16 and bf16 are both enabled, if 16-bit master weights lack a
//! requirement (a ZeRO stage, an offloaded optimizer), or if `data_types` sets other types than the mode. Of `bf16` and its old
//! name `bfloat16` it reads only the first.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "fp16": {"enabled": true},
//!   "bf16": {"enabled": true}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "fp16": {"enabled": false},
//!   "bf16": {"enabled": true}
//! }
//! ```
//!
//! ## Fix
//! None: the intended setting is unknown.
//!
//! ## Severity
//! Warning for `bfloat16` next to `bf16`: it is ignored. If the version is unknown, info for what only new versions reject.
//!
//! ## When it stays silent
//! When a setting is `auto` or filled in by a template.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config.py:511`, `:702-714`, `runtime/precision_config.py:31`, `runtime/base_optimizer.py:484`,
//! `runtime/engine.py:1827`, `:2323`, each run.
//!
//! # 中文
//!
//! DeepSpeed 文件中相互矛盾的精度设置。
//!
//! ## 为什么重要
//! 一个引擎只有一种 dtype。fp16 与 bf16 同时开启、16 位主权重缺少前提（ZeRO 阶段、卸载的优化器）、或 `data_types` 要求与
//! 精度模式不同的类型时，DeepSpeed 会终止；`bf16` 与旧名 `bfloat16` 并存时只读前者。
//!
//! ## 修复
//! 无：无法得知本意是哪一个。
//!
//! ## 严重程度
//! `bfloat16` 与 `bf16` 并存只报警告：它会被忽略。只有新版本才拒绝的写法，在版本未知时仅作提示。
//!
//! ## 何时不报
//! 开关为 `auto` 或由模板填入时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config.py:511`、`:702-714`，`runtime/precision_config.py:31`，
//! `runtime/base_optimizer.py:484`，`runtime/engine.py:1827`、`:2323`，逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Message, Severity, UnknownReason, Value, message};
use vramlint_semantic::deepspeed::config::{self, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::deepspeed::initialize;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::BadLoss],
    ..Rule::new("VL559", "deepspeed-precision-conflict", Severity::Error, page!("deepspeed_precision_conflict.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        modes(config, out);
        master_weights(config, out);
        data_types(cx, config, out);
        lamb(config, out);
    }
}

/// Lamb requires dynamic loss scaling in every precision: runtime/engine.py:2021.
fn lamb(config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let lamb =
        matches!(config.setting("optimizer.type"), Evaluated::Known(Value::Text(name)) if name.eq_ignore_ascii_case("lamb"));
    let scale = config.value("fp16.loss_scale").and_then(|scale| scale.as_float()).filter(|scale| *scale > 0.0);
    let decides = || initialize::file_decides(config, "optimizer", initialize::OPTIMIZER) == Some(true);
    if let Some(scale) = scale.filter(|_| lamb && decides()) {
        let message = message!(
            "the Lamb optimizer rejects a fixed loss scale ({scale}); it requires dynamic scaling",
            "Lamb 优化器拒绝固定的 loss scale（{scale}）；它需要动态缩放"
        );
        let help = message!("set \"loss_scale\": 0, or use another optimizer", "写作 \"loss_scale\": 0，或改用其他优化器");
        push(config, "fp16.loss_scale", "optimizer.type", Severity::Error, message, help, out);
    }
}

fn push(
    config: &DeepSpeedConfig<'_>,
    path: &str,
    other: &str,
    severity: Severity,
    message: Message,
    help: Message,
    out: &mut Sink,
) {
    let Some(item) = config.entry(path) else { return };
    let mut finding = RULE.finding(config.place(item), message).with_severity(severity).with_help(help);
    if let Some(other) = config.entry(other) {
        finding = finding.with_related(config.place(other), message!("the other setting", "另一个设置"));
    }
    out.push(finding);
}

/// Whether a setting is certainly enabled.
fn on(config: &DeepSpeedConfig<'_>, path: &str) -> bool {
    config.flag(path, false) == Some(true)
}

/// fp16 and bf16, and the two names of bf16.
fn modes(config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let bf16 = config.block("bf16").is_some();
    let name = if bf16 { "bf16.enabled" } else { "bfloat16.enabled" };
    if on(config, "fp16.enabled") && on(config, name) {
        let message = message!(
            "`fp16` and `bf16` are both enabled; DeepSpeed raises an error",
            "`fp16` 与 `bf16` 同时启用；DeepSpeed 会报错"
        );
        let help = message!("set \"enabled\" of one of them to false", "把其中一个的 \"enabled\" 设为 false");
        push(config, name, "fp16.enabled", Severity::Error, message, help, out);
    }
    if bf16 && config.block("bfloat16").is_some() {
        let message = message!("`bfloat16` is ignored: `bf16` is set, too", "`bfloat16` 被忽略：同时设置了 `bf16`");
        let help = message!("keep `bf16`, and delete `bfloat16`", "保留 `bf16`，删除 `bfloat16`");
        push(config, "bfloat16", "bf16", Severity::Warning, message, help, out);
    }
}

/// Master weights and optimizer states in 16 bits.
fn master_weights(config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let Some(stage) = config.stage() else { return };
    let (fp16, bf16) = ("fp16.fp16_master_weights_and_grads", "bf16.bf16_master_weights_and_grads");
    let states = "bf16.bf16_optimizer_states";
    for path in [fp16, bf16, states] {
        if on(config, path) && stage == 0 {
            let name = path.rsplit('.').next().unwrap_or(path);
            let message = message!("DeepSpeed rejects `{name}` without a ZeRO stage", "没有 ZeRO 阶段时 DeepSpeed 拒绝 `{name}`");
            let help = message!(
                "set zero_optimization.stage to 1, 2 or 3, or delete the key",
                "把 zero_optimization.stage 设为 1、2 或 3，或删除该键"
            );
            push(config, path, "zero_optimization.stage", Severity::Error, message, help, out);
            return;
        }
    }
    if on(config, states) && config.flag(bf16, false) == Some(false) {
        let message = message!(
            "DeepSpeed rejects `bf16_optimizer_states` without `bf16_master_weights_and_grads`",
            "没有 `bf16_master_weights_and_grads` 时 DeepSpeed 拒绝 `bf16_optimizer_states`"
        );
        push(config, states, bf16, Severity::Error, message, message!("enable both", "请同时启用两者"), out);
        return;
    }
    if on(config, fp16) && on(config, bf16) {
        let message = message!(
            "16-bit master weights are enabled for both fp16 and bf16; DeepSpeed raises an error",
            "同时启用了 fp16 与 bf16 的 16 位主权重；DeepSpeed 会报错"
        );
        push(config, bf16, fp16, Severity::Error, message, message!("keep one of them", "只保留一个"), out);
        return;
    }
    let offloaded = match config.setting("zero_optimization.offload_optimizer.device") {
        Evaluated::Absent => on(config, "zero_optimization.cpu_offload"),
        Evaluated::Known(Value::Text(device)) => device != "none",
        _ => return,
    };
    let open = matches!(
        config.setting("zero_optimization.offload_optimizer"),
        Evaluated::Unknown(UnknownReason::Templated | UnknownReason::Auto)
    );
    if on(config, bf16) && config.flag(states, false) == Some(false) && !offloaded && !open {
        let message = message!(
            "DeepSpeed rejects `bf16_master_weights_and_grads` with fp32 optimizer states on the GPU",
            "优化器状态以 fp32 留在 GPU 上时 DeepSpeed 拒绝 `bf16_master_weights_and_grads`"
        );
        let help = message!(
            "add \"bf16_optimizer_states\": true, or offload the optimizer to the CPU",
            "加入 \"bf16_optimizer_states\": true，或把优化器卸载到 CPU"
        );
        push(config, bf16, "zero_optimization.stage", Severity::Error, message, help, out);
    }
}

/// The dtype by any of its names (runtime/config.py:147).
fn dtype(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("torch.").unwrap_or(name) {
        "fp16" | "float16" | "half" => "fp16",
        "bf16" | "bfloat16" => "bf16",
        "fp32" | "float32" | "float" => "fp32",
        "int8" => "int8",
        _ => return None,
    })
}

fn data_types(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let switch = |path: &str| config.flag(path, false);
    let name = if config.entry("bf16").is_some() { "bf16.enabled" } else { "bfloat16.enabled" };
    let (Some(fp16), Some(bf16)) = (switch("fp16.enabled"), switch(name)) else { return };
    // accelerate and the Trainer add the missing block.
    let filled = config.entry("fp16").is_none() && config.entry("bf16").is_none() && config.read_by(Consumers::PLAIN).is_none();
    if filled || fp16 && bf16 {
        return;
    }
    let model = if fp16 {
        "fp16"
    } else if bf16 {
        "bf16"
    } else {
        "fp32"
    };
    let wanted = |key: &str| config.value(key).and_then(|value| dtype(value.as_str()?));
    let enabled = if fp16 { "fp16.enabled" } else { name };
    if let Some(wanted) = wanted("data_types.param_dtype").filter(|wanted| *wanted != model)
        && let Some(severity) = config::recent(cx.project, config.file.id, "0.19.8")
    {
        let message = message!(
            "param_dtype is {wanted}, but the engine trains in {model}; DeepSpeed 0.19.8 raises an error",
            "param_dtype 为 {wanted}，而引擎以 {model} 训练；DeepSpeed 0.19.8 会报错"
        );
        let help = message!("enable {wanted}, or delete `param_dtype`", "启用 {wanted}，或删除 `param_dtype`");
        push(config, "data_types.param_dtype", enabled, severity, message, help, out);
    }
    let path = "data_types.grad_accum_dtype";
    if let Some(wanted) = wanted(path).filter(|wanted| *wanted != model && config.stage() == Some(0))
        && let Some(severity) = config::unless_older(cx.project, config.file.id, "0.17.0")
    {
        let message = message!(
            "grad_accum_dtype is {wanted}, but without ZeRO gradients have the model's dtype, {model}",
            "grad_accum_dtype 为 {wanted}，但没有 ZeRO 时梯度只能与模型同为 {model}"
        );
        let help = message!("use stage 1, 2 or 3, or delete `grad_accum_dtype`", "使用阶段 1、2 或 3，或删除 `grad_accum_dtype`");
        push(config, path, enabled, severity, message, help, out);
    }
}
