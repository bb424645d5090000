//! Edits of data files that keep the rest of the file as it is.

use vramlint_base::{Edit, Place, TextRange};
use vramlint_resolve::SourceFile;

/// Replaces a place.
pub(crate) fn replace(place: Place, text: impl Into<String>) -> Edit {
    Edit { place, text: text.into() }
}

/// Removes the whole lines from `key` to the end of `value`, for an entry of a block mapping that has its lines for itself.
/// `None` where something else stands on them, and in JSON, where a comma would be left over.
pub(crate) fn remove_entry(file: &SourceFile, key: TextRange, value: TextRange) -> Option<Edit> {
    if file.data().is_some_and(|data| data.json) {
        return None;
    }
    let text = file.text.as_ref();
    let start = file.lines.line_start(file.lines.line_of(key.start));
    if !text.get(start as usize..key.start as usize)?.chars().all(|c| c == ' ') {
        return None;
    }
    let last = value.end.max(key.end);
    let next = file.lines.line_of(last.saturating_sub(u32::from(last > key.start))) + 1;
    let end = file.lines.line_start(next);
    let rest = text.get(last as usize..end as usize)?.trim();
    let alone = rest.is_empty() || rest.starts_with('#') || rest == ":";
    alone.then(|| replace(Place::new(file.id, TextRange::new(start, end)), ""))
}
