//! # quantized-full-finetune
//!
//! A model in 4 or 8 bits is trained without adapters.
//!
//! ## Why it matters
//! Quantized weights have no useful gradient. The Trainer rejects a model whose weights are all quantized: it needs adapters, by
//! `get_peft_model` or by the `peft_config` of a TRL trainer.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", quantization_config=config)
//! trainer = Trainer(model, TrainingArguments("out"), train_dataset=Dataset.from_dict({"input_ids": [[5, 6]]}))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from datasets import Dataset
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", quantization_config=config)
//! model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM"))
//! trainer = Trainer(model, TrainingArguments("out"), train_dataset=Dataset.from_dict({"input_ids": [[5, 6]]}))
//! ```
//!
//! ## Fix
//! None: which modules get adapters is your decision.
//!
//! ## When it stays silent
//! If a call may add adapters to the model, or if the trainer may get arguments that are not visible.
//!
//! ## Sources
//! transformers 5.23.0 `trainer_utils.py:131`, run for 4 and 8 bits with Trainer and SFTTrainer; 4.x has the same check in `trainer.py`.
//!
//! # 中文
//!
//! 在没有适配器的情况下训练 4 位或 8 位模型。
//!
//! ## 为什么重要
//! 量化权重没有可用的梯度。Trainer 会拒绝权重全部量化的模型：必须通过 `get_peft_model` 或 TRL trainer 的 `peft_config` 加上适配器。
//!
//! ## 修复
//! 无：适配器加在哪些模块上由你决定。
//!
//! ## 何时不报
//! 看到任何可能给模型加适配器的调用；trainer 可能还有看不到的参数。
//!
//! ## 来源
//! transformers 5.23.0 `trainer_utils.py:131`，对 4 位与 8 位、Trainer 与 SFTTrainer 实际运行；4.x 在 `trainer.py` 中有同样的检查。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_resolve::Feature;
use vramlint_resolve::code::ArgValue;
use vramlint_semantic::trainers::{Trainer, quantizes};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL403", "quantized-full-finetune", Severity::Error, include_str!("quantized_full_finetune.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_fully_seen()) {
        let bare = trainer.lacks("peft_config") && !mentions_adapters(cx, trainer);
        let Some(at) = quantized(trainer).filter(|_| bare) else { continue };
        if reported.insert(trainer.call.callee, "") {
            let name = &trainer.name;
            let message = message!("{name} rejects a quantized model without adapters", "{name} 拒绝没有适配器的量化模型");
            out.push(
                RULE.finding(trainer.call.place, message)
                    .with_severity(trainer.severity(cx.project, RULE.severity))
                    .with_related(at, message!("quantized here", "在此量化"))
                    .with_help(message!(
                        "add adapters with `get_peft_model`, or pass a `peft_config` to the trainer",
                        "用 `get_peft_model` 加上适配器，或给 trainer 传入 `peft_config`"
                    )),
            );
        }
    }
}

/// Where the model of a trainer is quantized by bitsandbytes, if it certainly is.
fn quantized(trainer: &Trainer<'_>) -> Option<FileRange> {
    if let Some(config) = trainer.maker("quantization_config").filter(|config| quantizes(config)) {
        return trainer.model_name().map(|_| config.place);
    }
    let index = trainer.model()?;
    let load = trainer.load(index).filter(|load| load.name() == "from_pretrained" && !load.conditional)?;
    if trainer.adapting(index).next().is_some() {
        return None;
    }
    let direct = ["load_in_4bit", "load_in_8bit"].iter().find_map(|name| {
        let argument = load.argument(name, None)?;
        (argument.constant() == Some(&Value::Bool(true))).then_some(argument.place)
    });
    let config = || {
        let argument = load.argument("quantization_config", None)?;
        let ArgValue::ResultOf(made) = argument.sole_value()?.value else { return None };
        let call = trainer.code.calls.get(made)?;
        quantizes(call).then_some(argument.place)
    };
    direct.or_else(config)
}

/// Whether the code adds adapters to anything in a way that is not tracked.
fn mentions_adapters(cx: &Context<'_>, trainer: &Trainer<'_>) -> bool {
    cx.project.any_has(&trainer.code.files, Feature::AdapterCode)
}
