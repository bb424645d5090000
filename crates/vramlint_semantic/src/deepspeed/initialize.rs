//! What reaches `deepspeed.initialize` beside the configuration: an optimizer or a schedule made in code takes the place of the one
//! in the file, so that nobody looks at that one.

use crate::deepspeed::config::Config;
use crate::deepspeed::consumers::{Readers, Use};
use vramlint_base::FileRange;
use vramlint_resolve::code::{ArgValue, CodeFacts, LibraryCall, PossibleValue};

/// Whether something is given to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
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
pub fn given(one: &Use<'_>, name: &str, position: usize) -> Given {
    // accelerate and the Trainer take the optimizer and the schedule of the file where it has them, and refuse others.
    if one.readers.within(Readers::HUGGING_FACE) {
        return Given::No;
    }
    let Some(code) = one.run.and_then(|run| run.code.as_deref()).filter(|_| one.readers.within(Readers::PLAIN)) else {
        return Given::Unknown;
    };
    let mut answer = Given::Unknown;
    for call in calls(code) {
        let Some(argument) = call.argument(name, Some(position)) else {
            if call.open {
                return Given::Unknown;
            }
            answer = if answer == Given::Unknown { Given::No } else { answer };
            continue;
        };
        let none = |what: &ArgValue| matches!(what, ArgValue::Known(vramlint_base::Value::Null));
        if argument.values.iter().all(|value| none(&value.value)) {
            answer = if answer == Given::Unknown { Given::No } else { answer };
        } else if argument.values.iter().any(|value| none(&value.value) || matches!(value.value, ArgValue::Unknown)) {
            return Given::Unknown;
        } else {
            answer = Given::Yes;
        }
    }
    answer
}

/// Whether the file's own optimizer or schedule is certainly used (`Some(true)`), certainly not (`Some(false)`), or that is not seen.
pub fn file_decides(config: &Config<'_>, name: &str, position: usize) -> Option<bool> {
    let answers: Vec<Given> = config.uses.iter().map(|one| given(one, name, position)).collect();
    if answers.contains(&Given::No) {
        Some(true)
    } else if answers.iter().all(|given| *given == Given::Yes) {
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
pub fn made_optimizers(one: &Use<'_>) -> Vec<(String, FileRange)> {
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
