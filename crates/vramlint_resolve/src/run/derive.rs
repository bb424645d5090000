//! Values that follow from others, each with its formula and its inputs.

use super::batch_factors;
use super::training_run::Run;
use crate::setting::{Candidate, Origin, Resolved, Setting};
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;

/// Adds effective batch, tokens, completions and prompts per step to a run whose own settings are resolved.
///
/// `spread` says why one process may use several GPUs with samples of their own, so that the effective batch is not known.
pub(super) fn add(run: &mut Run, spread: Option<Message>) {
    let batch = [Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::WorldSize];
    product(run, Concept::EffectiveBatch, &batch);
    if let Some(why) = spread {
        insert(run, Concept::EffectiveBatch, Err(why), "samples × GPUs of the process".to_owned(), batch.to_vec());
    }
    product(run, Concept::TokensPerStep, &[Concept::EffectiveBatch, Concept::SequenceLength]);
    if !run.settings.contains_key(&Concept::NumGenerations) {
        return;
    }
    // A row of GRPO is a prompt with its completion.
    if !run.settings.contains_key(&Concept::SequenceLength)
        && let (Some(prompt), Some(completion)) = (run.int(Concept::MaxPromptLength), run.int(Concept::MaxCompletionLength))
    {
        let parts = vec![Concept::MaxPromptLength, Concept::MaxCompletionLength];
        let formula = format!("max_prompt_length + max_completion_length = {prompt} + {completion}");
        insert(run, Concept::SequenceLength, Ok(prompt.saturating_add(completion)), formula, parts);
        product(run, Concept::TokensPerStep, &[Concept::EffectiveBatch, Concept::SequenceLength]);
    }
    if counts_completions(run) {
        // TRL's GRPO and RLOO, and OpenRLHF's PPO: a sample is a completion (trl 1.16.0 trainer/grpo_config.py).
        product(run, Concept::CompletionsPerMicroStep, &[Concept::MicroBatch]);
        product(run, Concept::CompletionsPerStep, &[Concept::EffectiveBatch]);
        quotient(run, Concept::PromptsPerStep, Concept::EffectiveBatch, Concept::NumGenerations);
    } else {
        product(run, Concept::CompletionsPerMicroStep, &[Concept::MicroBatch, Concept::NumGenerations]);
        product(run, Concept::CompletionsPerStep, &[Concept::EffectiveBatch, Concept::NumGenerations]);
        product(run, Concept::PromptsPerStep, &[Concept::EffectiveBatch]);
    }
}

/// Derives again what was unknown, after `apply` added the user's settings and said whether one took effect.
///
/// An effective batch that is open although its factors are known stays open, unless the user gives the number of processes.
pub(super) fn with_user_settings(run: &mut Run, apply: impl Fn(&mut Run) -> bool) {
    let batch = [Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::WorldSize];
    let open = run.value(Concept::EffectiveBatch).is_none() && batch.iter().all(|input| run.value(*input).is_some());
    let effective = run.settings.get(&Concept::EffectiveBatch).cloned().filter(|_| open);
    if !apply(run) {
        return;
    }
    let settled = run.value(Concept::EffectiveBatch).is_some();
    batch_factors::derive_accumulation(run);
    add(run, None);
    if let Some(effective) = effective.filter(|_| !settled) {
        run.settings.insert(Concept::EffectiveBatch, effective);
    }
}

/// Whether the framework's batch counts completions rather than prompts.
fn counts_completions(run: &Run) -> bool {
    run.dialect.batch.counts_completions
}

fn product(run: &mut Run, concept: Concept, inputs: &[Concept]) {
    if run.settings.get(&concept).is_some_and(|setting| setting.value().is_some()) {
        return;
    }
    let mut missing: Option<Concept> = None;
    let mut total: i64 = 1;
    let mut factors = Vec::new();
    for input in inputs {
        match run.int(*input) {
            Some(n) => {
                factors.push(n.to_string());
                total = total.saturating_mul(n);
            }
            None if missing.is_none() => missing = Some(*input),
            None => {}
        }
    }
    let names = inputs.iter().map(|input| input.name()).collect::<Vec<_>>().join(" × ");
    let value = match missing {
        None if total < i64::MAX => Ok(total),
        None => Err(message!("too large", "过大")),
        Some(concept) => Err(not_known(concept)),
    };
    let formula =
        if factors.len() == inputs.len() && inputs.len() > 1 { format!("{names} = {}", factors.join(" × ")) } else { names };
    insert(run, concept, value, formula, inputs.to_vec());
}

fn quotient(run: &mut Run, concept: Concept, over: Concept, under: Concept) {
    let value = match (run.int(over), run.int(under)) {
        (Some(a), Some(b)) if b > 0 && a % b == 0 => Ok(a / b),
        (Some(_), Some(_)) => Err(message!("not evenly divisible", "不能整除")),
        (None, _) => Err(not_known(over)),
        _ => Err(not_known(under)),
    };
    insert(run, concept, value, format!("{} / {}", over.name(), under.name()), vec![over, under]);
}

fn not_known(concept: Concept) -> Message {
    let name = concept.name();
    message!("{name} is not known", "{name} 未知")
}

fn insert(run: &mut Run, concept: Concept, value: Result<i64, Message>, formula: String, inputs: Vec<Concept>) {
    let value = match value {
        Ok(n) => Resolved::Known(Value::Int(n)),
        Err(why) => Resolved::Unknown(why),
    };
    let candidate = Candidate {
        value,
        raw: String::new(),
        origin: Origin::Derived { formula: super::precedence::arithmetic(formula), inputs },
        condition: None,
        assumptions: Vec::new(),
    };
    run.settings.insert(concept, Setting { candidates: vec![candidate], winner: Some(0), precedence: None });
}
