//! What rules over argument sets share: which sets to look at, the severity of a finding there, how values are shown.

use vramlint_base::{Edit, Severity, Value};
use vramlint_edit as edit;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy};
use vramlint_resolve::{Feature, Project, Run};

/// Every set that holds the arguments of one training.
pub fn trainings(project: &Project) -> impl Iterator<Item = &ArgumentSet> {
    project.arguments().iter().filter(|set| set.training_class().is_some())
}

/// Every set of one of these classes, for which a reader is found.
pub fn sets_of<'a>(project: &'a Project, classes: &'static [&'static str]) -> impl Iterator<Item = &'a ArgumentSet> {
    trainings(project)
        .filter(|set| set.training_class().is_some_and(|class| classes.contains(&class)) && set.reader != ArgumentReader::Unknown)
}

/// GRPO and RLOO: they generate in groups.
pub const GROUPS: &[&str] = &["trl.GRPOConfig", "trl.RLOOConfig"];

/// Whether the training is one of TRL's.
pub fn is_trl(set: &ArgumentSet) -> bool {
    set.training_class().is_some_and(|class| class.starts_with("trl."))
}

/// The severity in a set: a warning at most if no reader of the file is found, and in blocks of documents.
pub fn capped(project: &Project, set: &ArgumentSet, severity: Severity) -> Severity {
    let loose = set.tolerates_errors || set.reader == ArgumentReader::Unknown || project.is_documentation_snippet(set.file());
    if loose { severity.min(Severity::Warning) } else { severity }
}

/// The run that a set belongs to.
pub fn run<'a>(project: &'a Project, set: &ArgumentSet) -> Option<&'a Run> {
    set.run.and_then(|index| project.runs.get(index))
}

/// What is given for a key as a person would write it: `bf16=True` in code, `bf16: true` in a file, `--bf16` on a command line.
pub fn written(project: &Project, given: &ArgumentEntry) -> String {
    let text = given.place.range.slice(&project.file(given.place.file).text);
    let line = text.lines().next().unwrap_or(text).trim_end();
    let whole = line.len() == text.trim_end().len() && line.len() <= 60 && line.contains(given.key.as_str());
    if whole { line.to_owned() } else { given.key.clone() }
}

/// The name of a strategy in lower case; `default` where none is given. `None` where it is not known, or none of the words.
pub fn strategy<'a>(set: &'a ArgumentSet, keys: &[&str], default: &'a str) -> Option<&'a str> {
    let Some(given) = keys.iter().find_map(|key| set.get(key)) else {
        return keys.iter().all(|key| set.lacks(key)).then_some(default);
    };
    match given.value.as_ref()? {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    }
}

/// The first of several spellings of a key that is given.
pub fn first_entry<'a>(set: &'a ArgumentSet, keys: &[&str]) -> Option<&'a ArgumentEntry> {
    keys.iter().find_map(|key| set.get(key))
}

/// The number of a key, whole or not; `default` where it is certainly not given.
pub fn number(set: &ArgumentSet, key: &str, default: f64) -> Option<f64> {
    match set.get(key) {
        Some(given) => given.value.as_ref()?.as_float(),
        None => set.lacks(key).then_some(default),
    }
}

/// Whether a file of the set or of its run has a feature: the code may then decide in a way that is not seen.
pub fn mentions(project: &Project, set: &ArgumentSet, feature: Feature) -> bool {
    let files = run(project, set).map(|run| run.files.as_slice()).unwrap_or_default();
    project.any_has(files, feature) || project.features(set.file()).has(feature)
}

/// Writes another name for an argument, where its name is written.
pub fn rename(project: &Project, given: &ArgumentEntry, name: &str) -> Option<Edit> {
    let text = given.key_place.range.slice(&project.file(given.key_place.file).text);
    let bare = text.trim_matches(['"', '\'']);
    let new = match given.by {
        PassedBy::Keyword if text == given.key => name.to_owned(),
        PassedBy::File if bare == given.key => text.replace(bare, name),
        PassedBy::Flag => {
            let flag = text.split('=').next().unwrap_or(text);
            let rest = &text[flag.len()..];
            (flag.trim_start_matches('-').replace('-', "_") == given.key).then(|| format!("--{name}{rest}"))?
        }
        _ => return None,
    };
    Some(edit::replace(given.key_place, new))
}

/// Takes an argument away.
pub fn remove(project: &Project, set: &ArgumentSet, given: &ArgumentEntry) -> Option<Edit> {
    let file = project.file(given.place.file);
    match given.by {
        PassedBy::Keyword => edit::python::remove(file, set.library_call()?.place.range, &given.key),
        PassedBy::File => edit::remove_entry(file, given.key_place.range, given.value_place.range),
        PassedBy::Flag => {
            let launch = run(project, set)?.launch.as_ref()?;
            edit::flags::remove_words(file, launch, given.place.range)
        }
        _ => None,
    }
}

/// Adds an argument where the set is written: to its call, to its file.
pub fn add(project: &Project, set: &ArgumentSet, key: &str, value: &Value) -> Option<Edit> {
    let file = project.file(set.place.file);
    match set.reader {
        ArgumentReader::Call => edit::python::add(file, set.library_call()?.place.range, key, &edit::spell::python(value)?),
        _ => edit::put(file, &[], key, value),
    }
}

/// Another value for an argument, where its value is written.
pub fn set_to(project: &Project, given: &ArgumentEntry, value: &Value) -> Option<Edit> {
    let file = project.file(given.value_place.file);
    match given.by {
        PassedBy::Keyword => Some(edit::replace(given.value_place, edit::spell::python(value)?)),
        // Only keys of the root: of a block further in, the key of the same name at the root is another one.
        PassedBy::File => {
            edit::set(file, file.data()?.root()?.get(&given.key).filter(|node| node.range() == given.value_place.range)?, value)
        }
        PassedBy::Flag => match value {
            Value::Text(text) => Some(edit::replace(given.value_place, text.clone())),
            other => Some(edit::replace(given.value_place, edit::spell::json(other)?)),
        },
        _ => None,
    }
}
