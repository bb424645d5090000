//! From a `config.json` to an architecture, family by family. Defaults are those of the config classes of transformers 5.23.

mod bert;
mod cohere;
mod count;
mod decoder;
mod deepseek;
mod gemma;
mod glm;
mod gpt2;
mod gpt_oss;
mod llama;
mod llama4;
mod mixtral;
mod modernbert;
mod neox;
mod older;
mod olmo;
mod phi;
mod plain;
mod qwen_moe;
mod sizes;
mod t5;
mod unknown;
mod variants;
mod vision;

use super::{Activation, Arch, Certainty, Embedding, HeadShape, Norm};
use crate::config::Config;

pub(in crate::arch) use count::of_count;

const LAYER: Norm = Norm::Layer { weight: true, bias: true };

/// Reads a config; what it lacks is assumed.
pub(super) fn read(config: &Config) -> Arch {
    let kind = kind(config);
    if let Some(language) = vision::language(config, &kind) {
        let inside = language.text("model_type").unwrap_or_default().to_owned();
        let mut arch = of_kind(&language, inside);
        vision::add_tower(&mut arch, config, &kind);
        return arch;
    }
    of_kind(config, kind)
}

/// Written after the modeling code, but no step of theirs was compared with a trace yet.
const UNTRACED: &[&str] = &["cwm", "exaone4", "jais2", "ministral", "ministral3", "vaultgemma"];

fn of_kind(config: &Config, kind: String) -> Arch {
    let untraced = UNTRACED.contains(&kind.as_str());
    let family: fn(&Config, String) -> Arch = match kind.as_str() {
        "gpt2" => gpt2::read,
        "bert" => bert::bert,
        "roberta" | "xlm-roberta" | "camembert" | "xlm-roberta-xl" | "data2vec-text" => bert::roberta,
        "electra" => bert::electra,
        "deberta-v2" => bert::deberta,
        "t5" | "mt5" | "umt5" | "longt5" => t5::read,
        "modernbert" => modernbert::read,
        "distilbert" => bert::distilbert,
        "llama" | "code_llama" | "internlm3" => llama::llama,
        "mistral" | "ministral" | "ministral3" => llama::mistral,
        "qwen2" | "qwen3" => llama::qwen,
        "gemma" => gemma::gemma,
        "gemma2" | "vaultgemma" => gemma::gemma2,
        "gemma3_text" => gemma::gemma3,
        "phi" => phi::phi,
        "phi3" => phi::phi3,
        "gpt_neox" => neox::neox,
        "gptj" | "codegen" => neox::gptj,
        "opt" => older::opt,
        "bloom" => older::bloom,
        "mpt" => older::mpt,
        "gpt_neo" => older::neo,
        "falcon" => neox::falcon,
        "starcoder2" => plain::starcoder2,
        "gpt_bigcode" => plain::bigcode,
        "stablelm" => plain::stablelm,
        "nemotron" => plain::nemotron,
        "arcee" | "jais2" => plain::arcee,
        "apertus" => plain::apertus,
        "cohere" | "cohere2" => cohere::cohere,
        "glm" | "glm4" => glm::glm,
        "olmo" => olmo::olmo,
        "olmo2" | "olmo3" => olmo::olmo2,
        "exaone4" => olmo::exaone4,
        "granite" => variants::granite,
        "smollm3" => variants::smollm3,
        "seed_oss" => variants::seed,
        "ernie4_5" => variants::ernie,
        "hunyuan_v1_dense" => variants::hunyuan,
        "helium" => variants::helium,
        "cwm" => variants::cwm,
        "mixtral" => mixtral::mixtral,
        "olmoe" => mixtral::olmoe,
        "granitemoe" => mixtral::granitemoe,
        "phimoe" => mixtral::phimoe,
        "qwen2_moe" => qwen_moe::qwen2,
        "qwen3_moe" => qwen_moe::qwen3,
        "qwen3_next" => qwen_moe::next,
        "deepseek_v2" | "deepseek_v3" => deepseek::deepseek,
        "glm4_moe" => deepseek::glm4_moe,
        "ernie4_5_moe" => deepseek::ernie,
        "gpt_oss" => gpt_oss::read,
        "llama4_text" => llama4::read,
        _ => unknown::unknown,
    };
    let mut arch = family(config, kind);
    if untraced {
        arch.certainty = arch.certainty.max(Certainty::Usual);
    }
    arch
}

/// `model_type`, or what the class of the config says.
fn kind(config: &Config) -> String {
    if let Some(kind) = config.text("model_type") {
        return kind.to_owned();
    }
    let class = config.text("cls").unwrap_or_default();
    let name = class.strip_suffix("Config").unwrap_or(class);
    match name {
        "GPT2" => "gpt2".to_owned(),
        "GPTNeoX" => "gpt_neox".to_owned(),
        "OPT" => "opt".to_owned(),
        "XLMRoberta" => "xlm-roberta".to_owned(),
        "DistilBert" => "distilbert".to_owned(),
        "Camembert" => "camembert".to_owned(),
        "ModernBert" => "modernbert".to_owned(),
        "DebertaV2" => "deberta-v2".to_owned(),
        "GPTNeo" => "gpt_neo".to_owned(),
        "CodeGen" => "codegen".to_owned(),
        "GPTJ" => "gptj".to_owned(),
        "GPTBigCode" => "gpt_bigcode".to_owned(),
        "StableLm" => "stablelm".to_owned(),
        "SmolLM3" => "smollm3".to_owned(),
        "InternLM3" => "internlm3".to_owned(),
        "HunYuanDenseV1" => "hunyuan_v1_dense".to_owned(),
        "Ernie4_5" => "ernie4_5".to_owned(),
        "Ernie4_5_Moe" => "ernie4_5_moe".to_owned(),
        "GraniteMoe" => "granitemoe".to_owned(),
        _ => {
            // Qwen3Moe -> qwen3_moe
            let mut out = String::new();
            let mut lower = false;
            for letter in name.chars() {
                if letter.is_uppercase() && lower {
                    out.push('_');
                }
                lower = letter.is_lowercase() || letter.is_numeric();
                out.extend(letter.to_lowercase());
            }
            out
        }
    }
}

fn activation(name: Option<&str>, other: Activation) -> Activation {
    match name {
        Some("relu") => Activation::Relu,
        Some("gelu_new" | "gelu_fast" | "gelu_10") => Activation::GeluNew,
        Some("relu2") => Activation::ReluSquared,
        Some("quick_gelu") => Activation::QuickGelu,
        Some("xielu") => Activation::Xielu,
        Some(_) => Activation::Kernel,
        None => other,
    }
}

fn head(tied: bool) -> HeadShape {
    HeadShape { tied, bias: false, softcap: false, scaled: false, transform: false, bare: false, pooler: None }
}

fn embedding(columns: u64) -> Embedding {
    Embedding {
        columns,
        positions: None,
        types: None,
        norm: None,
        projection_bias: false,
        projects_back: false,
        stored_ids: 0,
        by_row: false,
        dropout: false,
        scaled: false,
        stored_mask: 0,
    }
}
