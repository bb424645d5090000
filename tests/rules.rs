//! Cases of every rule: one Markdown file per rule, `tests/rules/<rule>.md`, with a section per case. `vramlint_test::Document`
//! describes the form.
//!
//! A case of a rule about memory records only that rule's findings; other memory rules have their own cases. Figures in GiB and
//! percent may differ by a fifth: the simulation that they come from becomes more exact from time to time.
//!
//! `UPDATE_EXPECT=1 cargo test --test rules` rewrites the expectations; read the diff before you commit it.
//!
//! Every case also runs with CRLF line endings, with a byte order mark, with Chinese above it, and suppressed from each of its ends.

mod common;

use common::{Checked, check_as};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use vramlint_base::{Finding, Severity};
use vramlint_project::{Request, fix_until_stable};
use vramlint_rules::RULES;
use vramlint_test::{Case, case_documents, diff, write_files};

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = case_documents("tests/rules").iter().flat_map(vramlint_test::Document::cases).collect();
    assert!(cases.len() >= 1000, "only {} cases", cases.len());
    if let Some(only) = only() {
        cases.retain(|case| only.split(',').any(|name| name == case.title));
    }
    cases
}

/// `ONLY=name,name cargo test --test rules` looks at the cases of some rules, while they are being written.
fn only() -> Option<String> {
    std::env::var("ONLY").ok()
}

/// What is asked of a case in a folder: every rule, but of those about memory only its own.
fn request(rule: &str, folder: &Path) -> Request {
    let (ignore, extend_select) = (vec!["VL3".to_owned()], vec![rule.to_owned()]);
    Request { cwd: folder.to_path_buf(), ignore, extend_select, ..Request::default() }
}

/// Checks files of a case of a rule in a folder of their own; the folder goes with the answer.
fn check(rule: &str, files: &BTreeMap<String, Vec<u8>>) -> (tempfile::TempDir, Checked) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_files(folder.path(), files);
    let checked = check_as(&request(rule, folder.path()));
    (folder, checked)
}

/// A text with its figures in GiB and percent taken out, and these.
fn figures(text: &str) -> (String, Vec<f64>) {
    let words: Vec<&str> = text.split(' ').collect();
    let (mut rest, mut figures) = (Vec::new(), Vec::new());
    for (i, word) in words.iter().enumerate() {
        let unit = words.get(i + 1).is_some_and(|next| next.starts_with("GiB") || next.starts_with('%'));
        match word.trim_start_matches('(').parse() {
            Ok(figure) if unit => figures.push(figure),
            _ => rest.push(*word),
        }
    }
    (rest.join(" "), figures)
}

/// Whether findings are the same but for figures that differ by less than a fifth.
fn alike(found: &[String], expected: &[String]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= a.abs().max(b.abs()) / 5.0;
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            let ((text, ours), (due, theirs)) = (figures(found), figures(expected));
            text == due && ours.len() == theirs.len() && ours.iter().zip(&theirs).all(close)
        })
}

#[test]
fn only_figures_may_differ_and_only_by_little() {
    let lines = |text: &str| vec![text.to_owned()];
    let due = lines("a.yaml:9:3 warning r needs 72.7 GiB of 48 GiB: weights 14.3 GiB (20 %) | related b.toml:2");
    assert!(alike(&lines("a.yaml:9:3 warning r needs 70.1 GiB of 48 GiB: weights 14.9 GiB (21 %) | related b.toml:2"), &due));
    assert!(!alike(&lines("a.yaml:9:3 warning r needs 40.1 GiB of 48 GiB: weights 14.9 GiB (21 %) | related b.toml:2"), &due));
    assert!(!alike(&lines("a.yaml:8:3 warning r needs 72.7 GiB of 48 GiB: weights 14.3 GiB (20 %) | related b.toml:2"), &due));
    assert!(!alike(&[], &due));
}

fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// `path:line:column severity rule message | related path:line path:line`.
fn line(checked: &Checked, finding: &Finding, lines_down: i64) -> String {
    let place = |place| {
        let (file, start, _) = checked.report.project.position(place);
        (file.path.clone(), i64::from(start.line) - lines_down, start.column)
    };
    let (path, line, column) = place(finding.place);
    let mut shown = format!("{path}:{line}:{column} {} {} {}", severity(finding), finding.name, finding.message.en);
    let related: Vec<String> =
        finding.related.iter().map(|related| place(related.place)).map(|(p, l, _)| format!("{p}:{l}")).collect();
    if !related.is_empty() {
        shown = format!("{shown} | related {}", related.join(" "));
    }
    shown
}

fn lines(checked: &Checked, lines_down: i64) -> Vec<String> {
    checked.findings().map(|finding| line(checked, finding, lines_down)).collect()
}

