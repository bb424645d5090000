//! Which run wrote a log: the one whose files it names.

use crate::estimated_runs::{EstimatedRun, EstimatedRuns};
use vramlint_oom::Event;
use vramlint_project::Report;
use vramlint_resolve::Run;

/// What an entry script counts, against a file of another kind.
const ENTRY: usize = 8;

/// The run that the event belongs to. `None` if the log names files of several runs alike, or of none where there are several.
pub(super) fn run_of<'a>(project: &'a EstimatedRuns, event: &Event) -> Option<&'a EstimatedRun> {
    // A log that names no file of anybody belongs to the only run.
    if let ([only], true) = (&project.known[..], event.context.files.is_empty()) {
        return Some(only);
    }
    let (_, report) = project.project.as_ref()?;
    let score = |estimated: &EstimatedRun| {
        report.runs().find(|run| run.id == estimated.id).map_or(0, |run| matches(report, run, &event.context.files))
    };
    let scores: Vec<usize> = project.known.iter().map(score).collect();
    let best = scores.iter().copied().max().filter(|best| *best > 0)?;
    let mut winners = project.known.iter().zip(&scores).filter(|(_, score)| **score == best).map(|(run, _)| run);
    let winner = winners.next()?;
    winners.next().is_none().then_some(winner)
}

/// How many files of the run the log names.
fn matches(report: &Report, run: &Run, files: &[String]) -> usize {
    let names = |path: &str| files.iter().any(|file| is_same_file(file, path));
    let entry = run.entry.is_some_and(|entry| names(&report.project.file(entry).path));
    let script = run.launch.as_ref().and_then(|launch| launch.script.as_ref());
    let command = entry || script.and_then(|script| script.text()).is_some_and(names);
    let others = run.files.iter().filter(|file| names(&report.project.file(**file).path)).count();
    others + if command { ENTRY } else { 0 }
}

/// Whether a path in a log and a path of the project name one file: the log may be of another machine, so the end decides.
fn is_same_file(logged: &str, path: &str) -> bool {
    let mut ends = logged.rsplit('/').zip(path.rsplit('/'));
    let Some((one, other)) = ends.next() else { return false };
    let path = path.trim_start_matches("./");
    one == other && (logged.ends_with(path) || path.ends_with(logged.trim_start_matches("./")))
}
