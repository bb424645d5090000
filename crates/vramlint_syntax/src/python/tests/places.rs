//! Ranges and comments.

use super::{expression, read_clean};
use crate::python::*;

#[test]
fn arguments_span_name_to_value() {
    let text = "f( (a) , *b, k = ( 1 + 2 ) , **c, z=(yield))";
    let call = expression(text);
    let call = call.as_call().expect("a call");
    let slices: Vec<&str> = call.args.iter().map(|arg| arg.range.slice(text)).collect();
    assert_eq!(slices, ["(a)", "*b", "k = ( 1 + 2 )", "**c", "z=(yield)"]);
    assert_eq!(call.args[0].value.range.slice(text), "a");
    assert_eq!(call.args[2].value.range.slice(text), "1 + 2");
    assert_eq!(call.args[2].name().map(|(_, range)| range.slice(text)), Some("k"));
    let lone = expression("f(((a)))");
    assert_eq!(lone.as_call().expect("a call").args[0].range.slice("f(((a)))"), "((a))");
}

#[test]
fn a_call_of_a_call_keeps_its_parentheses() {
    let text = "(f)(g((x), y)(z))";
    let call = expression(text);
    let call = call.as_call().expect("a call");
    assert_eq!(call.callee.range.slice(text), "f");
    assert_eq!(call.args[0].range.slice(text), "g((x), y)(z)");
    let inner = call.args[0].value.as_call().expect("a call");
    assert_eq!(inner.callee.as_call().expect("a call").args[0].range.slice(text), "(x)");
}

#[test]
fn headers_end_with_their_colon() {
    let text = "if (lambda: 1)() : pass\nelif ( a[1:2] ) :\n  if b: c\nelif {1: 2}: d\nelse  :  # 批\n  e\n";
    let module = read_clean(text);
    let StmtKind::If(arms) = &module.body[0].kind else { panic!("no if") };
    let slices: Vec<&str> = arms.iter().map(|arm| arm.header.slice(text)).collect();
    assert_eq!(slices, ["if (lambda: 1)() :", "elif ( a[1:2] ) :", "elif {1: 2}:", "else  :"]);
}

#[test]
fn headers_without_colon_end_with_their_test() {
    let text = "if a\n  b = 1\nelse\n  c = 2\n";
    let module = parse(text);
    assert!(!module.errors.is_empty());
    let StmtKind::If(arms) = &module.body[0].kind else { panic!("no if") };
    let slices: Vec<&str> = arms.iter().map(|arm| arm.header.slice(text)).collect();
    assert_eq!(slices, ["if a", "else"]);
}

#[test]
fn names_and_parameters() {
    let text = "@d\ndef 训练(a, b: int = 1, *args: T, k=(2), **kw): pass\nclass 配置(A): pass\n";
    let module = read_clean(text);
    let StmtKind::Function(function) = &module.body[0].kind else { panic!("no function") };
    assert_eq!(function.name_range.slice(text), "训练");
    let params: Vec<&str> = function.params.iter().map(|p| p.range.slice(text)).collect();
    assert_eq!(params, ["a", "b: int = 1", "*args: T", "k=(2)", "**kw"]);
    let StmtKind::Class(class) = &module.body[1].kind else { panic!("no class") };
    assert_eq!(class.name_range.slice(text), "配置");
    assert_eq!(class.bases[0].range.slice(text), "A");
}

#[test]
fn imports_have_a_place_each() {
    let text = "import a, b.c as d\nfrom x import (y as z,\n  w)\nfrom q import *\n";
    let module = read_clean(text);
    let mut places = Vec::new();
    for stmt in &module.body {
        match &stmt.kind {
            StmtKind::Import { range, .. } => places.push(range.slice(text)),
            StmtKind::FromImport { names, .. } => places.extend(names.iter().map(|name| name.range.slice(text))),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(places, ["a", "b.c as d", "y as z", "w", "*"]);
}

#[test]
fn expressions_and_statements() {
    let text = "x = (a.b['k'] and (c) and (d) and e)  # z\n";
    let module = read_clean(text);
    assert_eq!(module.body[0].range.slice(text), "x = (a.b['k'] and (c) and (d) and e)");
    let StmtKind::Assign { value: Some(value), .. } = &module.body[0].kind else { panic!("no assignment") };
    let slices: Vec<&str> = value.walk().map(|expr| expr.range.slice(text)).collect();
    assert_eq!(
        slices,
        [
            "a.b['k'] and (c) and (d) and e",
            "a.b['k'] and (c) and (d)",
            "a.b['k'] and (c)",
            "a.b['k']",
            "a.b",
            "a",
            "'k'",
            "c",
            "d",
            "e"
        ]
    );
    let ExprKind::Attribute(_, _, name) = &value.walk().nth(4).expect("five").kind else { panic!("no attribute") };
    assert_eq!(name.slice(text), "b");
}

#[test]
fn comments_know_what_stands_before_them() {
    let text = "\u{feff}# -*- utf-8 -*-\r\nx = [  #批量  \r\n\t## two\r\n]\r\ns = '# no'\r\n\u{c}#\r\n";
    let module = read_clean(text);
    let seen: Vec<(&str, &str, bool)> =
        module.comments.iter().map(|c| (c.range.slice(text), c.text.as_str(), c.trailing)).collect();
    assert_eq!(
        seen,
        [("# -*- utf-8 -*-", "-*- utf-8 -*-", false), ("#批量  ", "批量", true), ("## two", "two", false), ("#", "", false)]
    );
}
