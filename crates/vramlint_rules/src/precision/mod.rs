//! `VL4`: precision, quantization, adapters.

mod adapter_refused;
mod adapter_target_missing;
mod four_bit_defaults;
mod quantization_key_ignored;
mod quantization_refused;
mod quantized_model_cast;
mod quantized_without_adapter;
mod unknown_attention;
mod unknown_dtype_name;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &adapter_refused::RULE,
    &adapter_target_missing::RULE,
    &four_bit_defaults::RULE,
    &quantization_key_ignored::RULE,
    &quantization_refused::RULE,
    &quantized_model_cast::RULE,
    &quantized_without_adapter::RULE,
    &unknown_attention::RULE,
    &unknown_dtype_name::RULE,
];
