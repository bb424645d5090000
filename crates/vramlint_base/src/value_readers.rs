//! How programs read a value or a word, each function named after the program that it models.
//!
//! Programs disagree on what is true or a number. Choose the function of the program that reads the value; [`spelled_bool`] is for
//! values whose reader is not known. What a YAML loader makes of a scalar is in `vramlint_syntax::yaml::scalar`.

use crate::Value;
use crate::number::{python_float, python_int};

/// Python's `bool(value)`: numbers other than zero, and strings, lists and mappings that are not empty, are true.
pub fn python_truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::Int(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        Value::BigInt(_) | Value::Timestamp(_) => true,
    }
}

/// `str_to_bool` of accelerate 1.15.0 `utils/environment.py:57`, and `distutils.util.strtobool` of Python before 3.12.
pub fn str_to_bool(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// `string_to_bool` of transformers `hf_argparser.py`, which types the booleans of every `HfArgumentParser`. Unlike
/// [`str_to_bool`], it rejects `on` and `off`.
pub fn hf_string_to_bool(word: &str) -> Option<bool> {
    str_to_bool(word).filter(|_| !word.eq_ignore_ascii_case("on") && !word.eq_ignore_ascii_case("off"))
}

/// A field `bool` of pydantic 2.13.4 in lax mode (`docs/concepts/conversion_table.md`, run): `0`, `1`, `0.0`, `1.0` and the words of
/// [`str_to_bool`]. Blanks around a word are not removed.
pub fn pydantic_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        Value::Float(number) if *number == 0.0 => Some(false),
        Value::Float(number) if (*number - 1.0).abs() < f64::EPSILON => Some(true),
        Value::Text(word) => str_to_bool(word),
        _ => None,
    }
}

/// A field `int` of pydantic 2.13.4 in lax mode (`docs/concepts/conversion_table.md`, run): `2`, `2.0`, `true`, `"2"`, `"2.0"`,
/// `"1_000"`, but neither `"2."` nor `"2e3"`. `None` also for an integer that does not fit 64 bits.
#[allow(clippy::cast_possible_truncation)] // checked to be an integer and small
pub fn pydantic_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Bool(on) => Some(i64::from(*on)),
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
        Value::Text(word) => {
            let (whole, zeros) = word.trim().split_once('.').unwrap_or((word.trim(), "0"));
            let is_zero = !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0');
            let has_digits = whole.ends_with(|c: char| c.is_ascii_digit()) && is_zero;
            python_int(whole, 10).filter(|_| has_digits)?.as_int()
        }
        _ => None,
    }
}

/// A boolean as people spell it, if the program that reads it is not known: `true`, `Yes`, `off`, `1`, but not the string `"1"` or
/// `t`, which may be meant as a number or a name.
pub fn spelled_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        Value::Text(word) => match word.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A number of a command line: what Python's `int(word)`, else `float(word)` returns, as argparse calls them for `type=int` and
/// `type=float`.
pub fn argparse_number(word: &str) -> Option<Value> {
    python_int(word, 10).or_else(|| python_float(word).map(Value::Float))
}

/// A word of a command line, if the type that its parser declares for it is not known: a boolean, a number, else a string.
pub fn argparse_word(word: &str) -> Value {
    match word {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        _ => argparse_number(word).unwrap_or_else(|| Value::Text(word.to_owned())),
    }
}

