//! # deepspeed-optimizer-params
//!
//! A DeepSpeed file sets a parameter that its optimizer does not accept.
//!
//! ## Why it matters
//! DeepSpeed passes `optimizer.params` to the class as keyword arguments: an unknown one raises a `TypeError` in
//! `deepspeed.initialize`. DeepSpeed explicitly rejects `max_grad_norm`, which old examples set there: to clip, set
//! `gradient_clipping` at the top level.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "max_grad_norm": 1.0}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": 1.0,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! None: the intent is unknown. `max_grad_norm` belongs at the top level, as `gradient_clipping`.
//!
//! ## Severity
//! Warning if the code may create its own.
//!
//! ## When it stays silent
//! When the code passes its own to `deepspeed.initialize`: the file's setting is then not used.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:2482`, `:2493` and the signatures of its optimizers, run; torch 2.15 `torch.optim`,
//! signatures printed.
//!
//! # 中文
//!
//! DeepSpeed 文件中有优化器不接受的参数。
//!
//! ## 为什么重要
//! DeepSpeed 把 `optimizer.params` 作为关键字参数交给优化器类：不认识的参数会在 `deepspeed.initialize` 中引发 `TypeError`。
//! 旧示例写在那里的 `max_grad_norm` 会被点名拒绝：裁剪应写顶层的 `gradient_clipping`。
//!
//! ## 修复
//! 无：无法得知它原本的用意。`max_grad_norm` 应移到顶层，改名为 `gradient_clipping`。
//!
//! ## 严重程度
//! 看不出代码是否自行创建时，只报警告。
//!
//! ## 何时不报
//! 代码自行向 `deepspeed.initialize` 传入时不报：此时文件中的设置不会被使用。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:2482`、`:2493` 及各优化器的签名，实际运行；torch 2.15 `torch.optim`，打印签名。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, is_templated, message};
use vramlint_semantic::deepspeed::config::ConfigEntry;
use vramlint_semantic::deepspeed::initialize;
use vramlint_semantic::deepspeed::optimizers::{self, Optimizer};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL544", "deepspeed-optimizer-params", Severity::Error, page!("deepspeed_optimizer_params.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(Value::Text(name)) = config.value("optimizer.type") else { continue };
        let Some(params) = config.block("optimizer.params") else { continue };
        let severity = match initialize::file_decides(config, "optimizer", initialize::OPTIMIZER) {
            Some(true) => Severity::Error,
            None => Severity::Warning,
            Some(false) => continue,
        };
        let torch_adam = config.flag("optimizer.params.torch_adam", false);
        let kind = optimizers::optimizer(&name);
        let takes = optimizers::takes(kind, torch_adam == Some(true)).filter(|_| torch_adam.is_some());
        for (key, value) in params.entries() {
            let Some(text) = key.text().filter(|text| !is_templated(text)) else { continue };
            let clipping = text == "max_grad_norm" && kind != Optimizer::Unknown;
            if !clipping && takes.as_ref().is_none_or(|takes| takes.contains(&text)) {
                continue;
            }
            let (message, help) = if clipping {
                (
                    message!(
                        "DeepSpeed rejects `max_grad_norm` as an optimizer parameter",
                        "DeepSpeed 拒绝把 `max_grad_norm` 作为优化器参数"
                    ),
                    message!("set `gradient_clipping` at the top level instead", "请改为在顶层设置 `gradient_clipping`"),
                )
            } else {
                (
                    message!(
                        "{name} has no parameter `{text}`: the engine raises a TypeError at startup",
                        "{name} 不接受参数 `{text}`：引擎启动时会引发 TypeError"
                    ),
                    message!("delete it", "删除它"),
                )
            };
            out.push(RULE.finding(config.place(ConfigEntry { key, value }), message).with_severity(severity).with_help(help));
        }
    }
}
