//! Text in, tree and errors out. `tests/json` compares verdicts and values with the real libraries.

use super::holds_records;
use super::parse;
use crate::RefusedBy::{self, All, Hjson, StrictJson};
use crate::data::{DataFile, NodeKind, NodeRef, Style};

const SAMPLE: &str = "\u{feff}{\r\n  // 注释\r\n  \"zero_optimization\": {\"stage\": 2, 'device': 'cpu'}, /* x */\r\n  lr: 2e-5 # why\r\n  \"betas\": [0.9, 0.999,],\r\n  \"名\": \"\\u6279\\ud83d\\ude00\",\r\n  text: '''\r\n    one\r\n    two\r\n  '''\r\n  path: a, b\r\n}\r\n";

fn verdict(text: &str) -> Vec<(RefusedBy, &str, String)> {
    let file = parse(text);
    file.errors.iter().map(|error| (error.refused_by, error.range.slice(text), error.message.en.clone())).collect()
}

fn kinds(text: &str) -> Vec<(RefusedBy, &str)> {
    verdict(text).into_iter().map(|(kind, place, _)| (kind, place)).collect()
}

fn check_ranges(text: &str, file: &DataFile) {
    let places = file.nodes.iter().map(|node| node.range).chain(file.comments.iter().map(|comment| comment.range));
    for range in places.chain(file.documents.iter().map(|document| document.range)) {
        assert!(text.get(range.as_usize()).is_some(), "{range:?} of {text:?}");
    }
    for error in &file.errors {
        assert!(text.get(error.range.as_usize()).is_some(), "{:?} of {text:?}", error.range);
        assert!(!error.range.is_empty() || error.range.start as usize == text.len(), "{error:?} of {text:?}");
        assert!(!error.message.en.contains('\n') && !error.message.zh.contains('\n'), "{error:?}");
    }
    assert!(file.errors.is_sorted_by_key(|error| error.range.start));
}

#[test]
fn a_plain_configuration_has_no_errors() {
    let text =
        "{\n  \"train_batch_size\": \"auto\",\n  \"fp16\": {\"enabled\": true, \"x\": null},\n  \"l\": [1, -2.5E+3, NaN\n]}\n";
    let file = parse(text);
    assert_eq!(file.errors, []);
    let root = file.root().expect("an object");
    assert_eq!(root.at(&["fp16", "enabled"]).and_then(NodeRef::text), Some("true"));
    let (key, value) = root.entry("train_batch_size").expect("an entry");
    assert_eq!(key.range().slice(text), "\"train_batch_size\"");
    assert_eq!(value.range().slice(text), "\"auto\"");
    assert_eq!(value.scalar().map(|scalar| scalar.style), Some(Style::Double));
    assert_eq!(root.get("l").map(|list| list.items().count()), Some(3));
    assert_eq!(file.documents[0].range.slice(text), text.trim_end());
}

#[test]
fn hjson_passes_what_strict_json_refuses() {
    let file = parse(SAMPLE);
    check_ranges(SAMPLE, &file);
    assert!(file.errors.iter().all(|error| error.refused_by == StrictJson), "{:?}", file.errors);
    let root = file.root().expect("an object");
    let text = |path: &[&str]| root.at(path).and_then(NodeRef::text);
    assert_eq!(text(&["zero_optimization", "device"]), Some("cpu"));
    assert_eq!(text(&["lr"]), Some("2e-5"));
    assert_eq!(text(&["名"]), Some("批😀"));
    assert_eq!(text(&["text"]), Some("one\ntwo"));
    assert_eq!(text(&["path"]), Some("a, b"));
    let comments: Vec<_> = file.comments.iter().map(|comment| (comment.text.as_str(), comment.trailing)).collect();
    assert_eq!(comments, [("注释", false), ("x", true), ("why", true)]);
}

