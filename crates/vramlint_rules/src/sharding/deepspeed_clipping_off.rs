//! # deepspeed-clipping-off
//!
//! A negative `gradient_clipping` in a DeepSpeed file.
//!
//! ## Why it matters
//! DeepSpeed clips only where the value is above 0. A negative one is accepted and means that nothing is clipped, which `0`
//! says plainly.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": -1,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fine
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": 1.0,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! Safe: `0` means the same.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:3506`, run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的 `gradient_clipping` 为负数。
//!
//! ## 为什么重要
//! 只有值大于 0 时 DeepSpeed 才会裁剪梯度。负数会被接受，含义是完全不裁剪；写 `0` 更清楚。
//!
//! ## 修复
//! 安全：`0` 含义相同。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:3506`，实际运行。

use super::config;
use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Fix, Severity, message};

pub(crate) static RULE: Rule = Rule {
    code: "VL556",
    name: "deepspeed-clipping-off",
    group: Group::Sharding,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("deepspeed_clipping_off.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in config::configs(cx) {
        let Some(item) = config.item("gradient_clipping") else { continue };
        if config.value("gradient_clipping").and_then(|value| value.as_float()).is_some_and(|clip| clip < 0.0) {
            let message = message!("a negative gradient_clipping clips nothing", "gradient_clipping 为负数时不会裁剪梯度");
            let fix = Fix {
                title: message!("write 0", "写作 0"),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(config.value_place(item), "0")],
            };
            let help = message!("write 0 if that is meant, else the norm to clip at", "若本意如此请写 0，否则写出裁剪的范数");
            out.push(RULE.finding(config.place(item), message).help(help).fix(fix));
        }
    }
}
