//! Python calls and dicts.

use crate::python as edit;
use crate::tests::{file, with};
use vramlint_base::TextRange;
use vramlint_resolve::SourceFile;
use vramlint_syntax::python::{Expr, ExprKind};

/// The range of the first call of `Config`.
fn place(source: &SourceFile) -> TextRange {
    let module = source.python().expect("Python");
    module.calls().find(|site| site.call.name() == Some("Config")).expect("a call").expr.range
}

fn dict(source: &SourceFile) -> &Expr {
    let statements = source.python().expect("Python").statements();
    let expressions: Vec<&Expr> = statements.flat_map(|located| located.stmt.expressions()).collect();
    expressions.into_iter().find(|expression| matches!(expression.kind, ExprKind::Dict(_))).expect("a dict")
}

#[test]
fn arguments_are_added() {
    for (before, after) in [
        ("c = Config()\n", "c = Config(k=1)\n"),
        ("c = Config(a=1)  # 注\n", "c = Config(a=1, k=1)  # 注\n"),
        ("c = Config(a=(1))\n", "c = Config(a=(1), k=1)\n"),
        ("c = x.Config(a=1,)\n", "c = x.Config(a=1, k=1,)\n"),
        ("c = Config(\n    a=1,\n    b='批',  # 二\n)\n", "c = Config(\n    a=1,\n    b='批',  # 二\n    k=1,\n)\n"),
        ("c = Config(\r\n    a=1,\r\n    b=2 # two\r\n)\r\n", "c = Config(\r\n    a=1,\r\n    b=2, # two\r\n    k=1\r\n)\r\n"),
        ("c = Config(\n    a=1,\n    b=2)\n", "c = Config(\n    a=1,\n    b=2,\n    k=1)\n"),
        ("c = Config(a=1,\n           b=2)\n", "c = Config(a=1,\n           b=2,\n           k=1)\n"),
    ] {
        let source = file("a.py", before);
        assert_eq!(with(&source, edit::add(&source, place(&source), "k", "1")).as_deref(), Some(after));
    }
    for before in ["Config(k=2)\n", "Config(**options)\n"] {
        let source = file("a.py", before);
        assert_eq!(edit::add(&source, place(&source), "k", "1"), None, "{before}");
    }
}

#[test]
fn arguments_are_removed() {
    for (before, after) in [
        ("Config(k=1)\n", "Config()\n"),
        ("Config(k=1, a=2)\n", "Config(a=2)\n"),
        ("Config(a=2, k=1)\n", "Config(a=2)\n"),
        ("Config(a=2, k=[1,\n 2], b=3)\n", "Config(a=2, b=3)\n"),
        ("Config(\n    a=1,  # 一\n    k=2,  # two\n    b=3,\n)\n", "Config(\n    a=1,  # 一\n    b=3,\n)\n"),
        ("Config(\n    a=1,  # 一\n    k=2,\n)\n", "Config(\n    a=1,  # 一\n)\n"),
        ("Config(\n    a=1,  # 一\n    k=2\n)\n", "Config(\n    a=1  # 一\n)\n"),
        ("Config(\r\n    a=1,\r\n    k=2)\r\n", "Config(\r\n    a=1)\r\n"),
        ("Config(k=1,\n       a=2)\n", "Config(a=2)\n"),
    ] {
        let source = file("a.py", before);
        assert_eq!(with(&source, edit::remove(&source, place(&source), "k")).as_deref(), Some(after));
    }
}

#[test]
fn entries_are_added_to_dicts() {
    let source = file("a.py", "c = {\n    'a': 1,\n    'k': {'x': 1},  # c\n}\n");
    let added = edit::add_item(&source, dict(&source), "b", "True");
    assert_eq!(with(&source, added).as_deref(), Some("c = {\n    'a': 1,\n    'k': {'x': 1},  # c\n    \"b\": True,\n}\n"));
    let source = file("a.py", "c = {**base, 'a': 1}\n");
    assert_eq!(edit::add_item(&source, dict(&source), "b", "True"), None);
}
