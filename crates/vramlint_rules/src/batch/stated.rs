//! The factors of a run's batch: their formula, their places, and the accumulation that would restore a total.

use crate::edit;
use vramlint_base::{Applicability, Fix, Place, Related, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_resolve::{Origin, Project, Run};

/// The factors, in the order in which people write them.
pub(super) const FACTORS: [Concept; 3] = [Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::WorldSize];

/// `2 x 4 x 8`, with `?` for what is not known.
pub(super) fn formula(run: &Run) -> String {
    FACTORS
        .iter()
        .map(|concept| run.int(*concept).map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect::<Vec<_>>()
        .join(" x ")
}

/// Where each factor is written; a derived world size points at the processes, else at the GPUs that are visible.
pub(super) fn factors(run: &Run) -> Vec<Related> {
    let written = |concept: Concept| run.settings.get(&concept).and_then(|setting| setting.winning()?.origin.place()).is_some();
    let world = if written(Concept::NumProcesses) { Concept::NumProcesses } else { Concept::VisibleDevices };
    let concepts = [Concept::MicroBatch, Concept::GradientAccumulationSteps, world];
    concepts
        .iter()
        .filter_map(|concept| {
            let candidate = run.settings.get(concept)?.winning()?;
            let (name, value) = (concept.name(), candidate.known()?);
            Some(Related { place: candidate.origin.place()?, message: message!("{name} is {value}", "{name} 为 {value}") })
        })
        .collect()
}

/// Whether one process may use several GPUs for a step: the Trainers started by plain `python` do (transformers 5.23.0
/// `training_args.py`, `n_gpu`), and multiply the batch by them.
pub(super) fn may_spread(run: &Run) -> bool {
    run.launcher == Some(Launcher::Python) && run.dialect != Dialect::Plain
}

/// The GPUs that a process sees, where the command or the target says so.
pub(super) fn visible_gpus(project: &Project, run: &Run) -> Option<u32> {
    match run.value(Concept::VisibleDevices) {
        Some(Value::Int(_)) => Some(1),
        Some(Value::Text(ids)) => Some(ids.split(',').filter(|id| !id.trim().is_empty()).count() as u32),
        Some(_) => None,
        None => project.policy(run.place.file).target.count,
    }
}

/// Sets the accumulation so that the effective batch is `total`.
pub(super) fn restore(run: &Run, total: i64) -> Option<Fix> {
    let (micro, world) = (run.int(Concept::MicroBatch)?, run.int(Concept::WorldSize)?);
    let candidate = run.settings.get(&Concept::GradientAccumulationSteps)?.winning()?;
    let place = match &candidate.origin {
        Origin::File { place, .. } | Origin::Code { place, .. } | Origin::Flag { place, .. } => *place,
        _ => return None,
    };
    // Only a number that stands there as such may be replaced: not an expression, a word with more in it, a variable.
    if candidate.known() != candidate.raw.parse().ok().map(Value::Int).as_ref() {
        return None;
    }
    accumulation(place, micro, world, total)
}

/// The number at `place` replaced by the accumulation that gives `total`.
pub(super) fn accumulation(place: Place, micro: i64, world: i64, total: i64) -> Option<Fix> {
    let rest = micro.checked_mul(world).filter(|rest| *rest > 0 && total % rest == 0)?;
    let steps = total / rest;
    (steps > 0).then(|| Fix {
        title: message!(
            "set gradient_accumulation_steps to {steps}: {micro} x {steps} x {world} = {total}",
            "把 gradient_accumulation_steps 设为 {steps}：{micro} x {steps} x {world} = {total}"
        ),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(place, steps.to_string())],
    })
}
