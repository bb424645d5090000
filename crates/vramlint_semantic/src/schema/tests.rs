//! Values against what is wanted.

use super::*;
use vramlint_catalog::keys::KeyType;

fn wants(kind: KeyType, values: &[String]) -> Constraint<'_> {
    Constraint { kind, values, case_insensitive: false, nullable: false, min: None, above: None, max: None, below: None }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn types_are_as_strict_as_their_reader() {
    use KeyType::{Bool, Float, Int, Map, Text};
    use Strictness::{Exact, Pydantic};
    for (kind, value, strictness, fine) in [
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
        assert_eq!(check_value(&wants(kind, &[]), &value, strictness).is_none(), fine, "{kind:?} {value} {strictness:?}");
    }
    let problem = check_value(&wants(Int, &[]), &text("5e8"), Pydantic).expect("wrong");
    assert_eq!(problem.intended_value(), Some(&Value::Int(500_000_000)));
    assert_eq!(problem.expected().en, "expected an integer, got a string");
}

#[test]
fn sets_know_case_and_neighbours() {
    let devices: Vec<String> = ["cpu", "nvme", "none"].map(str::to_owned).to_vec();
    let devices = wants(KeyType::Text, &devices);
    assert_eq!(check_value(&devices, &text("cpu"), Strictness::Pydantic), None);
    let upper = check_value(&devices, &text("CPU"), Strictness::Pydantic).expect("case matters");
    assert_eq!(upper.intended_value(), Some(&text("cpu")));
    assert_eq!(upper.expected().en, "expected one of: cpu, nvme, none");
    assert_eq!(check_value(&Constraint { case_insensitive: true, ..devices }, &text("CPU"), Strictness::Pydantic), None);
    let far = check_value(&devices, &text("gpu0"), Strictness::Pydantic).expect("unknown");
    assert_eq!(far.intended_value(), None);
    let stages: Vec<String> = ["0", "1", "2", "3"].map(str::to_owned).to_vec();
    let stages = wants(KeyType::Int, &stages);
    for (value, fine) in [(Value::Int(3), true), (Value::Int(4), false), (text("2"), true), (Value::Bool(true), true)] {
        assert_eq!(check_value(&stages, &value, Strictness::Pydantic).is_none(), fine, "{value}");
    }
}

#[test]
fn bounds_and_null() {
    let above = Constraint { above: Some(0.0), ..wants(KeyType::Int, &[]) };
    assert_eq!(check_value(&above, &Value::Int(0), Strictness::Exact), Some(Violation::Range { bound: Bound::Above(0.0) }));
    assert_eq!(check_value(&above, &Value::Int(1), Strictness::Exact), None);
    assert_eq!(check_value(&above, &Value::Null, Strictness::Exact), Some(Violation::Null));
    assert_eq!(check_value(&Constraint { nullable: true, ..above }, &Value::Null, Strictness::Exact), None);
}
