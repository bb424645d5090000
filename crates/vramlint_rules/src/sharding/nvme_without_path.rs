//! # nvme-without-path
//!
//! Offloading to NVMe without a path.
//!
//! ## Why it matters
//! At stage 3 a device of `nvme` requires `nvme_path`, the folder on the disk. Without it `deepspeed.initialize` raises an
//! `AssertionError` for parameters and a `TypeError` for the optimizer.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 3, "offload_param": {"device": "nvme", "nvme_path": "/local_nvme"}}
//! }
//! ```
//!
//! ## Fix
//! None: the folder is unknown.
//!
//! ## When it stays silent
//! Below stage 3, where nvme means host memory (see `zero-key-without-its-stage`).
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/zero/partition_parameters.py:1229`, `runtime/zero/stage3.py:840`, run.
//!
//! # 中文
//!
//! 卸载到 NVMe 却没有写路径。
//!
//! ## 为什么重要
//! 阶段 3 下设备为 `nvme` 时必须给出 `nvme_path`，即磁盘上的目录：否则 `deepspeed.initialize` 会终止，参数卸载报
//! `AssertionError`，优化器卸载报 `TypeError`。
//!
//! ## 修复
//! 无：无法得知目录。
//!
//! ## 何时不报
//! 低于阶段 3 时不报：此时 nvme 等同于主机内存（见 `zero-key-without-its-stage`）。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/zero/partition_parameters.py:1229`，`runtime/zero/stage3.py:840`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, Value, message};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL561", "nvme-without-path", Severity::Error, page!("nvme_without_path.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs().iter().filter(|config| config.stage() == Some(3)) {
        for block in ["offload_param", "offload_optimizer"] {
            let path = |key: &str| format!("zero_optimization.{block}.{key}");
            let (device, folder) = (config.value(&path("device")), config.setting(&path("nvme_path")));
            let Some(item) = config.entry(&path("device")).filter(|_| device == Some(Value::Text("nvme".to_owned()))) else {
                continue;
            };
            if matches!(folder, Evaluated::Absent | Evaluated::Known(Value::Null)) {
                let message = message!(
                    "`{block}` offloads to NVMe, but `nvme_path` is not set; DeepSpeed raises an error",
                    "`{block}` 卸载到 NVMe，但未设置 `nvme_path`；DeepSpeed 会报错"
                );
                let help = message!("add \"nvme_path\": \"/path/on/the/disk\"", "加入 \"nvme_path\": \"/磁盘上的目录\"");
                out.push(RULE.finding(config.place(item), message).with_help(help));
            }
        }
    }
}
