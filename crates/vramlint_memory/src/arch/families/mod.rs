//! From a `config.json` to an architecture, family by family. Defaults are those of the config classes of transformers 5.23.

mod bert;
mod count;
mod gpt2;
mod llama;

use super::{Activation, Arch, Embedding, HeadShape, Norm};
use crate::config::Config;

pub(in crate::arch) use count::of_count;

const LAYER: Norm = Norm::Layer { weight: true, bias: true };

/// Reads a config; what it lacks is assumed.
pub(super) fn read(config: &Config) -> Arch {
    let kind = kind(config);
    match kind.as_str() {
        "gpt2" => gpt2::read(config, kind),
        "bert" | "roberta" | "xlm-roberta" | "electra" => bert::read(config, kind),
        _ => llama::read(config, kind),
    }
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
        Some(_) => Activation::Kernel,
        None => other,
    }
}

fn head(tied: bool) -> HeadShape {
    HeadShape { tied, bias: false, softcap: false, scaled: false, transform: false, pooler: false }
}

fn embedding(columns: u64) -> Embedding {
    Embedding { columns, positions: None, types: None, norm: None, dropout: false, scaled: false }
}
