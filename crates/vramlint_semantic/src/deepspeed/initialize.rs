//! What reaches `deepspeed.initialize` next to the configuration: an optimizer or a schedule made in code takes the place of the one
//! in the file, so that that one is ignored.

use crate::deepspeed::config::DeepSpeedConfig;
use crate::deepspeed::consumers::{ConfigUse, Consumers};
use vramlint_base::FileRange;
use vramlint_resolve::code::{ArgValue, CodeFacts, LibraryCall, PossibleValue};

/// Whether something is given to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineArgument {
    /// It is.
    Yes,
    /// It is not: the file decides.
    No,
    /// That is not seen.
    Unknown,
}

/// The calls of `deepspeed.initialize` that code makes.
pub fn calls(code: &CodeFacts) -> impl Iterator<Item = &LibraryCall> {
    code.calls.iter().filter(|call| call.path == "deepspeed.initialize")
}

/// Whether a use gives an argument to the engine, by its name and its place.
pub fn engine_argument(one: &ConfigUse<'_>, name: &str, position: usize) -> EngineArgument {
    // accelerate and the Trainer take the optimizer and the schedule of the file where it has them, and reject others.
    if one.consumers.within(Consumers::HUGGING_FACE) {
        return EngineArgument::No;
    }
    let Some(code) = one.run.and_then(|run| run.code.as_deref()).filter(|_| one.consumers.within(Consumers::PLAIN)) else {
        return EngineArgument::Unknown;
    };
    let mut answer = EngineArgument::Unknown;
    for call in calls(code) {
        let Some(argument) = call.argument(name, Some(position)) else {
            if call.open {
                return EngineArgument::Unknown;
            }
            answer = if answer == EngineArgument::Unknown { EngineArgument::No } else { answer };
            continue;
        };
        let none = |what: &ArgValue| matches!(what, ArgValue::Known(vramlint_base::Value::Null));
        if argument.values.iter().all(|value| none(&value.value)) {
            answer = if answer == EngineArgument::Unknown { EngineArgument::No } else { answer };
        } else if argument.values.iter().any(|value| none(&value.value) || matches!(value.value, ArgValue::Unknown)) {
            return EngineArgument::Unknown;
        } else {
            answer = EngineArgument::Yes;
        }
    }
    answer
}

/// Whether the file's own optimizer or schedule is certainly used (`Some(true)`), certainly not (`Some(false)`), or that is not seen.
pub fn file_decides(config: &DeepSpeedConfig<'_>, name: &str, position: usize) -> Option<bool> {
    let answers: Vec<EngineArgument> = config.uses.iter().map(|one| engine_argument(one, name, position)).collect();
    if answers.contains(&EngineArgument::No) {
        Some(true)
    } else if answers.iter().all(|given| *given == EngineArgument::Yes) {
        Some(false)
    } else {
        None
    }
}

/// The place of `optimizer` among the arguments of `deepspeed.initialize`.
pub const OPTIMIZER: usize = 2;
/// The place of `lr_scheduler` among the arguments of `deepspeed.initialize`.
pub const SCHEDULE: usize = 5;

/// The optimizers that code certainly gives to the engine of a use: the class by its full name, and the call that makes it.
pub fn made_optimizers(one: &ConfigUse<'_>) -> Vec<(String, FileRange)> {
    let Some(code) = one.run.and_then(|run| run.code.as_deref()) else { return Vec::new() };
    let mut found = Vec::new();
    for call in calls(code) {
        let Some(argument) = call.argument("optimizer", Some(OPTIMIZER)) else { continue };
        // One of several, by a condition that is not decided, is no certain one.
        if let [PossibleValue { value: ArgValue::ResultOf(index), .. }] = argument.values.as_slice()
            && let Some(made) = code.calls.get(*index).filter(|made| !made.conditional && !call.conditional)
        {
            found.push((made.path.clone(), made.place));
        }
    }
    found
}
