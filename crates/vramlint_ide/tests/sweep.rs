//! Every offset of every file of real projects is asked about: nothing panics, every range is one of the text. Where the shared
//! cases are not, the example of the repository is all there is.

use std::path::{Path, PathBuf};
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_ide::{diagnostics, hints, hover, lenses};
use vramlint_project::{Report, Request, check};

/// Every so many projects of the shared cases: they are many and alike.
const EVERY: usize = 96;
/// Bytes of a file that are asked about, from its start.
const BYTES: usize = 2_500;
/// Seeds that are taken; they are larger than the projects.
const SEEDS: usize = 1;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example of the repository, the shared seeds and some of the shared projects.
fn projects() -> Vec<PathBuf> {
    let shared = root().join("../shared/cases");
    let below = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    if !shared.is_dir() {
        eprintln!("the shared cases are not here: only the example is swept");
    }
    let cases = below(shared.join("projects")).into_iter().flat_map(below);
    let mut found = vec![root().join("examples/reward-model")];
    found.extend(below(shared.join("seeds")).into_iter().take(SEEDS));
    found.extend(cases.step_by(EVERY));
    found
}

/// Every answer about every place of a file.
fn sweep(report: &Report, file: FileId) -> usize {
    let text = &report.project.file(file).text;
    let holds = |range: TextRange| {
        assert!(text.get(range.as_usize()).is_some(), "{range:?} in {}", report.project.file(file).path);
    };
    let mut said = 0;
    for lang in [Lang::En, Lang::Zh] {
        // The second language takes every seventh byte: it differs in words alone.
        let step = if lang == Lang::En { 1 } else { 7 };
        for offset in (0..=text.len().min(BYTES)).step_by(step) {
            if let Some(found) = hover(report, file, offset as u32, lang) {
                holds(found.range);
                assert!(!found.text.trim().is_empty());
                assert!(found.text.matches("```").count() % 2 == 0, "{}", found.text);
                said += 1;
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
    said
}

#[test]
fn every_offset_has_an_answer_or_none() {
    let mut said = 0;
    for project in projects() {
        let request = Request { cwd: project.clone(), jobs: 1, ..Request::default() };
        let report = check(&request, &|_, _| {}).expect("a project with a sound configuration");
        let files = report.project.files.iter().filter(|file| file.reported && file.host.is_none());
        said += files.map(|file| sweep(&report, file.id)).sum::<usize>();
    }
    assert!(said > 200, "{said} answers: the sweep finds nothing to say");
}
