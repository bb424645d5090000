//! What rules ask of calls of libraries.

use vramlint_base::{Applicability, FileRange, Fix, Message, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::code::{ArgValue, CallArgument, LibraryCall, PossibleValue};
use vramlint_resolve::{CallRef, Project};

/// Calls whose refusal ends the program: no handler around them goes on, and no test of a version decides whether they are made.
pub fn uncaught_calls(project: &Project) -> impl Iterator<Item = &CallRef> {
    project.calls().iter().filter(|at| !at.call().caught && !looks_version_dependent(at.call()))
}

/// Whether a call looks like it depends on the version of a library. A guess by words in the condition of the call: it tests a
/// version, a signature or an attribute, or it follows an error that was caught.
pub fn looks_version_dependent(call: &LibraryCall) -> bool {
    const WORDS: &[&str] = &[
        "version",
        "signature",
        "hasattr",
        "trl_",
        "_available",
        "parameters",
        "except ",
        "legacy",
        "compat",
        "is_old",
        "is_new",
        "_old",
        "supports",
        "__dataclass_fields__",
        "has_",
        "_v4",
        "_v5",
    ];
    let condition = call.condition.as_deref().map(str::to_lowercase);
    condition.is_some_and(|condition| WORDS.iter().any(|word| condition.contains(word)))
}

/// Whether the code itself decides whether an argument is given: a dict does not always hold it, or the call is made only where
/// something about that very name is true (`if "eval_strategy" in parameters`).
pub fn settled_by_code(call: &LibraryCall, argument: &CallArgument) -> bool {
    let asked = |name: &str| call.condition.as_deref().is_some_and(|condition| asks_for(condition, name));
    argument.may_be_absent() || argument.name.as_deref().is_some_and(asked)
}

/// Whether a condition mentions a keyword as a text, not of the value that has the same name.
pub fn asks_for(condition: &str, name: &str) -> bool {
    condition.contains(&format!("\"{name}\"")) || condition.contains(&format!("'{name}'"))
}

/// Whether a call loads a model by transformers itself, whose keywords then reach the model.
pub fn loads_model(call: &LibraryCall) -> bool {
    let owner = call.owner();
    let other = ["Config", "Processor", "Tokenizer", "TokenizerFast", "Extractor", "Pipeline"];
    call.name() == "from_pretrained"
        && match call.library() {
            "transformers" => {
                (owner.contains("Model") || owner.contains("For"))
                    && !other.iter().any(|end| owner.ends_with(end))
                    && !owner.starts_with("TF")
                    && !owner.starts_with("Flax")
            }
            "peft" => owner.starts_with("AutoPeftModel"),
            _ => false,
        }
}

/// A text that an argument certainly is, with its place.
pub fn text_value(argument: &CallArgument) -> Option<(&str, FileRange)> {
    let value = argument.sole_value()?;
    match &value.value {
        ArgValue::Known(Value::Text(text)) => Some((text, value.place)),
        _ => None,
    }
}

/// The entries of a dict that an argument certainly is.
pub fn dict_entries(argument: &CallArgument) -> Option<&[vramlint_resolve::code::DictEntry]> {
    match &argument.sole_value()?.value {
        ArgValue::Dict { entries, .. } => Some(entries),
        _ => None,
    }
}

/// The one thing that a value of a dict certainly is.
pub fn single_value(values: &[PossibleValue]) -> Option<&PossibleValue> {
    match values {
        [value] if value.condition.is_none() && !value.may_be_overridden => Some(value),
        _ => None,
    }
}

/// The call that made the quantization of a load, with its bits, where both are certain: 4 or 8.
pub fn quantization<'a>(at: &'a CallRef, load: &LibraryCall) -> Option<(&'a LibraryCall, u8)> {
    let config = at.producing_call(&load.argument("quantization_config", None)?.sole_value()?.value)?;
    if !config.is("transformers", "BitsAndBytesConfig") {
        return None;
    }
    let on = |name: &str| config.constant_argument(name) == Some(&Value::Bool(true));
    match (on("load_in_4bit"), on("load_in_8bit")) {
        (true, false) => Some((config, 4)),
        (false, true) => Some((config, 8)),
        _ => None,
    }
}

/// The call that loaded a model, if its facts hold it.
pub fn load_of<'a>(at: &'a CallRef, what: &ArgValue) -> Option<&'a LibraryCall> {
    let model = at.model(what)?;
    at.facts
        .calls
        .iter()
        .find(|call| call.place == model.place && call.path == model.class && call.call_chain == model.call_chain)
}

/// Replaces a value that is written in the call itself; a constant that others may read is left alone.
pub fn replace_argument(
    argument: &CallArgument,
    value: &PossibleValue,
    text: impl Into<String>,
    applicability: Applicability,
) -> Option<Fix> {
    let text = text.into();
    let own = argument.is_explicit && argument.place.file == value.place.file && argument.place.range.contains(value.place.range);
    own.then(|| Fix {
        title: message!("write {text}", "改为 {text}"),
        applicability,
        edits: vec![edit::replace(value.place, text)],
    })
}

/// Removes a keyword argument that is written in the call itself.
pub fn remove_argument(
    project: &Project,
    call: &LibraryCall,
    argument: &CallArgument,
    applicability: Applicability,
) -> Option<Fix> {
    let name = argument.name.as_deref().filter(|_| argument.is_explicit && argument.place.file == call.file)?;
    let edits = vec![edit::python::remove(project.file(call.file), call.place.range, name)?];
    Some(Fix { title: message!("remove {name}", "去掉 {name}"), applicability, edits })
}

/// Adds keyword arguments after the others: the first name, and the rest as source.
pub fn add_argument(
    project: &Project,
    call: &LibraryCall,
    name: &str,
    source: &str,
    applicability: Applicability,
) -> Option<Fix> {
    let edits = vec![edit::python::add(project.file(call.file), call.place.range, name, source)?];
    Some(Fix { title: message!("add {name}={source}", "加上 {name}={source}"), applicability, edits })
}

/// The severity of what a call is rejected for: a warning at most in blocks of documents.
pub fn cap_severity(project: &Project, call: &LibraryCall, severity: Severity) -> Severity {
    if project.is_documentation_snippet(call.file) { severity.min(Severity::Warning) } else { severity }
}

/// The message for the other end of a finding at a value: the call that it reaches.
pub fn reached_message(call: &LibraryCall) -> Message {
    let name = call.name().to_owned();
    message!("passed to {name} here", "在此传给 {name}")
}
