//! Keys against their tables: what each may hold, what is written, and what is wrong with it.
//!
//! [`known_entries`] visits the entries of a file that a table knows. [`check_value`] holds one value against what is wanted; [`check_node`] does
//! so for a node of a file. What a fault leads to differs from tool to tool and key to key: the caller says it. Values that a
//! template or a variable fills in, and `auto`, are never judged here.

#[cfg(test)]
mod tests;
mod validate;
mod violation;
mod visit;

pub use validate::{Constraint, Strictness, check_node, check_value};
pub use violation::{Bound, Violation};
pub use visit::{KnownEntry, known_entries};

use vramlint_base::{Applicability, Fix, Message, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, KindConfidence, Project, SourceFile};
use vramlint_syntax::data::{DataFile, NodeRef};

/// The fix that writes what was meant in place of a value.
pub fn fix(file: &SourceFile, node: NodeRef<'_>, meant: &Value, applicability: Applicability) -> Option<Fix> {
    let edit = edit::set(file, node, meant)?;
    let text = edit.text.trim().to_owned();
    Some(Fix { title: message!("write `{text}`", "改为 `{text}`"), applicability, edits: vec![edit] })
}

/// What a program does with a value that is not what it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It raises.
    Refused,
    /// It goes on as if nothing were written.
    Ignored,
}

/// The message of a fault: who does what with which value, and what is expected.
pub fn violation_message(by: &str, effect: Effect, path: &str, written: &str, problem: &Violation) -> Message {
    let written = clipped(written);
    let Message { en, zh } = problem.expected();
    match effect {
        Effect::Refused => message!("{by} rejects `{path}: {written}`: {en}", "{by} 拒绝 `{path}: {written}`：{zh}"),
        Effect::Ignored => message!("{by} ignores `{path}: {written}`: {en}", "{by} 会忽略 `{path}: {written}`：{zh}"),
    }
}

/// Files of a kind with their roots, and whether that kind is certain.
pub fn files(project: &Project, kind: FileKind) -> impl Iterator<Item = (&SourceFile, NodeRef<'_>, bool)> {
    project.files_of(kind).filter_map(move |file| {
        let root = file.data().and_then(DataFile::root)?;
        Some((file, root, project.class(file.id).confidence >= KindConfidence::Recognized))
    })
}

/// Whether pydantic checks the value of a key of DeepSpeed's file: everything inside the blocks that reject unknown keys.
pub fn is_checked(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(block, _)| keys::deepspeed_block_rejects_unknown(block) == Some(true))
}

/// The severity of what a tool rejects: only a warning where the name alone says that the file is its own.
pub const fn refusal_severity(certain: bool) -> Severity {
    if certain { Severity::Error } else { Severity::Warning }
}

/// As much of a value as a message shows.
fn clipped(written: &str) -> String {
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Characters of a value that a message shows.
const SHOWN: usize = 40;
