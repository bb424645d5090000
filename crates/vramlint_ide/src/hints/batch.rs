//! The effective batch beside the micro-batch.

use super::{Hint, HintKind, host};
use vramlint_base::{FileRange, Lang, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Origin, Run};

/// Products of different runs that stand beside one place at most.
const PRODUCTS: usize = 2;

/// One hint for each place that decides about the micro-batch of a run.
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

/// Where the micro-batch of a run is written, and what it makes together with the others. Nothing where one of them is not known, or
/// where the batch is made in another way.
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
    // The number itself must stand there, not a call or a name that leads to it.
    let text = place.range.slice(&report.project.file(place.file).text);
    let written = text.trim_end_matches(['"', '\'', ',']);
    let number = micro.to_string();
    let digits_before = written.strip_suffix(&number)?.ends_with(|c: char| c.is_ascii_digit());
    if digits_before {
        return None;
    }
    let id = &run.id;
    let tooltip = message!(
        "`{id}`: {micro} rows × {steps} micro-batches × {world} processes = {effective} rows an optimizer step",
        "`{id}`：{micro} 行 × {steps} 个微批次 × {world} 个进程 = 优化器每步 {effective} 行"
    );
    Some((host(&report.project, place)?, format!(" × {steps} × {world} = {effective}"), tooltip.get(lang).to_owned()))
}
