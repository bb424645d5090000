//! Broken, hostile and huge texts: always an answer, always within the text.

use super::{parse, python};
use crate::data::{DataFile, Loader, NodeKind};
use std::fmt::Write as _;
use vramlint_base::TextRange;

/// Everything at once, and CJK before most of it.
const MIXED: &str = "# 注释\n--- !!map\nbase: &批 {lr: 2e-5, 'bs': [1, \"二\\u4e8c\"]}\r\nlist:\n- a: |-\n    行\n\n  b: >\n   折\n   叠\n- ? k\n  : *批\nmerge:\n  <<: *批\n  omitted:\n  text: one\n    two # c\n...\n---\n{a: [b, {c: d}]}\n";

/// Every range lies inside the text at character boundaries, every node named exists, lists are in order.
fn check(text: &str, file: &DataFile) {
    let inside = |range: TextRange| assert!(text.get(range.as_usize()).is_some(), "{range:?} in {text:?}");
    let known = |id: crate::data::NodeId| assert!((id.0 as usize) < file.nodes.len());
    for node in &file.nodes {
        inside(node.range);
        node.anchor.iter().for_each(|(_, at)| inside(*at));
        match &node.kind {
            NodeKind::Sequence(items) => items.iter().for_each(|id| known(*id)),
            NodeKind::Mapping(entries) => entries.iter().for_each(|entry| {
                known(entry.key);
                known(entry.value);
            }),
            NodeKind::Alias { target, .. } => target.iter().for_each(|id| known(*id)),
            NodeKind::Missing => assert!(node.range.is_empty()),
            NodeKind::Scalar(_) => {}
        }
    }
    for error in &file.errors {
        inside(error.range);
        assert!(!error.range.is_empty() || error.range.end as usize == text.len(), "{error:?} in {text:?}");
        for message in [&error.message.en, &error.message.zh] {
            assert!(!message.contains('\n') && !message.is_empty(), "{message:?} for {text:?}");
        }
    }
    file.comments.iter().for_each(|comment| inside(comment.range));
    file.documents.iter().for_each(|document| inside(document.range));
    assert!(file.comments.is_sorted_by_key(|comment| comment.range.start));
    assert!(file.errors.is_sorted_by_key(|error| error.range.start));
    for loader in [Loader::PyYaml, Loader::OmegaConf, Loader::TrlParser, Loader::Yaml12, Loader::Json] {
        file.roots().for_each(|root| drop(root.value(loader)));
    }
}

#[test]
fn long_quotes_of_wide_characters_without_a_key() {
    for wide in ["批", "é", "🚀"] {
        for padding in ["", "a", "ab"] {
            let text = format!("<<:\n\"\n{padding}{}\n\"", wide.repeat(20));
            check(&text, &parse(&text));
        }
    }
}

#[test]
fn cut_at_every_place() {
    for (at, _) in MIXED.char_indices() {
        check(&MIXED[..at], &parse(&MIXED[..at]));
        check(&MIXED[at..], &parse(&MIXED[at..]));
    }
}

#[test]
fn every_character_removed_or_replaced() {
    for (at, c) in MIXED.char_indices() {
        let (before, after) = (&MIXED[..at], &MIXED[at + c.len_utf8()..]);
        for filler in
            ["", "\t", "\"", "'", "[", "}", ":", "#", "\n", "*", "&", "!", "\u{0}", "\u{85}", "\u{FEFF}", "中", "- ", "%", "|"]
        {
            let text = format!("{before}{filler}{after}");
            check(&text, &parse(&text));
        }
    }
}

#[test]
fn deep_nesting_ends_in_an_error() {
    for text in ["[".repeat(5000), "{a: ".repeat(5000), "- ".repeat(5000), "? ".repeat(5000), "!a ".repeat(5000)] {
        let file = parse(&text);
        assert!(!file.errors.is_empty());
        check(&text, &file);
    }
    let levels = (0..2000).map(|i| " ".repeat(i) + "a:\n").collect::<String>();
    check(&levels, &parse(&levels));
    let deepest = format!("{}{}{}", "- ".repeat(250), "[".repeat(250), "]".repeat(250));
    let file = parse(&deepest);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert!(file.root().and_then(|root| root.value(Loader::PyYaml)).is_some());
    check(&deepest, &file);
}

#[test]
fn alias_bombs_are_not_expanded() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_string();
    for i in 1..=9 {
        let items = vec![format!("*a{}", i - 1); 9].join(", ");
        let _ = writeln!(bomb, "a{i}: &a{i} [{items}]");
    }
    let file = parse(&bomb);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(python(&file), "too large");
    let mut merges = "a0: &a0 {x: 1}\n".to_string();
    for i in 1..=9 {
        let items = vec![format!("*a{}", i - 1); 9].join(", ");
        let _ = writeln!(merges, "a{i}: &a{i} {{<<: [{items}]}}");
    }
    assert_eq!(python(&parse(&merges)), "too large");
}

#[test]
fn nodes_that_contain_themselves_have_no_value() {
    for text in ["a: &x [*x]\n", "a: &x {b: *x}\n", "&x a: &y {<<: *y, b: *y}\n", "&x [*x, *x]\n", "a: &x {<<: [*x, *x]}\n"] {
        let file = parse(text);
        check(text, &file);
        assert_eq!(python(&file), "too large", "{text:?}");
    }
}

#[test]
fn many_errors_are_bounded() {
    for line in [
        "a: b: c\n",
        "\ta: 1\n",
        "\u{1}\n",
        "a: [\n",
        "a: \"\n",
        "- ]\n",
        "a:\tb\n",
        "%\n",
        "{% x %}\n",
        "*a : 1\n",
        "'\n",
        "!\n",
    ] {
        let text = line.repeat(3000);
        let file = parse(&text);
        check(&text, &file);
        assert!(!file.errors.is_empty(), "{line:?}");
    }
}

#[test]
fn a_file_of_many_texts_that_only_pyyaml_reads_is_no_error() {
    let text: String = (0..100).fold(String::new(), |text, i| text + &format!("k{i}: \"one\ntwo\"\n"));
    let file = parse(&text);
    assert!(file.errors.is_empty(), "{:?}", file.errors);
    assert_eq!(file.root().map(|root| root.entries().count()), Some(100));
}
