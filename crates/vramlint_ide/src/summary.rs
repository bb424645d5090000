//! A run in a few words, for hints, lenses and hovers.

use vramlint_base::{FileRange, Lang, message, text};
use vramlint_catalog::Concept;
use vramlint_estimate::RunEstimate;
use vramlint_project::Report;
use vramlint_resolve::{Project, Run};

/// Bytes in GiB with one decimal, without the unit.
pub(crate) fn gib(bytes: u64) -> String {
    text::gib(bytes, 1)
}

/// The memory of a GPU in GiB without a zero decimal: `24`.
fn capacity_gib(bytes: u64) -> String {
    let text = gib(bytes);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Where a run is shown, in a host file: its launch; without one, the line that sets its model, else that of its micro-batch size,
/// else its first line.
pub(crate) fn anchor(project: &Project, run: &Run) -> FileRange {
    if run.launch.is_some() {
        return project.to_host(run.place);
    }
    let written_at = |concept: &Concept| {
        let place = run.settings.get(concept)?.winning()?.origin.place()?;
        (place.file == run.place.file).then_some(place)
    };
    project.to_host([Concept::Model, Concept::MicroBatch].iter().find_map(written_at).unwrap_or(run.place))
}

/// The estimate of a run, if there is one.
pub(crate) fn estimate<'a>(report: &'a Report, run: &Run) -> Option<&'a RunEstimate> {
    report.estimate(run)?.as_ref().ok()
}

/// `≈ 18.3 of 24 GiB`. A rough estimate starts with `~`.
pub(crate) fn memory_label(found: &RunEstimate, lang: Lang) -> String {
    let sign = if found.is_well_supported() { '≈' } else { '~' };
    let peak = gib(found.estimate.peak);
    match &found.capacity {
        Some(gpu) => {
            let capacity = capacity_gib(gpu.bytes);
            message!("{sign} {peak} of {capacity} GiB", "{sign} {peak} / {capacity} GiB").get(lang).to_owned()
        }
        None => format!("{sign} {peak} GiB"),
    }
}

/// Processes, effective batch size and memory, if they are known.
pub(crate) fn parts(report: &Report, run: &Run, lang: Lang) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(count) = run.int(Concept::WorldSize) {
        let s = if count == 1 { "" } else { "es" };
        parts.push(message!("{count} process{s}", "{count} 个进程").get(lang).to_owned());
    }
    if let Some(batch) = run.int(Concept::EffectiveBatch) {
        parts.push(message!("effective batch {batch}", "有效批大小 {batch}").get(lang).to_owned());
    }
    if let Some(found) = estimate(report, run) {
        parts.push(memory_label(found, lang));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{capacity_gib, gib};

    #[test]
    fn cards_have_whole_numbers_and_runs_one_decimal() {
        assert_eq!((capacity_gib(24 << 30).as_str(), capacity_gib(25_757_220_864).as_str()), ("24", "24"));
        assert_eq!((gib(61 << 30).as_str(), gib((18 << 30) + (300 << 20)).as_str()), ("61.0", "18.3"));
    }
}
