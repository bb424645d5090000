//! Commas in JSON objects on one line and on several lines.

use crate::data::insert;
use crate::tests::{file, with};
use crate::*;
use vramlint_base::Value;
use vramlint_syntax::data::{DataFile, NodeRef};

fn root(source: &SourceFile) -> NodeRef<'_> {
    source.data().and_then(DataFile::root).expect("a root")
}

#[test]
fn entries_go_with_their_comma() {
    for (before, key, after) in [
        ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "a", "{\n  \"b\": 2,\n  \"c\": 3\n}\n"),
        ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}\n"),
        ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "c", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
        ("{\r\n\t\"a\": {\r\n\t\t\"x\": 1\r\n\t},\r\n\t\"批\": 2\r\n}", "a", "{\r\n\t\"批\": 2\r\n}"),
        ("{\r\n\t\"批\": 2,\r\n\t\"a\": {\r\n\t\t\"x\": 1\r\n\t}\r\n}", "a", "{\r\n\t\"批\": 2\r\n}"),
        ("{\"a\": 1, \"b\": 2, \"c\": 3}", "a", "{\"b\": 2, \"c\": 3}"),
        ("{\"a\": 1, \"b\": 2, \"c\": 3}", "b", "{\"a\": 1, \"c\": 3}"),
        ("{\"a\": 1, \"b\": 2, \"c\": 3}", "c", "{\"a\": 1, \"b\": 2}"),
        ("{\"a\": 1}", "a", "{}"),
        ("{\n  \"a\": 1\n}", "a", "{}"),
        ("{\"a\": 1,\n \"b\": 2}", "a", "{\"b\": 2}"),
        ("{\"a\": 1,\n \"b\": 2}", "b", "{\"a\": 1}"),
        ("{\"x\": 0, \"a\": 1,\n \"b\": 2}", "a", "{\"x\": 0,\n \"b\": 2}"),
    ] {
        let source = file("a.json", before);
        assert_eq!(with(&source, remove_key(&source, root(&source), key)).as_deref(), Some(after), "{before}");
    }
}

#[test]
fn comments_of_the_others_stay() {
    // Hjson allows comments, but the parser may report them as errors of strict JSON: compare the text only.
    let apply = |before: &str, edit: Option<vramlint_base::Edit>| {
        let mut text = before.to_owned();
        edit.map(|edit| {
            text.replace_range(edit.place.range.as_usize(), &edit.text);
            text
        })
    };
    let before = "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}\n";
    let source = file("a.json", before);
    assert_eq!(apply(before, remove_key(&source, root(&source), "b")).as_deref(), Some("{\n  \"a\": 1 // one\n}\n"));
    assert_eq!(apply(before, remove_key(&source, root(&source), "a")).as_deref(), Some("{\n  \"b\": 2 // two\n}\n"));
    let added = apply(before, insert(&source, root(&source), "c", &Value::Int(3)));
    assert_eq!(added.as_deref(), Some("{\n  \"a\": 1, // one\n  \"b\": 2, // two\n  \"c\": 3\n}\n"));
    let between = apply(before, insert_after(&source, root(&source), "a", "c", &Value::Int(3)));
    assert_eq!(between.as_deref(), Some("{\n  \"a\": 1, // one\n  \"c\": 3,\n  \"b\": 2 // two\n}\n"));
}

#[test]
fn entries_come_with_their_comma() {
    for (before, after) in [
        ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"c\": true\n}\n"),
        ("{\r\n    \"a\": [1,\r\n    2]\r\n}", "{\r\n    \"a\": [1,\r\n    2],\r\n    \"c\": true\r\n}"),
        ("{\"a\": 1}", "{\"a\": 1, \"c\": true}"),
        ("{}", "{\"c\": true}"),
        ("{\n  \"a\": 1}", "{\n  \"a\": 1,\n  \"c\": true}"),
    ] {
        let source = file("a.json", before);
        assert_eq!(with(&source, insert(&source, root(&source), "c", &Value::Bool(true))).as_deref(), Some(after), "{before}");
    }
    let source = file("a.json", "{\"a\": 1}");
    assert_eq!(insert(&source, root(&source), "a", &Value::Null), None);
}
