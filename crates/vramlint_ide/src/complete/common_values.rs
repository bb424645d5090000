//! Common values of keys whose type does not list them: data types, attention implementations, device maps.

/// The common values of a key, by its name in any class; empty for other keys.
///
/// transformers 5.23.0: `modeling_utils.py` (attention, `dtype`), `integrations/accelerate.py` (`device_map`),
/// `utils/quantization_config.py` (`bnb_4bit_*`), `integrations/integration_utils.py` (`report_to`).
pub(super) fn values(name: &str) -> &'static [&'static str] {
    match name {
        "attn_implementation" => &["sdpa", "flash_attention_2", "flash_attention_3", "flex_attention", "eager"],
        "dtype" | "torch_dtype" => &["auto", "bfloat16", "float16", "float32"],
        "bnb_4bit_compute_dtype" => &["bfloat16", "float16", "float32"],
        "bnb_4bit_quant_storage" => &["uint8", "bfloat16", "float16", "float32"],
        "bnb_4bit_quant_type" => &["nf4", "fp4"],
        "device_map" => &["auto", "balanced", "balanced_low_0", "sequential"],
        "report_to" => &["none", "all", "tensorboard", "wandb"],
        _ => &[],
    }
}

/// Whether the values of a key are torch data types, which code writes as `torch.…`.
pub(super) fn is_dtype(name: &str) -> bool {
    matches!(name, "dtype" | "torch_dtype" | "bnb_4bit_compute_dtype" | "bnb_4bit_quant_storage")
}
