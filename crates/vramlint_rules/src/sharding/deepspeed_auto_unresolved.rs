//! # deepspeed-auto-unresolved
//!
//! Nothing fills in an `"auto"` of a DeepSpeed file.
//!
//! ## Why it matters
//! DeepSpeed itself does not resolve `"auto"`. In blocks that pydantic reads it is silently dropped: stage `"auto"` is stage 0,
//! `bf16.enabled: "auto"` trains in fp32. Elsewhere the string survives and raises an error, sometimes only at the first step (
//! `gradient_clipping`). accelerate and transformers fill some keys, and reject the file if any other key is `"auto"`.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": "auto"}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, optimizer=None, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Fix
//! None: the intended value is unknown.
//!
//! ## Severity
//! Warning if the string is dropped or means "none"; info, once, for several buckets.
//!
//! ## When it stays silent
//! When the reader of the file is unknown.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config_utils.py:56`, `runtime/config.py:596`, `runtime/engine.py:3506`, torch 2.15
//! `optim/adam.py:59`, accelerate 1.15.0 `utils/dataclasses.py:1368`, transformers 5.23.0 `integrations/deepspeed.py:100`,
//! each run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的 `"auto"` 不会被填充。
//!
//! ## 为什么重要
//! DeepSpeed 本身不会解析 `"auto"`。在由 pydantic 读取的块中，它会被无声丢弃：阶段 `"auto"` 就是阶段 0，
//! `bf16.enabled: "auto"` 则以 fp32 训练。其他位置的字符串会保留下来并报错，有的（`gradient_clipping`）直到第一步才发生。
//! accelerate 与 transformers 只填充部分键，`"auto"` 写在别的键上时会拒绝该文件。
//!
//! ## 修复
//! 无：无法得知本意的取值。
//!
//! ## 严重程度
//! 字符串被丢弃或等同于“无”时只报警告；多个桶大小合并为一条提示。
//!
//! ## 何时不报
//! 看不出由谁读取该文件时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config_utils.py:56`、`runtime/config.py:596`、`runtime/engine.py:3506`，torch 2.15
//! `optim/adam.py:59`，accelerate 1.15.0 `utils/dataclasses.py:1368`，transformers 5.23.0 `integrations/deepspeed.py:100`，
//! 逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Finding, Message, Severity, UnknownReason, message};
use vramlint_catalog::keys::{self, AutoFiller};
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::deepspeed::initialize;
use vramlint_semantic::schema;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::NoEffect],
    ..Rule::new("VL540", "deepspeed-auto-unresolved", Severity::Error, page!("deepspeed_auto_unresolved.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let plain = config.read_by(Consumers::PLAIN).is_some();
        let others = [
            (Consumers::TRAINER, &[AutoFiller::HfTrainer][..]),
            (Consumers::ACCELERATE, &[AutoFiller::Accelerate]),
            (Consumers::HUGGING_FACE, &[AutoFiller::HfTrainer, AutoFiller::Accelerate]),
        ];
        let fillers = others.into_iter().find(|(readers, _)| config.read_by(*readers).is_some()).map(|(_, fillers)| fillers);
        let mut dropped = Vec::new();
        let mut items = Vec::new();
        config.visit(&mut |path, item| {
            if config.setting_of(item.value) == Evaluated::Unknown(UnknownReason::Auto) {
                items.push((path.to_owned(), item));
            }
        });
        for (path, item) in items {
            let key = keys::find(keys::deepspeed(), &path);
            // A block of this name, and keys where "auto" is a value of its own.
            if key.is_some_and(|key| key.default.as_deref() == Some("auto") || key.values.iter().any(|value| value == "auto"))
                && fillers.is_none()
            {
                continue;
            }
            if let Some(fillers) = fillers {
                out.findings.extend(unfilled(config, &path, item, fillers));
            } else if plain {
                match fate(config, &path) {
                    Some(Fate::Dropped) => dropped.push((path, item)),
                    Some(fate) => out.push(by_engine(config, &path, item, &fate)),
                    None => {}
                }
            }
        }
        out.findings.extend(tuning(config, &dropped));
    }
}

/// Keys that accelerate overwrites before it looks for `auto` (utils/dataclasses.py:1323).
const OVERWRITTEN: &[&str] = &["steps_per_print"];

