//! # zero-options-conflict
//!
//! Two options in a DeepSpeed file that DeepSpeed rejects together.
//!
//! ## Why it matters
//! Each key alone is valid, but `DeepSpeedConfig` or `deepspeed.initialize` raises an error for the pair: scaling gradients before
//! reduction with `reduce_scatter`, `gradient_allreduce_op: sum` or Muon's update with stage 3, ZenFlow or a partial offload
//! without its requirements, an old key next to the one that replaced it.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "prescale_gradients": true,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "prescale_gradients": true,
//!   "zero_optimization": {"stage": 2, "reduce_scatter": false}
//! }
//! ```
//!
//! ## Fix
//! None: the intended one is unknown. The message names both.
//!
//! ## Severity
//! `elastic_checkpoint` at stage 3 is a warning: DeepSpeed prints a warning and ignores it. Options that exist only in new versions
//! are info if the version is unknown.
//!
//! ## When it stays silent
//! When the stage or one of the values is `auto` or filled in by a template.
//!
//! ## Sources
//! DeepSpeed 0.19.8, each run: `runtime/zero/stage_1_and_2.py:213`, `:350`, `:390`, `runtime/zero/stage3.py:361`, `:395`,
//! `runtime/zero/config.py:400-425`, `runtime/config.py:696`, `runtime/config_utils.py:90`, `runtime/engine.py:2031`,
//! `:2651`, `runtime/zenflow/zenflow_stage_1_and_2.py:116`.
//!
//! # 中文
//!
//! DeepSpeed 文件中两个不能并存的选项。
//!
//! ## 为什么重要
//! 每个键单独看都没有问题，但放在一起会使 `DeepSpeedConfig` 或 `deepspeed.initialize` 终止：启用 `reduce_scatter` 时在归
//! 约前缩放梯度，阶段 3 下的 `gradient_allreduce_op: sum` 或 Muon，缺少前提的 ZenFlow 或部分卸载，旧键与取代它的新键同时
//! 出现。
//!
//! ## 修复
//! 无：无法得知本意是哪一个。消息会指出两者。
//!
//! ## 严重程度
//! 阶段 3 的 `elastic_checkpoint` 只报警告：DeepSpeed 会打印警告并忽略它。只有新版本才有的选项，在版本未知时仅作提示。
//!
//! ## 何时不报
//! 阶段或其中某个值为 `auto`，或由模板填入时。
//!
//! ## 来源
//! DeepSpeed 0.19.8，逐项实际运行：`runtime/zero/stage_1_and_2.py:213`、`:350`、`:390`，`runtime/zero/stage3.py:361`、
//! `:395`，`runtime/zero/config.py:400-425`，`runtime/config.py:696`，`runtime/config_utils.py:90`，
//! `runtime/engine.py:2031`、`:2651`，`runtime/zenflow/zenflow_stage_1_and_2.py:116`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::pydantic_int;
use vramlint_base::{Evaluated, Finding, Message, Severity, UnknownReason, Value, message};
use vramlint_semantic::deepspeed::config::{self, ConfigEntry, DeepSpeedConfig};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL550", "zero-options-conflict", Severity::Error, page!("zero_options_conflict.rs"), check)
};

/// Two entries that conflict.
struct Pair<'a> {
    at: ConfigEntry<'a>,
    other: Option<ConfigEntry<'a>>,
    severity: Severity,
    message: Message,
    help: Message,
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let mut pairs = Vec::new();
        scaling(config, &mut pairs);
        offloading(config, &mut pairs);
        stages(cx, config, &mut pairs);
        replaced(config, &mut pairs);
        out.findings.extend(pairs.into_iter().map(|pair| finding(config, pair)));
    }
}

fn finding(config: &DeepSpeedConfig<'_>, pair: Pair<'_>) -> Finding {
    let mut finding = RULE.finding(config.place(pair.at), pair.message).with_severity(pair.severity).with_help(pair.help);
    if let Some(other) = pair.other {
        finding = finding.with_related(config.place(other), message!("the other setting", "另一个设置"));
    }
    finding
}

const ZERO: &str = "zero_optimization";

fn zero<'a>(config: &DeepSpeedConfig<'a>, key: &str) -> Option<ConfigEntry<'a>> {
    config.entry(&format!("{ZERO}.{key}"))
}

fn on(config: &DeepSpeedConfig<'_>, key: &str, default: bool) -> Option<bool> {
    config.flag(key, default)
}

