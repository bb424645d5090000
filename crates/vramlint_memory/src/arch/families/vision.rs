//! Models that see: the language part is read as its own family, the tower and what joins both are counted.
//!
//! Shapes of transformers 5.23: `modeling_qwen2_vl.py`, `modeling_qwen2_5_vl.py`, `modeling_qwen3_vl.py`, `modeling_siglip.py`,
//! `modeling_clip.py`, `modeling_gemma3.py`, `modeling_lfm2_vl.py`, `modeling_siglip2.py`, `modeling_llava.py`, `modeling_idefics3.py`,
//! `modeling_internvl.py`, `modeling_mistral3.py`, `modeling_pixtral.py`. Kimi-VL: `modeling_kimi_vl.py` of its checkpoint, as vLLM 0.10 repeats it (`models/kimi_vl.py`, `moonvit.py`).

use super::{gemma3n, gemma4_towers};
use crate::arch::Arch;
use crate::config::{Config, Value};
use crate::estimate::Assumption;

/// Keys of the language part.
const INSIDE: &[&str] = &["text_config", "llm_config", "language_config"];

/// The config of the language part, with its `model_type`; `None` if the model is text-only.
pub(super) fn language(config: &Config, model_type: &str) -> Option<Config> {
    let inside = INSIDE.iter().find_map(|key| config.object(key));
    let released = matches!(model_type, "qwen2_vl" | "qwen2_5_vl");
    if inside.is_none() && config.object("vision_config").is_none() && !released {
        return None;
    }
    let mut language = inside.unwrap_or(config).clone();
    let written = inside.and_then(|inside| inside.text("model_type")).unwrap_or_default();
    let text = match model_type {
        "qwen2_vl" | "qwen2_5_vl" => "qwen2",
        "qwen3_vl" => "qwen3",
        "qwen3_vl_moe" => "qwen3_moe",
        "qwen3_5" => "qwen3_5_text",
        "qwen3_5_moe" => "qwen3_5_moe_text",
        "gemma3" => "gemma3_text",
        "gemma3n" => "gemma3n_text",
        "gemma4" => "gemma4_text",
        "glm4v" | "glm46v" => "glm4",
        "paddleocr_vl" => "ernie4_5",
        "phi3_v" => "phi3",
        "llava" | "llava_next" | "idefics3" | "smolvlm" | "mllama" if written.is_empty() || model_type == "mllama" => "llama",
        _ => written,
    };
    language.set("model_type", Value::Text(text.to_owned()));
    // A tied head is written outside or inside; the outer config decides where it says so.
    if let Some(tied) = config.flag("tie_word_embeddings") {
        language.set("tie_word_embeddings", Value::Bool(tied));
    }
    Some(language)
}

/// Adds the tower to the language part.
pub(super) fn add_tower(arch: &mut Arch, config: &Config, model_type: &str) {
    // Without its part, a Qwen tower is the one that all released sizes share.
    let nothing = Config::default();
    let Some(vision) = config.object("vision_config").or_else(|| model_type.starts_with("qwen2").then_some(&nothing)) else {
        return;
    };
    let known = tower(vision, config, model_type, arch.hidden);
    model_type.clone_into(&mut arch.model_type);
    if known.is_none() {
        arch.assumptions.push(Assumption {
            en: format!("the vision tower of {model_type} counts as a standard vision transformer"),
            zh: format!("{model_type} 的视觉塔按常见的视觉 Transformer 结构计数"),
        });
    }
    arch.add_tower(known.unwrap_or_else(|| generic(vision, arch.hidden)));
}

/// One linear layer with its bias.
const fn dense(input: u64, output: u64) -> u64 {
    input * output + output
}

/// Attention of four projections with biases, an MLP with biases.
const fn block(hidden: u64, inner: u64, norms: u64) -> u64 {
    4 * dense(hidden, hidden) + dense(hidden, inner) + dense(inner, hidden) + norms
}

