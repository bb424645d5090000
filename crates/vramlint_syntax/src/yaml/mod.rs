//! YAML reader.
//!
//! `granit-parser` gives events, of which this module makes the tree of [`crate::data`]. Around it is what a linter needs
//! besides: reading on after an error ([`recover`]), what PyYAML rejects although YAML 1.2 allows it ([`refused`]), and
//! duplicate keys ([`duplicates`]). Types come later, from [`scalar`], when it is known who reads the file.

mod build;
mod duplicates;
mod error_location;
mod events;
mod keys;
mod pyyaml_compat;
mod pyyaml_quoted;
mod recover;
pub mod scalar;
mod template_source;
#[cfg(test)]
mod tests;
mod yaml_error;

pub use template_source::is_template_source;

use crate::data::DataFile;
use vramlint_base::TextRange;

/// Reads a YAML stream. Errors say who rejects the text because of them; the tree holds what could be read, also after an
/// error.
pub fn parse(text: &str) -> DataFile {
    let recover::Recovered { text: read, mut built, mut errors } = recover::read(text);
    errors.extend(pyyaml_compat::check(&read, &built));
    errors.extend(duplicates::check(text, &built.file));
    for error in &mut errors {
        error.range = visible(text, error.range);
    }
    errors.sort_by_key(|error| (error.range.start, error.range.end));
    errors.dedup_by(|later, first| later.range == first.range && later.message == first.message);
    built.file.errors = errors;
    built.file.has_statement = text.contains("{%");
    built.file
}

/// A range that can be underlined: an empty one takes the next character, unless the text ends there.
fn visible(text: &str, range: TextRange) -> TextRange {
    let next = text.get(range.start as usize..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    if range.is_empty() { TextRange::new(range.start, range.start + next as u32) } else { range }
}