/// Gradients scaled before they are reduced.
fn scaling<'a>(config: &DeepSpeedConfig<'a>, pairs: &mut Vec<Pair<'a>>) {
    let Some(stage @ (2 | 3)) = config.stage() else { return };
    if on(config, "zero_optimization.reduce_scatter", true) != Some(true) {
        return;
    }
    let other = zero(config, "reduce_scatter").or_else(|| zero(config, "stage"));
    let help = || {
        message!(
            "set `zero_optimization.reduce_scatter` to false, or remove the key",
            "把 `zero_optimization.reduce_scatter` 设为 false，或删除该键"
        )
    };
    if let Some(at) = config.entry("prescale_gradients").filter(|_| on(config, "prescale_gradients", false) == Some(true)) {
        let message = message!(
            "stage {stage} with `reduce_scatter` rejects `prescale_gradients`",
            "阶段 {stage} 启用 `reduce_scatter` 时拒绝 `prescale_gradients`"
        );
        pairs.push(Pair { at, other, severity: Severity::Error, message, help: help() });
    }
    let factor = config.value("gradient_predivide_factor").and_then(|value| value.as_float());
    if let (Some(at), Some(factor)) = (config.entry("gradient_predivide_factor"), factor)
        && (factor - 1.0).abs() > f64::EPSILON
    {
        let message = message!(
            "stage {stage} with `reduce_scatter` rejects a gradient_predivide_factor of {factor}",
            "阶段 {stage} 启用 reduce_scatter 时拒绝 gradient_predivide_factor {factor}"
        );
        pairs.push(Pair { at, other, severity: Severity::Error, message, help: help() });
    }
}

/// What only works with, or without, an offload of the optimizer.
fn offloading<'a>(config: &DeepSpeedConfig<'a>, pairs: &mut Vec<Pair<'a>>) {
    let Some(stage) = config.stage() else { return };
    let device = match config.setting("zero_optimization.offload_optimizer.device") {
        Evaluated::Absent
            if matches!(config.setting("zero_optimization.offload_optimizer"), Evaluated::Unknown(UnknownReason::Templated)) =>
        {
            return;
        }
        Evaluated::Absent => Some("none".to_owned()),
        Evaluated::Known(Value::Text(device)) => Some(device),
        _ => None,
    };
    let old = on(config, "zero_optimization.cpu_offload", false) != Some(false);
    let zenflow = zero(config, "zenflow").filter(|item| item.value.is_mapping());
    if let Some(at) = zenflow.filter(|_| stage > 0 && device.as_deref() == Some("none") && !old) {
        let message =
            message!("DeepSpeed rejects `zenflow` without an offloaded optimizer", "未卸载优化器时 DeepSpeed 拒绝 zenflow");
        let help = message!(
            "add \"offload_optimizer\": {{\"device\": \"cpu\"}} to zero_optimization",
            "在 zero_optimization 中加入 \"offload_optimizer\": {{\"device\": \"cpu\"}}"
        );
        pairs.push(Pair { at, other: None, severity: Severity::Error, message, help });
    }
    let ratio = config.value("zero_optimization.offload_optimizer.ratio").and_then(|value| value.as_float());
    if let (Some(at), true) =
        (config.entry("zero_optimization.offload_optimizer.ratio"), ratio.is_some_and(|r| r < 1.0) && stage != 3)
    {
        let message = message!(
            "DeepSpeed rejects an offload ratio below 1 at stage {stage}: only stage 3 offloads partially",
            "阶段 {stage} 下 DeepSpeed 拒绝小于 1 的卸载比例：只有阶段 3 支持部分卸载"
        );
        let help = message!("set the stage to 3, or the ratio to 1", "把阶段设为 3，或把 ratio 设为 1");
        pairs.push(Pair { at, other: zero(config, "stage"), severity: Severity::Error, message, help });
    }
    gradient_norm(config, stage, device.as_deref(), pairs);
}

