//! Hovers, hints, lenses and diagnostics at every offset of real projects: nothing panics and every range is inside its file.

use std::path::{Path, PathBuf};
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_ide::{diagnostics, hints, hover, lenses};
use vramlint_project::{Report, Request, check};

/// Guides that are swept.
const GUIDES: usize = 2;
/// Every 96th project of the shared cases: they are many and alike.
const EVERY: usize = 96;
/// Bytes of a file that are swept, from its start.
const BYTES: usize = 2_500;
/// Seeds that are swept; they are larger than the projects.
const SEEDS: usize = 1;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Asks for every feature at every offset of a file. Returns the number of hovers.
fn sweep(report: &Report, file: FileId) -> usize {
    let text = &report.project.file(file).text;
    let holds = |range: TextRange| {
        assert!(text.get(range.as_usize()).is_some(), "{range:?} in {}", report.project.file(file).path);
    };
    let mut answers = 0;
    for lang in [Lang::En, Lang::Zh] {
        // The second language takes every seventh byte: only its text differs.
        let step = if lang == Lang::En { 1 } else { 7 };
        for offset in (0..=text.len().min(BYTES)).step_by(step) {
            if let Some(found) = hover(report, file, offset as u32, lang) {
                holds(found.range);
                assert!(!found.text.trim().is_empty());
                assert!(found.text.matches("```").count() % 2 == 0, "{}", found.text);
                answers += 1;
            }
        }
        for hint in hints(report, file, TextRange::new(0, text.len() as u32), lang) {
            assert!(text.is_char_boundary(hint.offset as usize));
        }
        for lens in lenses(report, file, lang) {
            holds(lens.range);
        }
        for one in diagnostics(report, file, lang) {
            holds(one.range);
        }
    }
    answers
}

fn sweep_projects(projects: &[PathBuf]) {
    let mut answers = 0;
    for project in projects {
        let request = Request { cwd: project.clone(), jobs: 1, ..Request::default() };
        let report = check(&request, &|_, _| {}).expect("a valid configuration");
        let files = report.project.files.iter().filter(|file| file.reported && file.host.is_none());
        answers += files.map(|file| sweep(&report, file.id)).sum::<usize>();
    }
    assert!(answers > 200, "{answers} answers");
}

#[test]
fn every_offset_has_an_answer_or_none() {
    let mut projects = below(&root().join("examples"));
    projects.extend(below(&root().join("tests/guides")).into_iter().take(GUIDES).map(|guide| guide.join("before")));
    sweep_projects(&projects);
}

#[test]
#[ignore = "needs the shared cases next to the checkout"]
fn every_offset_of_the_shared_cases_has_an_answer_or_none() {
    let shared = root().join("../shared/cases");
    let mut projects: Vec<PathBuf> = below(&shared.join("seeds")).into_iter().take(SEEDS).collect();
    projects.extend(below(&shared.join("projects")).iter().flat_map(|family| below(family)).step_by(EVERY));
    sweep_projects(&projects);
}
