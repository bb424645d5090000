//! Files cut off anywhere: every reader, the joining into runs and every rule go through without a panic, and every place that
//! they name lies inside the file at the edge of a character.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use vramlint_base::FileRange;
use vramlint_project::{Request, check};
use vramlint_test::{files_below, shared, workspace_root};

/// A file is cut at every so many bytes.
const STEP: usize = 97;
/// Bytes that the cuts of one file hold together. Files of up to 20 kB are cut at every step, larger ones less often.
const BYTES: usize = 2_000_000;

fn cuts(length: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..=length).step_by(STEP).collect();
    let keep = (all.len() * length / 2).div_ceil(BYTES).max(1);
    all.into_iter().step_by(keep).collect()
}

/// As standard input under the file's own name, in an empty folder: a panic anywhere becomes the finding `internal-error`.
fn check_text(empty: &Path, path: &Path, bytes: &[u8]) {
    let name = path.file_name().map(Path::new).expect("a file has a name").to_path_buf();
    let request = Request {
        cwd: empty.to_path_buf(),
        stdin: Some((name.clone(), bytes.to_vec())),
        isolated: true,
        jobs: 1,
        ..Request::default()
    };
    let report = check(&request, &|_, _| {}).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let inside = |place: FileRange| {
        let text = &report.project.file(place.file).text;
        let (start, end) = (place.range.start as usize, place.range.end as usize);
        assert!(
            start <= end && text.is_char_boundary(start) && text.is_char_boundary(end),
            "{}: {:?} of {}",
            path.display(),
            place.range,
            text.len()
        );
    };
    for finding in &report.findings {
        assert_ne!(finding.name, "internal-error", "{} cut at {}: {}", path.display(), bytes.len(), finding.message.en);
        inside(finding.place);
        finding.related.iter().for_each(|related| inside(related.place));
        finding.fixes.iter().flat_map(|fix| &fix.edits).for_each(|edit| inside(edit.place));
    }
}

/// Cuts every file below a folder, on every core; tells how many texts that were.
fn cut_all(folder: &Path) -> usize {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let files = files_below(folder);
    let (next, cut) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Plain threads: `check` has a pool of its own, and a worker of another pool that waits for it takes up further work.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let bytes = std::fs::read(path).expect("readable");
                    let cuts = cuts(bytes.len());
                    for at in &cuts {
                        check_text(empty.path(), path, &bytes[..*at]);
                    }
                    cut.fetch_add(cuts.len(), Ordering::Relaxed);
                }
            });
        }
    });
    cut.into_inner()
}

#[test]
fn projects_of_this_repository() {
    let cut: usize = ["tests/guides", "examples"].iter().map(|part| cut_all(&workspace_root().join(part))).sum();
    assert!(cut > 300, "only {cut} cuts");
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn reference_cases_and_corpus() {
    // `cases/faults` is left out: a single check of its slow files takes minutes.
    for part in ["cases/oom", "cases/projects", "cases/seeds", "corpus", "seeds"] {
        assert!(cut_all(&shared(part)) > 100, "{part}");
    }
}
