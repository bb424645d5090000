//! A workspace and `check` produce the same findings, over real configurations and the cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vramlint_project::{CancellationToken, Report, Request, Workspace, check};

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = folder.join("cases/projects").is_dir().then_some(folder);
    if found.is_none() {
        println!("skipped: ../shared is absent");
    }
    found
}

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

#[test]
fn every_case_project_whole_and_around_each_file() {
    let Some(shared) = shared() else { return };
    let mut wrong = Vec::new();
    for entry in folders(&shared.join("cases/projects"), 2) {
        for side in ["good", "bad"] {
            wrong.extend(differences(&entry.join(side)));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

#[test]
fn the_corpus_whole_and_around_each_file() {
    let Some(shared) = shared() else { return };
    let wrong = differences(&shared.join("corpus"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
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
