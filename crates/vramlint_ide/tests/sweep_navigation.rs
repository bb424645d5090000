//! Completion, actions, navigation, links and outline over real small projects: nothing panics and every range lies in its file, at
//! character boundaries.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vramlint_base::{FileId, FileRange, Lang, TextRange};
use vramlint_ide::{Symbol, actions, completions, definition, links, references, symbols};
use vramlint_project::{Report, Request, check};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example and the guides of the repository.
fn projects() -> Vec<PathBuf> {
    let mut found = below(&repository().join("examples"));
    found.extend(below(&repository().join("tests/guides")).iter().flat_map(|guide| below(guide)));
    found
}

/// Every `step`th of the shared cases.
fn shared_projects(step: usize) -> Vec<PathBuf> {
    let families = below(&repository().join("../shared/cases/projects"));
    let cases = families.iter().flat_map(|family| below(family));
    cases.flat_map(|case| below(&case)).step_by(step).collect()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("readable").flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn report(folder: &Path) -> Report {
    let request = Request { cwd: folder.to_path_buf(), jobs: 1, ..Request::default() };
    check(&request, &|_, _| {}).expect("a sound configuration")
}

fn hosts(report: &Report) -> Vec<FileId> {
    report.project.files.iter().filter(|file| file.host.is_none()).map(|file| file.id).collect()
}

#[test]
fn every_answer_lies_in_its_file() {
    answers_lie_in_their_files(&projects(), 23);
}

#[test]
#[ignore = "needs the shared cases next to the checkout"]
fn every_answer_about_the_shared_cases_lies_in_its_file() {
    answers_lie_in_their_files(&shared_projects(9), 5);
}

/// Asks at every `step`th character.
fn answers_lie_in_their_files(projects: &[PathBuf], step: usize) {
    let mut asked = 0;
    for folder in projects {
        let report = report(folder);
        let holds = |place: FileRange| report.project.file(place.file).text.get(place.range.as_usize()).is_some();
        for file in hosts(&report) {
            let text = report.project.file(file).text.clone();
            let at = |range| FileRange::new(file, range);
            check_symbols(&text, &symbols(&report, file, Lang::Zh));
            assert!(links(&report, file).iter().all(|link| holds(at(link.range))));
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)).step_by(step) {
                let offset = offset as u32;
                for one in completions(&report, file, offset, Lang::En) {
                    assert!(holds(at(one.replace)) && one.replace.start <= offset, "{}: {one:?}", folder.display());
                    assert!(!one.text.is_empty() && !one.label.is_empty());
                }
                let places = definition(&report, file, offset).into_iter().chain(references(&report, file, offset));
                assert!(places.into_iter().all(holds));
                asked += 1;
            }
            let whole = TextRange::new(0, text.len() as u32);
            for action in actions(&report, file, whole, Lang::Zh) {
                assert!(action.edits.iter().all(|edit| holds(edit.place)), "{action:?}");
                assert_eq!(action.edits.is_empty(), action.page.is_some());
            }
        }
    }
    assert!(asked > 1000, "{asked}");
}

fn check_symbols(text: &str, symbols: &[Symbol]) {
    for symbol in symbols {
        assert!(text.get(symbol.range.as_usize()).is_some() && symbol.range.contains(symbol.selection), "{symbol:?}");
        assert!(symbol.children.iter().all(|child| symbol.range.contains(child.range)), "{symbol:?}");
        check_symbols(text, &symbol.children);
    }
}

#[test]
fn what_wins_and_what_loses_lead_to_each_other() {
    losers_lead_to_winners(&projects());
}

#[test]
#[ignore = "needs the shared cases next to the checkout"]
fn what_wins_and_what_loses_in_the_shared_cases_lead_to_each_other() {
    losers_lead_to_winners(&shared_projects(3));
}

/// From an overridden value to the value that wins.
fn losers_lead_to_winners(projects: &[PathBuf]) {
    let mut followed = 0;
    for folder in projects {
        let report = report(folder);
        for run in &report.project.runs {
            for setting in run.settings.values() {
                let Some(winner) = setting.winning().and_then(|winner| winner.origin.place()) else { continue };
                for candidate in setting.candidates.iter().filter_map(|candidate| candidate.origin.place()) {
                    let (from, to) = (report.project.to_host(candidate), report.project.to_host(winner));
                    if from.file == to.file && (from.range.touches(to.range) || from.range.is_empty()) || is_path(&report, from) {
                        continue;
                    }
                    let found = definition(&report, from.file, from.range.start);
                    assert!(found.contains(&to), "{}: {from:?} -> {to:?}, {found:?}", folder.display());
                    followed += 1;
                }
            }
        }
    }
    assert!(followed > 10, "{followed}");
}

/// The name of a file leads to the file.
fn is_path(report: &Report, place: FileRange) -> bool {
    links(report, place.file).iter().any(|link| link.range.touches(place.range))
}

#[test]
#[ignore = "a measurement: run it alone, with --release and --nocapture"]
fn times_of_completions() {
    measure("small projects", &projects(), 1);
    // The whole repository as one workspace.
    measure("one large workspace", &[repository()], 40);
}

fn measure(what: &str, folders: &[PathBuf], step: usize) {
    let mut times: Vec<Duration> = Vec::new();
    for folder in folders {
        let report = report(folder);
        for file in hosts(&report) {
            let text = report.project.file(file).text.clone();
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)).step_by(step) {
                let start = Instant::now();
                let found = completions(&report, file, offset as u32, Lang::En);
                let time = start.elapsed();
                if !found.is_empty() {
                    times.push(time);
                }
            }
        }
    }
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!(
        "{what}, {} completions: p50 {:?}, p95 {:?}, p99 {:?}, longest {:?}",
        times.len(),
        at(50),
        at(95),
        at(99),
        times.last()
    );
}
