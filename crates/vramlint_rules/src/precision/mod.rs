//! `VL4`: precision, quantization, adapters.

mod adapter_dropout_on_parameters;
mod adapter_on_lm_head;
mod adapter_refused;
mod adapter_target_missing;
mod adapter_trains_embeddings;
mod adapters_twice;
mod batch_finder_refused;
mod best_model_out_of_step;
mod card_lacks_precision;
mod checkpointing_keys_disagree;
mod checkpointing_option_unknown;
mod four_bit_defaults;
mod fsdp_and_deepspeed;
mod fsdp_config_without_fsdp;
mod half_precision_not_supported;
mod half_precision_twice;
mod loading_option_unused;
mod model_by_name_in_fp32;
mod needs_evaluation;
mod offload_without_checkpointing;
mod optimizer_not_supported_here;
mod precision_from_checkpoint;
mod preparation_casts_to_fp32;
mod qlora_without_4bit;
mod quantization_key_ignored;
mod quantization_refused;
mod quantized_by_default;
mod quantized_full_finetune;
mod quantized_model_cast;
mod quantized_without_adapter;
mod refused_with_zero3;
mod torch_dtype_overruled;
mod trainer_loader_without_workers;
mod unknown_attention;
mod unknown_dtype_name;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &adapter_dropout_on_parameters::RULE,
    &adapter_on_lm_head::RULE,
    &adapter_refused::RULE,
    &adapter_target_missing::RULE,
    &adapter_trains_embeddings::RULE,
    &adapters_twice::RULE,
    &batch_finder_refused::RULE,
    &best_model_out_of_step::RULE,
    &card_lacks_precision::RULE,
    &checkpointing_keys_disagree::RULE,
    &checkpointing_option_unknown::RULE,
    &four_bit_defaults::RULE,
    &fsdp_and_deepspeed::RULE,
    &fsdp_config_without_fsdp::RULE,
    &half_precision_not_supported::RULE,
    &half_precision_twice::RULE,
    &loading_option_unused::RULE,
    &model_by_name_in_fp32::RULE,
    &needs_evaluation::RULE,
    &offload_without_checkpointing::RULE,
    &optimizer_not_supported_here::RULE,
    &preparation_casts_to_fp32::RULE,
    &qlora_without_4bit::RULE,
    &precision_from_checkpoint::RULE,
    &quantized_by_default::RULE,
    &quantization_key_ignored::RULE,
    &quantization_refused::RULE,
    &quantized_full_finetune::RULE,
    &quantized_model_cast::RULE,
    &quantized_without_adapter::RULE,
    &refused_with_zero3::RULE,
    &torch_dtype_overruled::RULE,
    &trainer_loader_without_workers::RULE,
    &unknown_attention::RULE,
    &unknown_dtype_name::RULE,
];
