//! Lines above a launch: what it starts, and what can be shown of it.

use crate::summary;
use vramlint_base::{FileId, Lang, TextRange, message};
use vramlint_project::Report;

/// What a lens does when it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensCommand {
    /// Shows the run as it was resolved; its id.
    ShowRun(String),
    /// Shows the memory of the run over one step; its id.
    ShowTimeline(String),
}

/// A line above a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The launch, or the main line of a run that no command starts; in the whole file.
    pub range: TextRange,
    /// Its text.
    pub title: String,
    /// What it does.
    pub command: LensCommand,
}

/// The lenses of a whole file, in order.
pub fn lenses(report: &Report, file: FileId, lang: Lang) -> Vec<Lens> {
    let project = &report.project;
    if project.files.get(file.0 as usize).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for run in &project.runs {
        let place = summary::anchor(project, run);
        if place.file != file {
            continue;
        }
        let parts = summary::parts(report, run, lang);
        let title =
            if parts.is_empty() { message!("training run", "训练任务").get(lang).to_owned() } else { parts.join(" · ") };
        found.push(Lens { range: place.range, title, command: LensCommand::ShowRun(run.id.clone()) });
        if summary::estimate(report, run).is_some() {
            let title = message!("show memory timeline", "显示显存时间线").get(lang).to_owned();
            found.push(Lens { range: place.range, title, command: LensCommand::ShowTimeline(run.id.clone()) });
        }
    }
    // A run's own two stay side by side.
    found.sort_by_key(|lens| lens.range.start);
    found
}

#[cfg(test)]
mod tests;
