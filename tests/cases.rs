//! The pairs of small projects whose bad form a real library refused, ignored or changed, and whose good form it took: what is
//! found in the bad form, that nothing is in the good one, and that safe fixes cure.

mod common;

use common::{Checked, check_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};
use vramlint_base::{Applicability, Finding, Severity};
use vramlint_project::{Request, fix_until_stable};
use vramlint_test::{files_below, shared};

/// A pair: its folder and what is expected of it.
struct Pair {
    name: String,
    folder: PathBuf,
    expect: Value,
}

fn pairs() -> Vec<Pair> {
    let top = shared("cases/projects");
    let found = files_below(&top).into_iter().filter(|path| path.file_name().is_some_and(|name| name == "expect.json"));
    let pairs: Vec<Pair> = found
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            let folder = path.parent().expect("below it").to_path_buf();
            let name = folder.strip_prefix(&top).expect("below it").to_string_lossy().replace('\\', "/");
            Pair { name, folder, expect: serde_json::from_str(&text).expect("JSON") }
        })
        .collect();
    assert!(pairs.len() > 100, "only {} pairs", pairs.len());
    pairs
}

/// File and line of a finding.
fn place(checked: &Checked, finding: &Finding) -> (String, u64) {
    let (path, line, _) = checked.places(finding).remove(0);
    (path, u64::from(line))
}

fn wheres(expect: &Value) -> Vec<(String, u64)> {
    let places = expect["where"].as_array().into_iter().flatten();
    places.filter_map(|place| Some((place["file"].as_str()?.to_owned(), place["line"].as_u64()?))).collect()
}

/// Whether the pair says that a careful linter may warn of this in the good form.
fn tolerated(checked: &Checked, finding: &Finding, expect: &Value) -> bool {
    let help = finding.help.as_ref().map_or("", |help| &help.en);
    let text = format!("{} {} {help}", finding.name, finding.message.en).to_lowercase();
    let (path, line) = place(checked, finding);
    let fits = |entry: &Value| {
        let words = entry["about"].as_array();
        entry["file"].as_str().is_none_or(|file| file == path)
            && entry["line"].as_u64().is_none_or(|at| at == line)
            && words.is_none_or(|words| words.iter().filter_map(Value::as_str).any(|word| text.contains(&word.to_lowercase())))
    };
    finding.severity == Severity::Warning && expect["good_may_flag"].as_array().is_some_and(|entries| entries.iter().any(fits))
}

fn alarms<'a>(checked: &'a Checked, expect: &'a Value) -> impl Iterator<Item = &'a Finding> {
    checked.findings().filter(|found| found.severity >= Severity::Warning && !tolerated(checked, found, expect))
}

fn told(checked: &Checked, finding: &Finding) -> String {
    let (path, line) = place(checked, finding);
    format!("{path}:{line} {} {}", finding.name, finding.message.en)
}

/// Whether at least so many percent of all are found.
fn at_least(percent: usize, found: usize, all: usize) -> bool {
    found * 100 >= all * percent
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn what_a_library_refuses_ignores_or_changes_is_found() {
    let pairs = pairs();
    let (mut in_file, mut on_line, mut missed) = (0, 0, Vec::new());
    for pair in &pairs {
        let checked = check_folder(&pair.folder.join("bad"));
        let wanted = wheres(&pair.expect);
        let refused = pair.expect["outcome"] == "rejected";
        let grave: Vec<(String, u64)> = checked
            .findings()
            .filter(|finding| !refused || finding.severity == Severity::Error)
            .map(|finding| place(&checked, finding))
            .collect();
        let file = grave.iter().any(|(path, _)| wanted.iter().any(|(wanted, _)| wanted == path));
        let line = grave.iter().any(|place| wanted.contains(place));
        in_file += usize::from(file);
        on_line += usize::from(line);
        if !line {
            missed.push(&pair.name);
        }
    }
    println!("{in_file} of {} by file, {on_line} by line; missed {missed:?}", pairs.len());
    assert!(at_least(98, in_file, pairs.len()) && at_least(95, on_line, pairs.len()), "{in_file} {on_line} {missed:#?}");
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn what_a_library_takes_is_left_alone() {
    let pairs = pairs();
    let mut wrong = Vec::new();
    for pair in &pairs {
        let checked = check_folder(&pair.folder.join("good"));
        wrong.extend(alarms(&checked, &pair.expect).map(|found| format!("{}: {}", pair.name, told(&checked, found))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn copy(from: &Path, to: &Path) {
    for path in files_below(from) {
        let target = to.join(path.strip_prefix(from).expect("below it"));
        std::fs::create_dir_all(target.parent().expect("below it")).expect("writable");
        std::fs::copy(&path, target).expect("writable");
    }
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn safe_fixes_cure() {
    let pairs = pairs();
    let (mut clean, mut left) = (0, Vec::new());
    for pair in &pairs {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&pair.folder.join("bad"), folder.path());
        let before = check_folder(folder.path());
        let wanted = wheres(&pair.expect);
        let safe = |found: &&Finding| {
            let here = wanted.contains(&place(&before, found));
            here && found.fixes.first().is_some_and(|fix| fix.applicability == Applicability::Safe)
        };
        if !before.findings().any(|found| safe(&found)) {
            continue;
        }
        let request = Request { cwd: folder.path().to_path_buf(), ..Request::default() };
        let outcome = fix_until_stable(&request, false, &|_, _| {}).unwrap_or_else(|error| panic!("{}: {error}", pair.name));
        for file in &outcome.files {
            std::fs::write(folder.path().join(&file.path), &file.after).expect("writable");
        }
        let after = check_folder(folder.path());
        let rest: Vec<String> = alarms(&after, &pair.expect).map(|found| told(&after, found)).collect();
        let (was, is) = (before.findings().count(), after.findings().count());
        assert!(is <= was, "{}: fixes made it worse, {was} findings before and {is} after", pair.name);
        assert!(!after.findings().any(|found| found.name == "syntax-error"), "{}: fixes broke a file", pair.name);
        if rest.is_empty() { clean += 1 } else { left.push(format!("{}: {rest:?}", pair.name)) }
    }
    let all = clean + left.len();
    println!("{clean} of {all} projects with a safe fix are clean after it; left {left:#?}");
    assert!(all > 0 && at_least(95, clean, all), "{clean} of {all}: {left:#?}");
}