#[test]
fn each_error_has_its_place_and_its_readers() {
    assert_eq!(kinds("{\"a\": 1,}"), [(StrictJson, ",")]);
    assert_eq!(kinds("{\"a\": 1, \"a\": 2}"), [(Hjson, "\"a\"")]);
    assert_eq!(kinds("{\"a\": True\n}"), [(StrictJson, "True")]);
    assert_eq!(kinds("{\"a\": True}"), [(All, "True")]);
    assert_eq!(kinds("{\"a\": cpu,\n \"b\": 1}"), [(StrictJson, "cpu,")]);
    assert_eq!(kinds("{\"a\": 1\n \"b\": 2}"), [(StrictJson, "1")]);
    assert_eq!(kinds("{\"a\": {}\n \"b\": 2}"), [(StrictJson, "}")]);
    assert_eq!(kinds("{\"a\": 1 \"b\": 2}"), [(All, "1")]);
    assert_eq!(kinds("{\"a\": \"x\" \"b\": 2}"), [(StrictJson, "\"x\"")]);
    assert_eq!(kinds("{\"a\" 1}"), [(All, "\"a\"")]);
    assert_eq!(kinds("{\"a\": }"), [(All, "}")]);
    assert_eq!(kinds("{\"a\": [1}"), [(All, "}")]);
    assert_eq!(kinds("{\"a\": {\"b\": 1}"), [(All, "{")]);
    assert_eq!(kinds("{\"a\": 1}}"), [(All, "}")]);
    assert_eq!(kinds("{\"a\": \"C:\\model\"}"), [(All, "\\m")]);
    assert_eq!(kinds("{\"a\": 1e999}"), [(Hjson, "1e999")]);
    assert_eq!(kinds("{\"a\": NaN}").len(), 1);
    assert_eq!(kinds(""), [(StrictJson, "")]);
    assert_eq!(kinds("\u{feff}{}"), [(StrictJson, "\u{feff}")]);
    assert_eq!(kinds("{\"a\"： 1}"), [(All, "：")]);
    assert_eq!(kinds("{\"a\": \"x\"， \"b\": 1}"), [(All, "，")]);
}

#[test]
fn messages_name_what_stands_there() {
    let message = |text| verdict(text).into_iter().map(|(_, _, message)| message).next().unwrap_or_default();
    assert_eq!(message("{\"a\": None\n}"), "`None` is not JSON; write `null`");
    assert_eq!(message("{\"a\": 5_000\n}"), "`5_000` is not a JSON number");
    assert_eq!(message("{“a”: 1}"), "the key `“a”` has typographic quotes; JSON needs `\"`");
    assert_eq!(message("{\u{a0}\"a\": 1}"), "the key `\u{a0}\"a\"` contains the invisible character U+00A0");
    assert_eq!(message("{a b: 1}"), "a key needs double quotes: `a b`");
}

#[test]
fn reading_goes_on_after_errors() {
    let text = "{\n  \"a\": \"open,\n  \"b\" 2,\n  \"c\": ,\n  \"d\": {\"x\": 1],\n  \"e\": True, \"f\": 6\n}";
    let file = parse(text);
    check_ranges(text, &file);
    let root = file.root().expect("an object");
    let text_of = |key: &str| root.get(key).and_then(NodeRef::text).unwrap_or("none");
    assert_eq!(["a", "b", "c", "e", "f"].map(text_of), ["open", "2", "none", "none", "none"]);
    assert!(matches!(root.get("c").map(|node| &node.raw().kind), Some(NodeKind::Missing)));
    assert_eq!(root.at(&["d", "e"]).and_then(NodeRef::text), Some("True"));
    assert!(file.errors.iter().any(|error| error.refused_by == All));
}

#[test]
fn depth_is_bounded() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(100_000), "[{".repeat(50_000) + &"}]".repeat(50_000), ":".repeat(100_000)]
    {
        check_ranges(&text, &parse(&text));
        assert!(!parse(&text).errors.is_empty());
    }
    let fits = "[".repeat(500) + &"]".repeat(500);
    assert_eq!(parse(&fits).errors, []);
}

#[test]
fn long_lines_of_errors_take_linear_time() {
    for piece in [",", "\"a", "]", "{]", "a:", "'", "\\", "/**/", "1 ", "[1 2", "，"] {
        let text = ["{", &piece.repeat(100_000)].concat();
        check_ranges(&text, &parse(&text));
    }
}

#[test]
fn broken_text_gives_sound_ranges() {
    let pieces = ["", "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "/", "*/", "#", "\n", "批", "，", "\u{a0}", "'''", "\0"];
    for (at, found) in SAMPLE.char_indices() {
        check_ranges(&SAMPLE[..at], &parse(&SAMPLE[..at]));
        check_ranges(&SAMPLE[at..], &parse(&SAMPLE[at..]));
        for piece in pieces {
            for end in [at, at + found.len_utf8()] {
                let text = [&SAMPLE[..at], piece, &SAMPLE[end..]].concat();
                check_ranges(&text, &parse(&text));
            }
        }
    }
}

#[test]
fn records_are_no_settings() {
    for text in ["[1, 2", "{\"a\": \"}\\\"{\"}\n{\"a\": 2}\n", "{\n \"a\": [1]\n}\n\n{\n}", "\u{feff}{}{}"] {
        assert!(holds_records(text), "{text}");
    }
    for text in ["{\"a\": {\"b\": 1}}", "{\"a\": 1}}", "{\"a\": 1} x", "{\"a\": ", "", "{\"a\": \"} {\"}"] {
        assert!(!holds_records(text), "{text}");
    }
}
