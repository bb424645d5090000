//! Inserts a setting next to an existing one.

use vramlint_base::{Edit, FileRange, TextRange};
use vramlint_edit as edit;
use vramlint_resolve::{Candidate, Origin, Project, SourceFile};
use vramlint_syntax::python::ArgumentKind;

/// A value as each language writes it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Literal {
    /// An integer.
    Number(u64),
    /// `true`, `True`.
    True,
}

impl Literal {
    fn text(self, python: bool) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::True if python => "True".to_owned(),
            Self::True => "true".to_owned(),
        }
    }
}

/// Writes `key` next to the setting of `candidate`, in the same mapping, call or command. `None` if that form is not a plain one.
pub(super) fn beside(project: &Project, candidate: &Candidate, key: &str, value: Literal) -> Option<Edit> {
    match &candidate.origin {
        Origin::File { place, key: own, .. } => in_data(project.file(place.file), *own, *place, key, value),
        Origin::Flag { place, flag } => {
            let flagged = flag.starts_with("--");
            flagged.then(|| edit::replace(end_of(*place), format!(" --{key} {}", value.text(true))))
        }
        Origin::Code { place, .. } => is_keyword(project.file(place.file), place.range)
            .then(|| edit::replace(end_of(*place), format!(", {key}={}", value.text(true)))),
        _ => None,
    }
}

fn end_of(place: FileRange) -> FileRange {
    FileRange::new(place.file, TextRange::at(place.range.end))
}

/// A new line below an entry that is alone on its line; in JSON after the value.
fn in_data(file: &SourceFile, own: FileRange, value_at: FileRange, key: &str, value: Literal) -> Option<Edit> {
    let text: &str = &file.text;
    if file.is_json() {
        return Some(edit::replace(end_of(value_at), format!(", \"{key}\": {}", value.text(false))));
    }
    let line = file.lines().line_of(own.range.start);
    let start = file.lines().line_start(line);
    let indent = text.get(start as usize..own.range.start as usize)?;
    if !indent.chars().all(|c| c == ' ') || file.lines().line_of(value_at.range.end) != line {
        return None;
    }
    let rest = text.get(value_at.range.end as usize..)?;
    let to_end = rest.find('\n').unwrap_or(rest.len());
    let content = rest[..to_end].trim_end_matches('\r');
    let tail = content.trim_start();
    if !(tail.is_empty() || tail.starts_with('#') || matches!(tail, "\"" | "'")) {
        return None;
    }
    let newline = if rest[..to_end].ends_with('\r') { "\r\n" } else { "\n" };
    let at = value_at.range.end as usize + content.len();
    let place = FileRange::new(file.id, TextRange::at(at as u32));
    Some(edit::replace(place, format!("{newline}{indent}{key}: {}", value.text(false))))
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
