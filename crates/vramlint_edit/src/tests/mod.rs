//! Texts before and after an edit; every result is parsed again.

mod brackets;
mod code;
mod commands;
mod values;

use vramlint_base::{Edit, FileId};
use vramlint_resolve::{SourceFile, Syntax};
use vramlint_syntax::{json, python, shell, yaml};

/// A file, parsed according to its extension.
fn file(path: &str, text: &str) -> SourceFile {
    let syntax = match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json") => Syntax::Data(json::parse(text).into()),
        Some("yaml") => Syntax::Data(yaml::parse(text).into()),
        Some("py") => Syntax::Python(python::parse(text).into()),
        _ => Syntax::Script(shell::parse_bash(text).into()),
    };
    SourceFile {
        id: FileId(0),
        path: path.to_owned(),
        text: text.into(),
        tree: syntax.into(),
        decode_errors: Vec::new(),
        host: None,
        policy: 0,
        reported: true,
    }
}

/// The text with the edit applied, which must parse without errors.
fn with(source: &SourceFile, edit: Option<Edit>) -> Option<String> {
    with_all(source, edit.map(|edit| vec![edit]))
}

fn with_all(source: &SourceFile, edits: Option<Vec<Edit>>) -> Option<String> {
    let mut edits = edits?;
    edits.sort_by_key(|edit| edit.place.range);
    let mut text = source.text.to_string();
    for edit in edits.iter().rev() {
        text.replace_range(edit.place.range.as_usize(), &edit.text);
    }
    let after = file(&source.path, &text);
    let errors = match after.syntax() {
        Syntax::Data(data) => &data.errors,
        Syntax::Python(module) => &module.errors,
        Syntax::Script(script) => &script.errors,
        Syntax::Text | Syntax::Unreadable => unreachable!("no test has these"),
    };
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    Some(text)
}
