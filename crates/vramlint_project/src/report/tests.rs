use crate::testing::{Folder, check, lines};
use crate::{Report, Request};
use vramlint_base::{Lang, Severity};
use vramlint_resolve::Target;

fn report(folder: &Folder) -> Report {
    check(&folder.request(&[])).expect("no error")
}

#[test]
fn findings_are_sorted_and_said_once() {
    let folder = Folder::new(&[("b.yaml", "UGLY BAD\nBAD\n"), ("a.yaml", "BAD\n")]);
    let expected = [
        "a.yaml:1:1 bad-word a bad word",
        "b.yaml:1:1 other-word an ugly word",
        "b.yaml:1:6 bad-word a bad word",
        "b.yaml:2:1 bad-word a bad word",
    ];
    for jobs in [1, 2, 7] {
        let report = check(&Request { jobs, ..folder.request(&["b.yaml", "a.yaml", "b.yaml", "."]) }).expect("no error");
        assert_eq!(lines(&report), expected);
        assert_eq!(report.files, 2);
    }
}

#[test]
fn nothing_to_check_is_no_error() {
    let folder = Folder::new(&[]);
    assert_eq!((report(&folder).files, report(&folder).findings.len()), (0, 0));
}

#[test]
fn selection_comes_from_the_configuration_that_governs_the_file() {
    let folder = Folder::new(&[
        ("vramlint.toml", "[lint]\nignore = [\"bad-word\"]\nfail-on = \"error\"\nlang = \"zh\"\n"),
        ("a.yaml", "BAD UGLY\n"),
        ("sub/pyproject.toml", "[tool.vramlint.lint.severity]\nbad-word = \"error\"\nVL602 = \"off\"\n"),
        ("sub/b.yaml", "BAD UGLY\n"),
    ]);
    let found = report(&folder);
    assert_eq!(lines(&found), ["a.yaml:1:5 other-word an ugly word", "sub/b.yaml:1:1 bad-word a bad word"]);
    assert_eq!(found.findings[1].severity, Severity::Error);
    assert_eq!((found.fail_on, found.lang), (Some(Severity::Error), Some(Lang::Zh)));
    assert_eq!(found.configs, ["vramlint.toml", "sub/pyproject.toml"]);
    let selected = Request { select: Some(vec!["VL601".into()]), ..folder.request(&[]) };
    assert_eq!(lines(&check(&selected).expect("no error")).len(), 2);
    let isolated = Request { isolated: true, ..folder.request(&[]) };
    let found = check(&isolated).expect("no error");
    assert_eq!((lines(&found).len(), found.fail_on), (4, None));
    let explicit = Request { config: Some("sub/pyproject.toml".into()), ..folder.request(&[]) };
    assert_eq!(
        lines(&check(&explicit).expect("no error")),
        ["a.yaml:1:1 bad-word a bad word", "sub/b.yaml:1:1 bad-word a bad word"]
    );
}

#[test]
fn a_working_directory_may_be_named_by_a_way_around() {
    let folder =
        Folder::new(&[("vramlint.toml", "[lint]\nignore = [\"bad-word\"]\n"), ("p/a.yaml", "BAD UGLY\n"), ("q/b.yaml", "")]);
    let straight = folder.request(&[]);
    let around = Request { cwd: straight.cwd.join("q/../p"), ..straight.clone() };
    let found = check(&around).expect("no error");
    assert_eq!(lines(&found), ["a.yaml:1:5 other-word an ugly word"]);
    assert_eq!(found.configs, ["../vramlint.toml"]);
}

#[test]
fn per_file_ignores_are_relative_to_their_configuration() {
    let folder = Folder::new(&[
        ("p/vramlint.toml", "[lint.per-file-ignores]\n\"legacy/**\" = [\"VL6\"]\n\"!*.sh\" = [\"other-word\"]\n"),
        ("p/legacy/a.yaml", "BAD\n"),
        ("p/b.yaml", "BAD UGLY\n"),
        ("p/c.sh", "BAD UGLY\n"),
        ("legacy/d.yaml", "BAD\n"),
    ]);
    assert_eq!(
        lines(&report(&folder)),
        [
            "legacy/d.yaml:1:1 bad-word a bad word",
            "p/b.yaml:1:1 bad-word a bad word",
            "p/c.sh:1:1 bad-word a bad word",
            "p/c.sh:1:5 other-word an ugly word",
        ]
    );
}

