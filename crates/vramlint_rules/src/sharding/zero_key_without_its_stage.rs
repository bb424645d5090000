//! # zero-key-without-its-stage
//!
//! A `zero_optimization` key that the stage in the file does not use.
//!
//! ## Why it matters
//! Offloading and ZeRO++ help when memory or network bandwidth is short. Below the required stage DeepSpeed accepts the keys and
//! silently ignores them: no memory is freed.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}
//! }
//! ```
//!
//! ## Fix
//! None: either the stage or the key is not the intended one.
//!
//! ## Severity
//! Info, once per file, for tuning keys of stage 3 (`stage3_prefetch_bucket_size`, `sub_group_size` and so on) below stage 3: they
//! are often copied along with a file.
//!
//! ## When it stays silent
//! When the stage is `auto` or unknown, when the value is off, and when no stage is set at all (see
//! `zero-without-stage`).
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2633-2798` (which optimizer gets which key), run: the states stay on the device, and no
//! quantizer is created.
//!
//! # 中文
//!
//! `zero_optimization` 中有当前阶段用不到的键。
//!
//! ## 为什么重要
//! 卸载与 ZeRO++ 往往是在显存或网络不足时打开的。低于所需阶段时，DeepSpeed 接受这些键却什么也不做：没有任何提示，显存也不会腾出。
//!
//! ## 修复
//! 无：要么阶段写错了，要么这个键不是本意。
//!
//! ## 严重程度
//! 阶段 3 的调优键（`stage3_prefetch_bucket_size`、`sub_group_size` 等）出现在更低阶段时，每个文件仅提示一次：文件常常带
//! 着它们被复制。
//!
//! ## 何时不报
//! 阶段为 `auto` 或未知、值为关闭状态，或根本没有写阶段时（见 `zero-without-stage`）。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2633-2798`（哪个优化器得到哪个键），实际运行：状态仍在设备上，没有构建量化器。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::pydantic_bool;
use vramlint_base::{Finding, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL551", "zero-key-without-its-stage", Severity::Warning, page!("zero_key_without_its_stage.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(stage @ 0..=2) = config.stage().filter(|_| config.entry("zero_optimization.stage").is_some()) else { continue };
        for key in ["offload_optimizer", "offload_param"] {
            if let Some((item, device)) = offload(config, key) {
                out.findings.extend(offloaded(config, key, item, &device, stage));
            }
        }
        for key in [
            "zero_quantized_weights",
            "zero_quantized_gradients",
            "zero_quantized_nontrainable_weights",
            "zero_hpz_partition_size",
        ] {
            let path = format!("zero_optimization.{key}");
            let used = match config.value(&path) {
                Some(Value::Int(size)) => size > 1,
                Some(value) => pydantic_bool(&value) == Some(true),
                None => false,
            };
            if let Some(item) = config.entry(&path).filter(|_| used) {
                let message = message!(
                    "`{key}` has no effect at stage {stage}: ZeRO++ needs stage 3",
                    "`{key}` 在阶段 {stage} 下不起作用：ZeRO++ 需要阶段 3"
                );
                out.push(with_stage(config, RULE.finding(config.place(item), message)));
            }
        }
        tuning(config, stage, out);
    }
}

/// The offload block that sets a device, with the device.
fn offload<'a>(config: &DeepSpeedConfig<'a>, key: &str) -> Option<(ConfigEntry<'a>, String)> {
    let device = config.value(&format!("zero_optimization.{key}.device"))?;
    let device = device.as_str().filter(|device| matches!(*device, "cpu" | "nvme"))?.to_owned();
    Some((config.entry(&format!("zero_optimization.{key}"))?, device))
}

fn offloaded(config: &DeepSpeedConfig<'_>, key: &str, item: ConfigEntry<'_>, device: &str, stage: i64) -> Option<Finding> {
    let message = match (key, stage, device) {
        ("offload_param", ..) => message!(
            "`offload_param` has no effect at stage {stage}: only stage 3 offloads parameters",
            "`offload_param` 在阶段 {stage} 下不起作用：只有阶段 3 才会卸载参数"
        ),
        (_, 0, _) => message!(
            "`offload_optimizer` has no effect at stage 0: the optimizer states stay on the GPU",
            "`offload_optimizer` 在阶段 0 下不起作用：优化器状态仍留在 GPU 上"
        ),
        (_, _, "nvme") => message!(
            "at stage {stage} nvme means host memory: only stage 3 swaps to NVMe",
            "阶段 {stage} 下 nvme 等同于主机内存：只有阶段 3 会换出到 NVMe"
        ),
        _ => return None,
    };
    let place = config.key_place(item).file;
    let range = item.key.range().cover(config.entry(&format!("zero_optimization.{key}.device"))?.value.range());
    Some(with_stage(config, RULE.finding(vramlint_base::FileRange::new(place, range), message)))
}

fn with_stage(config: &DeepSpeedConfig<'_>, finding: Finding) -> Finding {
    let finding = finding.with_help(message!("raise the stage, or delete the key", "提高阶段，或删除该键"));
    match config.entry("zero_optimization.stage") {
        Some(stage) => finding.with_related(config.place(stage), message!("the stage is set here", "阶段在此设置")),
        None => finding,
    }
}

/// Keys that only tune stage 3: one finding for all of them.
fn tuning(config: &DeepSpeedConfig<'_>, stage: i64, out: &mut Sink) {
    let Some(block) = config.block("zero_optimization") else { return };
    let only_third = |name: &str| {
        let key = keys::find(keys::deepspeed(), &format!("zero_optimization.{name}"));
        key.is_some_and(|key| key.stages == [3] && !name.starts_with("zero_") && !name.contains("offload"))
    };
    let found: Vec<_> = block.entries().filter(|(key, _)| key.text().is_some_and(only_third)).collect();
    let Some(&(first, value)) = found.first() else { return };
    let names = found.iter().filter_map(|(key, _)| key.text()).collect::<Vec<_>>().join(", ");
    let message =
        message!("stage {stage} does not use {names}: only stage 3 does", "阶段 {stage} 不使用 {names}：只有阶段 3 使用");
    let item = ConfigEntry { key: first, value };
    out.push(with_stage(config, RULE.finding(config.place(item), message).with_severity(Severity::Info)));
}
