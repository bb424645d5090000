//! Arguments of a call.

use super::{ArgumentSet, By, Given, Nested, Reader, class};
use crate::SourceFile;
use crate::code::{CallArgument, CallWhat, CodeFacts, LibraryCall};
use std::sync::Arc;
use vramlint_base::{Place, TextRange, Value};

/// The set that a call makes, where it calls an argument class.
pub(super) fn set(files: &[SourceFile], code: &Arc<CodeFacts>, index: usize, run: Option<usize>) -> Option<ArgumentSet> {
    let call = code.calls.get(index)?;
    let name = class::name(&call.path)?;
    let mut given: Vec<Given> = call.arguments.iter().filter_map(|argument| one(files, call, argument)).collect();
    // A keyword that is written twice through dicts: the last one counts.
    given.reverse();
    Some(ArgumentSet {
        classes: vec![name],
        others: Vec::new(),
        given,
        open: call.open,
        strict: true,
        reader: Reader::Call,
        place: call.place,
        run,
        call: Some((Arc::clone(code), index)),
        conditional: call.conditional,
    })
}

fn one(files: &[SourceFile], call: &LibraryCall, argument: &CallArgument) -> Option<Given> {
    let first = argument.values.first()?;
    let (key, by) = match (&argument.name, argument.position) {
        (Some(name), _) if written_here(files, call, argument, name) => (name.clone(), By::Keyword),
        (Some(name), _) => (name.clone(), By::Unpacked),
        // Both libraries' classes begin with it: transformers 5.23 training_args.py, trl 1.16 trainer/*_config.py.
        (None, Some(0)) => ("output_dir".to_owned(), By::Position),
        _ => return None,
    };
    let text = &files[argument.place.file.0 as usize].text;
    let value_place = if by == By::Keyword { value_within(argument.place, text) } else { first.place };
    let key_place = match by {
        By::Keyword => Place::new(
            argument.place.file,
            TextRange::new(argument.place.range.start, argument.place.range.start + key.len() as u32),
        ),
        _ => argument.place,
    };
    let value = argument.settled().cloned();
    let entries = match &first.what {
        _ if argument.values.len() > 1 => Vec::new(),
        CallWhat::Dict(entries) => entries
            .iter()
            .map(|(key, place, value)| Nested {
                key: key.clone(),
                place: *place,
                value: if let CallWhat::Known(known) = &value.what { Some(known.clone()) } else { None },
                value_place: value.place,
            })
            .collect(),
        CallWhat::Known(Value::Map(entries)) => plain_entries(files, first.place, entries),
        _ => Vec::new(),
    };
    Some(Given { key, key_place, place: argument.place, value, value_place, by, entries })
}

/// Whether the place of an argument begins with its keyword.
fn written_here(files: &[SourceFile], call: &LibraryCall, argument: &CallArgument, name: &str) -> bool {
    let text = argument.place.range.slice(&files[argument.place.file.0 as usize].text);
    let inside = argument.place.file == call.place.file && call.place.range.contains(argument.place.range);
    inside && text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// The value in `key=value`.
fn value_within(place: Place, text: &str) -> Place {
    let written = place.range.slice(text);
    let Some(at) = written.find('=') else { return place };
    let rest = &written[at + 1..];
    let start = place.range.start + (at + 1 + rest.len() - rest.trim_start().len()) as u32;
    Place::new(place.file, TextRange::new(start, place.range.end))
}

/// The entries of a dict of plain values, each at its key where that is found in the text.
fn plain_entries(files: &[SourceFile], place: Place, entries: &[(Value, Value)]) -> Vec<Nested> {
    let text = place.range.slice(&files[place.file.0 as usize].text);
    let nested = |(key, value): &(Value, Value)| {
        let key = key.as_str()?;
        let at = [format!("\"{key}\""), format!("'{key}'"), format!("{key}=")].iter().find_map(|quoted| {
            let at = text.find(quoted.as_str())?;
            let range = TextRange::new(
                place.range.start + at as u32,
                place.range.start + (at + quoted.trim_end_matches('=').len()) as u32,
            );
            Some(Place::new(place.file, range))
        });
        let place = at.unwrap_or(place);
        Some(Nested { key: key.to_owned(), place, value: Some(value.clone()), value_place: place })
    };
    entries.iter().filter_map(nested).collect()
}
