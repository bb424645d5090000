//! The factors of a run's batch: their formula, their places, and the accumulation that would restore a total.

use vramlint_base::{Applicability, FileRange, Fix, Related, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_edit as edit;
use vramlint_resolve::{Origin, Project, Run, Setting};

/// The factors, in the order in which people write them.
pub(in crate::batch) const FACTORS: [Concept; 3] = [Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::WorldSize];

/// `2 x 4 x 8`, with `?` for what is not known.
pub(in crate::batch) fn formula(run: &Run) -> String {
    FACTORS
        .iter()
        .map(|concept| run.int(*concept).map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect::<Vec<_>>()
        .join(" × ")
}

/// Where each factor is written; a derived world size points at the processes, else at the GPUs that are visible.
pub(in crate::batch) fn factors(run: &Run) -> Vec<Related> {
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
pub(in crate::batch) fn may_spread(run: &Run) -> bool {
    run.launcher == Some(Launcher::Python) && run.dialect != Dialect::Plain
}

/// The GPUs that a process sees, where the command or the target says so.
pub(in crate::batch) fn visible_gpus(project: &Project, run: &Run) -> Option<u32> {
    match run.value(Concept::VisibleDevices) {
        Some(Value::Int(_)) => Some(1),
        Some(Value::Text(ids)) => Some(ids.split(',').filter(|id| !id.trim().is_empty()).count() as u32),
        Some(_) => None,
        None => project.policy(run.place.file).target.count,
    }
}

/// Sets the accumulation so that the effective batch is `total`.
pub(in crate::batch) fn restore(run: &Run, total: i64) -> Option<Fix> {
    let (micro, world) = (run.int(Concept::MicroBatch)?, run.int(Concept::WorldSize)?);
    let candidate = run.settings.get(&Concept::GradientAccumulationSteps)?.winning()?;
    let place = match &candidate.origin {
        Origin::File { place, .. } | Origin::Code { place, .. } | Origin::Flag { place, .. } => *place,
        _ => return None,
    };
    // Only a number that is there as such may be replaced: not an expression, a word with more in it, a variable.
    if candidate.known() != candidate.raw.parse().ok().map(Value::Int).as_ref() {
        return None;
    }
    accumulation(place, micro, world, total)
}

/// The number at `place` replaced by the accumulation that gives `total`.
pub(in crate::batch) fn accumulation(place: FileRange, micro: i64, world: i64, total: i64) -> Option<Fix> {
    let rest = micro.checked_mul(world).filter(|rest| *rest > 0 && total % rest == 0)?;
    let steps = total / rest;
    (steps > 0).then(|| Fix {
        title: message!(
            "set gradient_accumulation_steps to {steps}: {micro} × {steps} × {world} = {total}",
            "把 gradient_accumulation_steps 设为 {steps}：{micro} × {steps} × {world} = {total}"
        ),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(place, steps.to_string())],
    })
}

/// The learning rate that goes with `total` rows a step, where the one that is written was found for `before`: by the linear and by the
/// square-root rule. Shown, never applied.
#[allow(clippy::cast_precision_loss)] // rows of a step are far below 2^53
pub(in crate::batch) fn rescaled(run: &Run, before: i64, total: i64) -> Vec<Fix> {
    let Some(winner) = run.settings.get(&Concept::LearningRate).and_then(Setting::winning) else { return Vec::new() };
    let (Some(rate), Some(place)) = (winner.known().and_then(number), winner.origin.place()) else { return Vec::new() };
    let share = total as f64 / before as f64;
    if rate <= 0.0 || before <= 0 || total <= 0 || total == before || winner.raw.trim_matches(['"', '\'']).parse::<f64>().is_err()
    {
        return Vec::new();
    }
    let advice = |name: (&str, &str), factor: f64| {
        let rate = spelled(rate * factor);
        let (en, zh) = name;
        Fix {
            title: message!("learning rate by the {en} scaling rule: {rate}", "按{zh}缩放规则换算的学习率：{rate}"),
            applicability: Applicability::Display,
            edits: vec![edit::replace(place, rate)],
        }
    };
    vec![advice(("linear", "线性"), share), advice(("square-root", "平方根"), share.sqrt())]
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_str()?.parse().ok())
}

/// Three digits, in a spelling that every loader reads as a number.
fn spelled(rate: f64) -> String {
    let text = format!("{rate:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.trim_end_matches('0');
    let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}e{sign}{exponent}")
}
