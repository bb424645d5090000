//! # quantized-without-adapter
//!
//! A 4- or 8-bit model is handed to a trainer without adapters on it.
//!
//! ## Why it matters
//! Quantized weights have no gradients. Trainer and the trainers of TRL refuse such a model when they are made: only adapters on
//! top of it can be trained.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)
//! trainer = Trainer(model, TrainingArguments("out"))
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! import torch
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)
//! model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM"))
//! trainer = Trainer(model, TrainingArguments("out"))
//! ```
//!
//! ## When it is silent
//! Where anything but loading, preparing and training is seen to happen to the model, where the trainer may be given a `peft_config`
//! that is not seen, or where the quantization is chosen by an option.
//!
//! ## Sources
//! transformers 5.23.0 `trainer_utils.py`, `validate_quantization_for_training`, run with `Trainer` and `SFTTrainer` of trl 1.16.0.
//!
//! # 中文
//!
//! 4 位或 8 位模型未加适配器就交给了训练器。
//!
//! ## 为什么重要
//! 量化后的权重没有梯度。Trainer 与 TRL 的训练器在创建时就会拒绝这样的模型：只有加在其上的适配器可以训练。
//!
//! ## 何时不报
//! 看到模型除加载、准备、训练之外还有其他处理；训练器可能得到看不到的 `peft_config`；是否量化由选项决定。
//!
//! ## 来源
//! transformers 5.23.0 `trainer_utils.py` 的 `validate_quantization_for_training`，以 `Trainer` 和 trl 1.16.0 的 `SFTTrainer` 实际运行。

use crate::rule::{Build, Once};
use crate::{Context, Group, Rule, Sink, calls};
use vramlint_base::{Severity, Value, message};
use vramlint_resolve::CallIn;
use vramlint_resolve::code::{CallWhat, LibraryCall};

pub(crate) static RULE: Rule = Rule {
    code: "VL444",
    name: "quantized-without-adapter",
    group: Group::Precision,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("quantized_without_adapter.rs"),
    check: Some(check),
};

/// Calls after which a model is still without adapters.
const HARMLESS: &[&str] = &[
    "prepare_model_for_kbit_training",
    "gradient_checkpointing_enable",
    "enable_input_require_grads",
    "train",
    "eval",
    "resize_token_embeddings",
    "parameters",
    "named_parameters",
    "print_trainable_parameters",
    "num_parameters",
    "state_dict",
    "named_modules",
    "modules",
    "get_memory_footprint",
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut once = Once::default();
    for at in calls::made(cx) {
        let trainer = at.call();
        if !is_trainer(trainer) || trainer.open || trainer.derived {
            continue;
        }
        let Some(model) = trainer.argument("model", Some(0)).and_then(|argument| argument.only()) else { continue };
        let Some(load) = calls::load_of(at, &model.what) else { continue };
        let Some((config, bits)) = calls::quantized(at, load) else { continue };
        let CallWhat::Model(index) = model.what else { continue };
        let without = trainer.argument("peft_config", None).is_none_or(|argument| argument.settled() == Some(&Value::Null));
        if !without || load.conditional || touched(at, index) || !once.first(trainer.callee) {
            continue;
        }
        out.push(
            RULE.finding(
                trainer.callee,
                message!(
                    "{trainer} refuses a {bits}-bit model without adapters",
                    "{trainer} 拒绝未加适配器的 {bits} 位模型",
                    trainer = trainer.name()
                ),
            )
            .related(config.callee, message!("the model is quantized here", "在此量化模型"))
            .help(message!(
                "put adapters on it with get_peft_model (or peft_config for a trainer of TRL), or load it without quantization",
                "用 get_peft_model 加适配器（TRL 的训练器可用 peft_config），或不量化加载"
            )),
        );
    }
}

fn is_trainer(call: &LibraryCall) -> bool {
    let name = call.name();
    match call.library() {
        "transformers" => matches!(name, "Trainer" | "Seq2SeqTrainer"),
        "trl" => matches!(name, "SFTTrainer" | "DPOTrainer" | "KTOTrainer" | "GRPOTrainer" | "RLOOTrainer" | "RewardTrainer"),
        _ => false,
    }
}

/// Whether something happens to the model that may put adapters on it.
fn touched(at: &CallIn, model: usize) -> bool {
    let is = |what: &CallWhat| matches!(what, CallWhat::Model(index) if *index == model);
    at.facts.calls.iter().any(|call| {
        let given = call.arguments.iter().flat_map(|argument| &argument.values).any(|value| is(&value.what));
        let on = call.receiver.as_ref().is_some_and(is);
        (given || on) && !is_trainer(call) && !HARMLESS.contains(&call.name())
    })
}
