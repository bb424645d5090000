use crate::Request;
use crate::testing::{Folder, check, lines};
use vramlint_base::Applicability;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = Folder::new(files);
    lines(&check(&folder.request(&[])).expect("no error"))
}

fn one(text: &str) -> Vec<String> {
    found(&[("a.yaml", text)])
}

#[test]
fn on_the_line_and_on_the_line_above() {
    assert_eq!(one("x: BAD  # vramlint: ignore[bad-word] legacy\n"), [""; 0]);
    assert_eq!(one("x: BAD  # vramlint: ignore[vl601]\r\n"), [""; 0]);
    assert_eq!(one("x: BAD  # vramlint: ignore\n"), [""; 0]);
    assert_eq!(one("说明: BAD  # vramlint：ignore［VL6］ 旧文件\n"), [""; 0]);
    assert_eq!(one("\u{feff}# vramlint: ignore[bad-word]\nx: BAD\n"), [""; 0]);
    assert_eq!(
        one("# vramlint: ignore[bad-word]\n\n# another comment\n  # and one\nx: BAD\ny: BAD\n"),
        ["a.yaml:6:4 bad-word a bad word"]
    );
    // A trailing comment applies only to its own line.
    assert_eq!(
        one("x: 1 # vramlint: ignore[bad-word]\ny: BAD\n"),
        ["a.yaml:1:6 unused-suppression no finding of `bad-word` to suppress here", "a.yaml:2:4 bad-word a bad word"]
    );
}

#[test]
fn whole_files_in_the_first_ten_lines() {
    let far = |lines: usize, text: &str| format!("{}{text}", "x: 1\n".repeat(lines));
    assert_eq!(one(&far(9, "# vramlint: ignore-file[bad-word]\nx: BAD\nUGLY\n")), ["a.yaml:12:1 other-word an ugly word"]);
    assert_eq!(one("# vramlint: ignore-file\nx: BAD\nUGLY\n"), [""; 0]);
    assert_eq!(
        one(&far(10, "# vramlint: ignore-file[bad-word]\nx: BAD\n")),
        [
            "a.yaml:11:1 invalid-suppression `ignore-file` has no effect after the first ten lines",
            "a.yaml:12:4 bad-word a bad word"
        ]
    );
}

#[test]
fn at_either_end() {
    let files = |a: &'static str, b: &'static str| found(&[("a.yaml", a), ("b.sh", b)]);
    assert_eq!(files("x: BAD\n", "echo OTHER\n"), ["a.yaml:1:4 bad-word a bad word"]);
    assert_eq!(files("x: BAD # vramlint: ignore[bad-word]\n", "echo OTHER\n"), [""; 0]);
    assert_eq!(files("x: BAD\n", "echo OTHER # vramlint: ignore[bad-word]\n"), [""; 0]);
    // Comments at both ranges: neither is unused.
    assert_eq!(files("x: BAD # vramlint: ignore[bad-word]\n", "# vramlint: ignore[bad-word]\necho OTHER\n"), [""; 0]);
}

#[test]
fn a_suppression_in_context_counts_and_is_not_judged() {
    let folder = Folder::new(&[
        ("vramlint.toml", ""),
        ("a.yaml", "x: BAD\n"),
        ("b.sh", "echo OTHER # vramlint: ignore[bad-word]\n"),
        ("c.sh", "# vramlint: ignore[bad-word]\n"),
    ]);
    assert_eq!(lines(&check(&folder.request(&["a.yaml"])).expect("no error")), [""; 0]);
    let found = lines(&check(&folder.request(&["b.sh", "c.sh"])).expect("no error"));
    assert_eq!(found, ["c.sh:1:1 unused-suppression no finding of `bad-word` to suppress here"]);
}

#[test]
fn a_command_over_several_lines_is_one_line() {
    let command = "accelerate launch \\\n  --a BAD \\\n  --b 1";
    assert_eq!(found(&[("a.sh", &format!("# vramlint: ignore[bad-word]\n{command}\n"))]), [""; 0]);
    assert_eq!(found(&[("a.sh", &format!("{command} # vramlint: ignore[bad-word]\n"))]), [""; 0]);
    assert_eq!(
        found(&[("a.sh", &format!("# vramlint: ignore[VL601]\r\n{}\r\nBAD\r\n", command.replace('\n', "\r\n")))]),
        ["a.sh:5:1 bad-word a bad word"]
    );
    assert_eq!(found(&[("a.ps1", "# vramlint: ignore[bad-word]\nlaunch `\n  BAD\n")]), [""; 0]);
    assert_eq!(found(&[("a.bat", "REM vramlint: ignore[bad-word]\r\nlaunch ^\r\n  BAD\r\n")]), [""; 0]);
    assert_eq!(found(&[("a.sh", "x=`BAD` # vramlint: ignore[bad-word]\ny=`date`\nBAD\n")]), ["a.sh:3:1 bad-word a bad word"]);
}

