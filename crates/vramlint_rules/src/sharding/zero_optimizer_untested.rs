//! # zero-optimizer-untested
//!
//! ZeRO with an optimizer that DeepSpeed accepts only if you allow it.
//!
//! ## Why it matters
//! ZeRO shards the states of Adam, AdamW, Adagrad, Lion and Muon. For any other optimizer, in the file or created in code,
//! `deepspeed.initialize` raises an error unless `zero_allow_untested_optimizer` is true. accelerate and the Trainer set the key
//! themselves for optimizers in the code.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "SGD", "params": {"lr": 0.01}},
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
//! Unsafe: `zero_allow_untested_optimizer: true` is added.
//!
//! ## When it stays silent
//! When the stage or the optimizer is unknown, and when accelerate or the Trainer reads the file.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2299`, `runtime/zero/utils.py:45`, run.
//!
//! # 中文
//!
//! ZeRO 使用了 DeepSpeed 需明确允许才接受的优化器。
//!
//! ## 为什么重要
//! ZeRO 会对 Adam、AdamW、Adagrad、Lion、Muon 的状态分片。其他优化器，无论写在文件中还是在代码中创建，都会使 `deepspeed.initialize` 报错，除非
//! `zero_allow_untested_optimizer` 为 true。对代码中的优化器，accelerate 与 Trainer 会自行设置该键。
//!
//! ## 修复
//! 不安全：加入 `zero_allow_untested_optimizer: true`。
//!
//! ## 何时不报
//! 阶段或优化器未知时；由 accelerate 或 Trainer 读取该文件时。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2299`，`runtime/zero/utils.py:45`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Finding, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_semantic::deepspeed::initialize::{self, EngineArgument};
use vramlint_semantic::deepspeed::optimizers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL545", "zero-optimizer-untested", Severity::Error, page!("zero_optimizer_untested.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let sharded = config.stage().is_some_and(|stage| stage > 0);
        let Some(one) = config.read_by(Consumers::PLAIN).filter(|_| sharded) else { continue };
        if config.flag("zero_allow_untested_optimizer", false) != Some(false) {
            continue;
        }
        match initialize::engine_argument(one, "optimizer", initialize::OPTIMIZER) {
            EngineArgument::No => {
                let Some(item) = config.entry("optimizer.type") else { continue };
                let Some(Value::Text(name)) = config.value("optimizer.type") else { continue };
                if optimizers::is_tested(optimizers::optimizer(&name)) == Some(false) {
                    out.push(finding(config, config.place(item), &name));
                }
            }
            EngineArgument::Yes => {
                for (name, place) in initialize::made_optimizers(one) {
                    if untested(&name) {
                        let short = name.rsplit('.').next().unwrap_or(&name);
                        let zero =
                            config.entry("zero_optimization.stage").map_or_else(|| config.head(), |item| config.place(item));
                        out.push(
                            finding(config, place, short).with_related(zero, message!("the stage is set here", "阶段在此设置")),
                        );
                    }
                }
            }
            EngineArgument::Unknown => {}
        }
    }
}

/// Whether a library class is certainly not one that ZeRO knows (runtime/zero/utils.py:45).
fn untested(path: &str) -> bool {
    let known = ["torch.optim.Adam", "torch.optim.AdamW", "torch.optim.Adagrad"];
    let name = path.rsplit('.').next().unwrap_or(path);
    let torch = path.starts_with("torch.optim.") && !known.iter().any(|known| known.ends_with(&format!(".{name}")));
    torch || path.starts_with("bitsandbytes.optim.") || path == "transformers.Adafactor"
}

fn finding(config: &DeepSpeedConfig<'_>, at: FileRange, name: &str) -> Finding {
    let message = message!(
        "ZeRO rejects the optimizer {name} without `zero_allow_untested_optimizer`",
        "没有 `zero_allow_untested_optimizer` 时 ZeRO 拒绝优化器 {name}"
    );
    let help = message!(
        "add \"zero_allow_untested_optimizer\": true, or use AdamW",
        "加入 \"zero_allow_untested_optimizer\": true，或改用 AdamW"
    );
    let finding = RULE.finding(at, message).with_help(help);
    match edit::put(config.file, &[], "zero_allow_untested_optimizer", &Value::Bool(true)) {
        Some(edit) => finding.with_fix(Fix {
            title: message!("add `zero_allow_untested_optimizer`", "加入 `zero_allow_untested_optimizer`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit],
        }),
        None => finding,
    }
}
