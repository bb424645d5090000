//! Launch commands: program, launcher flags, script, script arguments.

mod document_variables;
mod documented;
mod find;
mod joined_script;
mod parse;
mod script_calls;
mod wrappers;

pub use document_variables::DocumentVariables;
pub use documented::from_document;
pub(crate) use documented::is_model_to_fill_in;
pub(crate) use find::{Launches, find_launches};
pub use parse::from_script;

use crate::path_resolver::PathResolver;
use std::collections::BTreeMap;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::shell::{Assignment, Word};

/// A command that starts training.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The file that holds the command.
    pub file: FileId,
    /// The whole command.
    pub range: TextRange,
    /// The launcher.
    pub launcher: Launcher,
    /// The launcher's own flags: the canonical spelling, the word as written, its values.
    pub flags: Vec<LaunchFlag>,
    /// The script, or the subject of the launcher (`sft`, a recipe name).
    pub script: Option<Word>,
    /// `-m package.module`.
    pub module: Option<Word>,
    /// The words after the script.
    pub arguments: Vec<Word>,
    /// Names of options with an unknown value (`--batch_size=$1`), by their index among the arguments.
    pub unknown_value_options: BTreeMap<usize, String>,
    /// The environment variables that the script sets.
    pub environment: Vec<Assignment>,
    /// Whether words before the script are unknown: they may contain any flag.
    pub has_unknown_flags: bool,
    /// The folder in which it runs: where `cd` leads in the script, else the folder of the file. Paths on the command line are
    /// relative to it, or to a folder above.
    pub directory: String,
    /// Whether only a document shows it.
    pub documented: bool,
    /// The command that calls the script with arguments; then the words are those of this call.
    pub called_at: Option<FileRange>,
    /// Whether calls of the script tell what is not known without them. Then they are the runs.
    pub is_completed_by_calls: bool,
    /// Whether it may run several times, or not at all.
    pub in_loop: bool,
    /// Whether it is in a branch.
    pub conditional: bool,
}

/// A flag of a launch command.
#[derive(Clone, Debug)]
pub struct LaunchFlag {
    /// Canonical name with dashes: `--num_processes`; as written if the launcher does not know it.
    pub name: String,
    /// The flag's own word.
    pub word: TextRange,
    /// Whether the launcher knows it.
    pub known: bool,
    /// Its values; for `--flag=value` a word with the range of the value.
    pub values: Vec<Word>,
}

/// An option among the arguments of a script: `--batch_size 4`, `--bf16`, `key=value`, `training.lr=1e-4`.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Name without dashes; dots kept.
    pub name: String,
    /// The option's own word.
    pub word: TextRange,
    /// Its value; `None` for a switch.
    pub value: Option<ArgumentValue<'a>>,
    /// The words that follow the value: further values if the option takes several.
    pub more: Vec<ArgumentValue<'a>>,
}

/// The value of an [`Argument`].
#[derive(Clone, Debug)]
pub struct ArgumentValue<'a> {
    /// Its text; `None` if unknown.
    pub text: Option<String>,
    /// Its place.
    pub range: TextRange,
    /// The word that contains it, with its sources and assumptions.
    pub word: &'a Word,
}

impl Launch {
    /// Where the run starts: the call of the script, else the command.
    pub fn place(&self) -> FileRange {
        self.called_at.unwrap_or(FileRange::new(self.file, self.range))
    }

    /// The place of a value that stands in a word at `range`: in another file if it was written there.
    pub fn value_place(&self, word: &Word, range: TextRange) -> FileRange {
        word.origin.unwrap_or(FileRange::new(self.file, range))
    }

    /// The place of the value of a variable of the environment.
    pub fn variable_place(&self, variable: &Assignment) -> FileRange {
        self.value_place(&variable.value, variable.range)
    }

    /// The file that the value of an option names: a path, or the name of a configuration in the framework's own repository.
    pub fn named_file(&self, option: &str, value: &str, paths: &PathResolver) -> Option<FileId> {
        let config = self.launcher.config;
        let bundled = || {
            let folder = config.bundled.filter(|_| config.option == Some(option))?;
            paths.resolve(&format!("{folder}/{value}.yaml"), &self.directory)
        };
        paths.resolve(value, &self.directory).or_else(bundled)
    }

