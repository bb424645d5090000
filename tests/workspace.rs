//! A workspace and `check` produce the same findings, over real configurations and the cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vramlint_project::{CancellationToken, Report, Request, Workspace, check};
use vramlint_test::{Document, case_documents, shared, workspace_root, write_files};

/// The findings of each file, formatted.
fn lines(report: &Report) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in &report.findings {
        let (file, start, end) = report.project.position(finding.place);
        let related: Vec<_> = finding.related.iter().map(|related| report.project.position(related.place).1).collect();
        let line = format!("{start:?}-{end:?} {} {:?} {} {related:?}", finding.code, finding.severity, finding.message.en);
        out.entry(file.path.clone()).or_default().push(line);
    }
    out
}

fn request(folder: &Path) -> Request {
    Request { cwd: folder.to_path_buf(), paths: vec![folder.to_path_buf()], ..Request::default() }
}

/// Files with different results: the file, the findings of `check`, the findings of the workspace.
fn differences(folder: &Path) -> Vec<String> {
    let checked = check(&request(folder), &|_, _| {}).expect("a sound configuration");
    let expected = lines(&checked);
    let workspace = Workspace::new(request(folder));
    let whole = workspace.analyze_all(&CancellationToken::default()).expect("an answer");
    let mut out = Vec::new();
    if lines(&whole.report) != expected {
        out.push(format!("{}: whole\n  check {expected:#?}\n  whole {:#?}", folder.display(), lines(&whole.report)));
    }
    let none = Vec::new();
    for file in checked.project.files.iter().filter(|file| file.host.is_none() && file.reported) {
        let answer = workspace.analyze_file(&folder.join(&file.path), &CancellationToken::default()).expect("an answer");
        let found = lines(&answer.report);
        assert!(answer.covers.contains(&file.path), "{} is not covered by itself", file.path);
        for path in &answer.covers {
            let (want, have) = (expected.get(path).unwrap_or(&none), found.get(path).unwrap_or(&none));
            if want != have {
                out.push(format!("{} around {}: {path}\n  check {want:#?}\n  part {have:#?}", folder.display(), file.path));
            }
        }
    }
    out
}

fn assert_no_differences(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn cases_of_the_rules_and_the_guides() {
    let mut wrong = Vec::new();
    for case in case_documents("tests/rules").iter().flat_map(Document::cases) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_files(folder.path(), &case.files);
        wrong.extend(differences(folder.path()).into_iter().map(|difference| format!("{}: {difference}", case.id())));
    }
    for folder in folders(&workspace_root().join("tests/guides"), 2) {
        wrong.extend(differences(&folder));
    }
    assert_no_differences(&wrong);
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn every_case_project_whole_and_around_each_file() {
    let mut wrong = Vec::new();
    for entry in folders(&shared("cases/projects"), 2) {
        for side in ["good", "bad"] {
            wrong.extend(differences(&entry.join(side)));
        }
    }
    assert_no_differences(&wrong);
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn the_corpus_whole_and_around_each_file() {
    assert_no_differences(&differences(&shared("corpus")));
}

/// The folders `depth` levels below.
fn folders(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let inner = std::fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let inner = inner.filter(|path| path.is_dir());
    let mut found: Vec<PathBuf> =
        if depth == 1 { inner.collect() } else { inner.flat_map(|path| folders(&path, depth - 1)).collect() };
    found.sort();
    found
}