#[test]
fn a_broken_configuration_matters_where_it_governs() {
    let folder =
        Folder::new(&[("vramlint.toml", ""), ("a/x.yaml", "BAD\n"), ("b/vramlint.toml", "[lnt]\n"), ("b/y.yaml", "BAD\n")]);
    let error = check(&folder.request(&[])).expect_err("broken");
    assert_eq!(error.message.en, "b/vramlint.toml:1:2: unknown key `lnt`; did you mean `lint`?");
    assert_eq!(error.message.zh, "b/vramlint.toml:1:2：未知的键 `lnt`；是否想写 `lint`？");
    assert_eq!(lines(&check(&folder.request(&["a"])).expect("no error")), ["a/x.yaml:1:1 bad-word a bad word"]);
}

#[test]
fn the_command_line_is_checked() {
    let folder = Folder::new(&[("a.yaml", "")]);
    let error = |request: Request| check(&request).expect_err("misuse").message.en;
    assert!(
        error(Request { select: Some(vec!["bad-wrod".into()]), ..folder.request(&[]) }).starts_with("--select: unknown rule")
    );
    assert!(error(Request { exclude: vec!["a[".into()], ..folder.request(&[]) }).starts_with("--exclude: `a[` is not a glob"));
    assert!(error(Request { config: Some("no.toml".into()), ..folder.request(&[]) }).starts_with("no.toml: "));
}

#[test]
fn the_target_of_the_command_line_is_on_top() {
    let folder = Folder::new(&[("vramlint.toml", "[target]\ngpu = \"A\"\nmemory = \"40GiB\"\ncount = 8\n"), ("a.yaml", "")]);
    let target = |over: Target| {
        let report = check(&Request { target: over, ..folder.request(&[]) }).expect("no error");
        report.project.policies[report.project.files[0].policy].target.clone()
    };
    assert_eq!(target(Target { count: Some(2), ..Target::default() }).memory, Some(40 << 30));
    assert_eq!(target(Target { count: Some(2), ..Target::default() }).count, Some(2));
    assert_eq!(target(Target { gpu: Some("RTX 4090".into()), ..Target::default() }).memory, None);
}

#[test]
fn a_failing_rule_or_reader_is_a_finding_and_the_rest_stands() {
    let folder = Folder::new(&[
        ("a.yaml", "BAD # vramlint: ignore[other-word]\n# PANIC-RULE\n# FOUND-BEFORE\n"),
        ("b.yaml", "PANIC-READER\n"),
    ]);
    let found = report(&folder);
    assert_eq!(
        lines(&found),
        [
            "a.yaml:1:1 internal-error vramlint failed in rule `panics`: asked for by a test",
            "a.yaml:1:1 bad-word a bad word",
            "a.yaml:3:3 panics found before",
            "b.yaml:1:1 internal-error vramlint failed to read this file: asked for by a test",
        ]
    );
    assert!(found.findings[0].help.as_ref().is_some_and(|help| help.zh.contains("报告") && help.en.contains("bug in vramlint")));
}

#[test]
fn a_failing_resolver_leaves_the_files() {
    let folder = Folder::new(&[("a.yaml", "BAD\n")]);
    let backend = crate::backend::Backend { resolve: |_| panic!("asked for by a test"), ..crate::testing::backend() };
    let report = super::check_with(&backend, &folder.request(&[]), &|_, _| {}).expect("no error");
    assert_eq!(lines(&report).len(), 2);
    assert!(lines(&report)[0].contains("failed to resolve the training runs: asked for by a test"));
}

#[test]
fn places_in_examples_are_those_of_the_document() {
    let folder = Folder::new(&[("README.md", "说明\r\n```yaml\n  键: BAD\n```\n")]);
    let report = report(&folder);
    assert_eq!(lines(&report), ["README.md:3:6 bad-word a bad word"]);
    let finding = &report.findings[0];
    assert_eq!(finding.place, finding.fixes[0].edits[0].place);
    assert_eq!(report.files, 1);
}

#[test]
fn progress_is_told_for_every_file() {
    let folder = Folder::new(&[("a.yaml", ""), ("b.yaml", "")]);
    let calls = std::sync::Mutex::new(Vec::new());
    let progress = |done, all| calls.lock().expect("unpoisoned").push((done, all));
    super::check_with(&crate::testing::backend(), &folder.request(&[]), &progress).expect("no error");
    let mut calls = calls.into_inner().expect("unpoisoned");
    calls.sort_unstable();
    assert_eq!(calls, [(1, 2), (2, 2)]);
}
