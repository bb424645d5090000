//! The configuration classes of transformers that describe a model, and their keys that shape it.

/// Configurations of transformers 5.23 that describe something else than a model (`utils/quantization_config.py`, `generation`,
/// `integrations/deepspeed.py`).
const OF_OTHER_THINGS: &[&str] = &[
    "AqlmConfig",
    "AutoRoundConfig",
    "AwqConfig",
    "BitNetQuantConfig",
    "BitsAndBytesConfig",
    "CompileConfig",
    "CompressedTensorsConfig",
    "ContinuousBatchingConfig",
    "DistributedConfig",
    "EetqConfig",
    "FPQuantConfig",
    "FbgemmFp8Config",
    "FineGrainedFP8Config",
    "GPTQConfig",
    "GenerationConfig",
    "HfDeepSpeedConfig",
    "HfTrainerDeepSpeedConfig",
    "HiggsConfig",
    "HqqConfig",
    "KernelConfig",
    "LoraConfig",
    "Mxfp4Config",
    "PreTrainedConfig",
    "PretrainedConfig",
    "QuantoConfig",
    "QuarkConfig",
    "SpQRConfig",
    "SynthIDTextWatermarkingConfig",
    "TorchAoConfig",
    "VptqConfig",
    "WatermarkingConfig",
];

/// Keys that decide how many parameters a model has and how large its activations are (transformers 5.23 `models/*/configuration_*.py`).
pub const SHAPE_KEYS: &[&str] = &[
    "attention_bias",
    "d_ff",
    "d_inner",
    "d_kv",
    "d_model",
    "decoder_ffn_dim",
    "decoder_layers",
    "dim",
    "embedding_size",
    "encoder_ffn_dim",
    "encoder_layers",
    "feed_forward_proj",
    "ffn_dim",
    "first_k_dense_replace",
    "head_dim",
    "hidden_act",
    "hidden_dim",
    "hidden_size",
    "image_size",
    "intermediate_size",
    "kv_lora_rank",
    "layer_types",
    "max_position_embeddings",
    "mlp_bias",
    "mlp_ratio",
    "moe_intermediate_size",
    "n_ctx",
    "n_embd",
    "n_head",
    "n_heads",
    "n_inner",
    "n_layer",
    "n_layers",
    "n_positions",
    "n_routed_experts",
    "n_shared_experts",
    "num_attention_heads",
    "num_channels",
    "num_decoder_layers",
    "num_experts",
    "num_experts_per_tok",
    "num_heads",
    "num_hidden_groups",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_layers",
    "num_local_experts",
    "num_register_tokens",
    "patch_size",
    "q_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "qkv_bias",
    "shared_expert_intermediate_size",
    "sliding_window",
    "tie_word_embeddings",
    "type_vocab_size",
    "use_swiglu_ffn",
    "v_head_dim",
    "vocab_size",
    "word_embed_proj_dim",
];

/// Whether a class of transformers describes a model: `LlamaConfig`, `AutoConfig`.
pub fn is_model_config(class: &str) -> bool {
    class.ends_with("Config") && class.starts_with(char::is_uppercase) && !OF_OTHER_THINGS.contains(&class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_told_apart() {
        assert!(OF_OTHER_THINGS.is_sorted() && SHAPE_KEYS.is_sorted());
        assert!(is_model_config("T5Config") && !is_model_config("BitsAndBytesConfig") && !is_model_config("configure"));
    }
}
