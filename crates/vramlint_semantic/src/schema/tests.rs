//! Values against what is wanted.

use super::*;
use vramlint_catalog::keys::KeyType;

fn wants(kind: KeyType, values: &[String]) -> Wants<'_> {
    Wants { kind, values, case_insensitive: false, nullable: false, min: None, above: None, max: None, below: None }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn types_are_as_strict_as_their_reader() {
    use KeyType::{Bool, Float, Int, Map, Text};
    use Manner::{Exact, Pydantic};
    for (kind, value, manner, fine) in [
        (Int, text("2"), Pydantic, true),
        (Int, text("2"), Exact, false),
        (Int, Value::Float(2.0), Pydantic, true),
        (Int, Value::Float(2.5), Pydantic, false),
        (Int, text("5e8"), Pydantic, false),
        (Int, Value::Bool(true), Pydantic, true),
        (Float, text("1e-5"), Pydantic, true),
        (Float, text("1e-5"), Exact, false),
        (Float, Value::Int(1), Exact, true),
        (Float, text("x"), Pydantic, false),
        (Bool, text("False"), Pydantic, true),
        (Bool, text("False"), Exact, false),
        (Bool, Value::Int(2), Pydantic, false),
        (Text, Value::Int(2), Pydantic, false),
        (Map, Value::Bool(true), Pydantic, false),
        (Int, text("auto"), Exact, true),
        (Int, text("${N}"), Exact, true),
        (Int, text("{{ n }}"), Exact, true),
    ] {
        assert_eq!(judge(&wants(kind, &[]), &value, manner).is_none(), fine, "{kind:?} {value} {manner:?}");
    }
    let problem = judge(&wants(Int, &[]), &text("5e8"), Pydantic).expect("wrong");
    assert_eq!(problem.meant(), Some(&Value::Int(500_000_000)));
    assert_eq!(problem.expected().en, "a whole number is expected, not text");
}

#[test]
fn sets_know_case_and_neighbours() {
    let devices: Vec<String> = ["cpu", "nvme", "none"].map(str::to_owned).to_vec();
    let devices = wants(KeyType::Text, &devices);
    assert_eq!(judge(&devices, &text("cpu"), Manner::Pydantic), None);
    let upper = judge(&devices, &text("CPU"), Manner::Pydantic).expect("case matters");
    assert_eq!(upper.meant(), Some(&text("cpu")));
    assert_eq!(upper.expected().en, "expected is one of cpu, nvme, none");
    assert_eq!(judge(&Wants { case_insensitive: true, ..devices }, &text("CPU"), Manner::Pydantic), None);
    let far = judge(&devices, &text("gpu0"), Manner::Pydantic).expect("unknown");
    assert_eq!(far.meant(), None);
    let stages: Vec<String> = ["0", "1", "2", "3"].map(str::to_owned).to_vec();
    let stages = wants(KeyType::Int, &stages);
    for (value, fine) in [(Value::Int(3), true), (Value::Int(4), false), (text("2"), true), (Value::Bool(true), true)] {
        assert_eq!(judge(&stages, &value, Manner::Pydantic).is_none(), fine, "{value}");
    }
}

#[test]
fn bounds_and_null() {
    let above = Wants { above: Some(0.0), ..wants(KeyType::Int, &[]) };
    assert_eq!(judge(&above, &Value::Int(0), Manner::Exact), Some(Problem::Range { bound: Bound::Above(0.0) }));
    assert_eq!(judge(&above, &Value::Int(1), Manner::Exact), None);
    assert_eq!(judge(&above, &Value::Null, Manner::Exact), Some(Problem::Null));
    assert_eq!(judge(&Wants { nullable: true, ..above }, &Value::Null, Manner::Exact), None);
}
