//! From a `config.json` to an architecture, family by family. Defaults are those of the config classes of transformers 5.23.
//!
//! Each family file ends in a `FAMILIES` table: which `model_type`s it reads, and with which function. A new family is one file and
//! one line in [`TABLES`].

mod albert;
mod bart;
mod bert;
mod cohere;
mod decoder;
mod deepseek;
mod esm;
mod from_parameter_count;
mod gemma;
mod gemma3n;
mod gemma4;
mod gemma4_towers;
mod glm;
mod gpt2;
mod gpt_oss;
mod granite_hybrid;
mod lfm2;
mod llama;
mod llama4;
mod llama_variants;
mod mixtral;
mod model_type;
mod modernbert;
mod muse;
mod neox;
mod olmo;
mod phi;
mod pre_llama;
mod qwen_hybrid;
mod qwen_moe;
mod remote_code;
mod sizes;
mod t5;
mod undescribed;
mod ungated;
mod unknown;
mod unknown_experts;
mod vision;
mod vit;
mod xlnet;

use super::{Activation, Arch, Certainty, Embedding, HeadShape, Norm};
use crate::config::Config;

pub(in crate::arch) use from_parameter_count::from_parameter_count;

/// Model types that one function reads.
struct Family {
    /// `model_type` in `config.json`.
    model_types: &'static [&'static str],
    read: fn(&Config, String) -> Arch,
    /// Whether steps of these models were compared with traces.
    traced: bool,
}

impl Family {
    const fn traced(model_types: &'static [&'static str], read: fn(&Config, String) -> Arch) -> Self {
        Self { model_types, read, traced: true }
    }

    /// A family that follows the modeling code but was never compared with a trace.
    const fn untraced(model_types: &'static [&'static str], read: fn(&Config, String) -> Arch) -> Self {
        Self { model_types, read, traced: false }
    }
}

const TABLES: &[&[Family]] = &[
    albert::FAMILIES,
    bart::FAMILIES,
    bert::FAMILIES,
    cohere::FAMILIES,
    deepseek::FAMILIES,
    esm::FAMILIES,
    gemma::FAMILIES,
    gemma3n::FAMILIES,
    glm::FAMILIES,
    gpt2::FAMILIES,
    gpt_oss::FAMILIES,
    granite_hybrid::FAMILIES,
    lfm2::FAMILIES,
    llama::FAMILIES,
    llama4::FAMILIES,
    llama_variants::FAMILIES,
    mixtral::FAMILIES,
    modernbert::FAMILIES,
    muse::FAMILIES,
    neox::FAMILIES,
    olmo::FAMILIES,
    phi::FAMILIES,
    pre_llama::FAMILIES,
    qwen_hybrid::FAMILIES,
    qwen_moe::FAMILIES,
    remote_code::FAMILIES,
    t5::FAMILIES,
    ungated::FAMILIES,
    vit::FAMILIES,
    xlnet::FAMILIES,
];

const LAYER_NORM: Norm = Norm::Layer { weight: true, bias: true };

/// Reads a config. Whatever it lacks is assumed.
pub(super) fn read(config: &Config) -> Arch {
    let model_type = model_type::model_type(config);
    if let Some(why) = undescribed::listed(&model_type) {
        return Arch { undescribed: Some(why), ..read_family(config, model_type) };
    }
    if let Some(language) = vision::language(config, &model_type) {
        let language_type = language.text("model_type").unwrap_or_default().to_owned();
        let mut arch = read_family(&language, language_type);
        vision::add_tower(&mut arch, config, &model_type);
        return arch;
    }
    read_family(config, model_type)
}

fn read_family(config: &Config, model_type: String) -> Arch {
    let family = TABLES.iter().copied().flatten().find(|family| family.model_types.contains(&model_type.as_str()));
    let Some(family) = family else {
        let why = undescribed::kind(config, &model_type);
        return Arch { undescribed: why, ..unknown::unknown(config, model_type) };
    };
    let mut arch = (family.read)(config, model_type);
    if !family.traced {
        arch.certainty = arch.certainty.max(Certainty::GenericDecoder);
    }
    arch
}

/// The activation function of this name, or `default` if none is named.
fn activation(name: Option<&str>, default: Activation) -> Activation {
    match name {
        Some("relu") => Activation::Relu,
        Some("gelu_new" | "gelu_fast" | "gelu_10") => Activation::GeluNew,
        Some("relu2") => Activation::ReluSquared,
        Some("quick_gelu") => Activation::QuickGelu,
        Some("xielu") => Activation::Xielu,
        Some(_) => Activation::Kernel,
        None => default,
    }
}

fn head(tied: bool) -> HeadShape {
    HeadShape {
        tied,
        bias: false,
        softcap: false,
        scaled: false,
        transform: false,
        transform_activation: Activation::Kernel,
        transform_without_bias: false,
        pooler: None,
    }
}

fn embedding(columns: u64) -> Embedding {
    Embedding {
        columns,
        positions: None,
        types: None,
        tasks: None,
        drops_tokens: false,
        norm: None,
        projection_bias: false,
        projects_back: false,
        id_buffers: 0,
        positions_per_sequence: false,
        dropout: false,
        dropout_behind: false,
        unused_rows: 0,
        scaled: false,
        per_layer_rows: None,
        mask_buffer_bytes: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn every_model_type_has_one_reader() {
        let mut types: Vec<&str> = TABLES.iter().copied().flatten().flat_map(|family| family.model_types).copied().collect();
        let count = types.len();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types.len(), count);
    }
}
