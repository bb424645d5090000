//! The memory of a run, after its launch line or the key that names its model.

use super::{Hint, HintKind};
use crate::markdown::inline;
use crate::summary;
use vramlint_base::{FileRange, Lang, TextRange, message};
use vramlint_project::Report;
use vramlint_view::estimate::format::gib_value;

/// One hint for each location of runs with an estimate; of several runs at one location, the largest.
pub(super) fn memories(report: &Report, wanted: &impl Fn(FileRange) -> bool, lang: Lang) -> Vec<Hint> {
    let mut found: Vec<(u64, Hint)> = Vec::new();
    for run in &report.project.runs {
        let place = summary::anchor(&report.project, run);
        let end = first_line(&report.project.file(place.file).text, place.range);
        if !wanted(FileRange::new(place.file, TextRange::at(end))) {
            continue;
        }
        let Some(estimate) = summary::estimate(report, run) else { continue };
        let (low, high) = (estimate.estimate.low.min(estimate.floor), estimate.estimate.high);
        let (id, low, high) = (&run.id, gib_value(low), gib_value(high));
        let mut tooltip =
            message!("`{id}`: {low} to {high} GiB on one GPU", "`{id}`：单块 GPU {low} 至 {high} GiB").get(lang).to_owned();
        if let Some(why) = &estimate.unverified {
            let (en, zh) = (&why.en, &why.zh);
            tooltip.push_str(message!("; a rough estimate: {en}", "，仅为粗估：{zh}").get(lang));
        }
        let label = format!(" {}", summary::memory_label(estimate, lang));
        let tooltip = inline(&tooltip);
        let hint = Hint { offset: end, label, tooltip, kind: HintKind::Memory };
        let peak = estimate.estimate.peak;
        match found.iter_mut().find(|(_, own)| own.offset == end) {
            Some(own) if own.0 < peak => *own = (peak, hint),
            Some(_) => {}
            None => found.push((peak, hint)),
        }
    }
    found.into_iter().map(|(_, hint)| hint).collect()
}

/// The end of the first line of a range: nothing in the range follows it on that line.
fn first_line(text: &str, range: TextRange) -> u32 {
    let line = range.slice(text).split('\n').next().unwrap_or_default();
    range.start + line.trim_end_matches('\r').len() as u32
}
