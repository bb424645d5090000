//! Variables that an earlier block of a document sets: its reader runs the blocks one after another in one shell.

use crate::SourceFile;
use std::collections::HashMap;
use vramlint_base::FileId;
use vramlint_syntax::shell::{Word, WordValue};

/// The variables that the blocks of documents set, by document and name: where, and to what.
#[derive(Default)]
pub struct DocumentVariables<'a> {
    set: HashMap<(FileId, &'a str), Vec<Place<'a>>>,
}

/// Where in the document a variable is set, and to what; `None` if that is not known.
type Place<'a> = (u32, Option<&'a str>);

impl<'a> DocumentVariables<'a> {
    /// Collects the variables of these blocks.
    pub fn of_blocks(blocks: impl IntoIterator<Item = &'a SourceFile>) -> Self {
        let mut found = Self::default();
        for file in blocks {
            let Some((host, embedded)) = &file.host else { continue };
            for assignment in file.script().map_or(&[][..], |script| &script.assignments) {
                let at = embedded.to_host(assignment.range).start;
                let value = assignment.value.text().filter(|_| !assignment.conditional);
                found.set.entry((*host, assignment.name.as_str())).or_default().push((at, value));
            }
        }
        found.set.values_mut().for_each(|places| places.sort_unstable());
        found
    }

    /// The value of a variable where a block begins: that of its last assignment before the block, if it is known.
    fn value(&self, file: &SourceFile, name: &str) -> Option<&'a str> {
        let (host, embedded) = file.host.as_ref()?;
        let start = embedded.to_host(vramlint_base::TextRange::at(0)).start;
        let places = self.set.get(&(*host, name))?;
        places[..places.partition_point(|(at, _)| *at < start)].last()?.1
    }

    /// Gives a word the value of the variable that it consists of, `$MODEL` or `--model=$MODEL`, where its own block does not set it.
    pub(super) fn expand(&self, word: &mut Word, file: &SourceFile) {
        if word.text().is_some() {
            return;
        }
        let raw = word.range.slice(&file.text);
        let (option, rest) = match raw.split_once('=') {
            Some((option, rest)) if option.starts_with('-') => (Some(option), rest),
            _ => (None, raw),
        };
        let Some(name) = variable(rest) else { return };
        let is_own = file.script().is_some_and(|script| script.assignments.iter().any(|assignment| assignment.name == name));
        if let Some(value) = self.value(file, name).filter(|_| !is_own) {
            let text = option.map_or_else(|| value.to_owned(), |option| format!("{option}={value}"));
            *word = Word { value: WordValue::Known(text), path_end: None, ..word.clone() };
        }
    }
}

/// The name in `$NAME`, `${NAME}` and either in double quotes.
fn variable(raw: &str) -> Option<&str> {
    let raw = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).strip_prefix('$')?;
    let name = raw.strip_prefix('{').and_then(|raw| raw.strip_suffix('}')).unwrap_or(raw);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}
