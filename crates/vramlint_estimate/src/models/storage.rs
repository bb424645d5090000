//! How the weights are stored according to `config.json`: type and quantization.

use vramlint_memory::Config;
use vramlint_memory::setup::{Dtype, Quantization};

/// Keys of the language part of multimodal models.
const INNER: [&str; 4] = ["text_config", "language_config", "llm_config", "thinker_config"];

/// `dtype` or its older name `torch_dtype`, of the model or its language part.
pub(super) fn dtype(config: &Config) -> Option<Dtype> {
    let own = |config: &Config| ["dtype", "torch_dtype"].iter().find_map(|key| dtype_named(config.text(key)?));
    own(config).or_else(|| INNER.iter().find_map(|key| own(config.object(key)?)))
}

/// The type by its name in torch.
pub(super) fn dtype_named(name: &str) -> Option<Dtype> {
    match name.strip_prefix("torch.").unwrap_or(name) {
        "float32" | "float" | "fp32" => Some(Dtype::Fp32),
        "bfloat16" | "bf16" => Some(Dtype::Bf16),
        "float16" | "half" | "fp16" => Some(Dtype::Fp16),
        _ => None,
    }
}

/// `quantization_config`, if its size is known: transformers 5.23.0 `utils/quantization_config.py`.
///
/// FP8 and MXFP4 are not covered: whether they are dequantized depends on the kernels of the machine.
pub(super) fn prequantized(config: &Config) -> Option<Quantization> {
    let own = config.object("quantization_config");
    let given = own.or_else(|| INNER.iter().find_map(|key| config.object(key)?.object("quantization_config")))?;
    let bits = |bits: u64| match bits {
        4 => Some(Quantization::FourBit { double: false }),
        8 => Some(Quantization::Int8),
        _ => None,
    };
    let four = given.flag("load_in_4bit").or_else(|| given.flag("_load_in_4bit")) == Some(true);
    let eight = given.flag("load_in_8bit").or_else(|| given.flag("_load_in_8bit")) == Some(true);
    // Old bitsandbytes configurations state no method.
    match given.text("quant_method").unwrap_or("bitsandbytes") {
        "bitsandbytes" if four => Some(Quantization::FourBit { double: given.flag("bnb_4bit_use_double_quant") == Some(true) }),
        "bitsandbytes" if eight => Some(Quantization::Int8),
        "gptq" | "awq" | "auto-round" | "intel/auto-round" => bits(given.count("bits")?),
        "compressed-tensors" => {
            let groups = given.object("config_groups")?;
            let mut sizes = groups.keys().filter_map(|key| groups.object(key)?.object("weights")?.count("num_bits"));
            let first = sizes.next()?;
            // FP8 has 8 bits of type float.
            let whole = groups.keys().all(|key| {
                groups.object(key).and_then(|group| group.object("weights")).and_then(|weights| weights.text("type"))
                    != Some("float")
            });
            if whole && sizes.all(|size| size == first) { bits(first) } else { None }
        }
        _ => None,
    }
}
