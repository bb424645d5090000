//! Environment variables, wherever a project sets them: scripts, Dockerfiles and workflows, YAML and JSON of schedulers and editors,
//! `.env` files that one of them reads, and Python.

mod data;
mod dotenv;
mod python;
mod shell;
pub mod visible_devices;

use crate::features::Feature;
use crate::source_set::SourceSet;
use vramlint_base::{FileId, FileRange, TextRange};

/// The kind of file or code that sets a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setter {
    /// A POSIX shell script, a recipe, a Dockerfile, a `.env` file.
    Bash,
    /// PowerShell.
    PowerShell,
    /// A Windows batch file.
    Batch,
    /// A mapping of a YAML or JSON file: a workflow, a compose file, a cluster's manifest, an editor's launch file.
    Data,
    /// `os.environ[…] = …` and the like.
    Python,
}

/// One place that sets a variable.
#[derive(Clone, Debug)]
pub struct VariableAssignment {
    /// The file.
    pub file: FileId,
    /// The name.
    pub name: String,
    /// The value, if known.
    pub value: Option<String>,
    /// The bytes of the value, without the quotes around it if the bytes between them are the value itself.
    pub place: FileRange,
    /// Whether the bytes of `place` are the value.
    pub verbatim: bool,
    /// Name and value.
    pub full_range: FileRange,
    /// What sets it.
    pub setter: Setter,
    /// Whether a program that is started afterwards sees it.
    pub exported: bool,
    /// Whether it is in a branch, or only a default (`setdefault`).
    pub conditional: bool,
}

/// Every place of a project that sets a tracked environment variable, in order of file and place.
pub(crate) fn set_variables(sources: &SourceSet) -> Vec<VariableAssignment> {
    let mut found = Vec::new();
    for file in &sources.files {
        let mentions_tracked = || sources.features(file.id).has(Feature::TrackedVariable);
        if let Some(script) = file.script() {
            let start = found.len();
            shell::collect(sources, file, script, &mut found);
            if file.extension() == "env" && found.len() > start {
                dotenv::apply_readers(sources, file, start, &mut found);
            }
        } else if let Some(root) = file.data().filter(|_| mentions_tracked()) {
            data::collect(file, root, &mut found);
        } else if let Some(module) = file.python_if(mentions_tracked()) {
            python::collect(file, module, &mut found);
        }
    }
    found
}

/// Whether a word is the name of a variable that rules follow.
fn is_tracked(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && Feature::TrackedVariable.words().iter().any(|word| name.contains(word))
}

/// The bytes of a value within a range that may include quotes, and whether they are the value itself.
fn inner(text: &str, range: TextRange, value: &str) -> (TextRange, bool) {
    let written = range.slice(text);
    let Some(at) = written.find(value).filter(|_| !value.is_empty()) else { return (range, written == value) };
    let start = range.start + at as u32;
    // Only quotes may surround it.
    let around = [&written[..at], &written[at + value.len()..]];
    if around.iter().any(|part| part.contains(|c| !matches!(c, '"' | '\''))) {
        return (range, false);
    }
    (TextRange::new(start, start + value.len() as u32), true)
}
