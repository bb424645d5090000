//! Batch factors that a tool computes from the others.

use super::precedence::arithmetic;
use super::sources::{deepspeed, defaults::trains_unsloths_model};
use super::training_run::Run;
use crate::setting::{Candidate, Origin, Resolved, Setting};
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::frameworks::Accumulation;

/// Whether a setting is written in the project, rather than a default or an assumption.
fn is_explicit(run: &Run, concept: Concept) -> bool {
    let winning = run.settings.get(&concept).and_then(Setting::winning);
    winning.is_some_and(|c| !matches!(c.origin, Origin::Default { .. } | Origin::Assumed { .. }))
}

fn override_setting(run: &mut Run, concept: Concept, candidate: Candidate) {
    let setting = run.settings.entry(concept).or_default();
    setting.candidates.retain(|other| !matches!(other.origin, Origin::Default { .. } | Origin::Assumed { .. }));
    setting.candidates.insert(0, candidate);
    setting.winner = Some(0);
}

/// Under transformers' Trainer a number of DeepSpeed must equal the trainer's argument, else training raises an error: if they
/// differ, neither wins (transformers 5.23.0 integrations/deepspeed.py:260).
pub(super) fn require_agreement(run: &mut Run) {
    for concept in [Concept::MicroBatch, Concept::GradientAccumulationSteps] {
        let Some(setting) = run.settings.get_mut(&concept) else { continue };
        let unconditional: Vec<&Candidate> = setting.candidates.iter().filter(|c| c.condition.is_none()).collect();
        let engine = |c: &&&Candidate| {
            let Origin::File { place, .. } = &c.origin else { return false };
            Some(place.file) == run.deepspeed || Some(place.file) == run.accelerate
        };
        let differs = unconditional
            .iter()
            .find(engine)
            .is_some_and(|engine| unconditional.iter().any(|other| other.known().is_some() && other.known() != engine.known()));
        // If the tool's own order picks one of several arguments, only that one is compared.
        let trainers = unconditional.iter().find(|c| !engine(c));
        let argument = trainers.is_some_and(|c| unconditional.iter().find(engine).is_some_and(|e| e.known() != c.known()));
        if differs && argument {
            setting.winner = None;
        }
    }
}

/// DeepSpeed's third batch key: it determines the factor that is not written (deepspeed 0.19.8 deepspeed/runtime/config.py:588-655).
pub(super) fn from_train_batch(run: &mut Run, total: Candidate) {
    let (micro, steps) = (is_explicit(run, Concept::MicroBatch), is_explicit(run, Concept::GradientAccumulationSteps));
    if let Some(world) = run.int(Concept::WorldSize) {
        let (missing, other) = match (micro, steps) {
            (true, false) => (Concept::GradientAccumulationSteps, run.int(Concept::MicroBatch)),
            (false, true) => (Concept::MicroBatch, run.int(Concept::GradientAccumulationSteps)),
            (false, false) => (Concept::MicroBatch, Some(1)),
            (true, true) => return,
        };
        if let Some(candidate) = other.and_then(|other| deepspeed::quotient(&total, &[other, world], missing)) {
            override_setting(run, missing, candidate);
        }
    }
    if !micro && !steps {
        let source = "deepspeed 0.19.8 deepspeed/runtime/config.py:588-655".to_owned();
        let origin = Origin::Default { tool: "DeepSpeed", source };
        override_setting(run, Concept::GradientAccumulationSteps, super::precedence::known(Value::Int(1), "", origin));
    }
    if matches!(total.value, Resolved::Known(_)) {
        override_setting(run, Concept::EffectiveBatch, total);
    }
}

/// Unsloth raises a micro-batch to a whole group of completions where the rows of a step are no multiple of it (unsloth 2026.10.9
/// `models/rl.py`, the arguments of GRPO). Without a launch one process trains.
pub(super) fn raise_to_group(run: &mut Run) {
    let by_unsloth = run.code.as_deref().is_some_and(trains_unsloths_model);
    if !by_unsloth || is_explicit(run, Concept::StepsPerGeneration) || is_explicit(run, Concept::GenerationBatch) {
        return;
    }
    let world = run.int(Concept::WorldSize).or(run.launch.is_none().then_some(1));
    let accumulation = run.int(Concept::GradientAccumulationSteps);
    let (Some(world), Some(steps), Some(micro)) = (world, accumulation, run.int(Concept::MicroBatch)) else { return };
    let Some(group) = run.int(Concept::NumGenerations).filter(|group| *group > 0) else { return };
    let rows = micro.saturating_mul(steps).saturating_mul(world);
    if rows % group == 0 {
        return;
    }
    let origin = Origin::Derived {
        formula: message!(
            "Unsloth raises it to `num_generations`: {micro} × {steps} × {world} is not a multiple of {group}",
            "Unsloth 将其提高到 `num_generations`：{micro} × {steps} × {world} 不是 {group} 的倍数"
        ),
        inputs: vec![Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::NumGenerations],
    };
    override_setting(run, Concept::MicroBatch, super::precedence::known(Value::Int(group), "", origin));
}

/// The accumulation that a framework computes if it is not set.
pub(super) fn derive_accumulation(run: &mut Run) {
    if run.dialect.batch.accumulation == Accumulation::OfWholeElseOne && !run.settings.contains_key(&Concept::EffectiveBatch) {
        let origin = Origin::Default { tool: run.dialect.framework().name, source: run.dialect.batch.source.to_owned() };
        override_setting(run, Concept::GradientAccumulationSteps, super::precedence::known(Value::Int(1), "", origin));
        return;
    }
    let is_set = run.settings.contains_key(&Concept::GradientAccumulationSteps);
    let (Some(micro), Some(world)) = (run.int(Concept::MicroBatch), run.int(Concept::WorldSize)) else { return };
    let samples = micro.saturating_mul(world);
    if is_set || samples <= 0 {
        return;
    }
    let (steps, formula, inputs) = match run.dialect.batch.accumulation {
        Accumulation::UpTo(least) => {
            let steps = (least + samples - 1) / samples;
            (
                steps.max(1),
                arithmetic(format!("max(1, ceil({least} / {micro} / {world}))")),
                vec![Concept::MicroBatch, Concept::WorldSize],
            )
        }
        Accumulation::OfWhole | Accumulation::OfWholeElseOne => {
            let Some(total) = run.int(Concept::EffectiveBatch).filter(|total| total % samples == 0 && *total > 0) else { return };
            let inputs = vec![Concept::EffectiveBatch, Concept::MicroBatch, Concept::WorldSize];
            (
                total / samples,
                message!(
                    "train batch / micro-batch / processes = {total} / {micro} / {world}",
                    "训练批大小 / 微批大小 / 进程数 = {total} / {micro} / {world}"
                ),
                inputs,
            )
        }
        Accumulation::Stated => return,
    };
    let origin = Origin::Derived { formula, inputs };
    let value = Resolved::Known(Value::Int(steps));
    override_setting(
        run,
        Concept::GradientAccumulationSteps,
        Candidate { value, raw: String::new(), origin, condition: None, assumptions: Vec::new() },
    );
}
