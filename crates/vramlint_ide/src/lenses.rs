//! Code lenses above launches.

use crate::summary;
use vramlint_base::{FileId, Lang, TextRange, message};
use vramlint_project::Report;

/// The command of a lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensCommand {
    /// Shows the resolved run; its id.
    ShowRun(String),
    /// Shows the memory timeline of the run; its id.
    ShowTimeline(String),
}

/// A code lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The launch, or the main line of a run without one; in the host file.
    pub range: TextRange,
    /// The title.
    pub title: String,
    /// The command.
    pub command: LensCommand,
}

/// The lenses of a host file, in order.
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
            let title = message!("show memory timeline", "显示 GPU 显存时间线").get(lang).to_owned();
            found.push(Lens { range: place.range, title, command: LensCommand::ShowTimeline(run.id.clone()) });
        }
    }
    // A stable sort keeps the two lenses of a run together.
    found.sort_by_key(|lens| lens.range.start);
    found
}

#[cfg(test)]
mod tests;
