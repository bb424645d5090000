//! Every kind of statement and expression.

use super::{expression, read_clean, show};

fn shown(text: &str) -> String {
    show::block(&read_clean(text).body)
}

fn shown_expr(text: &str) -> String {
    show::expr(&expression(text))
}

#[test]
fn literals() {
    assert_eq!(shown_expr("1_000"), "1000");
    assert_eq!(shown_expr("0x10"), "16");
    assert_eq!(shown_expr("9223372036854775807"), "9223372036854775807");
    assert_eq!(shown_expr("9_223_372_036_854_775_808"), "9223372036854775808");
    assert_eq!(shown_expr("123456789012345678901234567890"), "123456789012345678901234567890");
    assert_eq!(shown_expr("0xFFFF_FFFF_FFFF_FFFF_FFFF"), "1208925819614629174706175");
    assert_eq!(shown_expr("1e-5"), "1e-5");
    assert_eq!(shown_expr(".5"), "0.5");
    assert_eq!(shown_expr("2j"), "other()");
    assert_eq!(shown_expr("..."), "other()");
    assert_eq!(shown_expr("True, False, None"), "[True, False, None]");
    assert_eq!(shown_expr("'a' \"b\"\n"), "'ab'");
    assert_eq!(shown_expr("('a'\n  r'\\n' u'c')"), "'a\\nc'");
    assert_eq!(shown_expr("'批\\u91cf'"), "'批量'");
    assert_eq!(shown_expr("b'ab'"), "other()");
    assert_eq!(shown_expr("-3"), "(- 3)");
}

#[test]
fn big_literals_keep_their_digits() {
    use vramlint_base::Value;
    assert_eq!(expression("18446744073709551616").as_value(), Some(&Value::BigInt("18446744073709551616".to_owned())));
    assert_eq!(expression("0b1").as_value(), Some(&Value::Int(1)));
    assert_eq!(shown_expr(&"9".repeat(10_000)), "other()");
}

#[test]
fn f_strings() {
    assert_eq!(shown_expr("f'{a}-{b.c(1)!r:>{w}}'"), "f(a, b.c(1), w)");
    assert_eq!(shown_expr("'x' f'{a}' 'y'"), "f(a)");
    assert_eq!(shown_expr("f'only {{text}}' ' here'"), "'only {text} here'");
    assert_eq!(shown_expr("f'{x=}'"), "f(x)");
    assert_eq!(shown_expr("f'{f\"{y}\"}'"), "f(f(y))");
}

#[test]
fn operators() {
    assert_eq!(shown_expr("a and b and c or d"), "(((a and b) and c) or d)");
    assert_eq!(shown_expr("not a == b"), "(not <a == b>)");
    assert_eq!(shown_expr("a is not None"), "<a is not None>");
    assert_eq!(shown_expr("a not in (1, 2)"), "<a not in [1, 2]>");
    assert_eq!(shown_expr("0 < a < 1"), "other(0, a, 1)");
    assert_eq!(shown_expr("a // b ** -c @ d"), "((a // (b ** (- c))) @ d)");
    assert_eq!(shown_expr("x if y else z"), "(x if y else z)");
    assert_eq!(shown_expr("(n := 4)"), "(n := 4)");
}

#[test]
fn containers_and_calls() {
    assert_eq!(shown_expr("{'a': 1, **b, None: {2, 3}}"), "{'a': 1, **b, None: [2, 3]}");
    assert_eq!(shown_expr("[*a, (b,), ()]"), "[other(a), [b], []]");
    assert_eq!(shown_expr("a.b[0].c(1, *d, k=2, **e)"), "a.b[0].c(1, *d, k=2, **e)");
    assert_eq!(shown_expr("f(k=1, *a)"), "f(k=1, *a)");
    assert_eq!(shown_expr("a[1:n, ::2]"), "a[[other(1, n), other(2)]]");
    assert_eq!(shown_expr("f(g(x) for x in y if h(x))"), "f(other(g(x), x, y, h(x)))");
}