/// `compute_grad_norm: false`.
fn gradient_norm<'a>(config: &DeepSpeedConfig<'a>, stage: i64, device: Option<&str>, pairs: &mut Vec<Pair<'a>>) {
    let Some(at) =
        zero(config, "compute_grad_norm").filter(|_| on(config, "zero_optimization.compute_grad_norm", true) == Some(false))
    else {
        return;
    };
    let clip = match config.setting("gradient_clipping") {
        Evaluated::Absent => Some(1.0),
        Evaluated::Known(value) => value.as_float(),
        Evaluated::Unknown(_) => None,
    };
    let (message, help, other) = if matches!(stage, 0 | 3) {
        (
            message!(
                "DeepSpeed rejects `compute_grad_norm: false` at stage {stage}",
                "阶段 {stage} 下 DeepSpeed 拒绝 compute_grad_norm: false"
            ),
            message!("remove it: only stages 1 and 2 support it", "删除它：只有阶段 1 和 2 支持"),
            zero(config, "stage"),
        )
    } else if let Some(clip) = clip.filter(|clip| *clip > 0.0) {
        (
            message!(
                "DeepSpeed rejects `compute_grad_norm: false` while gradients are clipped at {clip}",
                "梯度按 {clip} 裁剪时 DeepSpeed 拒绝 compute_grad_norm: false"
            ),
            message!("set `gradient_clipping` to 0; the default is 1.0", "把 `gradient_clipping` 设为 0；默认值为 1.0"),
            config.entry("gradient_clipping"),
        )
    } else if device.is_some_and(|device| device != "none") {
        (
            message!(
                "DeepSpeed rejects `compute_grad_norm: false` with an offloaded optimizer",
                "卸载优化器时 DeepSpeed 拒绝 compute_grad_norm: false"
            ),
            message!("remove one of them", "删除其中一个"),
            zero(config, "offload_optimizer"),
        )
    } else {
        return;
    };
    pairs.push(Pair { at, other, severity: Severity::Error, message, help });
}

/// Options that a stage does not support.
fn stages<'a>(cx: &Context<'_>, config: &DeepSpeedConfig<'a>, pairs: &mut Vec<Pair<'a>>) {
    let Some(stage) = config.stage() else { return };
    let at_stage = zero(config, "stage").or_else(|| config.entry(ZERO));
    if let Some(at) =
        zero(config, "legacy_stage1").filter(|_| stage > 0 && on(config, "zero_optimization.legacy_stage1", false) == Some(true))
    {
        let message = message!(
            "DeepSpeed rejects `legacy_stage1`, which was removed in 0.5.9",
            "DeepSpeed 拒绝 `legacy_stage1`：自 0.5.9 起已移除"
        );
        pairs.push(Pair { at, other: None, severity: Severity::Error, message, help: message!("delete it", "删除它") });
    }
    if let Some(at) = zero(config, "elastic_checkpoint")
        .filter(|_| stage == 3 && on(config, "zero_optimization.elastic_checkpoint", false) == Some(true))
    {
        let message = message!(
            "`elastic_checkpoint` has no effect at stage 3: DeepSpeed warns and ignores it",
            "`elastic_checkpoint` 在阶段 3 下不起作用：DeepSpeed 会警告并忽略"
        );
        let help = message!("use universal checkpoints instead", "请改用 universal checkpoint");
        pairs.push(Pair { at, other: at_stage, severity: Severity::Warning, message, help });
    }
    let odd =
        config.value("zero_optimization.allgather_bucket_size").as_ref().and_then(pydantic_int).filter(|size| size % 2 != 0);
    if let (Some(at), Some(size), 1 | 2) = (zero(config, "allgather_bucket_size"), odd, stage) {
        let message = message!(
            "stage {stage} rejects an odd allgather_bucket_size ({size})",
            "阶段 {stage} 拒绝奇数的 allgather_bucket_size（{size}）"
        );
        pairs.push(Pair { at, other: None, severity: Severity::Error, message, help: message!("make it even", "改为偶数") });
    }
    summing(cx, config, stage, pairs);
    let muon =
        config.value("optimizer.type").and_then(|v| v.as_str().map(|text| text.eq_ignore_ascii_case("muon"))) == Some(true);
    if let Some(at) = config.entry("optimizer.type").filter(|_| muon && stage == 3)
        && on(config, "zero_optimization.reduce_scatter", true) == Some(true)
    {
        let message =
            message!("stage 3 with `reduce_scatter` rejects the Muon optimizer", "阶段 3 启用 reduce_scatter 时拒绝 Muon 优化器");
        let help =
            message!("set `zero_optimization.reduce_scatter` to false", "把 `zero_optimization.reduce_scatter` 设为 false");
        pairs.push(Pair { at, other: zero(config, "reduce_scatter").or(at_stage), severity: Severity::Error, message, help });
    }
}

