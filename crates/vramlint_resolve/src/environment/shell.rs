//! Variables that scripts set.

use super::{Setter, VariableAssignment, inner, is_tracked};
use crate::source::SourceFile;
use crate::source_set::SourceSet;
use vramlint_base::{FileRange, TextRange};
use vramlint_syntax::embedded::Language;
use vramlint_syntax::shell::{Script, Word};

pub(super) fn collect(sources: &SourceSet, file: &SourceFile, script: &Script, found: &mut Vec<VariableAssignment>) {
    let setter = setter(sources, file);
    let start = found.len();
    for made in &script.assignments {
        let name = if setter == Setter::Bash { made.name.clone() } else { made.name.to_uppercase() };
        if !is_tracked(&name) {
            continue;
        }
        let value = made.value.text().map(str::to_owned);
        // A text from another variable is not written here.
        let (range, verbatim) = match &value {
            Some(value) if made.value.sources.is_empty() => inner(&file.text, made.value.range, value),
            _ => (made.value.range, false),
        };
        found.push(VariableAssignment {
            file: file.id,
            name,
            value,
            place: FileRange::new(file.id, range),
            verbatim,
            full_range: FileRange::new(file.id, made.range),
            setter,
            exported: made.exported,
            conditional: made.conditional,
        });
    }
    for command in &script.commands {
        add_from_command(file, &command.words, command.conditional, setter, found);
    }
    found[start..].sort_by_key(|set| set.full_range.range.start);
    // A prefix that is also a word of a wrapper counts once.
    let mut seen = start;
    while seen + 1 < found.len() {
        if found[seen].place == found[seen + 1].place { drop(found.remove(seen + 1)) } else { seen += 1 }
    }
}

/// Programs that set variables for the program that they start, by words `NAME=value`.
const SETTERS: &[&str] = &["env", "sudo", "docker", "podman", "nerdctl", "mpirun", "mpiexec", "singularity", "apptainer"];

/// `env A=1 program`, `docker run -e A=1 image`, `--env=A=1`.
fn add_from_command(file: &SourceFile, words: &[Word], conditional: bool, setter: Setter, found: &mut Vec<VariableAssignment>) {
    let Some(program) = words.first().and_then(Word::text) else { return };
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    if !SETTERS.contains(&program) {
        return;
    }
    for word in &words[1..] {
        let Some(text) = word.text() else { continue };
        let text = text.strip_prefix("--env=").or_else(|| text.strip_prefix("-e=")).unwrap_or(text);
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| is_tracked(name)) else { continue };
        let (range, verbatim) =
            if word.sources.is_empty() { value_at_end(&file.text, word.range, value) } else { (word.range, false) };
        found.push(VariableAssignment {
            file: file.id,
            name: name.to_owned(),
            value: Some(value.to_owned()),
            place: FileRange::new(file.id, range),
            verbatim,
            full_range: FileRange::new(file.id, word.range),
            setter,
            exported: true,
            conditional,
        });
    }
}

/// The value at the end of a word.
fn value_at_end(text: &str, range: TextRange, value: &str) -> (TextRange, bool) {
    let written = range.slice(text).trim_end_matches(['"', '\'']);
    if value.is_empty() || !written.ends_with(value) {
        return (range, false);
    }
    let end = range.start + written.len() as u32;
    (TextRange::new(end - value.len() as u32, end), true)
}

fn setter(sources: &SourceSet, file: &SourceFile) -> Setter {
    let language = file.host.as_ref().map(|(_, embedded)| embedded.language);
    let extension = file.host.is_none().then(|| sources.file(file.id).extension());
    match (language, extension.as_deref()) {
        (Some(Language::PowerShell), _) | (_, Some("ps1")) => Setter::PowerShell,
        (_, Some("bat" | "cmd")) => Setter::Batch,
        _ => Setter::Bash,
    }
}
