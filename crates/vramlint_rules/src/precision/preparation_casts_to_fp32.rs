//! # preparation-casts-to-fp32
//!
//! `prepare_model_for_kbit_training` casts everything that is not quantized to float32.
//!
//! ## Why it matters
//! It casts every remaining bf16 or fp16 tensor to float32, including the embeddings and the head: 4 bytes instead of 2 for each number of
//! a table with up to half a billion of them. It also turns checkpointing on. TRL prepares quantized models itself and keeps bf16, so the
//! call is not needed there.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", quantization_config=config, dtype=torch.bfloat16)
//! model = prepare_model_for_kbit_training(model)
//! model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM"))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", quantization_config=config, dtype=torch.bfloat16)
//! model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM"))
//! ```
//!
//! ## Fix
//! None: some training setups need float32 norms.
//!
//! ## When it stays silent
//! If the vocabulary size is not known, or below 64 000.
//!
//! ## Sources
//! peft 0.21.2 `utils/other.py`, `prepare_model_for_kbit_training`, run; trl 1.16.0 `trainer/sft_trainer.py`, read.
//!
//! # 中文
//!
//! `prepare_model_for_kbit_training` 会把所有未量化的部分转为 float32。
//!
//! ## 为什么重要
//! 它把剩余的每个 bf16 或 fp16 张量转为 float32，嵌入层和输出头也不例外：可能有五亿个数的表，每个数从 2 字节变为 4 字节。它还会打开激活检查点。TRL 自行准备量
//! 化模型并保持 bf16，因此在 TRL 中不需要此调用。
//!
//! ## 修复
//! 无：有些训练需要 float32 的归一化层。
//!
//! ## 何时不报
//! 词表大小未知，或小于 64 000 时。
//!
//! ## 来源
//! peft 0.21.2 `utils/other.py` 的 `prepare_model_for_kbit_training`，已运行；trl 1.16.0 `trainer/sft_trainer.py`，已阅读。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::models;
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL452", "preparation-casts-to-fp32", Severity::Info, page!("preparation_casts_to_fp32.rs"), check)
};

/// Vocabulary size above which the table is worth a report.
const LARGE: u64 = 64_000;

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("peft", "prepare_model_for_kbit_training") {
            continue;
        }
        let Some(model) = call.argument("model", Some(0)).and_then(|argument| argument.sole_value()) else { continue };
        let Some(load) = calls::load_of(at, &model.value) else { continue };
        let id = load.argument("pretrained_model_name_or_path", Some(0)).and_then(calls::text_value);
        let Some(known) = id.and_then(|(id, _)| models::find(id)) else { continue };
        let Some(rows) = vocabulary(known.config) else { continue };
        if rows < LARGE || !out.mark_reported(call.place) {
            continue;
        }
        out.push(
            RULE.finding(
                call.callee,
                message!(
                    "everything that is not quantized becomes float32: {rows} rows of {model} embeddings, and the head",
                    "未量化的部分都会转为 float32：{model} 的 {rows} 行嵌入以及输出头",
                    model = known.id
                ),
            )
            .with_related(load.place, message!("the model is loaded here", "在此加载模型"))
            .with_help(message!("remove it if TRL trains the model: TRL keeps bf16", "若用 TRL 训练，请去掉它：TRL 会保持 bf16")),
        );
    }
}

/// The rows of the embeddings, from the `config.json` of a model.
fn vocabulary(config: &str) -> Option<u64> {
    let (_, rest) = config.split_once("\"vocab_size\"")?;
    let digits: String = rest.trim_start_matches([':', ' ']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
