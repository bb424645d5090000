//! What several keys say together about quantization.

use super::Dialect;
use vramlint_base::Value;
use vramlint_base::value_readers::spelled_bool;

/// Keys of the type of four bits.
const TYPES: &[&str] = &["bnb_4bit_quant_type", "quantization_type"];
/// Keys that quantize the constants too.
const DOUBLES: &[&str] = &["bnb_4bit_use_double_quant", "use_bnb_nested_quant", "double_quantization"];

/// The quantization that sibling keys give together: 4 bits, their type, and whether their constants are quantized too.
///
/// `lookup` answers the value of a key beside the others (`load_in_4bit`, `bnb_4bit_quant_type`, …). [`super::meaning`] reads one key
/// alone and so assumes the dialect's usual type; this is exact. `None` where no key speaks of it or a value is not known.
pub fn quantization<'v>(dialect: Dialect, lookup: impl Fn(&str) -> Option<&'v Value>) -> Option<&'static str> {
    let on = |key: &str| lookup(key).and_then(spelled_bool);
    let bits = ["quantization_bit", "quant_bits"].iter().find_map(|key| lookup(key)).and_then(bit_width);
    let four = on("load_in_4bit") == Some(true) || bits == Some(4);
    if !four {
        let eight = on("load_in_8bit") == Some(true) || bits == Some(8);
        return eight.then_some("int8");
    }
    let (usual_type, usual_double) = dialect.framework().four_bits;
    let kind = match TYPES.iter().find_map(|key| lookup(key)) {
        None | Some(Value::Null) => usual_type,
        Some(value) => match value.as_str()?.to_ascii_lowercase().as_str() {
            "nf4" => "nf4",
            "fp4" => "fp4",
            _ => return None,
        },
    };
    let double = match DOUBLES.iter().find_map(|key| lookup(key)) {
        None | Some(Value::Null) => usual_double,
        Some(value) => spelled_bool(value)?,
    };
    // Nested constants of fp4 have no name of their own; they differ from fp4 by half a bit a weight.
    Some(if kind == "nf4" && double { "nf4-double" } else { kind })
}

/// Whether a quantization is one of four bits.
pub fn is_four_bits(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| matches!(kind, "nf4" | "fp4" | "nf4-double"))
}

/// The kind of four bits that the siblings of the key that turns it on name; `None` where they do not speak of it. `lookup` answers the
/// value of a key, `Value::Null` if it is not known.
pub fn refined_four_bits(dialect: Dialect, lookup: impl Fn(&str) -> Option<Value>) -> Option<&'static str> {
    let siblings: Vec<(&str, Value)> =
        [TYPES, DOUBLES].concat().into_iter().filter_map(|key| Some((key, lookup(key)?))).collect();
    let on = Value::Bool(true);
    let all = |key: &str| {
        if key == "load_in_4bit" { Some(&on) } else { siblings.iter().find(|(name, _)| *name == key).map(|(_, value)| value) }
    };
    if siblings.is_empty() { None } else { quantization(dialect, all) }
}

fn bit_width(value: &Value) -> Option<i64> {
    value.as_int().or_else(|| value.as_str().and_then(|word| word.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dialect: Dialect, pairs: &[(&str, Value)]) -> Option<&'static str> {
        quantization(dialect, |key| pairs.iter().find(|pair| pair.0 == key).map(|pair| &pair.1))
    }

    #[test]
    fn siblings_decide_together() {
        let on = || Value::Bool(true);
        let nf4 = || Value::Text("nf4".into());
        assert_eq!(of(Dialect::HfTrainer, &[("load_in_4bit", on())]), Some("fp4"));
        assert_eq!(of(Dialect::HfTrainer, &[("load_in_4bit", on()), ("bnb_4bit_quant_type", nf4())]), Some("nf4"));
        let all = [("load_in_4bit", on()), ("bnb_4bit_quant_type", nf4()), ("bnb_4bit_use_double_quant", on())];
        assert_eq!(of(Dialect::HfTrainer, &all), Some("nf4-double"));
        assert_eq!(of(Dialect::Trl, &[("load_in_4bit", on()), ("use_bnb_nested_quant", on())]), Some("nf4-double"));
        assert_eq!(of(Dialect::LlamaFactory, &[("quantization_bit", Value::Int(4))]), Some("nf4-double"));
        let single = [("quantization_bit", Value::Int(4)), ("double_quantization", Value::Bool(false))];
        assert_eq!(of(Dialect::LlamaFactory, &single), Some("nf4"));
        assert_eq!(of(Dialect::LlamaFactory, &[("quantization_bit", Value::Int(8))]), Some("int8"));
        assert_eq!(of(Dialect::Axolotl, &[("load_in_8bit", on()), ("load_in_4bit", Value::Bool(false))]), Some("int8"));
        assert_eq!(of(Dialect::HfTrainer, &[("load_in_4bit", Value::Bool(false))]), None);
        assert_eq!(of(Dialect::HfTrainer, &[("load_in_4bit", on()), ("bnb_4bit_quant_type", Value::Text("nf8".into()))]), None);
    }
}
