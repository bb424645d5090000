//! The rows that people stumble over, per loader. `tests/pyyaml/run.sh` compares far more with the libraries themselves.

use super::*;

fn plain(text: &str, loader: Loader) -> Value {
    resolve(&Scalar { text: text.to_string(), style: Style::Plain }, None, loader)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_string())
}

/// Text, then what PyYAML, OmegaConf and YAML 1.2 make of it.
fn rows() -> Vec<(&'static str, Value, Value, Value)> {
    use Value::{Bool, Float, Int, Null, Timestamp};
    let day = || Timestamp("2024-01-01".to_string());
    vec![
        ("2e-5", text("2e-5"), Float(2e-5), Float(2e-5)),
        ("1E5", text("1E5"), Float(1e5), Float(1e5)),
        ("1e+5", text("1e+5"), Float(1e5), Float(1e5)),
        ("2.0e-5", Float(2e-5), Float(2e-5), Float(2e-5)),
        ("1.0e5", text("1.0e5"), Float(1e5), Float(1e5)),
        ("1.", Float(1.0), Float(1.0), Float(1.0)),
        (".5", Float(0.5), Float(0.5), Float(0.5)),
        ("-.5", text("-.5"), text("-.5"), Float(-0.5)),
        ("NO", Bool(false), Bool(false), text("NO")),
        ("on", Bool(true), Bool(true), text("on")),
        ("y", text("y"), text("y"), text("y")),
        ("TRUE", Bool(true), Bool(true), Bool(true)),
        ("tRUE", text("tRUE"), text("tRUE"), text("tRUE")),
        ("1_000", Int(1000), Int(1000), Int(1000)),
        ("1,000", text("1,000"), text("1,000"), text("1,000")),
        ("010", Int(8), Int(8), Int(10)),
        ("012", Int(10), Int(10), Int(12)),
        ("0o10", text("0o10"), text("0o10"), Int(8)),
        ("08", text("08"), text("08"), Int(8)),
        ("0x10", Int(16), Int(16), Int(16)),
        ("0b11", Int(3), Int(3), Int(3)),
        ("0b", text("0b"), text("0b"), text("0b")),
        ("-0x1F", Int(-31), Int(-31), Int(-31)),
        ("1:30", Int(90), Int(90), text("1:30")),
        ("1:30:00", Int(5400), Int(5400), text("1:30:00")),
        ("1:30.5", Float(90.5), Float(90.5), text("1:30.5")),
        ("1:60", text("1:60"), text("1:60"), text("1:60")),
        ("2024-01-01", day(), text("2024-01-01"), day()),
        ("2024-13-01", text("2024-13-01"), text("2024-13-01"), text("2024-13-01")),
        ("~", Null, Null, Null),
        ("", Null, Null, Null),
        ("none", text("none"), text("none"), text("none")),
        ("16-mixed", text("16-mixed"), text("16-mixed"), text("16-mixed")),
        (".inf", Float(f64::INFINITY), Float(f64::INFINITY), Float(f64::INFINITY)),
        ("-0", Int(0), Int(0), Int(0)),
        ("-9223372036854775808", Int(i64::MIN), Int(i64::MIN), Int(i64::MIN)),
    ]
}

#[test]
fn each_loader_has_its_own_types() {
    for (written, pyyaml, omegaconf, yaml12) in rows() {
        assert_eq!(plain(written, Loader::PyYaml), pyyaml, "PyYAML {written:?}");
        assert_eq!(plain(written, Loader::TrlParser), pyyaml, "TRL {written:?}");
        assert_eq!(plain(written, Loader::OmegaConf), omegaconf, "OmegaConf {written:?}");
        assert_eq!(plain(written, Loader::Yaml12), yaml12, "YAML 1.2 {written:?}");
    }
}

#[test]
fn whole_numbers_beyond_64_bits_keep_their_digits() {
    let big = |digits: &str| Value::BigInt(digits.to_string());
    assert_eq!(plain("9223372036854775808", Loader::PyYaml), big("9223372036854775808"));
    assert_eq!(plain("0xFFFFFFFFFFFFFFFFFFFF", Loader::PyYaml), big("1208925819614629174706175"));
    assert_eq!(
        plain("-0b1000000000000000000000000000000000000000000000000000000000000000_0", Loader::PyYaml),
        big("-18446744073709551616")
    );
    assert_eq!(plain("1000000000000000000:00", Loader::PyYaml), big("60000000000000000000"));
}

#[test]
fn json_knows_its_literals_only() {
    for (written, value) in [
        ("12", Value::Int(12)),
        ("-1.5e3", Value::Float(-1500.0)),
        ("true", Value::Bool(true)),
        ("null", Value::Null),
        ("012", text("012")),
        ("+1", text("+1")),
        ("1.", text("1.")),
        (".5", text(".5")),
        ("True", text("True")),
        ("yes", text("yes")),
        ("", text("")),
    ] {
        assert_eq!(plain(written, Loader::Json), value, "{written:?}");
    }
    let quoted = Scalar { text: "12".to_string(), style: Style::Double };
    assert_eq!(resolve(&quoted, None, Loader::Json), text("12"));
}

#[test]
fn quotes_make_text_and_tags_make_types() {
    let quoted = |text: &str| Scalar { text: text.to_string(), style: Style::Double };
    assert_eq!(resolve(&quoted("4"), None, Loader::PyYaml), text("4"));
    assert_eq!(resolve(&quoted("4"), Some("!!int"), Loader::PyYaml), Value::Int(4));
    assert_eq!(resolve(&quoted("2e-5"), Some("!!float"), Loader::PyYaml), Value::Float(2e-5));
    assert_eq!(resolve(&quoted("Yes"), Some("tag:yaml.org,2002:bool"), Loader::PyYaml), Value::Bool(true));
    assert_eq!(resolve(&quoted("4"), Some("!<tag:yaml.org,2002:float>"), Loader::PyYaml), Value::Float(4.0));
    assert_eq!(resolve(&quoted("x"), Some("!!null"), Loader::PyYaml), Value::Null);
    assert_eq!(resolve(&quoted("4"), Some("!"), Loader::PyYaml), Value::Int(4));
    assert_eq!(resolve(&quoted("4"), Some("!mine"), Loader::PyYaml), text("4"));
    let bare = Scalar { text: "4".to_string(), style: Style::Plain };
    assert_eq!(resolve(&bare, Some("!!str"), Loader::PyYaml), text("4"));
}

#[test]
fn refusals_are_those_of_the_constructor() {
    let refused = |text: &str, tag: Option<&str>, as_key: bool| {
        refusal(&Scalar { text: text.to_string(), style: Style::Plain }, tag, as_key).is_some()
    };
    assert!(refused("2024-13-01", None, false));
    assert!(refused("2023-02-29", None, false));
    assert!(!refused("2024-02-29", None, false));
    assert!(refused("0b_", None, false));
    assert!(refused("=", None, false) && !refused("=", None, true));
    assert!(refused("<<", None, false) && !refused("<<", None, true));
    assert!(refused("x", Some("!mine"), false));
    assert!(refused("y", Some("!!bool"), false));
    assert!(!refused("anything", None, false));
}
