//! JSON reader. Two families read the same files and disagree: Hugging Face and accelerate use Python's strict `json`
//! (accelerate 1.15 `utils/deepspeed.py`), `DeepSpeed` uses Hjson with a hook against duplicate keys (deepspeed 0.19.8
//! `runtime/config.py`). [`crate::SyntaxError::refused_by`] tells who rejects what.
//!
//! A text that strict JSON accepts is read once. Otherwise it is read again as Hjson 3.1.0 reads it, step by step: what has no
//! quotes runs to the end of its line there, so that neither the verdict nor the values can be told from the tolerant reading.
//! If Hjson rejects too, the tolerant reading is used: it goes on after every error.
//!
//! `tests/json/run.sh` compares both verdicts and all values with the real libraries.

mod cursor;
mod entry;
mod reader;
mod string;
#[cfg(test)]
mod tests;
mod word;

use crate::data::{DataFile, Document};
use crate::{RefusedBy, SyntaxError};
use reader::{Mode, Reading};

/// Reads a JSON text.
pub fn parse(text: &str) -> DataFile {
    let tolerant = reader::read(text, Mode::Tolerant);
    let strict_refuses = tolerant.errors.iter().any(|error| error.refused_by != RefusedBy::Hjson);
    if !strict_refuses && !tolerant.doubtful {
        return tolerant.into_file();
    }
    let hjson = reader::read(text, Mode::Hjson);
    let refusal = hjson.errors.iter().find(|error| error.refused_by == RefusedBy::All).cloned();
    match refusal {
        None if strict_refuses => hjson.blamed(tolerant).into_file(),
        None => tolerant.into_file(),
        Some(refusal) => {
            let mut reading = tolerant;
            if !strict_refuses {
                reading.errors.push(SyntaxError { refused_by: RefusedBy::Hjson, ..refusal });
            } else if reading.errors.iter().all(|error| error.refused_by != RefusedBy::All) {
                reading.errors.push(refusal);
            }
            reading.into_file()
        }
    }
}

/// Whether a text holds records rather than settings: a list, or several values one after the other, as in JSON Lines.
pub fn holds_records(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('[') {
        return true;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text[at + 1..].trim_start().starts_with(['{', '[']);
                }
            }
            _ => {}
        }
    }
    false
}

impl Reading {
    /// Adds what strict JSON rejects, where the Hjson reading passed over it: a trailing comma after `NaN` is text there.
    fn blamed(mut self, tolerant: Self) -> Self {
        let strict = |error: &SyntaxError| error.refused_by != RefusedBy::Hjson;
        if !self.errors.iter().any(strict) {
            let found = tolerant.errors.into_iter().filter(strict);
            self.errors.extend(found.map(|error| SyntaxError { refused_by: RefusedBy::StrictJson, ..error }));
        }
        self
    }

    fn into_file(mut self) -> DataFile {
        self.errors.sort_by_key(|error| error.range);
        let documents =
            self.root.map(|id| Document { range: self.nodes[id.0 as usize].range, root: Some(id) }).into_iter().collect();
        DataFile { json: true, nodes: self.nodes, documents, comments: self.comments, errors: self.errors, ..DataFile::default() }
    }
}
