//! # offload-with-own-optimizer
//!
//! The optimizer is offloaded, but the code creates it with a class for the GPU.
//!
//! ## Why it matters
//! With `offload_optimizer` the CPU updates the states, for which DeepSpeed has its own classes. `deepspeed.initialize` rejects a
//! torch optimizer unless `zero_force_ds_cpu_optimizer` is false, which is slow. accelerate replaces the class itself.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//! import torch
//!
//!
//! def main(model):
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
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
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//! import torch
//!
//!
//! def main(model):
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Fix
//! Unsafe: `zero_force_ds_cpu_optimizer: false` is added. `DeepSpeedCPUAdam`, or an optimizer in the file, is better.
//!
//! ## When it stays silent
//! When accelerate or the Trainer reads the file, and when the class is unknown.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2346`, run; accelerate 1.15.0 `utils/deepspeed.py` (map_pytorch_optim_to_deepspeed),
//! read.
//!
//! # 中文
//!
//! 卸载了优化器，代码却用 GPU 上的类创建它。
//!
//! ## 为什么重要
//! 启用 `offload_optimizer` 后由 CPU 更新状态，DeepSpeed 用自己的类来完成。传给 `deepspeed.initialize` 的 torch 优化器会
//! 被拒绝，除非 `zero_force_ds_cpu_optimizer` 为 false，但那样很慢。accelerate 会自行替换类。
//!
//! ## 修复
//! 不安全：加入 `zero_force_ds_cpu_optimizer: false`。更好的做法是使用 `DeepSpeedCPUAdam`，或在文件中写优化器。
//!
//! ## 何时不报
//! 由 accelerate 或 Trainer 读取该文件时；类未知时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2346`，实际运行；accelerate 1.15.0 `utils/deepspeed.py`（
//! map_pytorch_optim_to_deepspeed），阅读。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::deepspeed::initialize;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL547", "offload-with-own-optimizer", Severity::Error, page!("offload_with_own_optimizer.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let sharded = config.stage().is_some_and(|stage| stage > 0);
        let Some(one) = config.read_by(Consumers::PLAIN).filter(|_| sharded) else { continue };
        let device = config.value("zero_optimization.offload_optimizer.device");
        let offloaded = device.as_ref().and_then(Value::as_str).is_some_and(|device| matches!(device, "cpu" | "nvme"));
        let Some(item) = config.entry("zero_optimization.offload_optimizer.device").filter(|_| offloaded) else { continue };
        if config.flag("zero_force_ds_cpu_optimizer", true) != Some(true) {
            continue;
        }
        for (name, place) in initialize::made_optimizers(one) {
            if !name.starts_with("torch.optim.") && !name.starts_with("bitsandbytes.optim.") {
                continue;
            }
            let message = message!(
                "DeepSpeed cannot offload {name}: it accepts only its own CPU optimizers",
                "DeepSpeed 无法卸载 {name}：它只接受自己的 CPU 优化器"
            );
            let help = message!(
                "use deepspeed.ops.adam.DeepSpeedCPUAdam, or write the optimizer in the file",
                "改用 deepspeed.ops.adam.DeepSpeedCPUAdam，或把优化器写在文件中"
            );
            let related = config.place(item);
            let mut finding = RULE
                .finding(place, message)
                .with_help(help)
                .with_related(related, message!("offloading is set here", "卸载在此设置"));
            if let Some(edit) = edit::put(config.file, &[], "zero_force_ds_cpu_optimizer", &Value::Bool(false)) {
                finding = finding.with_fix(Fix {
                    title: message!(
                        "allow it with `zero_force_ds_cpu_optimizer: false`",
                        "用 `zero_force_ds_cpu_optimizer: false` 允许它"
                    ),
                    applicability: Applicability::Unsafe,
                    edits: vec![edit],
                });
            }
            out.push(finding);
        }
    }
}
