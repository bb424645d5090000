//! # adapter-dropout-on-parameters
//!
//! LoRA with a dropout is applied to bare parameters, such as fused experts.
//!
//! ## Why it matters
//! Mixture-of-experts models hold the weights of all experts in one parameter. PEFT reaches it with `target_parameters` and computes the
//! adapted weight itself: there is no input to which a dropout could apply. It raises an error for a `lora_dropout` above 0.
//!
//! ## Example
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! config = LoraConfig(r=8, lora_dropout=0.05, target_parameters=["mlp.experts.gate_up_proj", "mlp.experts.down_proj"])
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! config = LoraConfig(r=8, lora_dropout=0.0, target_parameters=["mlp.experts.gate_up_proj", "mlp.experts.down_proj"])
//! ```
//!
//! ## Fix
//! Unsafe: sets the dropout to 0.
//!
//! ## When it stays silent
//! If one of the two values is not known.
//!
//! ## Sources
//! peft 0.21.2 `tuners/lora/layer.py`, `ParamWrapper`, run: `ValueError: lora.ParamWrapper does not work with lora_dropout != 0.`
//!
//! # 中文
//!
//! 对裸参数（如融合的专家）使用带 dropout 的 LoRA。
//!
//! ## 为什么重要
//! 混合专家模型把所有专家的权重放在一个参数中。PEFT 用 `target_parameters` 作用于它们，并自行计算适配后的权重：没有可供 dropout 作用的输入。
//! `lora_dropout` 大于 0 时会报错。
//!
//! ## 修复
//! 不安全：把 dropout 设为 0。
//!
//! ## 何时不报
//! 两者之一未知时。
//!
//! ## 来源
//! peft 0.21.2 `tuners/lora/layer.py` 的 `ParamWrapper`，已运行：`ValueError: lora.ParamWrapper does not work with lora_dropout != 0.`

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL450", "adapter-dropout-on-parameters", Severity::Error, page!("adapter_dropout_on_parameters.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("peft", "LoraConfig") || call.is_subclass {
            continue;
        }
        let some = |value: &Value| match value {
            Value::List(items) => !items.is_empty(),
            Value::Text(text) => !text.is_empty(),
            _ => false,
        };
        let Some(parameters) = call.argument("target_parameters", None).filter(|given| given.constant().is_some_and(some)) else {
            continue;
        };
        let Some(dropout) = call.argument("lora_dropout", None) else { continue };
        let share = dropout.constant().and_then(Value::as_float).filter(|share| *share > 0.0);
        let Some(share) = share.filter(|_| out.mark_reported(dropout.place)) else { continue };
        let mut found = RULE
            .finding(
                dropout.place,
                message!(
                    "`lora_dropout` is {share}, but PEFT does not support dropout with `target_parameters`",
                    "`lora_dropout` 为 {share}，但 PEFT 不支持对 `target_parameters` 使用 dropout"
                ),
            )
            .with_related(parameters.place, message!("`target_parameters` is set here", "`target_parameters` 在此设置"))
            .with_help(message!("set `lora_dropout` to 0", "把 `lora_dropout` 设为 0"));
        if let Some(value) = dropout.sole_value()
            && let Some(fix) = calls::replace_argument(dropout, value, "0.0", Applicability::Unsafe)
        {
            found = found.with_fix(fix);
        }
        out.push(found);
    }
}
