//! What a command shows of a run.

use vramlint_base::Lang;
use vramlint_project::Report;
use vramlint_view::estimate::{Answer, html, of_report, of_runs};
use vramlint_view::{plain, runs};

/// The page that shows the memory of a run over one step, or why there is none; `None` where there is no such run.
pub(crate) fn timeline(report: &Report, run: &str, lang: Lang) -> Option<String> {
    let (id, subject) = of_runs(report, lang).into_iter().find(|(id, _)| id == run)?;
    Some(match subject {
        Ok(subject) => html(&[Answer::of(subject)], &[], lang),
        Err(why) => html(&[], &[(id, why)], lang),
    })
}

/// A run as it was resolved, as `vramlint runs` prints it.
pub(crate) fn run(report: &Report, run: &str, lang: Lang) -> Option<String> {
    let (run, answer) = report.runs().zip(of_report(report, lang)).find(|(candidate, _)| candidate.id == run)?;
    Some(runs::one(&report.project, run, &answer, lang, plain))
}