fn updates() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// Rewrites the expectations of the cases for which `expectation` returns one.
fn update(expectation: impl Fn(&Case) -> Option<(Vec<String>, String)>) {
    for mut document in case_documents("tests/rules") {
        let mut changed = false;
        for case in document.cases() {
            if let Some((findings, fixes)) = expectation(&case) {
                document.expect(&case.name, &findings, &fixes);
                changed = true;
            }
        }
        if changed {
            document.write();
        }
    }
}

/// The two tests that rewrite expectations must not do so at the same time.
static UPDATE: Mutex<()> = Mutex::new(());

#[test]
fn cases_are_as_expected() {
    let mut wrong = Vec::new();
    let mut new = BTreeMap::new();
    for case in cases() {
        let (_folder, checked) = check(&case.title, &case.files);
        let found = lines(&checked, 0);
        if alike(&found, &case.findings) {
            continue;
        }
        if updates() {
            new.insert(case.id(), found);
        } else {
            wrong.push(format!("{}:\n  expected {:#?}\n  found {found:#?}", case.id(), case.findings));
        }
    }
    if !new.is_empty() {
        let _lock = UPDATE.lock().expect("no update failed");
        update(|case| new.get(&case.id()).map(|found| (found.clone(), case.fixes.clone())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixes_are_as_expected_and_settle() {
    let mut wrong = Vec::new();
    let mut new = BTreeMap::new();
    for case in cases() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_files(folder.path(), &case.files);
        let request = request(&case.title, folder.path());
        let name = case.id();
        let outcome = fix_until_stable(&request, true, &|_, _| {}).unwrap_or_else(|error| panic!("{name}: {error}"));
        wrong.extend(outcome.failed.iter().map(|fix| format!("{name}: {} cannot be applied: {}", fix.name, fix.title.en)));
        let fixed: BTreeMap<String, Vec<u8>> =
            outcome.files.iter().map(|file| (file.shown.clone(), file.after.clone().into_bytes())).collect();
        let made = diff(&case.files, &fixed);
        if made != case.fixes {
            if updates() {
                new.insert(name.clone(), made);
            } else {
                wrong.push(format!("{name}: expected\n{}\n  made\n{made}", case.fixes));
            }
        }
        // Once more changes nothing.
        write_files(folder.path(), &fixed);
        let again = fix_until_stable(&request, true, &|_, _| {}).unwrap_or_else(|error| panic!("{name}: {error}"));
        wrong.extend(again.files.iter().map(|file| format!("{name}: fixing twice changes {}:\n{}", file.shown, file.after)));
    }
    if !new.is_empty() {
        let _lock = UPDATE.lock().expect("no update failed");
        update(|case| new.get(&case.id()).map(|fixes| (case.findings.clone(), fixes.clone())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_cases_that_fire_and_cases_that_stay_silent() {
    if only().is_some() {
        return;
    }
    let (mut fires, mut silent) = (BTreeSet::new(), BTreeSet::new());
    for case in cases() {
        assert!(RULES.iter().any(|rule| rule.name == case.title), "{}: no such rule", case.title);
        let found = case.findings.iter().any(|line| line.split(' ').nth(2) == Some(&case.title));
        if found {
            fires.insert(case.title)
        } else {
            silent.insert(case.title)
        };
    }
    // A rule that fails cannot be shown by a project; neither can a file of two megabytes be kept here.
    let exempt = ["internal-error", "file-too-large"];
    for rule in RULES.iter().filter(|rule| !exempt.contains(&rule.name)) {
        assert!(fires.contains(rule.name), "{}: no case fires", rule.name);
        assert!(silent.contains(rule.name), "{}: no case stays silent", rule.name);
    }
}

#[test]
fn every_rule_has_a_case_in_which_what_decides_is_not_known() {
    if only().is_some() {
        return;
    }
    let unknown: BTreeSet<String> =
        cases().into_iter().filter(|case| case.name.contains("unknown")).map(|case| case.title).collect();
    // These look at bytes and at suppressions, in which nothing can be unknown.
    let exempt = ["internal-error", "file-too-large", "unreadable-file", "unused-suppression"];
    for rule in RULES.iter().filter(|rule| !exempt.contains(&rule.name)) {
        assert!(unknown.contains(rule.name), "{}: no case has `unknown` in its name", rule.name);
    }
}

/// Files with `change` made to the text of each that it speaks of.
fn changed(case: &Case, change: impl Fn(&str, &str) -> Option<String>) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut files = case.files.clone();
    let mut any = false;
    for (path, bytes) in &mut files {
        let Ok(text) = std::str::from_utf8(bytes) else { return None };
        if let Some(new) = change(path, text) {
            *bytes = new.into_bytes();
            any = true;
        }
    }
    any.then_some(files)
}

fn compare(what: &str, changed: impl Fn(&Case) -> Option<BTreeMap<String, Vec<u8>>>, lines_down: i64) {
    let mut wrong = Vec::new();
    for case in cases() {
        let Some(files) = changed(&case) else { continue };
        let (_folder, checked) = check(&case.title, &files);
        let found = lines(&checked, lines_down);
        if !alike(&found, &case.findings) {
            wrong.push(format!("{} {what}:\n  expected {:#?}\n  found {found:#?}", case.id(), case.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn line_endings_do_not_matter() {
    // A shell script with `\r\n` is another script: bash takes the `\r` for part of the last word.
    let windows = |path: &str, text: &str| (!path.ends_with(".sh") && !text.contains('\r')).then(|| text.replace('\n', "\r\n"));
    compare("with CRLF", |case| changed(case, windows), 0);
}

#[test]
fn a_byte_order_mark_does_not_matter() {
    // A comment in front keeps the columns of the first line out of it.
    let marked = |path: &str, text: &str| {
        let takes_one = [".yaml", ".yml", ".py"].iter().any(|end| path.ends_with(end));
        (takes_one && !text.starts_with('\u{feff}')).then(|| format!("\u{feff}# marked\n{text}"))
    };
    compare("with a byte order mark", |case| all_or_nothing(case, marked), 1);
}

#[test]
fn chinese_above_does_not_matter() {
    let above = |path: &str, text: &str| {
        let comments = [".yaml", ".yml", ".py"].iter().any(|end| path.ends_with(end));
        comments.then(|| format!("# 训练配置：请勿修改（每卡显存 24 GiB）\n{text}"))
    };
    compare("below Chinese", |case| all_or_nothing(case, above), 1);
}

/// Only cases of which every file with a finding is changed can be compared with all lines moved down.
fn all_or_nothing(case: &Case, change: impl Fn(&str, &str) -> Option<String>) -> Option<BTreeMap<String, Vec<u8>>> {
    let expected = case.findings.join("\n");
    let untouched = |path: &String, bytes: &Vec<u8>| {
        std::str::from_utf8(bytes).ok().and_then(|text| change(path, text)).is_none() && expected.contains(&format!("{path}:"))
    };
    if case.files.iter().any(|(path, bytes)| untouched(path, bytes)) {
        return None;
    }
    changed(case, change)
}

#[test]
fn either_end_suppresses() {
    let mut tried = 0;
    for case in cases() {
        let (_folder, checked) = check(&case.title, &case.files);
        // What follows an error in YAML may not be read, comments included.
        let unread = |finding: &&Finding| {
            let (path, _, _) = checked.places(finding).remove(0);
            finding.name.ends_with("-suppression")
                || finding.name == "unreadable-file"
                || finding.name == "syntax-error" && path.ends_with(".yaml")
        };
        for finding in checked.findings().filter(|finding| !unread(finding)) {
            let before = count(&checked, finding.name);
            for (path, line, _) in checked.places(finding) {
                let Some(files) = suppressed(&case, &path, line, finding.name) else { continue };
                let (_folder, after) = check(&case.title, &files);
                let name = format!("{}/{} with {} ignored at {path}:{line}", case.title, case.name, finding.name);
                assert!(count(&after, finding.name) < before, "{name}: {:#?}", lines(&after, 0));
                assert!(!after.findings().any(|f| f.name == "unused-suppression"), "{name}: {:#?}", lines(&after, 0));
                tried += 1;
            }
        }
    }
    assert!(tried >= 60 || only().is_some(), "only {tried} suppressions tried");
}

fn count(checked: &Checked, name: &str) -> usize {
    checked.findings().filter(|finding| finding.name == name).count()
}

/// The files with a suppression behind a line; `None` where the line takes no comment.
fn suppressed(case: &Case, path: &str, line: u32, rule: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let text = std::str::from_utf8(case.files.get(path)?).ok()?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = lines.get_mut(line as usize - 1)?;
    let takes_comments = [".yaml", ".yml", ".py", ".sh"].iter().any(|end| path.ends_with(end)) && !path.ends_with(".md");
    if !takes_comments || at.trim_end().ends_with('\\') || at.contains("\"\"\"") || at.contains('\r') {
        return None;
    }
    *at = format!("{at}  # vramlint: ignore[{rule}] tried");
    let mut files = case.files.clone();
    files.insert(path.to_owned(), lines.join("\n").into_bytes());
    Some(files)
}

#[test]
fn a_file_that_is_too_large_is_told_only_where_it_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("data.yaml"), "# filler\n".repeat(300_000)).expect("writable");
    let found = |paths: &[&str]| {
        let paths = paths.iter().map(PathBuf::from).collect();
        let request = Request { cwd: folder.path().to_path_buf(), paths, ..Request::default() };
        let report = vramlint_project::check(&request, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
        report.findings.iter().map(|finding| finding.name).collect::<Vec<_>>()
    };
    assert_eq!(found(&["data.yaml"]), ["file-too-large"]);
    assert_eq!(found(&[]), Vec::<&str>::new());
}
