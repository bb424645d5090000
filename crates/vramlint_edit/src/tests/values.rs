//! Block YAML and JSON: values, new keys, renames, quotes, moves.

use crate::data::insert;
use crate::tests::{file, with, with_all};
use crate::*;
use vramlint_base::{FileId, Value};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| (text(key), value.clone())).collect())
}

fn root(source: &SourceFile) -> NodeRef<'_> {
    source.data().and_then(DataFile::root).expect("a root")
}

/// The text after setting the value at a path.
fn set_at(name: &str, before: &str, path: &[&str], value: &Value) -> Option<String> {
    let source = file(name, before);
    let node = root(&source).at(path).expect("there");
    let after = with(&source, set(&source, node, value))?;
    let again = file(name, &after);
    let loader = if again.data().expect("data").json { Loader::Json } else { Loader::PyYaml };
    assert_eq!(root(&again).at(path).expect("still there").value(loader).as_ref(), Some(value), "{after}");
    Some(after)
}

fn put_at(name: &str, before: &str, path: &[&str], key: &str, value: &Value) -> Option<String> {
    let source = file(name, before);
    let after = with(&source, put(&source, path, key, value))?;
    let again = file(name, &after);
    let loader = if again.data().expect("data").json { Loader::Json } else { Loader::PyYaml };
    let there = root(&again).at(path).and_then(|node| node.get(key)).expect("is there");
    assert_eq!(there.value(loader).as_ref(), Some(value), "{after}");
    // Repeating the edit changes nothing.
    assert_eq!(with(&again, put(&again, path, key, value)).as_deref(), Some(after.as_str()));
    Some(after)
}

#[test]
fn values_keep_quotes_comments_and_line_ends() {
    for (before, path, value, after) in [
        ("a: 1 # 一\r\nb: x\r\n", "a", Value::Int(2), "a: 2 # 一\r\nb: x\r\n"),
        ("a: \"NO\"\n", "a", text("MULTI_GPU"), "a: \"MULTI_GPU\"\n"),
        ("a: 'x'\n", "a", text("it's"), "a: 'it''s'\n"),
        ("a: x\n", "a", text("no"), "a: 'no'\n"),
        ("a: x\nb: \"y\"\n", "a", text("no"), "a: \"no\"\nb: \"y\"\n"),
        ("a: '4'\n", "a", Value::Int(4), "a: 4\n"),
        ("a: x\n", "a", Value::Float(1e-5), "a: 1.0e-5\n"),
        ("a: 中文 # c\n", "a", Value::Bool(true), "a: true # c\n"),
        ("a:\nb: 1\n", "a", text("x"), "a: x\nb: 1\n"),
        ("a: # c\nb: 1\n", "a", Value::Int(1), "a: 1 # c\nb: 1\n"),
        ("{a: x, b: 1}\n", "a", text("y, z"), "{a: 'y, z', b: 1}\n"),
        ("a: [1, 2]\n", "a", Value::List(vec![text("q"), text("v")]), "a: [q, v]\n"),
    ] {
        assert_eq!(set_at("a.yaml", before, &[path], &value).as_deref(), Some(after));
    }
    assert_eq!(
        set_at("a.json", "{\"a\": 1e-5,\r\n \"b\": 2}", &["b"], &text("auto")).as_deref(),
        Some("{\"a\": 1e-5,\r\n \"b\": \"auto\"}")
    );
}

#[test]
fn values_that_others_share_stay() {
    for (before, path) in [
        ("a: &x 1\nb: *x\n", "a"),
        ("a: !!int '1'\n", "a"),
        ("a: {{ n }}\n", "a"),
        ("a: \"${N}\"\n", "a"),
        ("a: |\n  x\n", "a"),
        ("a:\n  - 1\n", "a"),
    ] {
        assert_eq!(set_at("a.yaml", before, &[path], &Value::Int(3)), None, "{before}");
    }
    assert_eq!(set_at("a.yaml", "a: &x 1\nb: *x\n", &["b"], &Value::Int(3)).as_deref(), Some("a: &x 1\nb: 3\n"));
}

