//! Constant folding against what `CPython` 3.12 says.

use super::expression;
use crate::python::*;
use vramlint_base::Value;

/// Some names; `loop_` asks for nothing and stays unknown.
fn names(name: &str) -> Folded {
    match name {
        "BATCH" => Folded::Known(Value::Int(4)),
        "args.lr" => Folded::Known(Value::Float(2e-5)),
        "CONFIG" => Folded::Known(Value::Map(vec![(Value::Text("lr".into()), Value::Text("1e-4".into()))])),
        "GPUS" => {
            Folded::Assumed(Value::Int(8), vec![EnvironmentDefault { name: "NUM_GPUS".into(), default: Value::Text("8".into()) }])
        }
        _ => Folded::Unknown,
    }
}

/// The result as Python prints it, `?` where unknown, with the variables taken for unset after it.
fn folded(text: &str) -> String {
    match fold(&expression(text), &names) {
        Folded::Known(Value::Float(float)) => python_repr(float),
        Folded::Known(value) => value.to_string(),
        Folded::Assumed(value, assumed) => {
            let names: Vec<&str> = assumed.iter().map(|variable| variable.name.as_str()).collect();
            format!("{value} unless {}", names.join(", "))
        }
        Folded::Unknown => "?".to_owned(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(folded(text), *expected, "{text}");
    }
}

#[test]
fn whole_numbers() {
    check(&[
        ("1 + 2 * 3", "7"),
        ("-7 // 2", "-4"),
        ("7 // -2", "-4"),
        ("-7 % 3", "2"),
        ("7 % -3", "-2"),
        ("-6 % 3", "0"),
        ("2 ** 10", "1024"),
        ("2 ** -1", "0.5"),
        ("(-1) ** 1000000000001", "-1"),
        ("0 ** 0", "1"),
        ("1 << 20", "1048576"),
        ("-5 >> 1", "-3"),
        ("6 & 3 | 8 ^ 1", "11"),
        ("~5", "-6"),
        ("+True", "1"),
        ("True + True", "2"),
        ("8 / 2", "4.0"),
        ("64 // (BATCH * 8)", "2"),
    ]);
}

#[test]
fn what_leaves_64_bits_or_raises_is_unknown() {
    check(&[
        ("9223372036854775807 + 1", "?"),
        ("-9223372036854775807 - 2", "?"),
        ("2 ** 63", "?"),
        ("2 ** 62", "4611686018427387904"),
        ("10 ** 10 ** 10", "?"),
        ("1 << 64", "?"),
        ("1 << -1", "?"),
        ("1 // 0", "?"),
        ("1 % 0", "?"),
        ("1 / 0", "?"),
        ("1.0 // 0.0", "?"),
        ("0 ** -1", "?"),
        ("9007199254740993 / 2", "?"),
        ("(-8) ** 0.5", "?"),
        ("1e300 ** 2", "?"),
        ("'a' + 1", "?"),
        ("-'a'", "?"),
        ("1 < 'a'", "?"),
        ("None < 1", "?"),
        ("[1][1]", "?"),
        ("{'a': 1}['b']", "?"),
        ("int('4.5')", "?"),
        ("int(None)", "?"),
        ("float('')", "?"),
        ("123456789012345678901 + 1", "?"),
    ]);
}

#[test]
fn floating_point() {
    check(&[
        ("16 * 1e-5 / 8", "2e-05"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("-7.5 // 2", "-4.0"),
        ("-7.5 % 2", "0.5"),
        ("7.5 % -2", "-0.5"),
        ("-0.0 // 7", "-0.0"),
        ("6.0 % -3", "-0.0"),
        ("-6.0 % 3", "0.0"),
        ("2 ** 0.5", "1.4142135623730951"),
        ("1e16 + 0", "1e+16"),
        ("0.0001 * 1", "0.0001"),
        ("1e308 * 10", "inf"),
        ("-args.lr", "-2e-05"),
    ]);
}

#[test]
fn text_and_containers() {
    check(&[
        ("'bert-' + 'base'", "'bert-base'"),
        ("[1] + [2, 3]", "[1, 2, 3]"),
        ("[1, 2, 3][-1]", "3"),
        ("{'a': 1, **{'b': 2}, 'a': 3}", "{'a': 3, 'b': 2}"),
        ("{'a': 1} | {'a': 2}", "{'a': 2}"),
        ("{'a': {'b': 1}}['a']['b']", "1"),
        ("{1: 'x'}[True]", "'x'"),
        ("dict(a=1, **{'b': 2})", "{'a': 1, 'b': 2}"),
        ("CONFIG['lr']", "'1e-4'"),
        ("CONFIG.get('lr', 1)", "'1e-4'"),
        ("CONFIG.get('x', 1)", "1"),
        ("CONFIG.get('x')", "None"),
        ("f'{BATCH}'", "?"),
        ("f'plain'", "'plain'"),
        ("[x for x in y]", "?"),
        ("[1, loop_]", "?"),
    ]);
}

#[test]
fn logic() {
    check(&[
        ("1 and 2", "2"),
        ("0 or 'x'", "'x'"),
        ("False and loop_", "False"),
        ("loop_ and False", "?"),
        ("not []", "True"),
        ("1 if BATCH > 2 else loop_", "1"),
        ("1 if loop_ else 1", "?"),
        ("1 == 1.0", "True"),
        ("1 == '1'", "False"),
        ("'a' < 'b'", "True"),
        ("None is None", "True"),
        ("BATCH is not None", "True"),
        ("1 is 1", "?"),
        ("2 in [1, 2]", "True"),
        ("[] in {'a': 1}", "?"),
        ("'b' not in 'abc'", "False"),
        ("'a' in {'a': 1}", "True"),
        ("[1] == (1,)", "?"),
        ("[1] == []", "False"),
        ("1 < 2 < 3", "?"),
        ("(n := 4)", "4"),
    ]);
}

#[test]
fn builtins() {
    check(&[
        ("int(' 1_000 ')", "1000"),
        ("int(-4.7)", "-4"),
        ("int(True)", "1"),
        ("int('10', 2)", "?"),
        ("int('+5')", "5"),
        ("int('1__0')", "?"),
        ("float('2e-5')", "2e-05"),
        ("float(3)", "3.0"),
        ("float('.5')", "0.5"),
        ("str(1e-5)", "'1e-05'"),
        ("str(4)", "'4'"),
        ("str(1.0)", "'1.0'"),
        ("str(None)", "'None'"),
        ("bool('False')", "True"),
        ("bool(0)", "False"),
        ("max(1, 64 // 100)", "1"),
        ("min([3, 1.5, 2])", "1.5"),
        ("max(1)", "?"),
        ("max([])", "?"),
        ("max(1, 'a')", "?"),
        ("max(1, 2, key=f)", "?"),
        ("len('批量')", "2"),
        ("len([1, 2])", "2"),
        ("len({'a': 1})", "1"),
        ("abs(-3)", "3"),
        ("math.ceil(7 / 2)", "4"),
        ("math.floor(-0.5)", "-1"),
        ("int(*[1])", "?"),
        ("unknown(1)", "?"),
        ("a.int('1')", "?"),
    ]);
}

#[test]
fn environment() {
    check(&[
        ("int(os.environ.get('BATCH', 4))", "4 unless BATCH"),
        ("int(os.getenv('BATCH', default='4')) * GPUS", "32 unless BATCH, NUM_GPUS"),
        ("os.environ.get('X') or 'y'", "'y' unless X"),
        ("os.environ.get('X')", "None unless X"),
        ("os.environ['X']", "?"),
        ("int(os.environ.get('X'))", "?"),
        ("os.environ.get(name, 4)", "?"),
        ("os.environ.get('X', loop_)", "?"),
        ("GPUS + GPUS", "16 unless NUM_GPUS"),
        ("True or GPUS", "True"),
    ]);
    let folded = fold(&expression("int(os.environ.get('BATCH', '4'))"), &names);
    assert_eq!(folded.known(), None);
    assert_eq!(folded.value(), Some(&Value::Int(4)));
    assert_eq!(folded.assumed()[0].default, Value::Text("4".into()));
}

#[test]
fn what_grows_without_bound_is_unknown() {
    let long = |_: &str| Folded::Known(Value::List(vec![Value::Int(0); 6000]));
    assert_eq!(fold(&expression("a + a"), &long), Folded::Unknown);
    assert!(fold(&expression("a"), &long).known().is_some());
    let text = |_: &str| Folded::Known(Value::Text("x".repeat(60_000)));
    assert_eq!(fold(&expression("a + a"), &text), Folded::Unknown);
}
