//! # deepspeed-optimizer-unknown
//!
//! A DeepSpeed file names an unknown optimizer type.
//!
//! ## Why it matters
//! `optimizer.type` must be one of DeepSpeed's names, in any letter case (Adam, AdamW, Adagrad, Lamb, Lion, Muon, MuAdam, MuAdamW,
//! MuSGD) or the exact name of a class of `torch.optim`. Names of transformers such as `adamw_torch` are neither, and
//! `deepspeed.initialize` raises an error. OneBitAdam, OneBitLamb and ZeroOneAdam were removed in 0.19.7.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "adamw_torch", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
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
//! ## Fix
//! Unsafe: the nearest known name.
//!
//! ## Severity
//! Warning if the code may create its own. Info for the 1-bit optimizers if the version is unknown.
//!
//! ## When it stays silent
//! When the code passes its own to `deepspeed.initialize`: the file's setting is then not used.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2018`, run; archives of 0.19.6 and 0.19.7, read.
//!
//! # 中文
//!
//! DeepSpeed 文件中的优化器类型是 DeepSpeed 不认识的。
//!
//! ## 为什么重要
//! `optimizer.type` 须是 DeepSpeed 自己的名字（Adam、AdamW、Adagrad、Lamb、Lion、Muon、MuAdam、MuAdamW、MuSGD，大小写不限），
//! 或 `torch.optim` 中某个类的准确名字。transformers 的名字（如 `adamw_torch`）两者都不是：`deepspeed.initialize` 会终止。
//! OneBitAdam、OneBitLamb、ZeroOneAdam 自 0.19.7 起已移除。
//!
//! ## 修复
//! 不安全：改为最接近的已知名字。
//!
//! ## 严重程度
//! 看不出代码是否自行创建时，只报警告。对 1-bit 优化器，版本未知时仅作提示。
//!
//! ## 何时不报
//! 代码自行向 `deepspeed.initialize` 传入时不报：此时文件中的设置不会被使用。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2018`，实际运行；0.19.6 与 0.19.7 的源码包，阅读。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::optimizers::{self, Optimizer};
use vramlint_semantic::deepspeed::{config, initialize};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL543", "deepspeed-optimizer-unknown", Severity::Error, page!("deepspeed_optimizer_unknown.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(item) = config.entry("optimizer.type") else { continue };
        let Some(Value::Text(name)) = config.value("optimizer.type") else { continue };
        let sure = match initialize::file_decides(config, "optimizer", initialize::OPTIMIZER) {
            Some(true) => Severity::Error,
            None => Severity::Warning,
            Some(false) => continue,
        };
        let meant = optimizers::nearest_name(&name);
        let (message, severity) = match optimizers::optimizer(&name) {
            Optimizer::Unknown => (
                message!("unknown optimizer `{name}`; DeepSpeed raises an error", "未知的优化器 `{name}`；DeepSpeed 会报错"),
                sure,
            ),
            Optimizer::OneBit => {
                let Some(severity) = config::recent(cx.project, config.file.id, "0.19.7") else { continue };
                let message = message!(
                    "DeepSpeed removed the optimizer `{name}` in 0.19.7",
                    "优化器 `{name}` 自 DeepSpeed 0.19.7 起已移除"
                );
                (message, severity.min(sure))
            }
            _ => continue,
        };
        let source = item.value.range().slice(&config.file.text);
        // The name may be right if the version that removed it is not known to be installed.
        let fix = (severity > Severity::Info && source.contains(&name)).then(|| Fix {
            title: message!("replace it with `{meant}`", "改为 `{meant}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(config.value_place(item), source.replace(&name, meant))],
        });
        let help = message!(
            "use `{meant}`, another DeepSpeed name, or the exact name of a torch.optim class",
            "请使用 `{meant}`、DeepSpeed 的其他名字，或 torch.optim 中某个类的准确名字"
        );
        let mut finding = RULE.finding(config.place(item), message).with_severity(severity).with_help(help);
        finding.fixes.extend(fix);
        out.push(finding);
    }
}
