//! The parts of Gemma 4 that see and hear (transformers 5.23, `Gemma4VisionModel`, `Gemma4AudioModel`), and what joins them to the text.

use crate::config::Config;

/// Parameters of both, as far as the config has them.
pub(super) fn parameters(config: &Config, text: u64) -> u64 {
    let vision = config.object("vision_config").map_or(0, |vision| sees(vision, text));
    vision + config.object("audio_config").map_or(0, |audio| hears(audio, text))
}

fn sees(vision: &Config, text: u64) -> u64 {
    let count = |key: &str, other: u64| vision.count(key).unwrap_or(other);
    let hidden = count("hidden_size", 768);
    let (heads, kv_heads, head_dim) = (count("num_attention_heads", 12), count("num_key_value_heads", 12), count("head_dim", 64));
    let patches = (2 * count("position_embedding_size", 10 * 1024) + 3 * count("patch_size", 16).pow(2)) * hidden;
    let attention = 2 * hidden * (heads + kv_heads) * head_dim + 2 * head_dim;
    let block = attention + 3 * hidden * count("intermediate_size", 3072) + 4 * hidden;
    patches + count("num_hidden_layers", 16) * block + hidden * text
}

fn hears(audio: &Config, text: u64) -> u64 {
    /// Channels of both convolutions that shorten the input, and its bands.
    const CHANNELS: [u64; 2] = [128, 32];
    const BANDS: u64 = 128;
    let count = |key: &str, other: u64| audio.count(key).unwrap_or(other);
    let hidden = count("hidden_size", 1024);
    let out = count("output_proj_dims", 1536);
    let [first, second] = CHANNELS;
    let shortening = 9 * first + first + 9 * first * second + second + BANDS / 4 * second * hidden;
    let vectors = 12 * hidden + count("conv_kernel_size", 5) * hidden + hidden / count("num_attention_heads", 8).max(1);
    // Two MLPs of four times the width, attention with relative positions, a gated convolution.
    let block = (16 + 5 + 3) * hidden.pow(2) + vectors;
    shortening + count("num_hidden_layers", 12) * block + hidden * out + out + out * text
}
