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
    /// What the launcher tells each process in its environment; `None` if the launcher is not known.
    pub ranks: Option<RankVariables>,
}

/// `WORLD_SIZE`, `RANK` and `LOCAL_RANK` in the environment of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankVariables {
    /// Nothing sets them: one process without a launcher.
    Absent,
    /// The launcher of this number of processes sets them.
    Set(i64),
    /// A launcher starts an unknown number of processes.
    Unknown,
}

impl RankVariables {
    /// The variables that launchers set for each process (torch 2.15 `elastic/agent/server/local_elastic_agent.py`).
    const NAMES: [&str; 4] = ["WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE"];
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
        Self { complete: true, words: Some(Vec::new()), ..Self::default() }
    }

    /// The option that an option of a parser takes: the last one with its name or with one of its spellings.
    pub(super) fn option(&self, dest: &str, names: &[String]) -> Option<&GivenOption> {
        self.options.iter().rev().filter(|given| !given.assigned).find(|given| {
            dest_of(std::slice::from_ref(&given.name)) == dest
                || names.iter().any(|name| name.starts_with('-') && name.trim_start_matches('-') == given.name)
        })
    }

    /// The switch that turns a field of a dataclass off: `--no-fp16` of tyro, `--no_fp16` of `HfArgumentParser`.
    pub(super) fn negated(&self, dest: &str) -> Option<&GivenOption> {
        let negates = |name: &str| {
            let rest = name.strip_prefix("no-").or_else(|| name.strip_prefix("no_"));
            rest.is_some_and(|rest| dest_of(&[rest.to_owned()]) == dest)
        };
        self.options.iter().rev().find(|given| !given.assigned && given.words.is_empty() && negates(&given.name))
    }

    /// Whether an option is certainly not given.
    pub(super) fn certainly_lacks(&self, dest: &str) -> bool {
        self.complete && self.option(dest, &[]).is_none()
    }

    /// `training.lr=1e-4`: the word that replaces the key of a configuration.
    pub(super) fn assignment(&self, route: &[String]) -> Option<&GivenOption> {
        let key = route.join(".");
        self.options.iter().rev().find(|given| given.assigned && given.name == key)
    }

    /// What is known of an environment variable that a launcher sets; `None` for any other.
    pub(super) fn rank_variable(&self, name: &str) -> Option<RankVariables> {
        self.ranks.filter(|_| RankVariables::NAMES.contains(&name))
    }

    /// `sys.argv[index]`.
    pub(super) fn word(&self, index: usize) -> Option<&str> {
        self.words.as_ref()?.get(index.checked_sub(1)?)?.as_deref()
    }

    /// The number of words after the script, if no word is hidden.
    pub(super) fn count(&self) -> Option<usize> {
        self.words.as_ref().filter(|words| words.iter().all(Option::is_some)).map(Vec::len)
    }

    /// The least number of words after the script: a hidden word may stand for any number of them.
    pub(super) fn least_count(&self) -> Option<usize> {
        self.words.as_ref().map(|words| words.iter().flatten().count())
    }
}
