//! The `model` of a record.

use super::fields::Fields;
use crate::models::{Models, config_from_json};
use vramlint_base::{Message, message};
use vramlint_memory::{Arch, Config, Value};

/// What is known about the shape of a model.
pub(super) enum Shape {
    /// The keys of its configuration.
    Config(Config),
    /// A model that has a name.
    Known(Box<Arch>),
}

/// The id and the shape. A model is an object, or its id alone.
pub(super) fn of(top: &mut Fields<'_>, models: &Models, unused: &mut Vec<String>) -> Result<(String, Shape), Message> {
    if top.is_text("model") {
        let id = top.text(&["model"])?.unwrap_or_default();
        let arch = known(top, "model", &id, models)?;
        return Ok((id, arch));
    }
    let Some(mut model) = top.object(&["model"])? else { return Err(top.missing("model")) };
    let id = model.text(&["id"])?.unwrap_or_default();
    // What it comes to is our answer, and the family our own reading.
    model.pass_over(&["family", "n_params", "n_trainable"]);
    let shape = match model.object(&["arch", "config"])? {
        Some(arch) => Shape::Config(config(&arch)?),
        None if id.is_empty() => return Err(model.missing("arch")),
        None => known(&model, "arch", &id, models)?,
    };
    unused.extend(model.rest());
    Ok((id, shape))
}

fn known(fields: &Fields<'_>, name: &str, id: &str, models: &Models) -> Result<Shape, Message> {
    if let Some(model) = models.find(id) {
        return Ok(Shape::Known(Box::new(model.arch)));
    }
    let why = match models.nearest(id) {
        Some(near) => {
            message!("no architecture of `{id}` is known; did you mean `{near}`?", "不认识 `{id}` 的结构；是否指 `{near}`？")
        }
        None => message!("no architecture of `{id}` is known", "不认识 `{id}` 的结构"),
    };
    Err(fields.refuse(name, &why))
}

fn config(arch: &Fields<'_>) -> Result<Config, Message> {
    let mut config = read(arch)?;
    if config.get("model_type").is_none()
        && let Some(class) = config.text("cls")
    {
        let model_type = model_type(class);
        config.set("model_type", Value::Text(model_type));
    }
    Ok(config)
}

/// Keys on top of others.
pub(super) fn merge(config: &mut Config, over: &Fields<'_>) -> Result<(), Message> {
    let over = read(over)?;
    for key in over.keys() {
        config.set(key, over.get(key).cloned().unwrap_or(Value::Null));
    }
    Ok(())
}

fn read(arch: &Fields<'_>) -> Result<Config, Message> {
    config_from_json(arch.raw()).map_err(|why| arch.refuse("", &why))
}

/// `model_type` of a configuration class of transformers: `Qwen3MoeConfig` is `qwen3_moe`.
///
/// transformers 5.23 `models/auto/configuration_auto.py` names most of them by their words; the others stand here.
fn model_type(class: &str) -> String {
    const OTHERS: &[(&str, &str)] = &[
        ("OPT", "opt"),
        ("MPT", "mpt"),
        ("CTRL", "ctrl"),
        ("GPT2", "gpt2"),
        ("GPTJ", "gptj"),
        ("GPTNeo", "gpt_neo"),
        ("GPTNeoX", "gpt_neox"),
        ("GPTNeoXJapanese", "gpt_neox_japanese"),
        ("GPTBigCode", "gpt_bigcode"),
        ("OpenAIGPT", "openai-gpt"),
        ("T5", "t5"),
        ("MT5", "mt5"),
        ("UMT5", "umt5"),
        ("LongT5", "longt5"),
        ("XLMRoberta", "xlm-roberta"),
        ("XLMRobertaXL", "xlm-roberta-xl"),
        ("DistilBert", "distilbert"),
        ("ModernBert", "modernbert"),
        ("DebertaV2", "deberta-v2"),
        ("StableLm", "stablelm"),
        ("GraniteMoe", "granitemoe"),
        ("GraniteMoeHybrid", "granitemoehybrid"),
        ("GraniteMoeShared", "granitemoeshared"),
        ("CodeGen", "codegen"),
        ("DiffLlama", "diffllama"),
        ("PhiMoE", "phimoe"),
        ("Phimoe", "phimoe"),
        ("MiniMax", "minimax"),
        ("SmolLM3", "smollm3"),
        ("RWKV", "rwkv"),
        ("OlmoE", "olmoe"),
        ("ConvBert", "convbert"),
        ("MobileBert", "mobilebert"),
        ("MegatronBert", "megatron-bert"),
        ("BigBird", "big_bird"),
        ("JetMoe", "jetmoe"),
    ];
    let class = class.strip_suffix("Config").unwrap_or(class);
    if let Some((_, name)) = OTHERS.iter().find(|(own, _)| *own == class) {
        return (*name).to_owned();
    }
    let mut name = String::new();
    let mut before: Option<char> = None;
    for letter in class.chars() {
        if letter.is_uppercase() && before.is_some_and(|c| !c.is_uppercase() && c != '_') {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
        before = Some(letter);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::model_type;

    #[test]
    fn classes_have_the_model_type_of_transformers() {
        for (class, name) in [
            ("Qwen2Config", "qwen2"),
            ("Qwen3MoeConfig", "qwen3_moe"),
            ("LlamaConfig", "llama"),
            ("GPT2Config", "gpt2"),
            ("GPTNeoXConfig", "gpt_neox"),
            ("GPTBigCodeConfig", "gpt_bigcode"),
            ("OPTConfig", "opt"),
            ("Gemma3TextConfig", "gemma3_text"),
            ("DeepseekV3Config", "deepseek_v3"),
            ("GptOssConfig", "gpt_oss"),
            ("StableLmConfig", "stablelm"),
            ("XLMRobertaConfig", "xlm-roberta"),
            ("BertConfig", "bert"),
            ("Cohere2Config", "cohere2"),
        ] {
            assert_eq!(model_type(class), name);
        }
    }
}
