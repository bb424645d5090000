//! Arguments of a call.

use super::{ArgumentEntry, ArgumentReader, ArgumentSet, NestedArgument, PassedBy, classes, config_file};
use crate::SourceFile;
use crate::code::{ArgValue, CallArgument, PossibleValue};
use crate::library_calls::CallRef;
use crate::project::Project;
use crate::run::sources::data_file::loader_of;
use std::collections::{HashMap, hash_map};
use std::sync::Arc;
use vramlint_base::{FileRange, TextRange, Value};

/// The set of a call, if it calls an argument class.
pub(super) fn argument_set(project: &Project, found: &CallRef, run: Option<usize>) -> Option<ArgumentSet> {
    let files = &project.files;
    let call = found.call();
    let name = classes::class_name(&call.path)?;
    let mut arguments: Vec<ArgumentEntry> = call.arguments.iter().filter_map(|argument| entry(files, argument)).collect();
    // If dicts pass a keyword twice, the last one counts.
    arguments.reverse();
    // The first entry of each key.
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (index, argument) in arguments.iter().enumerate() {
        by_key.entry(argument.key.clone()).or_insert(index);
    }
    // Entries of an unpacked block of a file, unless the call sets them.
    for unpacked in unpacked_entries(project, found) {
        if let hash_map::Entry::Vacant(slot) = by_key.entry(unpacked.key.clone()) {
            slot.insert(arguments.len());
            arguments.push(unpacked);
        }
    }
    // An attribute that is set later counts from then on, so the value is not certain at any point.
    for argument in &call.assigned {
        let Some(name) = &argument.name else { continue };
        if let Some(known) = by_key.get(name) {
            arguments[*known].value = None;
            arguments[*known].entries.clear();
        } else if let Some(entry) = entry(files, argument) {
            by_key.insert(name.clone(), arguments.len());
            arguments.push(ArgumentEntry { value: None, entries: Vec::new(), by: PassedBy::Uncertain, ..entry });
        }
    }
    Some(ArgumentSet {
        classes: vec![name],
        other_names: Vec::new(),
        arguments,
        redefined: Vec::new(),
        // A class of the project may have defaults of its own.
        open: call.open || call.is_subclass && !call.fields_known,
        strict: !call.is_subclass && !call.caught,
        reader: ArgumentReader::Call,
        place: call.place,
        run,
        call: Some((Arc::clone(&found.facts), found.index)),
        tolerates_errors: call.caught || call.uncalled && call.conditional,
    })
}

/// The entries of the block that is unpacked into the call, if the code itself names the file.
fn unpacked_entries(project: &Project, found: &CallRef) -> Vec<ArgumentEntry> {
    let call = found.call();
    let Some((load, route)) = &call.unpacked_block else { return Vec::new() };
    let Some(load) = found.facts.loads.get(*load).filter(|load| load.option.is_none() && load.argument.is_none()) else {
        return Vec::new();
    };
    let folder = project.file(load.place.file).folder();
    let Some(id) = load.path.as_deref().and_then(|path| project.path_resolver.resolve(path, folder)) else { return Vec::new() };
    let source = project.file(id);
    let loader = load.loader.unwrap_or_else(|| loader_of(source, project.kind(id)));
    config_file::block_entries(source, route, loader)
}

fn entry(files: &[SourceFile], argument: &CallArgument) -> Option<ArgumentEntry> {
    let first = argument.values.first()?;
    let (key, by) = match (&argument.name, argument.position) {
        (Some(name), _) if argument.is_explicit => (name.clone(), PassedBy::Keyword),
        (Some(name), _) if argument.may_be_absent() => (name.clone(), PassedBy::Uncertain),
        (Some(name), _) => (name.clone(), PassedBy::Unpacked),
        // Both libraries' classes begin with it: transformers 5.23 training_args.py, trl 1.16 trainer/*_config.py.
        (None, Some(0)) => ("output_dir".to_owned(), PassedBy::Position),
        _ => return None,
    };
    let text = &files[argument.place.file.0 as usize].text;
    let start = argument.place.range.start;
    let (key_place, value_place) = if by == PassedBy::Keyword {
        let end = start + key.len() as u32;
        (FileRange::new(argument.place.file, TextRange::new(start, end)), value_range(argument.place, text))
    } else {
        (argument.place, first.place)
    };
    let only = argument.sole_value();
    let value = only.and_then(PossibleValue::to_value);
    let entries = only.map(nested_entries).unwrap_or_default();
    Some(ArgumentEntry { key, key_place, place: argument.place, value, value_place, by, entries })
}

/// The value in `key=value`.
fn value_range(place: FileRange, text: &str) -> FileRange {
    let written = place.range.slice(text);
    let Some(at) = written.find('=') else { return place };
    let rest = &written[at + 1..];
    let start = place.range.start + (at + 1 + rest.len() - rest.trim_start().len()) as u32;
    FileRange::new(place.file, TextRange::new(start, place.range.end))
}

/// The entries of a dict.
fn nested_entries(value: &PossibleValue) -> Vec<NestedArgument> {
    let ArgValue::Dict { entries, .. } = &value.value else { return Vec::new() };
    let nested = |entry: &crate::code::DictEntry| {
        let Value::Text(key) = &entry.key else { return None };
        let value_place = entry.values.first().map_or(value.place, |value| value.place);
        let known = match entry.values.as_slice() {
            [only] if only.condition.is_none() && !only.may_be_overridden => only.to_value(),
            _ => None,
        };
        Some(NestedArgument { key: key.clone(), place: entry.key_place.unwrap_or(value_place), value: known, value_place })
    };
    entries.iter().filter_map(nested).collect()
}