#[test]
fn in_the_comments_of_every_language() {
    assert_eq!(found(&[("a.json", "{\"x\": \"BAD\" // vramlint: ignore[bad-word]\n}\n")]), [""; 0]);
    assert_eq!(found(&[("a.py", "x = 'BAD'  # type: ignore # vramlint: ignore[bad-word]\n")]), [""; 0]);
    assert_eq!(found(&[("a.ps1", "# vramlint: ignore[bad-word]\n$x = 'BAD'\n")]), [""; 0]);
    assert_eq!(found(&[("Makefile", "x = BAD # vramlint: ignore[bad-word]\n")]), [""; 0]);
    assert_eq!(found(&[("Dockerfile", "# vramlint: ignore[bad-word]\nRUN a \\\n  BAD\n")]), [""; 0]);
    assert_eq!(found(&[("a.bat", "REM vramlint: ignore[bad-word]\r\nset X=BAD\r\n")]), [""; 0]);
}

#[test]
fn in_documents_and_their_examples() {
    let example = "  x: 1\n  y: BAD\n";
    assert_eq!(found(&[("README.md", &format!("文档\n```yaml\n{example}```\n"))]), ["README.md:4:6 bad-word a bad word"]);
    assert_eq!(
        found(&[("README.md", &format!("文档\n<!-- vramlint: ignore[bad-word] -->\n\n```yaml\n{example}```\n"))]),
        [""; 0]
    );
    assert_eq!(found(&[("README.md", "```yaml\n  # vramlint: ignore[bad-word]\n  y: BAD\n```\n")]), [""; 0]);
    assert_eq!(found(&[("README.md", "<!-- vramlint: ignore[bad-word] -->\nBAD\n")]), [""; 0]);
    // Suppressions in documentation have no effect and are not reported as unused.
    assert_eq!(
        found(&[("README.md", "`# vramlint: ignore[x]`\n```yaml\nx: 1 # vramlint: ignore[name-or-code, …]\n```\n")]),
        [""; 0]
    );
}

#[test]
fn unknown_names_and_malformed_comments_are_reported() {
    assert_eq!(
        one("x: BAD # vramlint: ignore[bad-wrod]\n"),
        ["a.yaml:1:4 bad-word a bad word", "a.yaml:1:27 invalid-suppression unknown rule `bad-wrod`; did you mean `bad-word`?"]
    );
    assert_eq!(
        one("x: 1 # vramlint: ignroe[bad-word]\n"),
        ["a.yaml:1:6 invalid-suppression `vramlint: ignroe` is not a suppression; did you mean `vramlint: ignore`?"]
    );
    assert_eq!(one("x: 1 # vramlint: kind=accelerate\n"), [""; 0]);
    assert_eq!(one("x: 1 # vramlint: ignore[bad-wrod] # vramlint: ignore[invalid-suppression]\n"), [""; 0]);
}

#[test]
fn unused_ones_are_reported_with_a_safe_fix() {
    let fixed = |text: &str| {
        let folder = Folder::new(&[("a.yaml", text)]);
        let report = check(&folder.request(&[])).expect("no error");
        let finding = report.findings.iter().find(|finding| finding.name == "unused-suppression").expect("unused");
        assert_eq!(finding.fixes[0].applicability, Applicability::Safe);
        let edit = &finding.fixes[0].edits[0];
        let mut text = text.to_owned();
        text.replace_range(edit.place.range.as_usize(), &edit.text);
        text
    };
    assert_eq!(fixed("a: 1\n  # vramlint: ignore[bad-word] 旧\nb: 2\n"), "a: 1\nb: 2\n");
    assert_eq!(fixed("a: 1\r\n# vramlint: ignore\r\nb: 2\r\n"), "a: 1\r\nb: 2\r\n");
    assert_eq!(fixed("a: 批量  # vramlint: ignore[bad-word]\r\nb: 2"), "a: 批量\r\nb: 2");
    assert_eq!(fixed("a: 1  # vramlint: ignore[VL602] # noqa\n"), "a: 1  # noqa\n");
    assert_eq!(fixed("a: BAD  # vramlint: ignore[other-word, bad-word] why\n"), "a: BAD  # vramlint: ignore[bad-word] why\n");
    assert_eq!(fixed("a: 1  # vramlint: ignore[bad-word]"), "a: 1");
}

#[test]
fn only_rules_that_run_can_be_unused() {
    let folder =
        Folder::new(&[("a.yaml", "x: 1 # vramlint: ignore[bad-word]\ny: 1 # vramlint: ignore\nz: 1 # vramlint: ignore[VL6]\n")]);
    let count = |request: &Request| check(request).expect("no error").findings.len();
    assert_eq!(count(&folder.request(&[])), 3);
    let select = |list: &[&str]| Request { select: Some(list.iter().map(ToString::to_string).collect()), ..folder.request(&[]) };
    assert_eq!(count(&select(&["VL602", "VL002"])), 0);
    assert_eq!(count(&select(&["VL601", "VL002"])), 1);
    assert_eq!(count(&select(&["VL6", "VL002"])), 2);
    assert_eq!(count(&select(&["VL6"])), 0);
    folder.write("vramlint.toml", "[lint.per-file-ignores]\n\"a.yaml\" = [\"bad-word\"]\n");
    assert_eq!(count(&folder.request(&[])), 0);
}

#[test]
fn an_unused_suppression_can_be_suppressed_by_name_only() {
    assert_eq!(one("# vramlint: ignore-file[unused-suppression]\nx: 1 # vramlint: ignore[bad-word]\n"), [""; 0]);
    assert_eq!(one("x: 1 # vramlint: ignore\n"), ["a.yaml:1:6 unused-suppression this suppression has no effect"]);
}
