//! The effective batch size, after the micro-batch size.

use super::{Hint, HintKind, host};
use crate::markdown::inline;
use vramlint_base::{FileRange, Lang, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Origin, Run};

/// Maximum number of different products at one location.
const PRODUCTS: usize = 2;

/// One hint for each location that sets the micro-batch size of a run.
pub(super) fn batches(report: &Report, wanted: &impl Fn(FileRange) -> bool, lang: Lang) -> Vec<Hint> {
    let mut found: Vec<(u32, Vec<String>, Vec<String>)> = Vec::new();
    for run in &report.project.runs {
        let Some((place, label, tooltip)) = batch_hint(report, run, lang) else { continue };
        if !wanted(place) {
            continue;
        }
        let offset = place.range.end;
        match found.iter_mut().find(|(own, ..)| *own == offset) {
            Some((_, labels, tooltips)) => {
                if !labels.contains(&label) {
                    labels.push(label);
                    tooltips.push(tooltip);
                }
            }
            None => found.push((offset, vec![label], vec![tooltip])),
        }
    }
    let few_enough = |labels: &[String]| labels.len() <= PRODUCTS;
    let hint = |(offset, labels, tooltips): (u32, Vec<String>, Vec<String>)| Hint {
        offset,
        label: labels.join(message!(" or ", " 或 ").get(lang)),
        tooltip: tooltips.join("\n\n"),
        kind: HintKind::EffectiveBatch,
    };
    found.into_iter().filter(|(_, labels, _)| few_enough(labels)).map(hint).collect()
}

/// Where the micro-batch size of a run is set, and the product with the other factors. `None` if a factor is unknown or the batch
/// size is computed in another way.
fn batch_hint(report: &Report, run: &Run, lang: Lang) -> Option<(FileRange, String, String)> {
    let micro = run.int(Concept::MicroBatch)?;
    let steps = run.int(Concept::GradientAccumulationSteps)?;
    let world = run.int(Concept::WorldSize)?;
    let effective = run.int(Concept::EffectiveBatch)?;
    if micro.checked_mul(steps)?.checked_mul(world)? != effective {
        return None;
    }
    let winner = run.settings.get(&Concept::MicroBatch)?.winning()?;
    if matches!(winner.origin, Origin::Derived { .. }) {
        return None;
    }
    let place = winner.origin.place()?;
    // The location must contain the number itself, not a call or a name that evaluates to it.
    let text = place.range.slice(&report.project.file(place.file).text);
    let written = text.trim_end_matches(['"', '\'', ',']);
    let number = micro.to_string();
    let digits_before = written.strip_suffix(&number)?.ends_with(|c: char| c.is_ascii_digit());
    if digits_before {
        return None;
    }
    let id = &run.id;
    let tooltip = message!(
        "`{id}`: {micro} samples × {steps} micro-batches × {world} processes = {effective} samples per optimizer step",
        "`{id}`：{micro} 个样本 × {steps} 个微批次 × {world} 个进程 = 优化器每步 {effective} 个样本"
    );
    Some((host(&report.project, place)?, format!(" × {steps} × {world} = {effective}"), inline(tooltip.get(lang))))
}
