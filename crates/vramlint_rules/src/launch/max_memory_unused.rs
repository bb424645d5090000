//! # max-memory-unused
//!
//! `max_memory` has no effect without a `device_map` strategy, or it leaves out the CPU.
//!
//! ## Why it matters
//! Only a strategy (`auto`, `balanced`, `balanced_low_0`, `sequential`) uses the budget. Otherwise it is silently ignored: everything goes
//! to one device, without the limit in the file.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", max_memory={0: "20GB", "cpu": "60GB"})
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: "20GB", "cpu": "60GB"})
//! ```
//!
//! ## Fix
//! Unsafe: adds `device_map="auto"`, which spreads the model within the budget.
//!
//! ## Severity
//! Info for a budget with GPUs only: with a strategy, what does not fit goes to the disk, not to host memory.
//!
//! ## When it stays silent
//! If arguments may exist that are not visible, or for an unknown map.
//!
//! ## Sources
//! transformers 5.23.0 `integrations/accelerate.py`, accelerate 1.15.0 `utils/modeling.py`, run.
//!
//! # 中文
//!
//! 没有 `device_map` 策略时 `max_memory` 不起作用；或其中没有 CPU。
//!
//! ## 为什么重要
//! 只有策略（`auto`、`balanced`、`balanced_low_0`、`sequential`）会使用该预算。否则它会被静默忽略：全部放到一个设备上，文件中写的上限不起作用。
//!
//! ## 严重程度
//! 只写了 GPU 预算时仅作提示：使用策略时，放不下的部分会放到磁盘，而不是内存。
//!
//! ## 何时不报
//! 可能还有看不到的参数；映射无法得知。
//!
//! ## 修复
//! 不安全：加上 `device_map="auto"`，此后会按该预算分散模型。
//!
//! ## 来源
//! transformers 5.23.0 `integrations/accelerate.py`、accelerate 1.15.0 `utils/modeling.py`，实际运行。

use super::max_memory_invalid::plans;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::code::ArgValue;
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::new("VL152", "max-memory-unused", Severity::Warning, page!("max_memory_unused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in cx.project.calls() {
        let call = at.call();
        let Some(budget) = call.argument("max_memory", None).filter(|_| calls::loads_model(call)) else { continue };
        let Some(value) =
            budget.sole_value().filter(|value| !matches!(value.value, ArgValue::Known(Value::Null) | ArgValue::Unknown))
        else {
            continue;
        };
        let map = call.argument("device_map", None);
        let fixed = map.and_then(|map| map.sole_value()).is_some_and(|map| match &map.value {
            ArgValue::Known(Value::Null | Value::Int(_)) | ArgValue::Dict { .. } => true,
            ArgValue::Known(Value::Text(text)) => text == "cpu" || text.starts_with("cuda"),
            _ => false,
        });
        if call.lacks("device_map", None) || fixed {
            if out.mark_reported(budget.place) {
                let mut finding = RULE
                    .finding(
                        budget.place,
                        message!(
                            "`max_memory` has no effect without a `device_map` strategy",
                            "没有 `device_map` 策略时 `max_memory` 不起作用"
                        ),
                    )
                    .with_help(message!(
                        "add `device_map=\"auto\"`, or remove the budget",
                        "加上 `device_map=\"auto\"`，或去掉该预算"
                    ));
                if let Some(fix) = calls::add_argument(cx.project, call, "device_map", "\"auto\"", Applicability::Unsafe)
                    .filter(|_| map.is_none())
                {
                    finding = finding.with_fix(fix);
                }
                if let Some(map) = map {
                    finding = finding.with_related(map.place, message!("this map is used unchanged", "该映射会原样使用"));
                }
                out.push(finding);
            }
            continue;
        }
        let ArgValue::Dict { entries, open: false } = &value.value else { continue };
        let gpus_only = !entries.is_empty() && entries.iter().all(|entry| matches!(entry.key, Value::Int(_)));
        if plans(call) && gpus_only && out.mark_reported(budget.place) {
            out.push(
                RULE.finding(
                    budget.place,
                    message!(
                        "`max_memory` has no \"cpu\": what does not fit on the GPUs goes to the disk",
                        "`max_memory` 中没有 \"cpu\"：GPU 放不下的部分会去磁盘"
                    ),
                )
                .with_severity(Severity::Info)
                .with_help(message!(
                    "add \"cpu\": \"…GB\" to allow the use of host memory",
                    "若允许使用内存，请加上 \"cpu\": \"…GB\""
                )),
            );
        }
    }
}