/// A number of a vision config, the first of `keys` that is written.
fn number(vision: &Config, keys: &[&str], other: u64) -> u64 {
    let first = |key: &&str| {
        vision.count(key).or_else(|| match vision.list(key)?.first()? {
            Value::Number(number) if *number >= 0.0 && *number < 1e6 => Some(share(*number)),
            _ => None,
        })
    };
    keys.iter().find_map(first).unwrap_or(other)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // compared by the caller
fn share(number: f64) -> u64 {
    number as u64
}

fn tower(vision: &Config, config: &Config, model_type: &str, text: u64) -> Option<u64> {
    let channels = number(vision, &["num_channels", "in_channels", "in_chans"], 3);
    let layers = |other| number(vision, &["depth", "num_hidden_layers", "num_layers"], other);
    let patch = |other| number(vision, &["patch_size"], other);
    match model_type {
        "qwen2_vl" => {
            let h = number(vision, &["embed_dim"], 1280);
            let inner = h * number(vision, &["mlp_ratio"], 4);
            let area = channels * number(vision, &["temporal_patch_size"], 2) * patch(14).pow(2);
            Some(area * h + layers(32) * block(h, inner, 4 * h) + 2 * h + merge(vision, h, text))
        }
        "qwen2_5_vl" => {
            let h = number(vision, &["hidden_size"], 1280);
            let inner = number(vision, &["intermediate_size"], 3420);
            let area = channels * number(vision, &["temporal_patch_size"], 2) * patch(14).pow(2);
            let one = 4 * dense(h, h) + 2 * dense(h, inner) + dense(inner, h) + 2 * h;
            Some(area * h + layers(32) * one + h + merge(vision, h, number(vision, &["out_hidden_size"], text)))
        }
        "qwen3_vl" | "qwen3_vl_moe" | "qwen3_5" | "qwen3_5_moe" => {
            let h = number(vision, &["hidden_size"], 1152);
            let inner = number(vision, &["intermediate_size"], 4304);
            let area = channels * number(vision, &["temporal_patch_size"], 2) * patch(16).pow(2);
            let out = number(vision, &["out_hidden_size"], 3584);
            let wide = h * number(vision, &["spatial_merge_size"], 2).pow(2);
            let usual = if model_type.starts_with("qwen3_vl") { 3 } else { 0 };
            let deep = vision.list("deepstack_visual_indexes").map_or(usual, <[Value]>::len) as u64;
            let places = number(vision, &["num_position_embeddings"], 2304) * h;
            let merged = merge(vision, h, out);
            Some(dense(area, h) + places + layers(27) * block(h, inner, 4 * h) + 2 * h + merged + deep * (2 * wide + merged))
        }
        "gemma3n" => Some(gemma3n::TOWERS),
        "gemma4" => Some(gemma4_towers::parameters(config, text)),
        "gemma3" | "paligemma" => {
            let (tower, h) = siglip(vision, channels, layers(27), patch(14), vision.flag("vision_use_head").unwrap_or(true));
            Some(tower + if model_type == "gemma3" { h * text + h } else { dense(h, text) })
        }
        "glm4v" | "glm46v" => {
            let h = number(vision, &["hidden_size"], 1536);
            let out = number(vision, &["out_hidden_size"], text);
            let area = channels * number(vision, &["temporal_patch_size"], 2) * patch(14).pow(2);
            let places = (number(vision, &["image_size"], 336) / patch(14).max(1)).pow(2) * h;
            let block = 4 * h * h + 3 * h * out + 2 * h;
            let merger = out * out + 2 * out + 3 * out * number(vision, &["intermediate_size"], 13696);
            let wide = h * number(vision, &["spatial_merge_size"], 2).pow(2);
            Some(dense(area, h) + places + layers(24) * block + 2 * h + dense(wide, out) + merger)
        }
        "paddleocr_vl" => {
            let (tower, h) = siglip(vision, channels, layers(27), patch(14), false);
            let wide = h * number(vision, &["spatial_merge_size"], 2).pow(2);
            Some(tower + 2 * h + dense(wide, wide) + dense(wide, text))
        }
        "kimi_vl" => {
            let h = number(vision, &["hidden_size"], 1152);
            let inner = number(vision, &["intermediate_size"], 4304);
            let places = number(vision, &["init_pos_emb_height"], 64) * number(vision, &["init_pos_emb_width"], 64) * h;
            let wide = 4 * h;
            let joins = 2 * h + dense(wide, wide) + dense(wide, text);
            Some(dense(channels * patch(14).pow(2), h) + places + layers(27) * block(h, inner, 4 * h) + 2 * h + joins)
        }
        "idefics3" | "smolvlm" => {
            let (tower, h) = siglip(vision, channels, layers(12), patch(32), false);
            let scale = config.count("scale_factor").unwrap_or(2);
            Some(tower + h * scale.pow(2) * text)
        }
        "internvl" => {
            let h = number(vision, &["hidden_size"], 1024);
            let inner = number(vision, &["intermediate_size"], 4096);
            let biases = if vision.flag("attention_bias").unwrap_or(false) { 3 * h } else { 0 };
            let of_heads = if vision.flag("use_qk_norm").unwrap_or(false) { 2 * h } else { 0 };
            let norms = if vision.text("norm_type") == Some("rms_norm") { 2 * h } else { 4 * h };
            let places = ((number(vision, &["image_size"], 448) / patch(14).max(1)).pow(2) + 1) * h;
            let attention = 3 * h * h + dense(h, h) + biases + of_heads;
            // Two scales of each block.
            let one = attention + dense(h, inner) + dense(inner, h) + norms + 2 * h;
            let wide = 4 * h;
            let join = 2 * wide + dense(wide, text) + dense(text, text);
            Some(dense(channels * patch(14).pow(2), h) + h + places + layers(24) * one + join)
        }
        "lfm2_vl" => {
            let h = number(vision, &["hidden_size"], 768);
            let inner = number(vision, &["intermediate_size"], 3072);
            let pool = if vision.flag("vision_use_head").unwrap_or(true) { h + block(h, inner, 2 * h) } else { 0 };
            let places = number(vision, &["num_patches"], 256) * h;
            let tower = dense(channels * patch(16).pow(2), h) + places + layers(12) * block(h, inner, 4 * h) + 2 * h + pool;
            let wide = h * config.count("downsample_factor").unwrap_or(2).pow(2);
            let between = config.count("projector_hidden_size").unwrap_or(2560);
            let norm = if config.flag("projector_use_layernorm").unwrap_or(true) { 2 * wide } else { 0 };
            let bias = if config.flag("projector_bias").unwrap_or(true) { between + text } else { 0 };
            Some(tower + norm + wide * between + between * text + bias)
        }
        "mistral3" => {
            let h = number(vision, &["hidden_size"], 1024);
            let inner = number(vision, &["intermediate_size"], 4096);
            let tower = channels * patch(16).pow(2) * h + h + layers(24) * (4 * h * h + 3 * h * inner + 2 * h);
            let merge = config.count("spatial_merge_size").unwrap_or(2).pow(2);
            let biases = if config.flag("multimodal_projector_bias").unwrap_or(false) { 2 * text } else { 0 };
            Some(tower + h + merge * h * h + h * text + text * text + biases)
        }
        "llava" | "llava_next" if matches!(vision.text("model_type"), None | Some("clip_vision_model")) => {
            let (tower, h) = clip(vision, channels, layers(24), patch(14));
            let newline = if model_type == "llava_next" { text } else { 0 };
            Some(tower + dense(h, text) + dense(text, text) + newline)
        }
        _ => None,
    }
}

/// `PatchMerger` after its norm: two layers, the first as wide as the merged patches.
fn merge(vision: &Config, hidden: u64, out: u64) -> u64 {
    let wide = hidden * number(vision, &["spatial_merge_size"], 2).pow(2);
    dense(wide, wide) + dense(wide, out)
}

/// SigLIP and the width of its blocks; `head` is the attention that pools its results, which models keep but do not use.
fn siglip(vision: &Config, channels: u64, layers: u64, patch: u64, head: bool) -> (u64, u64) {
    let h = number(vision, &["hidden_size"], 1152);
    let inner = number(vision, &["intermediate_size"], 4304);
    let places = (number(vision, &["image_size"], 896) / patch.max(1)).pow(2) * h;
    let pool = if head { h + block(h, inner, 2 * h) } else { 0 };
    (dense(channels * patch.pow(2), h) + places + layers * block(h, inner, 4 * h) + 2 * h + pool, h)
}

/// CLIP and the width of its blocks.
fn clip(vision: &Config, channels: u64, layers: u64, patch: u64) -> (u64, u64) {
    let h = number(vision, &["hidden_size"], 1024);
    let inner = number(vision, &["intermediate_size"], 4096);
    let places = ((number(vision, &["image_size"], 336) / patch.max(1)).pow(2) + 1) * h;
    (channels * patch.pow(2) * h + h + places + layers * block(h, inner, 4 * h) + 4 * h, h)
}

/// A vision transformer of the usual kind, and two layers that join it to the text.
fn generic(vision: &Config, text: u64) -> u64 {
    let h = number(vision, &["hidden_size", "embed_dim", "width"], 1024);
    let inner = number(vision, &["intermediate_size", "mlp_dim"], 4 * h);
    let layers = number(vision, &["num_hidden_layers", "depth", "layers", "num_layers"], 24);
    let patch = number(vision, &["patch_size"], 14);
    let places = (number(vision, &["image_size"], 448) / patch.max(1)).pow(2) * h;
    dense(3 * patch.pow(2), h) + places + layers * block(h, inner, 4 * h) + 4 * h + dense(h, text) + dense(text, text)
}
