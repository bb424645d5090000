//! Changes that make a run fit its GPU.

use super::{Action, ActionKind, lines};
use crate::summary::gib;
use std::collections::BTreeSet;
use vramlint_base::{Applicability, Edit, FileRange, Finding, Fix, Lang, TextRange};
use vramlint_catalog::Concept;
use vramlint_estimate::{
    Capacity, FitOptions, Plan, Repair, RunEstimate, TrainingEffect, Verdict, fit, repairs as single_changes,
};
use vramlint_project::Report;
use vramlint_project::fix::{breaks, in_host};
use vramlint_resolve::{Run, SourceFile};
use vramlint_rules::{plan_edits, repair_fix};

/// Maximum number of repairs of a run.
const OFFERED: usize = 6;

/// Maximum number of combinations.
const PLANS: usize = 3;

/// Settings at whose locations repairs are offered: those that repairs change, and those that matter most.
const OWN: &[Concept] = &[
    Concept::MicroBatch,
    Concept::GradientAccumulationSteps,
    Concept::SequenceLength,
    Concept::GradientCheckpointing,
    Concept::Optimizer,
    Concept::LoraR,
    Concept::Model,
];

/// Repairs of the runs that do not fit, if the range is on their launch, on one of their settings, or on the finding.
pub(super) fn repairs(
    report: &Report,
    file: &SourceFile,
    range: TextRange,
    here: &[(usize, &Finding)],
    lang: Lang,
) -> Vec<Action> {
    let project = &report.project;
    // Without a GPU no run is known not to fit, and nothing needs to be simulated.
    let wanted = |run: &Run| {
        Capacity::from_target(&project.policy(run.place.file).target).is_some() && concerns(report, file, range, here, run)
    };
    if !report.runs().any(wanted) {
        return Vec::new();
    }
    let mut seen: BTreeSet<Vec<(FileRange, String)>> = BTreeSet::new();
    let mut found = Vec::new();
    for (run, estimate) in report.estimated_runs() {
        let Ok(estimate) = estimate else { continue };
        if !too_large(estimate) || !wanted(run) {
            continue;
        }
        let finding_here =
            here.iter().find(|(_, finding)| finding.run.as_deref() == Some(&run.id) && finding.name == "does-not-fit");
        for (title, edits) in offered(report, run, estimate, lang) {
            let key = edits.iter().map(|edit| (edit.place, edit.text.clone())).collect();
            if seen.insert(key) {
                let finding = finding_here.map(|(number, _)| *number);
                found.push(Action { title, kind: ActionKind::Repair, edits, finding, preferred: false, page: None });
            }
        }
    }
    found
}

fn too_large(estimate: &RunEstimate) -> bool {
    let is_reliable = estimate.is_well_supported() || estimate.certainly_too_large();
    is_reliable && estimate.verdict.is_some_and(|verdict| verdict != Verdict::Fits)
}

/// Whether a range belongs to a run.
fn concerns(report: &Report, file: &SourceFile, range: TextRange, here: &[(usize, &Finding)], run: &Run) -> bool {
    if here.iter().any(|(_, finding)| finding.run.as_deref() == Some(&run.id)) {
        return true;
    }
    let requested = lines(file, range);
    let touches = |place: FileRange| {
        let place = report.project.to_host(place);
        let place_lines = lines(file, place.range);
        place.file == file.id && place_lines.0 <= requested.1 && requested.0 <= place_lines.1
    };
    let launched = run.launch.is_some() && touches(run.place);
    let settings = OWN.iter().filter_map(|concept| run.settings.get(concept)?.winning()?.origin.place());
    launched || settings.into_iter().any(touches)
}

/// Repairs with known edits that make the run fit; if no single one does, combinations that do; else those that save the most memory.
fn offered(report: &Report, run: &Run, estimate: &RunEstimate, lang: Lang) -> Vec<(String, Vec<Edit>)> {
    let all = single_changes(estimate);
    let edits = |repair: &Repair| {
        let fix = in_host(&report.project, &repair_fix(&report.project, run, repair, estimate)?)?;
        (!breaks(&report.project, &fix.edits))
            .then(|| (title_with_verdict(fix.title.get(lang), repair, estimate, lang), fix.edits))
    };
    let fitting: Vec<_> = all.iter().filter(|repair| repair.fits).filter_map(edits).take(OFFERED).collect();
    if !fitting.is_empty() {
        return fitting;
    }
    let together = plans(report, run, estimate, lang);
    if !together.is_empty() {
        return together;
    }
    let mut gaining: Vec<&Repair> = all.iter().filter(|repair| repair.effect != TrainingEffect::Different).collect();
    gaining.sort_by_key(|repair| std::cmp::Reverse(repair.gained));
    gaining.into_iter().filter_map(edits).take(OFFERED).collect()
}

/// Combinations of changes with known edits that make the run fit, best first.
fn plans(report: &Report, run: &Run, estimate: &RunEstimate, lang: Lang) -> Vec<(String, Vec<Edit>)> {
    let Some(limit) = estimate.capacity.as_ref().map(|capacity| capacity.bytes) else { return Vec::new() };
    let options = FitOptions { limit, keep: Vec::new(), max_slowdown: None, most: PLANS };
    let action = |plan: &Plan| {
        let title = plan.title(&estimate.setup);
        let edits = plan_edits(&report.project, run, &plan.changes, estimate)?;
        let fix = Fix { title: title.clone(), applicability: Applicability::Unsafe, edits };
        let fix = in_host(&report.project, &fix)?;
        let text = format!("{} ({} GiB)", title.get(lang), gib(plan.estimate.peak));
        (!breaks(&report.project, &fix.edits)).then_some((text, fix.edits))
    };
    fit(estimate, &options).plans.iter().filter_map(action).collect()
}

/// Adds to the title if the repair alone is not enough.
fn title_with_verdict(title: &str, repair: &Repair, estimate: &RunEstimate, lang: Lang) -> String {
    let capacity = estimate.capacity.as_ref().map_or(0, |capacity| capacity.bytes);
    match (repair.fits, lang) {
        (true, _) => title.to_owned(),
        (false, Lang::En) => format!("{title} (not enough alone to fit {} GiB)", gib(capacity)),
        (false, Lang::Zh) => format!("{title}（仅此一项仍放不进 {} GiB）", gib(capacity)),
    }
}
