//! Inserts a setting next to an existing one.

use vramlint_base::{Edit, FileRange, TextRange};
use vramlint_catalog::frameworks::FixValue;
use vramlint_edit as edit;
use vramlint_resolve::{Candidate, Origin, Project, SourceFile};
use vramlint_syntax::python::ArgumentKind;

/// Where a value stands, which decides how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Yaml,
    Json,
    Python,
    Flag,
}

fn text(value: FixValue, notation: Notation) -> String {
    match (value, notation) {
        (FixValue::Number(number), _) => number.to_string(),
        (FixValue::True, Notation::Python | Notation::Flag) => "True".to_owned(),
        (FixValue::True, _) => "true".to_owned(),
        (FixValue::Word(word), Notation::Json | Notation::Python) => format!("\"{word}\""),
        (FixValue::Word(word), _) => word.to_owned(),
    }
}

/// Writes `key` next to the setting of `candidate`, in the same mapping, call or command. `None` if that form is not a plain one.
pub(super) fn beside(project: &Project, candidate: &Candidate, key: &str, value: FixValue) -> Option<Edit> {
    match &candidate.origin {
        Origin::File { place, key: own, .. } => in_data(project.file(place.file), *own, *place, key, value),
        Origin::Flag { place, flag } => {
            let flagged = flag.starts_with("--");
            flagged.then(|| edit::replace(end_of(*place), format!(" --{key} {}", text(value, Notation::Flag))))
        }
        Origin::Code { place, .. } => is_keyword(project.file(place.file), place.range)
            .then(|| edit::replace(end_of(*place), format!(", {key}={}", text(value, Notation::Python)))),
        _ => None,
    }
}

/// Replaces the value of `candidate`, in the quotes that it has. `None` if it is not written as a plain one; empty if it is that value.
pub(super) fn replace(project: &Project, candidate: &Candidate, value: FixValue) -> Option<Vec<Edit>> {
    let notation = match &candidate.origin {
        Origin::File { place, .. } if project.file(place.file).is_json() => Notation::Json,
        Origin::File { .. } => Notation::Yaml,
        Origin::Flag { .. } => Notation::Flag,
        _ => return None,
    };
    let place = candidate.origin.place()?;
    let (bare_place, bare) = unquoted(project, place)?;
    let new = text(value, notation);
    if bare == new.trim_matches('"') {
        return Some(Vec::new());
    }
    if !bare.chars().all(|c| c.is_alphanumeric() || "_-.+".contains(c)) {
        return None;
    }
    Some(vec![match value {
        FixValue::Word(word) if bare_place != place => edit::replace(bare_place, word),
        _ => edit::replace(place, new),
    }])
}

/// A value without its quotes, and its place.
pub(super) fn unquoted(project: &Project, place: FileRange) -> Option<(FileRange, &str)> {
    let text = place.range.slice(&project.file(place.file).text);
    let bare = text.trim_matches(['"', '\'']);
    let start = text.find(bare)? as u32 + place.range.start;
    Some((FileRange::new(place.file, TextRange::new(start, start + bare.len() as u32)), bare))
}

fn end_of(place: FileRange) -> FileRange {
    FileRange::new(place.file, TextRange::at(place.range.end))
}

/// A new line below an entry that is alone on its line; in JSON after the value.
fn in_data(file: &SourceFile, own: FileRange, value_at: FileRange, key: &str, value: FixValue) -> Option<Edit> {
    let source: &str = &file.text;
    if file.is_json() {
        return Some(edit::replace(end_of(value_at), format!(", \"{key}\": {}", text(value, Notation::Json))));
    }
    let line = file.lines().line_of(own.range.start);
    let start = file.lines().line_start(line);
    let indent = source.get(start as usize..own.range.start as usize)?;
    if !indent.chars().all(|c| c == ' ') || file.lines().line_of(value_at.range.end) != line {
        return None;
    }
    let rest = source.get(value_at.range.end as usize..)?;
    let to_end = rest.find('\n').unwrap_or(rest.len());
    let content = rest[..to_end].trim_end_matches('\r');
    let tail = content.trim_start();
    if !(tail.is_empty() || tail.starts_with('#') || matches!(tail, "\"" | "'")) {
        return None;
    }
    let newline = if rest[..to_end].ends_with('\r') { "\r\n" } else { "\n" };
    let at = value_at.range.end as usize + content.len();
    let place = FileRange::new(file.id, TextRange::at(at as u32));
    Some(edit::replace(place, format!("{newline}{indent}{key}: {}", text(value, Notation::Yaml))))
}

/// Whether a value belongs to a keyword argument of a call.
fn is_keyword(file: &SourceFile, range: TextRange) -> bool {
    let Some(module) = file.python() else { return false };
    module.calls().any(|located| {
        located.call.args.iter().any(|argument| {
            argument.value.range == range && matches!(argument.kind, ArgumentKind::Keyword(..)) && !range.is_empty()
        })
    })
}
