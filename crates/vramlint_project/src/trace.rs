//! Logs the decisions of an analysis: `info` for the outcome, `debug` for each file and unknown value.

use crate::skipped::Skipped;
use tracing::{Level, debug, enabled, info};
use vramlint_resolve::{Project, Resolved};

/// Logs how files were classified and which runs were found.
pub(crate) fn log_project(project: &Project, skipped: &Skipped) {
    if !enabled!(Level::INFO) {
        return;
    }
    let files = project.files.iter().filter(|file| file.host.is_none());
    info!("read {} files, {} of them for context", files.clone().count(), files.filter(|file| !file.reported).count());
    for (reason, count) in skipped.counts() {
        info!("not read: {count} ({})", reason.name());
    }
    if enabled!(Level::DEBUG) {
        log_classification(project);
    }
    for run in &project.runs {
        info!("run {}: {} files, {} settings", run.id, run.files.len(), run.settings.len());
        log_unknown_settings(run);
    }
}

fn log_classification(project: &Project) {
    for file in &project.files {
        let part = if file.host.is_some() { " (embedded)" } else { "" };
        debug!("file {}{part}: {:?}", file.path, project.kind(file.id));
    }
}

/// Logs the unknown settings of a run; rules that need them do not report it.
fn log_unknown_settings(run: &vramlint_resolve::Run) {
    for (concept, setting) in &run.settings {
        if setting.value().is_some() {
            continue;
        }
        if let Some(Resolved::Unknown(why)) = setting.winning().map(|winner| &winner.value) {
            debug!("run {}: {} is unknown: {}", run.id, concept.name(), why.en);
        } else {
            debug!("run {}: {} is undecided between {} values", run.id, concept.name(), setting.candidates.len());
        }
    }
}