/// `gradient_allreduce_op: sum` and unmanaged accumulation, which older versions do not know, and so ignore.
fn summing<'a>(cx: &Context<'_>, config: &DeepSpeedConfig<'a>, stage: i64, pairs: &mut Vec<Pair<'a>>) {
    let Some(severity) = config::recent(cx.project, config.file.id, "0.19.8") else { return };
    let sum =
        config.value("gradient_allreduce_op").and_then(|v| v.as_str().map(|text| text.eq_ignore_ascii_case("sum"))) == Some(true);
    if let Some(at) = config.entry("gradient_allreduce_op").filter(|_| sum) {
        let help = message!("set it to \"mean\"", "设为 \"mean\"");
        if stage == 3 {
            let message = message!("stage 3 rejects gradient_allreduce_op \"sum\"", "阶段 3 拒绝 gradient_allreduce_op \"sum\"");
            pairs.push(Pair { at, other: zero(config, "stage"), severity, message, help });
        } else if let Some(other) = zero(config, "zenflow").filter(|item| item.value.is_mapping()) {
            let message =
                message!("`zenflow` rejects gradient_allreduce_op \"sum\"", "zenflow 拒绝 gradient_allreduce_op \"sum\"");
            pairs.push(Pair { at, other: Some(other), severity, message, help });
        } else if let Some(other) =
            config.entry("compile.deepcompile").filter(|_| on(config, "compile.deepcompile", false) == Some(true))
        {
            let message =
                message!("`deepcompile` rejects gradient_allreduce_op \"sum\"", "deepcompile 拒绝 gradient_allreduce_op \"sum\"");
            pairs.push(Pair { at, other: Some(other), severity, message, help });
        }
    }
    let unmanaged = on(config, "managed_gradient_accumulation", true) == Some(false);
    let overlaps = on(config, "zero_optimization.overlap_comm", stage == 3) == Some(true);
    if let Some(at) = config.entry("managed_gradient_accumulation").filter(|_| unmanaged && overlaps && matches!(stage, 1 | 3)) {
        let message = message!(
            "DeepSpeed rejects `managed_gradient_accumulation: false` with `overlap_comm` at stage {stage}",
            "阶段 {stage} 启用 overlap_comm 时 DeepSpeed 拒绝 managed_gradient_accumulation: false"
        );
        let help = message!("set zero_optimization.overlap_comm to false", "把 zero_optimization.overlap_comm 设为 false");
        pairs.push(Pair { at, other: zero(config, "overlap_comm"), severity, message, help });
    }
}

/// An old key next to the one that replaced it, and two spellings of one key.
fn replaced<'a>(config: &DeepSpeedConfig<'a>, pairs: &mut Vec<Pair<'a>>) {
    let Some(block) = config.block(ZERO) else { return };
    for (old, new) in [
        ("cpu_offload", "offload_optimizer"),
        ("cpu_offload_param", "offload_param"),
        ("stage3_gather_fp16_weights_on_model_save", "stage3_gather_16bit_weights_on_model_save"),
    ] {
        if let (Some(at), Some(other)) = (zero(config, old), zero(config, new)) {
            let message = message!(
                "DeepSpeed rejects `{old}` next to `{new}`, which replaced it",
                "DeepSpeed 拒绝同时写 `{old}` 与取代它的 `{new}`"
            );
            let help = message!("delete `{old}`", "删除 `{old}`");
            pairs.push(Pair { at, other: Some(other), severity: Severity::Error, message, help });
        }
    }
    for key in vramlint_catalog::keys::deepspeed().iter().filter(|key| config::inside(key, ZERO)) {
        for alias in key.aliases.iter().filter_map(|alias| alias.strip_prefix("zero_optimization.")) {
            let name = key.name();
            if let (Some((key, value)), Some((k, v))) = (block.entry(alias), block.entry(name)) {
                let (at, other) = (ConfigEntry { key, value }, ConfigEntry { key: k, value: v });
                let message = message!(
                    "DeepSpeed rejects `{alias}` next to `{name}`: they are the same key",
                    "DeepSpeed 拒绝同时写 `{alias}` 与 `{name}`：它们是同一个键"
                );
                let help = message!("keep `{name}`", "保留 `{name}`");
                pairs.push(Pair { at, other: Some(other), severity: Severity::Error, message, help });
            }
        }
    }
}
