//! # fsdp-without-gpu
//!
//! FSDP on a machine without a GPU.
//!
//! ## Why it matters
//! With version 1 `Accelerator()` raises an error: rank 0 needs a device to send its weights from. With version 2 FSDP is silently
//! disabled, and every process trains a whole model on the CPU.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 1
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! count = 0
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! use_cpu: true
//! ```
//! ```toml file=vramlint.toml
//! [target]
//! count = 0
//! ```
//!
//! ## Severity
//! Error with version 1 if `fsdp_sync_module_states` is on, the default; otherwise warning.
//!
//! ## Fix
//! None.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:2014`, run: `There are currently no available devices found`; version 2, run: type NO.
//!
//! # 中文
//!
//! 在没有 GPU 的机器上使用 FSDP。
//!
//! ## 为什么重要
//! 版本 1 时 `Accelerator()` 会报错：rank 0 需要一个设备来发送权重。版本 2 时 FSDP 会被静默禁用，每个进程都在 CPU 上训练完整模型。
//!
//! ## 严重程度
//! 版本 1 且 `fsdp_sync_module_states` 开启（默认）时为 error，否则为 warning。
//!
//! ## 修复
//! 无。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:2014`，实际运行：`There are currently no available devices found`；版本 2，实际运行：类型变为 NO。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, message};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL504", "fsdp-without-gpu", Severity::Warning, page!("fsdp_without_gpu.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(kind) = start.distributed_type().filter(|kind| kind.name == "FSDP") else { continue };
        let at = start.launch.map_or(kind.place.file, |launch| launch.file);
        let none = start.project.policy(at).target.count == Some(0);
        let Some(version) = start.fsdp_version().filter(|_| none && start.flag("--cpu").is_none()) else { continue };
        if !out.mark_reported(kind.place) {
            continue;
        }
        let synced = match start.block("fsdp_config", "fsdp_sync_module_states") {
            Evaluated::Absent => true,
            Evaluated::Unknown(_) => false,
            Evaluated::Known(given) => given.as_bool() == Some(true),
        };
        let finding = if version == 1 && synced {
            let message = message!(
                "FSDP 1 needs a GPU to send the weights of rank 0, but the machine has none",
                "FSDP 1 需要 GPU 来发送 rank 0 的权重，而机器没有 GPU"
            );
            RULE.finding(kind.place, message).with_severity(Severity::Error)
        } else {
            let message = message!(
                "FSDP has no effect on a machine without a GPU: every process trains a whole model on the CPU",
                "没有 GPU 的机器上 FSDP 不生效：每个进程都在 CPU 上训练完整模型"
            );
            RULE.finding(kind.place, message)
        };
        out.push(finding.with_help(message!(
            "to train on the CPU, set `distributed_type: 'NO'` and `use_cpu: true`",
            "若用 CPU 训练，请设置 `distributed_type: 'NO'` 与 `use_cpu: true`"
        )));
    }
}
