//! Launch commands: program, launcher flags, script, script arguments.

use vramlint_base::{FileId, TextRange};
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
    /// What comes behind the script.
    pub arguments: Vec<Word>,
    /// The environment that the script gives.
    pub environment: Vec<Assignment>,
    /// Whether it may run several times, or not at all.
    pub in_loop: bool,
    /// Whether it stands in a branch.
    pub conditional: bool,
}

/// A flag of a launch command.
#[derive(Clone, Debug)]
pub struct LaunchFlag {
    /// Canonical name with dashes: `--num_processes`; as written where the launcher does not know it.
    pub name: String,
    /// The flag's own word.
    pub word: TextRange,
    /// Whether the launcher knows it.
    pub known: bool,
    /// Its values; for `--flag=value` a word with the range of the value.
    pub values: Vec<Word>,
}