    /// The last flag with this canonical name: the one that argparse keeps.
    pub fn flag(&self, name: &str) -> Option<&LaunchFlag> {
        self.flags.iter().rev().find(|flag| flag.name == name)
    }

    /// The variable in the environment of the command, last assignment first.
    pub fn variable(&self, name: &str) -> Option<&Assignment> {
        self.environment.iter().rev().find(|assignment| assignment.name == name)
    }

    /// Whether the command may pass options that are not visible: a word is unknown that is not the value of an option. `text` is the
    /// text of the file. A script that is called without arguments passes none on by `$@`.
    pub fn may_have_more_options(&self, text: &str) -> bool {
        let is_rest = |word: &Word| {
            let raw = word.range.slice(text).trim_matches('"');
            ["$@", "$*", "${@", "${*"].iter().any(|start| raw.starts_with(start))
        };
        let values: Vec<TextRange> = self
            .options()
            .iter()
            .flat_map(|option| option.value.iter().chain(&option.more))
            .map(|value| value.word.range)
            .collect();
        self.arguments.iter().any(|word| word.text().is_none() && !is_rest(word) && !values.contains(&word.range))
    }

    /// The arguments of the script, read as options. Words that are not the value of an option are left out.
    pub fn options<'a>(&'a self) -> Vec<Argument<'a>> {
        let mut found = Vec::new();
        let mut words = self.arguments.iter().enumerate().peekable();
        while let Some((number, word)) = words.next() {
            let Some(text) = word.text() else {
                if let Some(name) = self.unknown_value_options.get(&number) {
                    let value = Some(ArgumentValue { text: None, range: word.range, word });
                    found.push(Argument { name: name.clone(), word: word.range, value, more: Vec::new() });
                }
                continue;
            };
            let bare = text.trim_start_matches('-');
            if text.starts_with('-') && !bare.is_empty() && !bare.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                if let Some((name, value)) = bare.split_once('=') {
                    found.push(joined(word, name, value));
                    continue;
                }
                // A switch of Hydra before `key=value`.
                let is_sweep = matches!(text, "-m" | "--multirun");
                let value = words.next_if(|(number, next)| match next.text() {
                    Some(text) => !(is_option(text) || is_sweep && text.contains('=')),
                    None => !self.unknown_value_options.contains_key(number),
                });
                let as_value = |word: &'a Word| ArgumentValue { text: word.text().map(str::to_owned), range: word.range, word };
                let value = value.map(|(_, word)| as_value(word));
                let mut more = Vec::new();
                while value.is_some()
                    && let Some((_, next)) = words.next_if(|(_, next)| next.text().is_some_and(is_plain_value))
                {
                    more.push(as_value(next));
                }
                found.push(Argument { name: bare.to_owned(), word: word.range, value, more });
            } else if let Some((name, value)) = text.split_once('=') {
                // `key=value` overrides of Hydra, OmegaConf, torchtune.
                let name = name.trim_start_matches('+');
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-/@".contains(c)) {
                    found.push(joined(word, name, value));
                }
            }
        }
        found
    }
}

/// Whether a word is a value and nothing else: neither an option nor `key=value`.
fn is_plain_value(text: &str) -> bool {
    !is_option(text) && !text.contains('=')
}

fn joined<'a>(word: &'a Word, name: &str, value: &str) -> Argument<'a> {
    // The value ends the word. Only in an unquoted literal word is the place of the value known.
    let length = value.len() as u32;
    let range = if word.sources.is_empty()
        && word.range.len() as usize == word.text().map_or(0, str::len)
        && length <= word.range.len()
    {
        TextRange::new(word.range.end - length, word.range.end)
    } else {
        word.range
    };
    Argument {
        name: name.to_owned(),
        word: word.range,
        value: Some(ArgumentValue { text: Some(value.to_owned()), range, word }),
        more: Vec::new(),
    }
}

/// Whether a word is an option rather than a value: `-1` and `-0.5` are values.
fn is_option(text: &str) -> bool {
    text.starts_with('-') && text.len() > 1 && !text[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
}
