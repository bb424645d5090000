//! Calls of trainers, with the arguments and the model that they are given.

use std::sync::Arc;
use vramlint_base::Value;
use vramlint_catalog::classes;
use vramlint_resolve::Project;
use vramlint_resolve::arguments::{ArgumentReader, ArgumentSet, class_name};
use vramlint_resolve::code::{ArgValue, CallArgument, CodeFacts, LibraryCall, PossibleValue, library};

/// A call of a trainer of transformers or TRL.
#[derive(Clone, Debug)]
pub struct Trainer<'a> {
    /// The class without its modules: `SFTTrainer`.
    pub name: String,
    /// The library: `transformers`, `trl`.
    pub library: String,
    /// The call.
    pub call: &'a LibraryCall,
    /// The code that makes it.
    pub code: &'a Arc<CodeFacts>,
    /// The arguments that it is given, where they are seen.
    pub arguments: Option<&'a ArgumentSet>,
}

/// Every call of a trainer: those of runs, then those of code that makes no run.
pub fn trainers<'a>(project: &'a Project) -> Vec<Trainer<'a>> {
    let mut found: Vec<Trainer<'a>> = Vec::new();
    for entry in project.calls() {
        let call = entry.call();
        let Some((library, name)) = class(&call.path) else { continue };
        let arguments = arguments(project, call, &entry.facts);
        found.push(Trainer { name, library, call, code: &entry.facts, arguments });
    }
    found
}

fn class(path: &str) -> Option<(String, String)> {
    let name = path.rsplit('.').next()?;
    let library = match library(path) {
        Some("transformers") if matches!(name, "Trainer" | "Seq2SeqTrainer") => "transformers",
        Some("trl") | None if classes::is_trl_trainer(name) => "trl",
        _ => return None,
    };
    Some((library.to_owned(), name.to_owned()))
}

/// The set that a trainer takes as `args`: the call that makes it, or the only one that a parser of its class makes.
fn arguments<'a>(project: &'a Project, call: &LibraryCall, code: &Arc<CodeFacts>) -> Option<&'a ArgumentSet> {
    let given = call.argument("args", position(call.name(), "args"))?;
    let sets = project.arguments();
    if let [PossibleValue { value: ArgValue::ResultOf(index), .. }] = given.values.as_slice() {
        let same = |set: &&ArgumentSet| set.call.as_ref().is_some_and(|(own, at)| *at == *index && Arc::ptr_eq(own, code));
        return sets.iter().find(same);
    }
    let own = |run: usize| project.runs.get(run).and_then(|run| run.code.as_ref()).is_some_and(|own| Arc::ptr_eq(own, code));
    let parsed = |set: &&ArgumentSet| {
        matches!(set.reader, ArgumentReader::File | ArgumentReader::Parser)
            && set.training_class().is_some()
            && set.run.is_some_and(own)
    };
    let mut sets = sets.iter().filter(parsed);
    let only = sets.next()?;
    // Values that the code itself makes are none of the parser's.
    let alone = sets.next().is_none() && !code.calls.iter().any(|call| class_name(&call.path).is_some());
    (alone && given.values.iter().all(|value| matches!(value.value, ArgValue::Unknown))).then_some(only)
}

/// The position of a parameter of a trainer.
fn position(trainer: &str, name: &str) -> Option<usize> {
    let library = if classes::is_trl_trainer(trainer) { "trl" } else { "transformers" };
    classes::position(&format!("{library}.{trainer}"), name)
}

impl<'a> Trainer<'a> {
    /// Whether it is a class of the library itself, called with everything in sight.
    pub fn is_fully_seen(&self) -> bool {
        !self.call.open && !self.call.is_subclass && !self.call.caught
    }

    /// An argument.
    pub fn argument(&self, name: &str) -> Option<&'a CallArgument> {
        self.call.argument(name, position(&self.name, name))
    }

    /// Whether an argument is certainly not given, or certainly None.
    pub fn lacks(&self, name: &str) -> bool {
        match self.argument(name) {
            None => !self.call.open,
            Some(argument) => argument.constant() == Some(&Value::Null),
        }
    }

    /// As [`Trainer::lacks`], where None is also written as such or as a name: an attribute or a choice may be something else when the
    /// call is made.
    pub fn plainly_lacks(&self, project: &Project, name: &str) -> bool {
        let plain = |argument: &CallArgument| {
            let text = argument.place.range.slice(&project.file(argument.place.file).text);
            let value = text.split_once('=').map_or(text, |(_, value)| value).trim();
            value.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        self.lacks(name) && self.argument(name).is_none_or(plain)
    }

    /// The call that makes an argument, if exactly one thing can be it.
    pub fn maker(&self, name: &str) -> Option<&'a LibraryCall> {
        match self.argument(name)?.values.as_slice() {
            [PossibleValue { value: ArgValue::ResultOf(index), .. }] => self.code.calls.get(*index),
            _ => None,
        }
    }
}

impl<'a> Trainer<'a> {
    /// The model that it is given as an object, where exactly one can be it: its index among those of the code.
    pub fn model(&self) -> Option<usize> {
        match self.argument("model")?.sole_value()?.value {
            ArgValue::Model(index) => Some(index),
            _ => None,
        }
    }

    /// The name of a model that it loads itself.
    pub fn model_name(&self) -> Option<&'a str> {
        match &self.argument("model")?.sole_value()?.value {
            ArgValue::Known(Value::Text(name)) => Some(name),
            _ => None,
        }
    }

    /// The call that loads a model.
    pub fn load(&self, index: usize) -> Option<&'a LibraryCall> {
        let model = self.code.model(index)?;
        self.code.calls.iter().find(|call| call.place == model.place)
    }

    /// Calls that put adapters on a model.
    pub fn adapting(&self, index: usize) -> impl Iterator<Item = &'a LibraryCall> {
        const NAMES: &[&str] = &["get_peft_model", "add_adapter", "load_adapter", "inject_adapter_in_model"];
        let of = move |what: &ArgValue| matches!(what, ArgValue::Model(own) if *own == index);
        self.code.calls.iter().filter(move |call| {
            let adapts = NAMES.contains(&call.name()) || call.path.contains("PeftModel") || call.path.contains("PeftMixed");
            let values = call.arguments.iter().flat_map(|argument| &argument.values);
            adapts && (call.receiver.as_ref().is_some_and(of) || values.into_iter().any(|value| of(&value.value)))
        })
    }

    /// Whether it is a trainer of TRL.
    pub fn is_trl(&self) -> bool {
        self.library == "trl"
    }

    /// Whether its file is a block of a document, or nobody is sure to see what it raises.
    pub fn severity(&self, project: &Project, severity: vramlint_base::Severity) -> vramlint_base::Severity {
        let loose = self.call.caught || self.call.is_subclass || project.is_documentation_snippet(self.call.file);
        if loose { severity.min(vramlint_base::Severity::Warning) } else { severity }
    }
}

/// The configuration of bitsandbytes that quantizes to 4 or 8 bits, among calls.
pub fn quantizes(call: &LibraryCall) -> bool {
    let on = |name: &str| call.constant_argument(name) == Some(&Value::Bool(true));
    call.name() == "BitsAndBytesConfig" && (on("load_in_4bit") || on("load_in_8bit"))
}
