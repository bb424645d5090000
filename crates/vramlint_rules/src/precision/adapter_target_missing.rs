//! # adapter-target-missing
//!
//! `target_modules` names a module that the model does not have.
//!
//! ## Why it matters
//! PEFT only requires that one of the names matches. Another one that is misspelled, or that belongs to another architecture
//! (`query_key_value` on a Llama), is silently skipped: fewer layers are trained than the file lists. If none matches, PEFT raises an
//! error.
//!
//! ## Example
//! ```python file=train.py
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "vproj"]))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))
//! ```
//!
//! ## When it stays silent
//! If the model is not in the catalog, or is loaded by code from its repository; for patterns and paths; for names of embeddings, heads and
//! other modules that are not linear layers of the blocks.
//!
//! ## Sources
//! peft 0.21.2 `tuners/tuners_utils.py` (`NoMatchingPeftModuleError` only where nothing matches), run; the names of the linear
//! layers are those of transformers 5.23.0.
//!
//! # 中文
//!
//! `target_modules` 中列出了模型没有的模块。
//!
//! ## 为什么重要
//! PEFT 只要求其中一个名称匹配。另一个拼错、或来自别的架构（如在 Llama 上写 `query_key_value`）时会被静默跳过：实际训练的层比文件所写的少。若一个都不匹配，
//! PEFT 会报错。
//!
//! ## 何时不报
//! 模型不在目录中，或由其仓库自带代码加载；目标是模式或路径；名称是嵌入、输出头等并非层内线性层的模块。
//!
//! ## 来源
//! peft 0.21.2 `tuners/tuners_utils.py`（仅当全不匹配时抛 `NoMatchingPeftModuleError`），实际运行；线性层名称取自 transformers 5.23.0。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_catalog::models;
use vramlint_resolve::code::ArgValue;
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::NoEffect],
    ..Rule::new("VL447", "adapter-target-missing", Severity::Warning, page!("adapter_target_missing.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let model = call.argument("model", Some(0)).and_then(|argument| argument.sole_value());
        let config = call
            .argument("peft_config", Some(1))
            .or_else(|| call.argument("peft_config", None))
            .and_then(|argument| argument.sole_value());
        let (Some(model), Some(config)) = (model, config) else { continue };
        let Some(config) =
            at.producing_call(&config.value).filter(|config| config.is("peft", "LoraConfig") && !config.is_subclass)
        else {
            continue;
        };
        let Some(targets) = config.argument("target_modules", None).and_then(|argument| argument.sole_value()) else { continue };
        let ArgValue::Known(Value::List(names)) = &targets.value else { continue };
        let Some(load) =
            calls::load_of(at, &model.value).filter(|load| calls::loads_model(load) && load.owner().contains("CausalLM"))
        else {
            continue;
        };
        let remote =
            load.argument("trust_remote_code", None).is_some_and(|argument| argument.constant() != Some(&Value::Bool(false)));
        let id = load.argument("pretrained_model_name_or_path", Some(0)).and_then(calls::text_value);
        let Some(known) = id.and_then(|(id, _)| models::find(id)).filter(|known| !remote && !known.linear_modules.is_empty())
        else {
            continue;
        };
        let missing: Vec<&str> = names
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| is_layer(name) && !known.linear_modules.contains(name))
            .collect();
        let all = missing.len() == names.len();
        if missing.is_empty() || !out.mark_reported(targets.place) {
            continue;
        }
        let shown = missing.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        let has = known.linear_modules.join(", ");
        let finding = if all {
            RULE.finding(
                targets.place,
                message!(
                    "{model} has none of {shown}; PEFT raises an error",
                    "{model} 中没有 {shown}；PEFT 会报错",
                    model = known.id
                ),
            )
            .with_severity(Severity::Error)
        } else {
            RULE.finding(
                targets.place,
                message!(
                    "{model} has no {shown}; PEFT silently skips it",
                    "{model} 中没有 {shown}；PEFT 会静默跳过",
                    model = known.id
                ),
            )
        };
        out.push(
            finding
                .with_related(load.place, message!("the model is loaded here", "在此加载模型"))
                .with_help(message!("its linear layers are {has}", "其线性层有 {has}")),
        );
    }
}

/// Whether a name is that of a layer in a block: other modules of a model are not listed.
fn is_layer(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let other =
        ["lm_head", "embed", "norm", "score", "classifier", "gate", "router", "wte", "wpe", "visual", "vision", "experts"];
    let linear_gate = name == "gate_proj";
    plain && (linear_gate || !other.iter().any(|word| name.contains(word)))
}
