//! Minimal edits: comments, order, quoting, indentation and line endings of all other text stay as they are.
//!
//! Every function returns `None` if the edit might have another effect: with anchors that are used elsewhere, templates, words
//! that come from a variable, or several entries on one line. Omit the fix then.
//!
//! | to change | use |
//! | --- | --- |
//! | a value in YAML or JSON | [`set`] with its node; [`put`] with a path: sets or adds it, with its parent mappings |
//! | a new key | [`insert_after`] a sibling, [`put`] at a path |
//! | remove a key | [`remove_entry`] (lines, commas, brackets), [`remove_key`] by its name |
//! | a key's name | [`rename_key`] |
//! | where a key is, also across files | [`move_key`] |
//! | words of a launch command | [`flags::remove_words`] |
//! | a line of a script | [`insert_line_above`] |
//! | an argument of a Python call | [`python::add`], [`python::remove`] |
//! | an entry of a Python dict | [`python::add_item`]; [`set`], [`put`], [`remove_entry`] and [`rename_key`] accept such entries too |
//! | anything else | [`replace`] |
//!
//! Values are [`vramlint_base::Value`]s, written in the syntax of the language (`true` or `True`) and with the quotes that the file
//! uses. Python expressions are source text; [`spell::python`] writes a value.
//!
//! The edits of one fix must not overlap: use one function that does both, or two fixes.

mod data;
pub mod flags;
mod list;
mod move_key;
pub mod python;
mod remove;
pub mod spell;
#[cfg(test)]
mod tests;

pub use data::{insert_after, put, rename_key, set};
pub use move_key::move_key;
pub use remove::{remove_entry, remove_key};

use vramlint_base::{Edit, FileRange, TextRange};
use vramlint_resolve::SourceFile;

/// Replaces a range.
pub fn replace(place: FileRange, text: impl Into<String>) -> Edit {
    Edit { place, text: text.into() }
}

/// Inserts a line above the line of `offset`, indented alike.
pub fn insert_line_above(file: &SourceFile, offset: u32, line: &str) -> Edit {
    let start = line_start(file, offset);
    let indent: String = between(file, start, offset).chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    replace_range(file, TextRange::at(start), format!("{indent}{line}{}", line_break(file)))
}

/// Replaces a range of a file.
fn replace_range(file: &SourceFile, range: TextRange, text: impl Into<String>) -> Edit {
    replace(FileRange::new(file.id, range), text)
}

/// The line break of the first line, which new lines use as well.
fn line_break(file: &SourceFile) -> &'static str {
    let first = file.text.find(['\n', '\r']);
    match first {
        Some(at) if file.text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if file.text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Start of the line of `offset`.
fn line_start(file: &SourceFile, offset: u32) -> u32 {
    let start = file.lines().line_start(file.lines().line_of(offset));
    // The byte order mark is not part of the first line.
    if start == 0 && file.text.starts_with('\u{feff}') { start + 3 } else { start }
}

/// End of the line of `offset`, before its line break.
fn line_end(file: &SourceFile, offset: u32) -> u32 {
    let end = next_line(file, offset).max(offset);
    let rest = between(file, offset, end);
    offset + rest.trim_end_matches(['\n', '\r']).len() as u32
}

/// Start of the line after the line of `offset`.
fn next_line(file: &SourceFile, offset: u32) -> u32 {
    file.lines().line_start(file.lines().line_of(offset) + 1)
}

/// The text between two offsets.
fn between(file: &SourceFile, start: u32, end: u32) -> &str {
    TextRange::new(start, end).slice(&file.text)
}

/// Whether only whitespace precedes `offset` on its line.
fn starts_line(file: &SourceFile, offset: u32) -> bool {
    between(file, line_start(file, offset), offset).trim_matches([' ', '\t']).is_empty()
}
