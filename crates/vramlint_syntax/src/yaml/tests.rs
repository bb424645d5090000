//! Text in, tree and errors out.

use super::parse;
use crate::data::{DataFile, Loader, NodeKind, NodeRef, Style};
use crate::{RefusedBy, SyntaxError};
use vramlint_base::Value;

mod hostile;

/// What PyYAML would hold, as Python prints it, all documents.
fn python(file: &DataFile) -> String {
    let values = file.roots().map(|root| root.value(Loader::PyYaml).map_or("too large".to_string(), |value| value.to_string()));
    values.collect::<Vec<_>>().join("; ")
}

fn get<'a>(file: &'a DataFile, path: &[&str]) -> NodeRef<'a> {
    file.root().and_then(|root| root.at(path)).unwrap_or_else(|| panic!("no {path:?}"))
}

fn only_error(text: &str) -> SyntaxError {
    let errors = parse(text).errors;
    assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
    errors.into_iter().next().expect("one error")
}

/// The text that the only error points at, who rejects, and its message.
fn error_in(text: &str) -> (&str, RefusedBy, String) {
    let error = only_error(text);
    (error.range.slice(text), error.refused_by, error.message.en)
}

#[test]
fn an_accelerate_file_reads_as_written() {
    let text = "# accelerate\ncompute_environment: LOCAL_MACHINE\ndistributed_type: NO  # unquoted\ngpu_ids: '0,1'\nmixed_precision: \"bf16\"\nnum_processes: 2\ndeepspeed_config:\n  zero_stage: 3\n  offload: [cpu, none]\nmain_process_ip:\n";
    let file = parse(text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(get(&file, &["distributed_type"]).value(Loader::PyYaml), Some(Value::Bool(false)));
    assert_eq!(get(&file, &["distributed_type"]).range().slice(text), "NO");
    assert_eq!(get(&file, &["gpu_ids"]).range().slice(text), "'0,1'");
    assert_eq!(get(&file, &["gpu_ids"]).scalar().map(|s| s.style), Some(Style::Single));
    assert_eq!(get(&file, &["mixed_precision"]).text(), Some("bf16"));
    assert_eq!(get(&file, &["deepspeed_config", "zero_stage"]).value(Loader::PyYaml), Some(Value::Int(3)));
    assert_eq!(get(&file, &["deepspeed_config"]).range().slice(text), "zero_stage: 3\n  offload: [cpu, none]");
    assert!(get(&file, &["deepspeed_config", "offload"]).raw().flow);
    let missing = get(&file, &["main_process_ip"]);
    assert!(matches!(missing.raw().kind, NodeKind::Missing) && missing.range().is_empty());
    assert_eq!(missing.range().start as usize, text.len() - 1);
    let comments: Vec<_> = file.comments.iter().map(|c| (c.range.slice(text), c.text.as_str(), c.trailing)).collect();
    assert_eq!(comments, [("# accelerate", "accelerate", false), ("# unquoted", "unquoted", true)]);
    assert_eq!(file.documents[0].range.slice(text), &text[13..text.len() - 1]);
}

#[test]
fn offsets_are_bytes_behind_cjk_crlf_and_a_byte_order_mark() {
    let text = "\u{FEFF}批量: 四 # 注释\r\nb:\r\n- 二\r\n- 'x'\r\n";
    let file = parse(text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(get(&file, &["批量"]).range().slice(text), "四");
    assert_eq!(get(&file, &["b"]).range().slice(text), "- 二\r\n- 'x'");
    assert_eq!(file.comments[0].range.slice(text), "# 注释");
    assert!(file.comments[0].trailing);
    assert_eq!(file.documents[0].range.start, 3);
}

#[test]
fn block_scalars_span_from_their_mark_to_their_last_line() {
    let text = "a: |\n  x\n   y\n\n# c\nb: >-  # h\n  p\n  q\nc: !!str |2\n   z\nd: |\n";
    let file = parse(text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(get(&file, &["a"]).range().slice(text), "|\n  x\n   y");
    assert_eq!(get(&file, &["a"]).text(), Some("x\n y\n"));
    assert_eq!(get(&file, &["b"]).range().slice(text), ">-  # h\n  p\n  q");
    assert_eq!(get(&file, &["b"]).text(), Some("p q"));
    assert_eq!(get(&file, &["c"]).range().slice(text), "|2\n   z");
    assert_eq!(get(&file, &["d"]).range().slice(text), "|");
    let starts: Vec<_> = file.comments.iter().map(|c| c.range.slice(text)).collect();
    assert_eq!(starts, ["# c", "# h"]);
    assert_eq!(get(&parse("a: |\n  x"), &["a"]).text(), Some("x"), "PyYAML adds no line break at the end of the file");
}

#[test]
fn lists_start_at_their_first_dash() {
    for (text, list) in [
        ("a:\n- 1\n- 2\nb: 3\n", "- 1\n- 2"),
        ("a:\n  - 1\n\n  # c\n", "- 1"),
        ("a:\n- - 1\n  - 2\n", "- - 1\n  - 2"),
        ("a: # - no\n- # c\n  1\n", "- # c\n  1"),
        ("a: &x-y\n- 1\n", "- 1"),
        ("a:\n-\n", "-"),
    ] {
        let file = parse(text);
        assert!(file.errors.is_empty(), "{text:?} {:?}", file.errors);
        assert_eq!(get(&file, &["a"]).range().slice(text), list, "{text:?}");
    }
}

#[test]
fn anchors_aliases_and_merge_keys() {
    let text = "base: &b {lr: 1, bs: 2}\nother: &o\n  bs: 3\nrun:\n  <<: [*b, *o]\n  lr: 5\nlast:\n  <<: *b\n  <<: *o\n";
    let file = parse(text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(get(&file, &["base"]).raw().anchor.as_ref().map(|(name, at)| (name.as_str(), at.slice(text))), Some(("b", "&b")));
    assert_eq!(get(&file, &["base"]).range().slice(text), "{lr: 1, bs: 2}");
    assert_eq!(get(&file, &["run"]).value(Loader::PyYaml).map(|v| v.to_string()), Some("{'bs': 2, 'lr': 5}".to_string()));
    for (path, value) in [(["run", "lr"], 5), (["run", "bs"], 2), (["last", "bs"], 3), (["last", "lr"], 1)] {
        assert_eq!(get(&file, &path).value(Loader::PyYaml), Some(Value::Int(value)), "{path:?}");
    }
    assert_eq!(get(&file, &["last"]).value(Loader::PyYaml).map(|v| v.to_string()), Some("{'lr': 1, 'bs': 3}".to_string()));
}

#[test]
fn an_alias_without_anchor_keeps_the_tree() {
    let text = "a: *nowhere\nb: 1\n";
    let (place, refused_by, _) = error_in(text);
    assert_eq!((place, refused_by), ("*nowhere", RefusedBy::PyYaml));
    assert_eq!(python(&parse(text)), "{'a': None, 'b': 1}");
}

#[test]
fn several_documents() {
    let file = parse("a: 1\n---\n# nothing\n---\nb: 2\n...\n");
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(file.documents.iter().map(|d| d.root.is_some()).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(python(&file), "{'a': 1}; {'b': 2}");
    assert!(parse("").documents.is_empty() && parse("# c\n").documents.is_empty());
}

#[test]
fn a_key_written_twice_is_told_at_the_second() {
    let text = "lr: 1\nbs: 2\n'lr': 3\n1: a\n'1': b\n";
    let error = only_error(text);
    assert_eq!((error.range.slice(text), error.refused_by), ("'lr'", RefusedBy::UniqueKeys));
    assert!(error.message.en.contains("`lr`") && error.message.en.contains("line 1"), "{}", error.message.en);
    assert!(error.message.zh.contains("第 1 行"), "{}", error.message.zh);
    assert_eq!(python(&parse(text)), "{'lr': 3, 'bs': 2, 1: 'a', '1': 'b'}");
}

#[test]
fn what_stands_behind_a_broken_line_is_read() {
    for (text, place, read) in [
        ("a: b: c\nd: 1\n", ":", "{'d': 1}"),
        ("a: 1\nb: \"open\nc: 3\n", "\"", "{'a': 1, 'c': 3}"),
        ("b: [1, 2\nc: 3\nd: 4\n", "[", "{'c': 3, 'd': 4}"),
        ("a: {b: 1,\n  c: 2\nd: 3\n", "{", "{'d': 3}"),
        ("a: [1, 2}\nb: 1\n", "[", "{'b': 1}"),
        ("a: 1\n  b: 2\nc: 3\n", "b:", "{'a': 1, 'c': 3}"),
        ("r:\n    x: 1\n  y: 2\nz: 3\n", "y:", "{'r': {'x': 1}, 'z': 3}"),
        ("a:1\nc: 3\n", "a:1", "{'c': 3}"),
        ("a: 1\nb 2\nc: 3\n", "b", "{'a': 1, 'c': 3}"),
        ("a:\n\tb: 1\n\tc: 2\nd: 3\n", "\t", "{'a': {'b': 1, 'c': 2}, 'd': 3}"),
        ("- a: @x\n  b: 1\n- c: 2\n", "@x", "[{'b': 1}, {'c': 2}]"),
        ("a: {\n  \"x\": 1\n  \"y\": 2\n}\nb: 1\n", "\"y\"", "{'a': {'x': 1}, 'b': 1}"),
        ("a: {{ x }}/y\nb: 1\n", "/y", "{'b': 1}"),
        ("a: 中\u{1}文\nb: 1\n", "\u{1}", "{'a': '中 文', 'b': 1}"),
        ("a: 1\n- b\nc: 2\n", "-", "{'a': 1, 'c': 2}"),
    ] {
        let error = only_error(text);
        assert_eq!(error.range.slice(text), place, "{text:?} {}", error.message.en);
        assert_eq!(error.refused_by, RefusedBy::All, "{text:?}");
        let file = parse(text);
        assert_eq!(python(&file), read, "{text:?}");
    }
}

#[test]
fn offsets_behind_a_broken_line_hold() {
    let text = "批: x: y\r\nlr: 1e-4\r\n";
    let file = parse(text);
    assert_eq!(file.errors.len(), 1);
    assert_eq!(get(&file, &["lr"]).range().slice(text), "1e-4");
}

#[test]
fn messages_say_what_is_likely() {
    for (text, word) in [
        ("a:\n\tb: 1\n", "tab"),
        ("a: b: c\n", "second colon"),
        ("a: \"x\nb: 1\n", "quote"),
        ("a: [1\nb: 1\n", "`[`"),
        ("a:1\nb: 2\n", "colon needs a space"),
        ("a: `x`\n", "quote it"),
        ("a: 1\n\u{0}", "U+0000"),
    ] {
        let error = only_error(text);
        assert!(error.message.en.contains(word), "{text:?}: {}", error.message.en);
        assert!(!error.message.zh.is_ascii(), "{text:?}: {}", error.message.zh);
    }
}

#[test]
fn templates_are_read_around_their_statements() {
    let text = "{% if x %}\na: 1\n{% endif %}\nb: ${B}\n";
    let file = parse(text);
    assert!(super::is_template_source(text));
    assert_eq!(file.errors.iter().map(|e| e.range.slice(text)).collect::<Vec<_>>(), ["{% if x %}", "{% endif %}"]);
    assert_eq!(python(&file), "{'a': 1, 'b': '${B}'}");
    let (place, refused_by, _) = error_in("a: {{ x }}\n");
    assert_eq!((place, refused_by), ("{ x }", RefusedBy::PyYaml));
}

#[test]
fn only_pyyaml_refuses() {
    for (text, place) in [
        ("a:\tb\n", "\t"),
        ("a: b\t# c\n", "\t"),
        ("a: 1\n\t\nb: 2\n", "\t"),
        ("a: &x 1\nb: &x 2\n", "&x"),
        ("a: &x.y 1\n", "&x.y"),
        ("a: [x?y]\n", "x?y"),
        ("a: [:x]\n", ":x"),
        ("{\"b\"\n : 1}\n", "\"b\""),
        (": a\n", ":"),
        ("a: 1\n...\nb: 2\n", "b: 2"),
        ("[a]: 1\n", "[a]"),
        ("a: !mine 1\n", "!mine"),
        ("a: !!str [1]\n", "!!str"),
        ("a: 2024-13-01\n", "2024-13-01"),
        ("a: {<<: 1}\n", "1"),
        ("a: =\n", "="),
    ] {
        let error = only_error(text);
        assert_eq!((error.range.slice(text), error.refused_by), (place, RefusedBy::PyYaml), "{text:?} {}", error.message.en);
    }
}

#[test]
fn what_pyyaml_reads_is_no_error() {
    for (text, read) in [
        ("a: \"x\nb\"\nc: 1\n", "{'a': 'x b', 'c': 1}"),
        ("a: 'x\n\ty'\n", "{'a': 'x y'}"),
        ("a: \"x\"#y\n", "{'a': 'x'}"),
        ("a: |\n  x\ty\n  \tz\n", "{'a': 'x\ty\n\tz\n'}"),
        ("a: \"x\ty\" # p\tq\n", "{'a': 'x\ty'}"),
        ("key: [a,\n]\nb: 1\n", "{'key': ['a'], 'b': 1}"),
        ("a: x?y\nb: ${X}\n", "{'a': 'x?y', 'b': '${X}'}"),
    ] {
        let file = parse(text);
        assert!(file.errors.is_empty(), "{text:?} {:?}", file.errors);
        assert_eq!(python(&file), read, "{text:?}");
    }
    assert_eq!(parse("a: \"x\"#y\n").comments[0].text, "y");
}

#[test]
fn a_hundred_lines_of_comment_are_no_error() {
    let text = format!("a:\n{}  b: 1\n", "  # why\n".repeat(200));
    let file = parse(&text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(file.comments.len(), 200);
}
