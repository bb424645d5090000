//! Models that a decoder of text says nothing about: state spaces, vision, audio, diffusion. They get no figure.

mod types;

use super::sizes::missing_size;
use crate::config::{Config, Value};
use crate::estimate::Assumption;

/// A kind of model, in both languages.
type Kind = (&'static str, &'static str);

const STATE_SPACE: Kind = ("a state-space or hybrid model", "状态空间或混合结构的模型");
const VISION: Kind = ("a vision model", "视觉模型");
const AUDIO: Kind = ("an audio model", "音频模型");
const DIFFUSION: Kind = ("a diffusion model", "扩散模型");
const ENCODER: Kind = ("an encoder", "编码器模型");
const OWN: Kind = ("a model with layers of its own", "带有自有结构的模型");
const ENCODER_DECODER: Kind = ("an encoder-decoder model", "编码器-解码器模型");

/// Types of transformers by kind.
const TYPES: &[(&[&str], Kind)] = &[
    (types::STATE_SPACE, STATE_SPACE),
    (types::VISION, VISION),
    (types::AUDIO, AUDIO),
    (types::TIME_SERIES, ("a model of time series", "时间序列模型")),
    (types::ENCODER_DECODER, ENCODER_DECODER),
    (types::MULTIMODAL, ("a multimodal model", "多模态模型")),
    (types::ENCODER, ENCODER),
    (types::OWN, OWN),
    (types::DIFFUSION, DIFFUSION),
];

/// Keys by which a kind of model is known. A text decoder has none of them.
const KEYS: &[(&[&str], Kind)] = &[
    (
        &[
            "state_size",
            "ssm_state_size",
            "ssm_cfg",
            "mamba_d_state",
            "mamba_num_heads",
            "mamba_n_heads",
            "hybrid_override_pattern",
            "conv_L_cache",
            "rwkv_version",
            "attention_hidden_size",
            "lru_width",
        ],
        STATE_SPACE,
    ),
    (&["altup_num_inputs", "laurel_rank"], OWN),
    (&["conv_dim", "num_mel_bins", "feat_extract_norm", "codebook_size", "num_codebooks", "audio_channels"], AUDIO),
    (&["_diffusers_version", "block_out_channels", "cross_attention_dim", "down_block_types", "sample_size"], DIFFUSION),
];

/// Parts of the names of classes under `architectures` that tell a kind.
const CLASSES: &[(&str, Kind)] = &[
    ("ForMaskedLM", ENCODER),
    ("ForImageClassification", VISION),
    ("ForObjectDetection", VISION),
    ("ForSemanticSegmentation", VISION),
    ("ForDepthEstimation", VISION),
    ("ForCTC", AUDIO),
    ("ForSpeechSeq2Seq", AUDIO),
    ("ForAudioClassification", AUDIO),
];

/// What a type of transformers is, if nothing here describes it.
pub(super) fn listed(model_type: &str) -> Option<Assumption> {
    let (_, kind) = TYPES.iter().find(|(types, _)| types.binary_search(&model_type).is_ok())?;
    Some(said(model_type, *kind))
}

/// What a hybrid is whose blocks are not only those of attention.
pub(super) fn state_space(model_type: &str) -> Assumption {
    said(model_type, STATE_SPACE)
}

/// What a model of no known family is, if it is no decoder of text. Vision models have pictures and no vocabulary.
pub(super) fn kind(config: &Config, model_type: &str) -> Option<Assumption> {
    let by_type = TYPES.iter().find(|(types, _)| types.binary_search(&model_type).is_ok()).map(|(_, kind)| *kind);
    let by_keys = || KEYS.iter().find(|(keys, _)| keys.iter().any(|key| config.get(key).is_some())).map(|(_, kind)| *kind);
    let sees = ["image_size", "patch_size", "num_channels"].iter().filter(|key| config.get(key).is_some()).count() > 1;
    let vision = || (sees && config.get("vocab_size").is_none()).then_some(VISION);
    let both = || (config.flag("is_encoder_decoder") == Some(true)).then_some(ENCODER_DECODER);
    let known = by_type.or_else(by_keys).or_else(vision).or_else(both).or_else(|| by_class(config));
    known.map(|kind| said(model_type, kind)).or_else(|| without_size(config, model_type))
}

fn said(model_type: &str, (en, zh): Kind) -> Assumption {
    Assumption {
        en: format!("estimates do not describe {model_type}, {en}"), zh: format!("估算尚未覆盖 {model_type}（{zh}）")
    }
}

fn by_class(config: &Config) -> Option<Kind> {
    let names = config.list("architectures")?.iter().filter_map(|name| match name {
        Value::Text(name) => Some(name.as_str()),
        _ => None,
    });
    names.into_iter().find_map(|name| CLASSES.iter().find(|(part, _)| name.contains(part)).map(|(_, kind)| *kind))
}

/// A decoder of no known family says how large it is; the sizes of another would make a figure of nothing.
fn without_size(config: &Config, model_type: &str) -> Option<Assumption> {
    let key = missing_size(config)?;
    let name = if model_type.is_empty() { "a model of no type" } else { model_type };
    let other = if model_type.is_empty() { "未写明类型的模型" } else { model_type };
    Some(Assumption {
        en: format!("estimates do not describe {name}: its config has no {key}"),
        zh: format!("估算尚未覆盖 {other}：它的配置没有 {key}"),
    })
}

#[cfg(test)]
mod tests {
    use super::TYPES;

    #[test]
    fn types_are_sorted_and_listed_once() {
        let mut all: Vec<&str> = Vec::new();
        for (types, _) in TYPES {
            assert!(types.is_sorted());
            all.extend(*types);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
