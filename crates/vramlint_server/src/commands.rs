//! Content for `workspace/executeCommand`.

use std::io;
use std::path::PathBuf;
use vramlint_base::Lang;
use vramlint_project::Report;
use vramlint_project::explanation::explain_file;
use vramlint_resolve::SourceFile;
use vramlint_view::estimate::{EstimateReport, html, reports, run_inputs};
use vramlint_view::{runs, unstyled};

/// The page with the memory timeline of a run, or with the reason why there is none; `None` if the run does not exist.
pub(crate) fn timeline(report: &Report, run: &str, lang: Lang) -> Option<String> {
    let (id, input) = run_inputs(report, lang).into_iter().find(|(id, _)| id == run)?;
    Some(match input {
        Ok(input) => html(&[EstimateReport::new(input)], &[], lang),
        Err(why) => html(&[], &[(id, why)], lang),
    })
}

/// The resolved run, as `vramlint runs` prints it.
pub(crate) fn run(report: &Report, run: &str, lang: Lang) -> Option<String> {
    let (run, answer) = report.runs().zip(reports(report, lang)).find(|(candidate, _)| candidate.id == run)?;
    Some(runs::render_run(&report.project, run, &answer, lang, unstyled))
}

/// What `vramlint why` says of a file, or of a line of it from 1.
pub(crate) fn why(report: &Report, file: &SourceFile, line: Option<u32>, lang: Lang) -> String {
    vramlint_view::why::render(&explain_file(report, file, line), lang, unstyled)
}

/// Writes a page where any client can open it, and returns the path.
pub(crate) fn write_page(name: &str, text: &str) -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(concat!("vramlint-", env!("CARGO_PKG_VERSION"), "-pages"));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}