#[test]
fn keys_are_added_where_they_belong() {
    for (before, path, value, after) in [
        ("a: 1\nb: 2 # 二\n", &[] as &[&str], Value::Int(3), "a: 1\nb: 2 # 二\nk: 3\n"),
        ("a: 1", &[], Value::Int(3), "a: 1\nk: 3"),
        ("a: 1\r\nb:\r\n    c: 2\r\n", &["b"], Value::Int(3), "a: 1\r\nb:\r\n    c: 2\r\n    k: 3\r\n"),
        ("b:\n    c: 2\na: 1\n", &["d"], Value::Int(3), "b:\n    c: 2\na: 1\nd:\n    k: 3\n"),
        ("b: # 注\na: 1\n", &["b"], Value::Int(3), "b: # 注\n  k: 3\na: 1\n"),
        ("b: {}\na: 1\n", &["b"], Value::Int(3), "b: {k: 3}\na: 1\n"),
        ("b: null\na: 1\n", &["b"], Value::Int(3), "b: {k: 3}\na: 1\n"),
        ("b: {x: 1, y: 2} # c\n", &["b"], text("no"), "b: {x: 1, y: 2, k: 'no'} # c\n"),
        ("b:\n- x\n- y\n\n# end\n", &[], Value::Int(3), "b:\n- x\n- y\nk: 3\n\n# end\n"),
        ("a: 1\n", &["b", "c"], Value::Int(3), "a: 1\nb:\n  c:\n    k: 3\n"),
        ("a: 1\n---\nz: 1\n", &[], Value::Int(3), "a: 1\nk: 3\n---\nz: 1\n"),
    ] {
        assert_eq!(put_at("a.yaml", before, path, "k", &value).as_deref(), Some(after));
    }
    let source = file("a.yaml", "a: 1\nb: 2\n");
    let between = insert_after(&source, root(&source), "a", "k", &map(&[("x", Value::Int(1))]));
    assert_eq!(with(&source, between).as_deref(), Some("a: 1\nk:\n  x: 1\nb: 2\n"));
    let source = file("a.yaml", "- a: 1\n- b: 2\n");
    let item = root(&source).items().next().expect("an item");
    assert_eq!(with(&source, insert(&source, item, "k", &Value::Int(3))).as_deref(), Some("- a: 1\n  k: 3\n- b: 2\n"));
}

#[test]
fn keys_are_not_added_where_it_is_not_sure() {
    for before in ["a: &x\n  b: 1\nc: *x\n", "a:\n  b: 1\n{% if x %}\nc: 1\n{% endif %}\n", "a:\n  b: |\n    text\n", "a: [1]\n"]
    {
        let source = file("a.yaml", before);
        assert_eq!(put(&source, &["a"], "k", &Value::Int(3)), None, "{before}");
    }
}

#[test]
fn names_change_alone() {
    let source = file("a.yaml", "\"num_process\": 2 # c\nother: 1\n");
    let (key, _) = root(&source).entry("num_process").expect("there");
    let edit = rename_key(&source, root(&source), key, "num_processes");
    assert_eq!(with(&source, edit).as_deref(), Some("\"num_processes\": 2 # c\nother: 1\n"));
    assert_eq!(rename_key(&source, root(&source), key, "other"), None);
}

#[test]
fn entries_go_with_their_lines() {
    for (before, path, key, after) in [
        ("a: 1\nb: 2 # 二\nc: 3\n", &[] as &[&str], "b", "a: 1\nc: 3\n"),
        ("a: 1\r\nb:\r\n  x: 1\r\n  y: 2\r\nc: 3\r\n", &[], "b", "a: 1\r\nc: 3\r\n"),
        ("a: 1\nb:\n  x: 1\n", &["b"], "x", "a: 1\nb:\n  {}\n"),
        ("a: 1\nb:\n", &[], "b", "a: 1\n"),
        ("a: 1\nb: 2", &[], "b", "a: 1\n"),
        ("b: {x: 1, y: 2}\n", &["b"], "x", "b: {y: 2}\n"),
        ("b: {x: 1, y: 2}\n", &["b"], "y", "b: {x: 1}\n"),
        ("b: {x: 1}\n", &["b"], "x", "b: {}\n"),
    ] {
        let source = file("a.yaml", before);
        let mapping = root(&source).at(path).expect("there");
        assert_eq!(with(&source, remove_key(&source, mapping, key)).as_deref(), Some(after), "{before}");
    }
    let source = file("a.yaml", "a: &x 1\nb: *x\n");
    assert_eq!(remove_key(&source, root(&source), "a"), None);
    assert_eq!(with(&source, remove_key(&source, root(&source), "b")).as_deref(), Some("a: &x 1\n"));
    let source = file("a.yaml", "- a: 1\n  b: 2\n");
    let item = root(&source).items().next().expect("an item");
    assert_eq!(with(&source, remove_key(&source, item, "a")).as_deref(), Some("- b: 2\n"));
}

#[test]
fn a_key_moves_to_another_file() {
    let from = file("accelerate.yaml", "deepspeed_config:\n  zero_stage: 3\n  deepspeed_config_file: ds.json\n");
    let mut to = file("ds.json", "{\n  \"train_batch_size\": 4\n}\n");
    to.id = FileId(1);
    let entry = root(&from).get("deepspeed_config").and_then(|block| block.entry("zero_stage")).expect("there");
    let edits = move_key(&from, entry, &to, &["zero_optimization"], "stage", None).expect("moves");
    assert_eq!(edits.len(), 2);
    let (left, right): (Vec<_>, Vec<_>) = edits.into_iter().partition(|edit| edit.place.file == FileId(0));
    assert_eq!(with_all(&from, Some(left)).as_deref(), Some("deepspeed_config:\n  deepspeed_config_file: ds.json\n"));
    let expected = "{\n  \"train_batch_size\": 4,\n  \"zero_optimization\": {\"stage\": 3}\n}\n";
    assert_eq!(with_all(&to, Some(right)).as_deref(), Some(expected));

    let mut to = file("ds.json", "{\"zero_optimization\": {\"stage\": 2}}");
    to.id = FileId(1);
    assert_eq!(move_key(&from, entry, &to, &["zero_optimization"], "stage", None), None, "another value is there");
}
