//! Broken, huge and deep texts: no panic, no hang, ranges inside the text.

use super::assert_in_bounds;
use crate::shell::{Script, parse_bash, parse_batch, parse_powershell};

const BASH: &str = include_str!("data/train.sh");
const SLURM: &str = include_str!("data/slurm.sh");
const OPTIONS: &str = include_str!("data/options.sh");
const POWERSHELL: &str = include_str!("data/train.ps1");
const BATCH: &str = include_str!("data/train.bat");

type Parse = fn(&str) -> Script;

fn all() -> [(&'static str, Parse); 5] {
    [
        (BASH, parse_bash as Parse),
        (SLURM, parse_bash),
        (OPTIONS, parse_bash),
        (POWERSHELL, parse_powershell),
        (BATCH, parse_batch),
    ]
}

fn check(text: &str, parse: Parse) {
    assert_in_bounds(text, &parse(text));
}

#[test]
fn cut_off_at_every_byte() {
    for (text, parse) in all() {
        for (at, _) in text.char_indices() {
            check(&text[..at], parse);
            check(&text[at..], parse);
        }
    }
}

#[test]
fn without_one_character() {
    for (text, parse) in all() {
        for (at, c) in text.char_indices() {
            check(&format!("{}{}", &text[..at], &text[at + c.len_utf8()..]), parse);
        }
    }
}

#[test]
fn other_line_ends_marks_and_scripts() {
    for (text, parse) in all() {
        let plain = parse(text);
        let windows = text.replace('\n', "\r\n");
        let marked = format!("\u{feff}{text}");
        for other in [windows, marked] {
            let script = parse(&other);
            assert_in_bounds(&other, &script);
            let words = |script: &Script| {
                script
                    .commands
                    .iter()
                    .map(|c| c.words.iter().map(|w| w.text().map(str::to_owned)).collect())
                    .collect::<Vec<Vec<_>>>()
            };
            assert_eq!(words(&plain), words(&script));
            assert_eq!(plain.comments.len(), script.comments.len());
        }
        // Each shell's text in each other shell's reader.
        for (_, parse) in all() {
            check(text, parse);
        }
    }
}

#[test]
fn strange_characters_before_every_special_one() {
    for (text, parse) in all() {
        let strange: String = text.chars().flat_map(|c| if c.is_ascii_punctuation() { vec!['中', c] } else { vec![c] }).collect();
        check(&strange, parse);
        let strange: String =
            text.chars().flat_map(|c| if c.is_ascii_punctuation() { vec![c, '\\', '中', '`', '中'] } else { vec![c] }).collect();
        check(&strange, parse);
    }
}

#[test]
fn deep_and_long_texts() {
    let deep = [
        "(",
        "((",
        "$(",
        "$((",
        "${A:-",
        "`",
        "\"",
        "\"$(",
        "{ ",
        "if a; then ",
        "while a; do ",
        "case a in a) ",
        "f() { ",
        "a && ",
        "a || ",
        "a | ",
        "[[ ",
        "<(",
        "A=(",
        "<<A ",
        "<<A\n",
        "$[",
        "'",
        "! ",
        "x=$((1+",
        "f() { f; }; ",
        "${A:=${B:=",
        "{{ ",
        "A=\"$A$A\"\n",
        "export A$RANDOM=1 ",
        "@(",
        "@{",
        "@\"\n",
        "<#",
        "%A%",
        "^\n",
        "if exist ",
        "for i in 1; do ",
        "A=$((A+(",
        "$x[",
        "a\\\n",
        "#",
        "-",
        "中",
    ];
    for piece in deep {
        let text = piece.repeat(100_000 / piece.len());
        for parse in [parse_bash as Parse, parse_powershell, parse_batch] {
            check(&text, parse);
        }
    }
}

#[test]
fn texts_that_would_grow_without_end() {
    let big = "x ".repeat(30_000);
    for (head, tail) in [
        (format!("A='{big}'\n"), "a $A \"$A\" $A\n"),
        (format!("A='{big}'\n"), "B=$A\n"),
        (format!("A='{big}'\n"), "bash -c \"$A\"\n"),
        (format!("A=({big})\n"), "a ${A[@]} ${A[@]} ${A[@]}\n"),
        (format!("f() {{ {} }}\n", "A=1;".repeat(1_000)), "f; f\n"),
        ("A=x\n".to_owned(), "A=$A$A\nB=\"$A $B\"\nC+=(${C[@]} $A)\n"),
        (String::new(), "f$A() { a; }; export V$A=1; f$A\n"),
    ] {
        let mut text = head;
        text.push_str(&tail.repeat(3_000));
        let script = parse_bash(&text);
        assert!(!script.assignments.is_empty() || !script.commands.is_empty());
    }
}

#[test]
fn fits_a_small_stack() {
    let work = || {
        for piece in ["if a; then ", "$( ", "( ", "{ ", "f() { ", "while a; do b; "] {
            check(&piece.repeat(3_000), parse_bash);
        }
        let mut nested = "a".to_owned();
        for _ in 0..180 {
            nested = format!("if b; then\n{nested}\nfi");
        }
        check(&nested, parse_bash);
        let mut nested = "a".to_owned();
        for _ in 0..180 {
            nested = format!("if ($b) {{\n{nested}\n}}");
        }
        check(&nested, parse_powershell);
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread starts");
    thread.join().expect("no overflow");
}

/// Scripts of the shared cases, all of which `bash -n` accepts. Skipped, with a word about it, in a clone without them.
#[test]
fn shared_scripts_have_no_errors() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    let mut folders = vec![root.clone()];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "sh") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let script = parse_bash(&text);
                assert_in_bounds(&text, &script);
                assert_eq!(script.errors, [], "{}", path.display());
                assert!(script.commands.iter().all(|command| !command.words.is_empty()));
                count += 1;
            }
        }
    }
    if count == 0 {
        println!("skipped: no scripts at {}", root.display());
    }
}