/// [`argparse_word`] for programs that also read `null` and `None` as Python's `None`, as the parsers of training frameworks do:
/// LLaMA-Factory and torchtune through OmegaConf.
pub fn argparse_word_or_null(word: &str) -> Value {
    if matches!(word, "null" | "None") { Value::Null } else { argparse_word(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: &str) -> Value {
        Value::Text(word.to_owned())
    }

    #[test]
    fn python_takes_empty_and_zero_for_false() {
        for value in [Value::Null, Value::Int(0), Value::Float(0.0), text(""), Value::List(vec![]), Value::Map(vec![])] {
            assert!(!python_truth(&value), "{value:?}");
        }
        for value in [Value::Int(-1), Value::Float(0.1), text("false"), Value::List(vec![Value::Null])] {
            assert!(python_truth(&value), "{value:?}");
        }
    }

    #[test]
    fn parsers_of_booleans_differ_in_on_and_off() {
        for word in ["y", "YES", "t", "True", "1"] {
            assert_eq!((str_to_bool(word), hf_string_to_bool(word)), (Some(true), Some(true)), "{word}");
        }
        for word in ["n", "No", "f", "FALSE", "0"] {
            assert_eq!((str_to_bool(word), hf_string_to_bool(word)), (Some(false), Some(false)), "{word}");
        }
        assert_eq!((str_to_bool("On"), hf_string_to_bool("On")), (Some(true), None));
        assert_eq!((str_to_bool("off"), hf_string_to_bool("off")), (Some(false), None));
        for word in ["", "2", "none", " true "] {
            assert_eq!((str_to_bool(word), hf_string_to_bool(word)), (None, None), "{word}");
        }
    }

    #[test]
    fn pydantic_converts_what_it_does_when_run() {
        for value in [text("TRUE"), text("t"), text("on"), Value::Float(1.0), Value::Int(1)] {
            assert_eq!(pydantic_bool(&value), Some(true), "{value:?}");
        }
        for value in [text(" true "), text("2"), text(""), Value::Float(2.0), Value::Int(2), Value::Null] {
            assert_eq!(pydantic_bool(&value), None, "{value:?}");
        }
        for (word, number) in
            [("2", 2), (" 2 ", 2), ("2.00", 2), ("1_000", 1000), ("1_000.0", 1000), ("+2", 2), ("-3", -3), ("007", 7)]
        {
            assert_eq!(pydantic_int(&text(word)), Some(number), "{word}");
        }
        for word in ["2e3", "2.", "2.5", ".0", "1__0", "_1", "1_", "0x10", "2.0_0", "--1", "+ 1", "", "auto"] {
            assert_eq!(pydantic_int(&text(word)), None, "{word}");
        }
        assert_eq!(pydantic_int(&Value::Float(2.0)), Some(2));
        assert_eq!(pydantic_int(&Value::Float(2.5)), None);
        assert_eq!(pydantic_int(&Value::Bool(true)), Some(1));
    }

    #[test]
    fn a_spelled_boolean_is_a_word_or_a_bit() {
        assert_eq!(spelled_bool(&text(" Yes ")), Some(true));
        assert_eq!(spelled_bool(&Value::Int(0)), Some(false));
        for value in [text("1"), text("t"), Value::Int(2), Value::Float(1.0), Value::Null] {
            assert_eq!(spelled_bool(&value), None, "{value:?}");
        }
    }

    #[test]
    fn argparse_takes_what_python_takes() {
        assert_eq!(argparse_number("010"), Some(Value::Int(10)));
        assert_eq!(argparse_number(" 1_000 "), Some(Value::Int(1000)));
        assert_eq!(argparse_number("2e-5"), Some(Value::Float(2e-5)));
        assert_eq!(argparse_number("-Infinity"), Some(Value::Float(f64::NEG_INFINITY)));
        assert_eq!(argparse_number("99999999999999999999"), Some(Value::BigInt("99999999999999999999".into())));
        for word in ["", "1__0", "_1", "0x10", "1,5", "auto", "1e"] {
            assert_eq!(argparse_number(word), None, "{word}");
            assert_eq!(argparse_word(word), text(word), "{word}");
        }
        assert_eq!(argparse_word("True"), Value::Bool(true));
        assert_eq!((argparse_word("null"), argparse_word_or_null("null")), (text("null"), Value::Null));
        assert_eq!(argparse_word_or_null("8"), Value::Int(8));
    }
}
