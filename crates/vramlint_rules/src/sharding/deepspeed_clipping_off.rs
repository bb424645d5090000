//! # deepspeed-clipping-off
//!
//! A negative `gradient_clipping` in a DeepSpeed file.
//!
//! ## Why it matters
//! DeepSpeed clips only if the value is above 0. It accepts a negative value, which disables clipping; `0` says so clearly.
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
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": 1.0,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Severity
//! Info if the key is missing, DeepSpeed itself reads the configuration, and the project uses 0.19.3 or later: gradients are then
//! clipped at 1.0; older releases do not clip.
//!
//! ## Fix
//! Safe: `0` means the same.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:3506`, `runtime/constants.py:203`, run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的 `gradient_clipping` 为负数。
//!
//! ## 为什么重要
//! 只有值大于 0 时 DeepSpeed 才会裁剪梯度。负数会被接受，含义是完全不裁剪；写 `0` 更清楚。
//!
//! ## 严重程度
//! 若未写该键、由 DeepSpeed 自己读取配置、且项目使用 0.19.3 或更新版本，仅作提示：此时按 1.0 裁剪梯度，更旧的版本则不裁剪。
//!
//! ## 修复
//! 安全：`0` 含义相同。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:3506`、`runtime/constants.py:203`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::NoEffect],
    ..Rule::new("VL556", "deepspeed-clipping-off", Severity::Warning, page!("deepspeed_clipping_off.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(item) = config.entry("gradient_clipping") else {
            out.findings.extend(by_default(cx, config));
            continue;
        };
        if config.value("gradient_clipping").and_then(|value| value.as_float()).is_some_and(|clip| clip < 0.0) {
            let message =
                message!("a negative `gradient_clipping` disables clipping", "`gradient_clipping` 为负数时不会裁剪梯度");
            let fix = Fix {
                title: message!("write 0", "写作 0"),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(config.value_place(item), "0")],
            };
            let help =
                message!("set it to 0 to disable clipping, or to the norm to clip at", "若不裁剪请设为 0，否则设为裁剪的范数");
            out.push(RULE.finding(config.place(item), message).with_help(help).with_fix(fix));
        }
    }
}

/// Without the key DeepSpeed clips at 1.0 since 0.19.3: reported if DeepSpeed itself reads the file and the version is known.
fn by_default(cx: &Context<'_>, config: &DeepSpeedConfig<'_>) -> Option<Finding> {
    let trains = config.entry("train_batch_size").is_some() || config.entry("train_micro_batch_size_per_gpu").is_some();
    let plain = config.uses.iter().all(|one| one.consumers.within(Consumers::PLAIN)) && trains;
    let holds = cx.project.version_matches(config.file.id, &VersionRange::since("deepspeed", "0.19.3")) == RangeMatch::Always;
    (plain && holds).then(|| {
        let message = message!(
            "`gradient_clipping` is not set: DeepSpeed clips at 1.0 since 0.19.3",
            "未设置 `gradient_clipping`：DeepSpeed 自 0.19.3 起按 1.0 裁剪"
        );
        let help = message!("set the norm explicitly; 0 disables clipping", "请明确设置范数；0 表示不裁剪");
        RULE.finding(config.head(), message).with_severity(Severity::Info).with_help(help)
    })
}
