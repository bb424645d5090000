//! Counts parameters in weight files: the header of a safetensors file, or the index of several.
//!
//! A file of this format begins with the length of its header (8 bytes, little-endian) and the header: a JSON object from names of
//! tensors to `{"dtype", "shape", "data_offsets"}` (safetensors 0.6 `README.md`, section Format).

use serde_json::Value;
use std::collections::BTreeSet;
use vramlint_memory::setup::Dtype;

/// Parameters in a header, passed without its length prefix. `tied`: the head is the embedding, so a copy of it does not count.
///
/// `None` for an invalid header or packed weights, whose shapes are meaningless.
pub fn parameters_of_header(header: &str, tied: bool) -> Option<u64> {
    let Value::Object(tensors) = serde_json::from_str(header).ok()? else { return None };
    let mut embeddings = BTreeSet::new();
    let (mut sum, mut head) = (0_u64, None);
    for (name, tensor) in &tensors {
        if name == "__metadata__" {
            continue;
        }
        let dtype = tensor.get("dtype")?.as_str()?;
        let shape: Vec<u64> = tensor.get("shape")?.as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
        if matches!(dtype, "U8" | "I8" | "I32") && shape.len() == 2 {
            return None;
        }
        if !dtype.starts_with('F') && dtype != "BF16" || is_buffer(name, &shape) {
            continue;
        }
        let size = shape.iter().try_fold(1_u64, |product, side| product.checked_mul(*side))?;
        sum = sum.checked_add(size)?;
        if name == "lm_head.weight" {
            head = Some((shape, size));
        } else if ["embed_tokens.weight", "wte.weight", "embed_in.weight", "word_embeddings.weight"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            embeddings.insert(shape);
        }
    }
    let copy = head.filter(|(shape, _)| tied && embeddings.contains(shape)).map_or(0, |(_, size)| size);
    (sum > copy).then(|| sum - copy)
}

/// Saved tensors that are not parameters: causal masks of GPT-2 and GPT-NeoX, frequencies of rotary embeddings.
fn is_buffer(name: &str, shape: &[u64]) -> bool {
    name.ends_with("inv_freq")
        || name.ends_with("masked_bias")
        || name.ends_with("attention.bias") && shape.len() == 4
        || name.ends_with("attn.bias") && shape.len() == 4
}

/// Parameters according to an index: `metadata.total_parameters`, else `total_size` (bytes) over the bytes of `stored`.
pub fn parameters_of_index(index: &str, stored: Option<Dtype>) -> Option<u64> {
    let index: Value = serde_json::from_str(index.trim_start_matches('\u{feff}')).ok()?;
    let metadata = index.get("metadata")?;
    // Older writers use floats.
    #[allow(clippy::cast_sign_loss)] // not negative: just compared
    let whole = |key: &str| {
        let value = metadata.get(key)?;
        value.as_u64().or_else(|| value.as_f64().filter(|n| *n > 0.0 && n.fract() == 0.0 && *n < 9e15).map(|n| n as u64))
    };
    let by_size = || {
        let (size, bytes) = (whole("total_size")?, stored?.bytes());
        (size % bytes == 0).then(|| size / bytes)
    };
    whole("total_parameters").or_else(by_size).filter(|count| *count > 0)
}
