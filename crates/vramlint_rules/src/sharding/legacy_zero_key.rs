//! # legacy-zero-key
//!
//! A `zero_optimization` key that DeepSpeed has replaced with another one.
//!
//! ## Why it matters
//! The old key still works, with a warning in the log of every rank, or is dropped (`cpu_offload_use_pin_memory`). Readers of
//! the file, accelerate and the Trainer among them, look for the new key: they miss an offload set by an old one.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "cpu_offload": true}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}
//! }
//! ```
//!
//! ## Fix
//! Safe: the key is renamed if the new one takes the same value; `cpu_offload: true` becomes `offload_optimizer` with the
//! device `cpu`.
//!
//! ## Severity
//! Info if DeepSpeed reads the old key as the new one.
//!
//! ## When it stays silent
//! When the new key is set, too: DeepSpeed then rejects the file, and `zero-options-conflict` reports it.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/zero/config.py:188-215`, `:287`, `runtime/config_utils.py:68`, run.
//!
//! # 中文
//!
//! `zero_optimization` 中已被 DeepSpeed 用别的键取代的键。
//!
//! ## 为什么重要
//! 旧键仍然有效，但每个 rank 的日志都会打印警告；`cpu_offload_use_pin_memory` 则被直接丢弃。读取该文件的其他程序（包括
//! accelerate 与 Trainer）查找的是新键：用旧键写的卸载它们看不到。
//!
//! ## 修复
//! 安全：新键取值相同时直接改名；`cpu_offload: true` 改为设备为 `cpu` 的 `offload_optimizer`。
//!
//! ## 严重程度
//! DeepSpeed 仍把旧键当作新键读取时为 info。
//!
//! ## 何时不报
//! 新键也在时不报：此时 DeepSpeed 会拒绝该文件，由 `zero-options-conflict` 报告。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/zero/config.py:188-215`、`:287`，`runtime/config_utils.py:68`，实际运行。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::pydantic_bool;
use vramlint_base::{Applicability, Evaluated, Finding, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    tag: Some(DiagnosticTag::Deprecated),
    ..Rule::new("VL553", "legacy-zero-key", Severity::Warning, page!("legacy_zero_key.rs"), check)
};

/// Old keys, and what stands for them now.
const KEYS: &[(&str, Option<&str>)] = &[
    ("cpu_offload", Some("offload_optimizer")),
    ("cpu_offload_param", Some("offload_param")),
    ("cpu_offload_use_pin_memory", None),
    ("stage3_gather_fp16_weights_on_model_save", Some("stage3_gather_16bit_weights_on_model_save")),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        for (old, new) in KEYS {
            let there = |key: &str| config.entry(&format!("zero_optimization.{key}"));
            let alone = new.is_none_or(|new| there(new).is_none());
            let Some(item) = there(old).filter(|item| alone && matches!(config.setting_of(item.value), Evaluated::Known(_)))
            else {
                continue;
            };
            out.push(finding(config, item, old, *new));
        }
    }
}

fn finding(config: &DeepSpeedConfig<'_>, item: ConfigEntry<'_>, old: &str, new: Option<&str>) -> Finding {
    let place = config.place(item);
    let Some(new) = new else {
        let message = message!("DeepSpeed ignores `{old}`", "DeepSpeed 会忽略 `{old}`");
        let help = message!(
            "set `pin_memory` in `offload_optimizer` or `offload_param`",
            "请在 `offload_optimizer` 或 `offload_param` 中设置 `pin_memory`"
        );
        return RULE.finding(place, message).with_help(help);
    };
    let message = message!("`{old}` is deprecated: DeepSpeed reads it as `{new}`", "`{old}` 已弃用：DeepSpeed 按 `{new}` 读取");
    let block = new.starts_with("offload");
    let written = match config.setting_of(item.value) {
        Evaluated::Known(value) if block => match pydantic_bool(&value) {
            Some(true) => "{\"device\": \"cpu\"}".to_owned(),
            // `false` is the same as a missing key.
            _ => return RULE.finding(place, message).with_severity(Severity::Info).with_help(message!("delete it", "删除它")),
        },
        _ => item.value.range().slice(&config.file.text).to_owned(),
    };
    // It works as before, at the price of a line in the log.
    let mut finding = RULE
        .finding(place, message)
        .with_severity(Severity::Info)
        .with_help(message!("write \"{new}\": {written}", "写作 \"{new}\": {written}"));
    let key = item.key.range().slice(&config.file.text).replace(old, new);
    let mut edits = vec![edit::replace(config.key_place(item), key)];
    if block {
        edits.push(edit::replace(config.value_place(item), written));
    }
    if config.is_braced() {
        let title = message!("write `{new}`", "改写为 `{new}`");
        finding = finding.with_fix(Fix { title, applicability: Applicability::Safe, edits });
    }
    finding
}