#[test]
fn rare_expressions_keep_what_is_in_them() {
    assert_eq!(shown_expr("lambda a, b=f(1), *c: g(a)"), "other(f(1), g(a))");
    assert_eq!(shown_expr("{k: v for k, v in d}"), "other(k, v, [k, v], d)");
    assert_eq!(shown_expr("t'{a} {b}'"), "other(a, b)");
    assert_eq!(
        shown("async def f():\n  await g(1)\n  x = yield h(2)\n  yield"),
        "def f() {other(g(1)); x = other(h(2)); other()}"
    );
}

#[test]
fn simple_statements() {
    assert_eq!(shown("a = b = 1; c: int = 2; d: str"), "a = b = 1; c: int = 2; d: str = -");
    assert_eq!(shown("a, b = 1, 2"), "[a, b] = [1, 2]");
    assert_eq!(shown("a.b //= 2"), "a.b //= 2");
    assert_eq!(shown("import a, b.c as d"), "import a as -; import b.c as d");
    assert_eq!(shown("from ..a.b import (c, d as e)"), "from 2 a.b import c as -, d as e");
    assert_eq!(shown("from . import *"), "from 1  import * as -");
    assert_eq!(shown("raise E(1) from e"), "raise E(1)");
    assert_eq!(shown("assert a, 'b'"), "assert a");
    assert_eq!(shown("pass; del a; type X = int"), "other; del a; other");
    assert_eq!(shown("def f():\n\tglobal a, b\n\treturn"), "def f() {global a, b; return -}");
}

#[test]
fn compound_statements() {
    assert_eq!(shown("if a: b\nelif c:\n  d\nelse: e"), "if a {b} if c {d} if - {e}");
    assert_eq!(shown("for i, j in k: pass\nelse: l"), "for [i, j] in k {other} {l}");
    assert_eq!(shown("while a: break"), "while a {other} {}");
    assert_eq!(shown("with (a() as b, c): d"), "with a() as b, c as - {d}");
    assert_eq!(
        shown("try: a\nexcept E as e: b\nexcept: c\nelse: d\nfinally: f"),
        "try {a} except E {b} except - {c} else {d} finally {f}"
    );
    assert_eq!(shown("match a:\n case 1 if b: c\n case _: d"), "match a {c} {d}");
    assert_eq!(
        shown("@d(1)\nasync def f(a, /, b: int = 1, *c, k, l=2, **m) -> int: return a"),
        "@d(1) def f(Plain a: - = -, Plain b: int = 1, Args c: - = -, KeywordOnly k: - = -, KeywordOnly l: - = 2, \
         Kwargs m: - = -) {return a}"
    );
    assert_eq!(
        shown("@dataclass\nclass A(B, metaclass=M, **k):\n  x: int = 1"),
        "@dataclass class A(B, metaclass=M, **k) {x: int = 1}"
    );
}

#[test]
fn encodings_and_layout() {
    assert_eq!(shown("\u{feff}a = 1\r\nif a:\r\n\tb = '批'\r\n"), "a = 1; if a {b = '批'}");
    assert_eq!(shown("学习率 = 1e-4\n"), "学习率 = 0.0001");
    assert_eq!(shown("a = 1\n\u{c}\nb = 2\n"), "a = 1; b = 2");
    assert_eq!(shown("x = 1 \\\n  % 2\n"), "x = (1 % 2)");
    assert_eq!(shown("x = ('a'\n% b)\n"), "x = ('a' % b)");
    assert_eq!(shown("a = 1\rb = 2"), "a = 1; b = 2");
    assert_eq!(shown(""), "");
    assert_eq!(shown("\u{feff}"), "");
}

#[test]
fn fixtures_are_clean() {
    for text in super::FIXTURES {
        assert!(read_clean(text).body.len() > 7);
        assert_eq!(show::block(&read_clean(&text.replace('\n', "\r\n")).body), shown(text));
    }
}

#[test]
fn line_breaks_in_text_are_those_of_python() {
    use vramlint_base::Value;
    let text = |source: &str| expression(source).as_value().cloned();
    assert_eq!(text("'''a\r\nb'''"), Some(Value::Text("a\nb".to_owned())));
    assert_eq!(text("f'''a\r\nb'''"), Some(Value::Text("a\nb".to_owned())));
    assert_eq!(text("'a\\r\\n'"), Some(Value::Text("a\r\n".to_owned())));
}
