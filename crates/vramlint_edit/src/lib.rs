//! Edits that touch only their bytes: comments, order, quoting, indentation and line endings of the rest stay as they are.
//!
//! Every function gives `None` where the edit is not certain to mean what it says: behind anchors that are used elsewhere, in
//! templates, in words that come from a variable, where several things share a line. Leave the fix out then.
//!
//! | to change | use |
//! | --- | --- |
//! | a value in YAML or JSON | [`set`] with its node; [`put`] with a path: sets it or adds it, with the blocks above it |
//! | a new key | [`insert_after`] a sibling, [`put`] at a path |
//! | a key less | [`remove_entry`] (lines, commas, brackets), [`remove_key`] by its name |
//! | a key's name | [`rename_key`] |
//! | a key's place, across files too | [`move_key`] |
//! | words of a launch command | [`flags::remove_words`] |
//! | an argument of a Python call | [`python::add`], [`python::remove`] |
//! | an entry of a Python dict | [`python::add_item`]; [`set`], [`put`], [`remove_entry`] and [`rename_key`] take such entries too |
//! | anything else | [`replace`] |
//!
//! Values are given as [`vramlint_base::Value`] and written in the words of the language: `true` or `True`, quoted as the file
//! quotes. In Python, expressions are given as source ([`spell::python`] writes a value).
//!
//! Edits of one fix must not touch each other: use one function that does both, or two fixes.

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

/// Replaces a place.
pub fn replace(place: FileRange, text: impl Into<String>) -> Edit {
    Edit { place, text: text.into() }
}

/// Replaces a range of a file.
fn replace_range(file: &SourceFile, range: TextRange, text: impl Into<String>) -> Edit {
    replace(FileRange::new(file.id, range), text)
}

/// The line break that the file uses: that of its first line.
fn line_break(file: &SourceFile) -> &'static str {
    let first = file.text.find(['\n', '\r']);
    match first {
        Some(at) if file.text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if file.text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Where the line of `offset` starts.
fn line_start(file: &SourceFile, offset: u32) -> u32 {
    let start = file.lines.line_start(file.lines.line_of(offset));
    // A byte order mark belongs to no line.
    if start == 0 && file.text.starts_with('\u{feff}') { start + 3 } else { start }
}

/// Where the line of `offset` ends, its line break not included.
fn line_end(file: &SourceFile, offset: u32) -> u32 {
    let rest = &file.text[offset as usize..];
    offset + rest.find(['\n', '\r']).unwrap_or(rest.len()) as u32
}

/// Where the line behind that of `offset` starts.
fn next_line(file: &SourceFile, offset: u32) -> u32 {
    file.lines.line_start(file.lines.line_of(offset) + 1)
}

/// The text between two offsets.
fn between(file: &SourceFile, start: u32, end: u32) -> &str {
    TextRange::new(start, end).slice(&file.text)
}

/// Whether nothing but blanks stands before `offset` on its line.
fn starts_line(file: &SourceFile, offset: u32) -> bool {
    between(file, line_start(file, offset), offset).trim_matches([' ', '\t']).is_empty()
}
