//! The `model_type` of a config, or of the class that wrote it.

use crate::config::Config;

/// Config classes of transformers 5.23 whose model type does not follow from their name (`models/auto/configuration_auto.py`).
const IRREGULAR: &[(&str, &str)] = &[
    ("BigBird", "big_bird"),
    ("CTRL", "ctrl"),
    ("CodeGen", "codegen"),
    ("ConvBert", "convbert"),
    ("DeiT", "deit"),
    ("DebertaV2", "deberta-v2"),
    ("DiffLlama", "diffllama"),
    ("DistilBert", "distilbert"),
    ("GPT2", "gpt2"),
    ("GPTBigCode", "gpt_bigcode"),
    ("GPTJ", "gptj"),
    ("GPTNeo", "gpt_neo"),
    ("GPTNeoX", "gpt_neox"),
    ("GPTNeoXJapanese", "gpt_neox_japanese"),
    ("GraniteMoe", "granitemoe"),
    ("GraniteMoeHybrid", "granitemoehybrid"),
    ("GraniteMoeShared", "granitemoeshared"),
    ("HunYuanDenseV1", "hunyuan_v1_dense"),
    ("InternLM3", "internlm3"),
    ("JetMoe", "jetmoe"),
    ("LongT5", "longt5"),
    ("MPT", "mpt"),
    ("MPNet", "mpnet"),
    ("MT5", "mt5"),
    ("MegatronBert", "megatron-bert"),
    ("MiniMax", "minimax"),
    ("MobileBert", "mobilebert"),
    ("ModernBert", "modernbert"),
    ("OPT", "opt"),
    ("OlmoE", "olmoe"),
    ("OpenAIGPT", "openai-gpt"),
    ("PhiMoE", "phimoe"),
    ("Phimoe", "phimoe"),
    ("RWKV", "rwkv"),
    ("SmolLM3", "smollm3"),
    ("StableLm", "stablelm"),
    ("T5", "t5"),
    ("UMT5", "umt5"),
    ("ViT", "vit"),
    ("XLMRoberta", "xlm-roberta"),
    ("XLNet", "xlnet"),
    ("XLMRobertaXL", "xlm-roberta-xl"),
];

/// `model_type`, or what the class in `cls` (a field of traced records) implies.
pub(super) fn model_type(config: &Config) -> String {
    let written = config.text("model_type").map(str::to_owned);
    written.unwrap_or_else(|| model_type_of_class(config.text("cls").unwrap_or_default()))
}

/// The `model_type` of a config class of transformers: `Qwen3MoeConfig` is `qwen3_moe`.
fn model_type_of_class(class: &str) -> String {
    let class = class.strip_suffix("Config").unwrap_or(class);
    if let Some((_, model_type)) = IRREGULAR.iter().find(|(name, _)| *name == class) {
        return (*model_type).to_owned();
    }
    let mut model_type = String::new();
    let mut previous: Option<char> = None;
    for letter in class.chars() {
        if letter.is_uppercase() && previous.is_some_and(|c| !c.is_uppercase() && c != '_') {
            model_type.push('_');
        }
        model_type.extend(letter.to_lowercase());
        previous = Some(letter);
    }
    model_type
}

#[cfg(test)]
mod tests {
    use super::model_type_of_class;

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
            ("Ernie4_5_MoeConfig", "ernie4_5_moe"),
            ("GptOssConfig", "gpt_oss"),
            ("HunYuanDenseV1Config", "hunyuan_v1_dense"),
            ("InternLM3Config", "internlm3"),
            ("StableLmConfig", "stablelm"),
            ("XLMRobertaConfig", "xlm-roberta"),
            ("BertConfig", "bert"),
            ("Cohere2Config", "cohere2"),
        ] {
            assert_eq!(model_type_of_class(class), name);
        }
    }
}
