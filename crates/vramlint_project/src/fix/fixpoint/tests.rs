use super::*;
use crate::fix::{apply, unified_diff, write};
use crate::testing::{Folder, backend, check, lines};

fn fix(request: &Request, unsafe_ok: bool) -> FixOutcome {
    fix_with(&backend(), request, unsafe_ok, &|_, _| {}).expect("no error")
}

fn after(text: &str, unsafe_ok: bool) -> (String, FixOutcome) {
    let folder = Folder::new(&[("a.yaml", text)]);
    let outcome = fix(&folder.request(&[]), unsafe_ok);
    for file in &outcome.files {
        write(file).expect("written");
    }
    let again = fix(&folder.request(&[]), unsafe_ok);
    assert_eq!(again.files, [], "a second application changes nothing");
    (folder.read("a.yaml"), outcome)
}

#[test]
fn everything_but_the_edit_stays_byte_for_byte() {
    let (text, outcome) = after("\u{feff}# 显存\r\n批量: BAD  # 注\r\n\tx: BAD", false);
    assert_eq!(text, "\u{feff}# 显存\r\n批量: GOOD  # 注\r\n\tx: GOOD");
    assert_eq!((outcome.report.findings.len(), outcome.failed.len()), (0, 0));
    assert_eq!(outcome.files[0].applied.len(), 2);
    assert_eq!(outcome.files[0].applied[0].title.zh, "写 GOOD");
}

#[test]
fn unsafe_fixes_need_a_yes() {
    assert_eq!(after("UGLY BAD\n", false).0, "UGLY GOOD\n");
    assert_eq!(after("UGLY BAD\n", true).0, "PRETTY GOOD\n");
}

#[test]
fn fixes_that_break_the_text_or_help_nothing_are_dropped_and_reported() {
    let (text, outcome) = after("a: UGLY!\nb: BAD\n", false);
    assert_eq!(text, "a: UGLY!\nb: GOOD\n");
    assert_eq!(outcome.failed.iter().map(|failed| failed.name).collect::<Vec<_>>(), ["other-word"]);
    let (text, outcome) = after("a: UGLY?\nb: BAD\n", false);
    assert_eq!(text, "a: UGLY?\nb: GOOD\n");
    assert_eq!(outcome.failed.len(), 1);
}

#[test]
fn an_unused_suppression_goes_with_its_line() {
    assert_eq!(after("a: 1\r\n# vramlint: ignore[bad-word]\r\nb: 批\r\n", false).0, "a: 1\r\nb: 批\r\n");
}

#[test]
fn only_named_files_change() {
    let folder = Folder::new(&[("vramlint.toml", ""), ("a.yaml", "BAD\n"), ("b.yaml", "BAD\n")]);
    let outcome = fix(&folder.request(&["a.yaml"]), false);
    assert_eq!(outcome.files.iter().map(|file| file.shown.as_str()).collect::<Vec<_>>(), ["a.yaml"]);
    assert_eq!(unified_diff(&outcome.files[0]), "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-BAD\n+GOOD\n");
    assert_eq!(folder.read("a.yaml"), "BAD\n", "nothing is written before it is asked for");
}

#[test]
fn texts_that_are_not_utf8_are_left_alone() {
    let folder = Folder::new(&[]);
    std::fs::write(folder.path().join("a.yaml"), b"# caf\xe9\nBAD\n").expect("written");
    let outcome = fix(&folder.request(&[]), true);
    assert_eq!((outcome.files.len(), outcome.report.findings.len()), (0, 1));
}

#[test]
fn examples_and_standard_input_are_fixed_too() {
    let folder = Folder::new(&[("README.md", "```yaml\n  x: BAD\n```\n")]);
    assert_eq!(fix(&folder.request(&[]), false).files[0].after, "```yaml\n  x: GOOD\n```\n");
    let request = Request { stdin: Some(("x.yaml".into(), b"BAD".to_vec())), ..folder.request(&[]) };
    let outcome = fix(&request, false);
    assert_eq!((outcome.files[0].before.as_str(), outcome.files[0].after.as_str()), ("BAD", "GOOD"));
}

#[test]
fn one_round_takes_what_does_not_overlap() {
    let folder = Folder::new(&[("a.yaml", "BAD BAD\n")]);
    let mut report = check(&folder.request(&[])).expect("no error");
    assert_eq!(lines(&report).len(), 2);
    // The fix of the second finding now edits the range of the first.
    report.findings[1].fixes[0].edits[0].place = report.findings[0].place;
    let files = apply(&report.project, folder.path(), &report.findings, false);
    assert_eq!((files[0].after.as_str(), files[0].applied.len()), ("GOOD BAD\n", 1));
}
