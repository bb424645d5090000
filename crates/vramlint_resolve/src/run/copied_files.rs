//! Files that a script makes for one command: `cp base.yaml "$TEMP"`, then `train.py --config "$TEMP"`.

use crate::file_graph::FileGraph;
use crate::launch::{ArgumentValue, Launch};
use vramlint_base::{FileId, Value};
use vramlint_catalog::{Dialect, dialect};
use vramlint_syntax::shell::{Command, Word};

/// The file of the project that a script copies to the path that an option has, where the project has no such file.
pub(super) fn source_of_option(graph: &FileGraph, launch: &Launch, value: &ArgumentValue<'_>) -> Option<FileId> {
    let exists = value.text.as_deref().is_some_and(|text| graph.path_resolver.resolve(text, &launch.directory).is_some());
    if exists { None } else { source_of_copy(graph, launch, value.word) }
}

/// The file of the project that a script copies to where this word leads. What it changes in the copy says nothing about a run.
fn source_of_copy(graph: &FileGraph, launch: &Launch, word: &Word) -> Option<FileId> {
    let file = graph.file(launch.file);
    let (text, commands) = (&file.text, &file.script()?.commands);
    let raw = |word: &Word| word.range.slice(text).trim_matches(['"', '\'']);
    let copy = raw(word);
    let before: Vec<&Command> = commands.iter().filter(|command| command.range.end <= launch.range.start).collect();
    let from = before.iter().rposition(|command| is_copy_to(command, copy, &raw))?;
    for command in &before[from + 1..] {
        if command.words.iter().any(|word| raw(word).contains(copy)) && !leaves_settings(command, &raw) {
            return None;
        }
    }
    let source = before[from].words.iter().rev().nth(1)?.text()?;
    graph.path_resolver.resolve(source, &launch.directory)
}

/// Whether a command is `cp SOURCE COPY`.
fn is_copy_to<'a>(command: &Command, copy: &str, raw: &impl Fn(&Word) -> &'a str) -> bool {
    let [program, arguments @ ..] = command.words.as_slice() else { return false };
    let files: Vec<&Word> = arguments.iter().filter(|word| !raw(word).starts_with('-')).collect();
    program.text() == Some("cp") && files.len() == 2 && raw(files[1]) == copy
}

/// Whether a command that names the copy leaves the settings in it as they are.
fn leaves_settings<'a>(command: &Command, raw: &impl Fn(&Word) -> &'a str) -> bool {
    let [program, arguments @ ..] = command.words.as_slice() else { return false };
    match program.text() {
        Some("echo" | "printf" | "cat" | "ls" | "rm" | "test" | "[" | "[[" | "chmod") => true,
        Some("sed") => {
            let mut words = arguments.iter().map(raw).filter(|word| !word.is_empty());
            words.next() == Some("-i")
                && words.next().and_then(replaced_key).is_some_and(|key| !is_setting(key))
                && words.next().is_some()
                && words.next().is_none()
        }
        _ => false,
    }
}

/// The key in `s|key: .*|key: value|`.
fn replaced_key(script: &str) -> Option<&str> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let pattern = rest[1..].split(mark).next()?;
    let (key, _) = pattern.trim_start_matches('^').trim_start().split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|found| found.is_ascii_alphanumeric() || "_-".contains(found));
    is_key.then_some(key)
}

/// Whether a key may set something of a run.
fn is_setting(key: &str) -> bool {
    let probes = [Value::Text("name".to_owned()), Value::Int(1), Value::Bool(true)];
    [Dialect::Plain, Dialect::HfTrainer]
        .iter()
        .any(|one| probes.iter().any(|probe| dialect::meaning(*one, &[key], probe).is_some()))
}