/// What accelerate does with an `auto` that it does not fill, also under transformers' Trainer.
fn unfilled(config: &DeepSpeedConfig<'_>, path: &str, item: ConfigEntry<'_>, fillers: &[AutoFiller]) -> Option<Finding> {
    let key = keys::find(keys::deepspeed(), path);
    let filled = key.is_some_and(|key| key.auto.iter().any(|filler| fillers.contains(filler)));
    if filled || OVERWRITTEN.contains(&path) || config.entry(path).is_none() {
        return None;
    }
    let message = message!(
        "`{path}` is \"auto\", but nothing fills it in; accelerate raises an error",
        "`{path}` 为 \"auto\"，但不会被填充；accelerate 会报错"
    );
    Some(
        RULE.finding(config.place(item), message).with_help(message!("write a value, or delete the key", "写出取值，或删除该键")),
    )
}

/// What becomes of an `auto` that DeepSpeed itself reads.
enum Fate {
    /// It raises, and when.
    Raises(Message),
    /// It is dropped for a default that differs from what `auto` suggests.
    Default(&'static str),
    /// It is dropped for a default that is as good as any.
    Dropped,
}

fn fate(config: &DeepSpeedConfig<'_>, path: &str) -> Option<Fate> {
    Some(match path {
        "train_batch_size" | "train_micro_batch_size_per_gpu" | "gradient_accumulation_steps" => {
            Fate::Raises(message!("when the file is read", "读取文件时"))
        }
        "gradient_clipping" => Fate::Raises(message!("at the first step", "第一步更新时")),
        "data_types.grad_accum_dtype" | "data_types.param_dtype" => {
            Fate::Raises(message!("when the engine starts", "引擎启动时"))
        }
        "zero_optimization.stage" => Fate::Default("0"),
        "bf16.enabled" | "fp16.enabled" => Fate::Default("false"),
        "zero_optimization.offload_optimizer.device" | "zero_optimization.offload_param.device" => Fate::Default("none"),
        _ if path.starts_with("optimizer.params.") => {
            let used = initialize::file_decides(config, "optimizer", initialize::OPTIMIZER) == Some(true);
            let number =
                path.ends_with(".lr") || path.ends_with(".eps") || path.ends_with(".weight_decay") || path.ends_with(".betas");
            return (used && number).then(|| Fate::Raises(message!("when the engine starts", "引擎启动时")));
        }
        _ if path.starts_with("scheduler.params.") => {
            let used = initialize::file_decides(config, "lr_scheduler", initialize::SCHEDULE) == Some(true);
            let number = path.ends_with("_steps") || path.ends_with("_lr");
            return (used && number).then(|| Fate::Raises(message!("when the engine starts", "引擎启动时")));
        }
        _ if schema::is_checked(path) => Fate::Dropped,
        _ => return None,
    })
}

fn by_engine(config: &DeepSpeedConfig<'_>, path: &str, item: ConfigEntry<'_>, fate: &Fate) -> Finding {
    let help = message!(
        "write a value: only accelerate and transformers fill in \"auto\"",
        "请写出取值：只有 accelerate 与 transformers 会填充 \"auto\""
    );
    let (message, severity) = match fate {
        Fate::Raises(Message { en, zh }) => (
            message!(
                "DeepSpeed itself does not fill in \"auto\": `{path}` raises an error {en}",
                "DeepSpeed 本身不会填充 \"auto\"：`{path}` 在{zh}报错"
            ),
            Severity::Error,
        ),
        Fate::Default(default) => (
            message!(
                "DeepSpeed silently drops the \"auto\" of `{path}`: the value is {default}",
                "DeepSpeed 会静默丢弃 `{path}` 的 \"auto\"：实际为 {default}"
            ),
            Severity::Warning,
        ),
        Fate::Dropped => {
            (message!("DeepSpeed drops the \"auto\" of `{path}`", "DeepSpeed 会丢弃 `{path}` 的 \"auto\""), Severity::Info)
        }
    };
    RULE.finding(config.place(item), message).with_severity(severity).with_help(help)
}

/// Tuning keys whose `auto` is dropped: one finding for all of them.
fn tuning(config: &DeepSpeedConfig<'_>, dropped: &[(String, ConfigEntry<'_>)]) -> Option<Finding> {
    let (first, item) = dropped.first()?;
    if dropped.len() == 1 {
        return Some(by_engine(config, first, *item, &Fate::Dropped));
    }
    let names = dropped.iter().map(|(path, _)| path.rsplit('.').next().unwrap_or(path)).collect::<Vec<_>>().join(", ");
    let message = message!(
        "DeepSpeed silently drops the \"auto\" of {names}: their defaults apply",
        "DeepSpeed 会静默丢弃 {names} 的 \"auto\"：采用默认值"
    );
    let help = message!("write the values, or delete the keys", "写出取值，或删除这些键");
    Some(RULE.finding(config.place(*item), message).with_severity(Severity::Info).with_help(help))
}
