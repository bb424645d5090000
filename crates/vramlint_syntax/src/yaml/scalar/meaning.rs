//! What a person means by a text, and how to write it so that the loader agrees.

use vramlint_base::number::split_sign;

/// The number that a person means by this text: decimal digits with a point or an exponent or neither, as `2e-5`, `1E5`, `.5`,
/// `08`. Text that only Python or YAML would take for a number (`1_000`, `0x10`, `nan`, `1:30`) gives nothing, nor does `1,000`.
pub fn looks_like_number(text: &str) -> Option<f64> {
    parts(text)?;
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The spelling that PyYAML reads as a float, for a text that [`looks_like_number`] and has a point or an exponent:
/// `2e-5` becomes `2.0e-5`, `1E5` becomes `1.0e+5`, `-.5` becomes `-0.5`.
///
/// PyYAML 6.0.3, `resolver.py`: the point is required, a sign is required in the exponent, and none may appear before a point.
pub fn pyyaml_float_spelling(text: &str) -> Option<String> {
    let parts = parts(text)?;
    if parts.fraction.is_none() && parts.exponent.is_none() {
        return None;
    }
    let or_zero = |digits: &str| if digits.is_empty() { "0".to_string() } else { digits.to_string() };
    let sign = if parts.negative { "-" } else { "" };
    let mut out = format!("{sign}{}.{}", or_zero(parts.whole), or_zero(parts.fraction.unwrap_or("")));
    if let Some(exponent) = parts.exponent {
        let (negative, digits) = split_sign(exponent);
        out.push_str(if negative { "e-" } else { "e+" });
        out.push_str(digits);
    }
    Some(out)
}

struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: Option<&'a str>,
    exponent: Option<&'a str>,
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let (negative, unsigned) = split_sign(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let some_digit = !whole.is_empty() || fraction.is_some_and(|f| !f.is_empty());
    let exponent_fits = exponent.is_none_or(|e| {
        let (_, e) = split_sign(e);
        !e.is_empty() && digits(e)
    });
    (some_digit && digits(whole) && fraction.is_none_or(digits) && exponent_fits).then_some(Parts {
        negative,
        whole,
        fraction,
        exponent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Loader, Scalar, Style};
    use vramlint_base::Value;

    #[test]
    fn numbers_as_people_write_them() {
        for (text, number) in
            [("2e-5", 2e-5), ("1E5", 1e5), ("5e-7", 5e-7), (".5", 0.5), ("1e+3", 1e3), ("-3", -3.0), ("08", 8.0)]
        {
            assert_eq!(looks_like_number(text), Some(number), "{text}");
        }
        for text in ["1,000", "1_000", "0x10", "nan", ".", "e5", "1e", "1e5.0", "1:30", "", "-", "1 e5", "１", "1e999"] {
            assert_eq!(looks_like_number(text), None, "{text}");
        }
    }

    #[test]
    fn the_spelling_is_read_as_the_same_float() {
        for (text, spelling) in [
            ("2e-5", "2.0e-5"),
            ("1E5", "1.0e+5"),
            ("1e+3", "1.0e+3"),
            ("-.5", "-0.5"),
            ("5.e3", "5.0e+3"),
            ("1.5E-05", "1.5e-05"),
        ] {
            assert_eq!(pyyaml_float_spelling(text).as_deref(), Some(spelling), "{text}");
            let scalar = Scalar { text: spelling.to_string(), style: Style::Plain };
            let value = super::super::resolve(&scalar, None, Loader::PyYaml);
            assert_eq!(value, Value::Float(looks_like_number(text).expect("a number")), "{text}");
        }
        assert_eq!(pyyaml_float_spelling("3"), None);
        assert_eq!(pyyaml_float_spelling("bf16"), None);
    }
}
