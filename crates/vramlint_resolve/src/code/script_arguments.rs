//! The arguments of the launched script, as its own parsers see them.

use super::command_line::dest_of;

/// The arguments of the launched script, as its own parsers see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptArguments {
    /// The options, in order; of several with one name the last counts.
    pub options: Vec<GivenOption>,
    /// The words that are neither an option nor its value.
    pub positional: Vec<Option<String>>,
    /// Every word after the script, if the command is known: `sys.argv[1:]`. A word that is not known is `None`.
    pub words: Option<Vec<Option<String>>>,
    /// Whether no other option is given: the others have their defaults.
    pub complete: bool,
    /// The folder of the file that holds the command; paths in the command are relative to it.
    pub folder: Option<String>,
}

/// An option on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOption {
    /// Its name without dashes at the start: `batch_size`, `training.lr`.
    pub name: String,
    /// Its words; a word that is not known is `None`. A switch has none.
    pub words: Vec<Option<String>>,
    /// Whether it is written `key=value`, without dashes.
    pub assigned: bool,
}

impl ScriptArguments {
    /// A script that is started without a word.
    pub fn none() -> Self {
        Self { complete: true, ..Self::default() }
    }

    /// The option that an option of a parser takes: the last one with its name or with one of its spellings.
    pub(super) fn option(&self, dest: &str, names: &[String]) -> Option<&GivenOption> {
        self.options.iter().rev().filter(|given| !given.assigned).find(|given| {
            dest_of(std::slice::from_ref(&given.name)) == dest
                || names.iter().any(|name| name.starts_with('-') && name.trim_start_matches('-') == given.name)
        })
    }

    /// `training.lr=1e-4`: the word that replaces the key of a configuration.
    pub(super) fn assignment(&self, route: &[String]) -> Option<&GivenOption> {
        let key = route.join(".");
        self.options.iter().rev().find(|given| given.assigned && given.name == key)
    }

    /// `sys.argv[index]`.
    pub(super) fn word(&self, index: usize) -> Option<&str> {
        self.words.as_ref()?.get(index.checked_sub(1)?)?.as_deref()
    }

    /// The number of words after the script, if no word is hidden.
    pub(super) fn count(&self) -> Option<usize> {
        self.words.as_ref().filter(|words| words.iter().all(Option::is_some)).map(Vec::len)
    }
}
