//! Names that people choose in their own YAML and Python.
//!
//! A name is split into words; all of them must be known, and what is left without the stage (`sft_`) and the role (`train_`) must
//! be one of the phrases in [`phrases`]. Names that also mean other things (`rank`, `k`, `batch_size`) need fitting
//! [`surroundings`].

use super::value::canonical;
use super::words::words;
use super::{Concept, Confidence, Meaning};
use phrases::Phrase;
use surroundings::Surroundings;
use vramlint_base::Value;

mod phrases;
mod surroundings;

/// What a name that somebody chose means.
pub(super) fn meaning(path: &[&str], value: &Value) -> Option<Meaning> {
    let (name, parents) = path.split_last()?;
    if matches!(value, Value::Null | Value::Map(_)) {
        return None;
    }
    // A dotted name is a path: `training.batch_size`.
    if let Some((parent, last)) = name.rsplit_once('.') {
        let mut longer = parents.to_vec();
        longer.extend(parent.split('.'));
        longer.push(last);
        return meaning(&longer, value);
    }
    let mut found = words(name)?;
    if found.contains(&"eval") {
        return None;
    }
    let around = Surroundings::of(parents);
    if around.elsewhere {
        return None;
    }
    let (phrase, stage) = resolve(&mut found, &around)?;
    // How many epochs PPO spends on one batch of rollouts, not how often the data is read.
    if phrase.concept == Concept::Epochs && matches!(stage, Some("ppo" | "grpo" | "rloo")) {
        return None;
    }
    // Tables of names: `"zero_stage": "zero_optimization.stage"`.
    if phrase.concept.is_number() && value.as_str().is_some_and(is_another_name) {
        return None;
    }
    let value = canonical(phrase.form, value)?;
    Some(Meaning { concept: phrase.concept, confidence: Confidence::Guess, stage: stage.or(around.stage), value })
}

/// Whether a text in the place of a number is the name of something else: not `auto`, and no template.
fn is_another_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-');
    text.len() > 1
        && text.chars().all(plain)
        && !matches!(text.to_ascii_lowercase().as_str(), "auto" | "none" | "null" | "inf" | "nan")
}

/// The phrase that the words make, and the stage that they name.
fn resolve(found: &mut Vec<&'static str>, around: &Surroundings) -> Option<(&'static Phrase, Option<&'static str>)> {
    // The name as a whole first: `reward_model` is no stage, `train_type` no role.
    if let Some(phrase) = lookup(found, around, None) {
        return Some((phrase, None));
    }
    let stage = take_stage(found);
    if let Some(phrase) = lookup(found, around, stage) {
        return Some((phrase, stage));
    }
    let of_training = found.contains(&"train");
    found.retain(|word| *word != "train");
    let (mut tokenizer, mut optimizer) = (false, false);
    loop {
        if let Some(phrase) = lookup(found, around, stage) {
            // `train_group_size` counts the passages of a query (FlagEmbedding), no completions.
            let of_texts = of_training && phrase.concept == Concept::NumGenerations;
            // `optim_target_modules` are the layers of `GaLore`, no adapters.
            let of_galore = optimizer && phrase.concept.is_of_adapters();
            let fits = !of_texts && !of_galore && (!tokenizer || phrase.concept == Concept::SequenceLength);
            return fits.then_some((phrase, stage));
        }
        // What it belongs to, where the rest says enough: `model_max_length`, `data_batch_size`, `llm_dtype`.
        match found.first() {
            Some(&("model" | "llm" | "data" | "dataloader" | "loader" | "optimizer" | "tokenizer")) if found.len() > 1 => {
                let owner = found.remove(0);
                tokenizer |= owner == "tokenizer";
                optimizer |= owner == "optimizer";
            }
            _ => return None,
        }
    }
}

fn lookup(found: &[&'static str], around: &Surroundings, stage: Option<&'static str>) -> Option<&'static Phrase> {
    let candidates = phrases::find(&found.join(" "))?;
    candidates.iter().copied().find(|phrase| around.suit(phrase, stage))
}

/// The stage at either end of the name, taken off.
fn take_stage(found: &mut Vec<&'static str>) -> Option<&'static str> {
    if found.len() < 2 {
        return None;
    }
    if let Some(stage) = found.first().and_then(|word| stage(word)) {
        found.remove(0);
        return Some(stage);
    }
    let last = found.last().and_then(|word| stage(word))?;
    found.pop();
    Some(last)
}

/// The stage that a word names.
fn stage(word: &'static str) -> Option<&'static str> {
    match word {
        "rm" => Some("reward"),
        "sft" | "grpo" | "dpo" | "ppo" | "kto" | "rloo" | "orpo" | "reward" | "pretrain" => Some(word),
        _ => None,
    }
}
