//! Models that a decoder of text says nothing about: state spaces, vision, audio, diffusion. They get no figure.

use crate::config::Config;
use crate::estimate::Assumption;

/// Keys by which a kind of model is known, and its names in both languages. A text decoder has none of them.
const KINDS: &[(&[&str], &str, &str)] = &[
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
            "linear_attn_config",
            "lru_width",
        ],
        "a state-space or hybrid model",
        "状态空间或混合结构的模型",
    ),
    (
        &["conv_dim", "num_mel_bins", "feat_extract_norm", "codebook_size", "num_codebooks", "audio_channels"],
        "an audio model",
        "音频模型",
    ),
    (
        &["_diffusers_version", "block_out_channels", "cross_attention_dim", "down_block_types", "sample_size"],
        "a diffusion model",
        "扩散模型",
    ),
];

/// What a model of no known family is, if it is no decoder of text. Vision models have pictures and no vocabulary.
pub(super) fn kind(config: &Config, model_type: &str) -> Option<Assumption> {
    let by_keys = KINDS.iter().find(|(keys, ..)| keys.iter().any(|key| config.get(key).is_some())).map(|(_, en, zh)| (*en, *zh));
    let sees = ["image_size", "patch_size", "num_channels"].iter().filter(|key| config.get(key).is_some()).count() > 1;
    let vision = (sees && config.get("vocab_size").is_none()).then_some(("a vision model", "视觉模型"));
    let both = (config.flag("is_encoder_decoder") == Some(true)).then_some(("an encoder-decoder model", "编码器-解码器模型"));
    let (en, zh) = by_keys.or(vision).or(both)?;
    Some(Assumption {
        en: format!("estimates do not describe {model_type}, {en}"),
        zh: format!("估算尚未覆盖 {model_type}（{zh}）"),
    })
}
