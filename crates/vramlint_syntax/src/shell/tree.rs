//! What a script does, as far as its own text tells.

use crate::{Comment, SyntaxError};
use vramlint_base::{FileRange, TextRange};

/// A script, or the shell lines of another file.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Commands in order of their place, those in functions, loops and branches too. Pipelines and lists are taken apart.
    pub commands: Vec<Command>,
    /// Every assignment of a variable (`A=1`, `export A=1`, `$env:A = "1"`, `$A = 1`, `set A=1`), in order of its place.
    pub assignments: Vec<Assignment>,
    /// `#SBATCH`, `#PBS` and alike: the words after the mark, with their places.
    pub directives: Vec<Directive>,
    /// Comments in order, directives too.
    pub comments: Vec<Comment>,
    /// Syntax errors in order.
    pub errors: Vec<SyntaxError>,
}

/// A simple command.
#[derive(Clone, Debug)]
pub struct Command {
    /// From its first word (environment prefix included) to its last.
    pub range: TextRange,
    /// Program and arguments. Continuation lines are joined; `"${ARGS[@]}"` is replaced by the words of the array where they are
    /// known. Redirections are left out.
    pub words: Vec<Word>,
    /// Its environment, as far as the script sets it: prefix assignments, then exported variables in force at this place.
    pub environment: Vec<Assignment>,
    /// The function that it is in.
    pub function: Option<String>,
    /// Whether it is in a loop: it may run several times.
    pub in_loop: bool,
    /// Whether it is in a branch, after `&&`/`||`, or in a function that is never called here.
    pub conditional: bool,
    /// Where `cd` led before it, from the folder in which the script starts; `None` if it stays there, or if that is not known.
    pub directory: Option<String>,
}

/// A word of a command, or the value of an assignment.
#[derive(Clone, Debug)]
pub struct Word {
    /// As written, quotes included. A word that came from a variable has the place of its use.
    pub range: TextRange,
    /// What it expands to, as far as known.
    pub value: WordValue,
    /// Where a value that came from a variable was written, innermost last: the assignment's value, or the default in
    /// `${2:-8}`. Empty for literal words.
    pub sources: Vec<TextRange>,
    /// What had to be assumed, such as the default of `${2:-8}`.
    pub assumptions: Vec<Assumption>,
    /// The end of a path whose beginning is not known: `/models/Qwen3-8B` of `$ROOT/models/Qwen3-8B`.
    pub path_end: Option<String>,
    /// Where the value was written if that is in another file: an argument of the script that calls this one, a variable of one that
    /// it sources. A script that is read alone has none.
    pub origin: Option<FileRange>,
}

/// What a word expands to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordValue {
    /// This text.
    Known(String),
    /// It depends on something outside the script, on a loop, or on a command's output.
    Unknown,
}

/// Something assumed about the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The variable or positional parameter that was taken to be unset: `2`, `NUM_GPUS`.
    pub variable: String,
    /// The value taken instead.
    pub value: String,
    /// Where the default is written.
    pub range: TextRange,
}

/// An assignment of a variable.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Name and value.
    pub range: TextRange,
    /// The name.
    pub name: String,
    /// The place of the name.
    pub name_range: TextRange,
    /// The value.
    pub value: Word,
    /// Whether children see it (`export`, `$env:`, prefix of a command, `ENV` of a Dockerfile).
    pub exported: bool,
    /// Whether it is in a branch or loop.
    pub conditional: bool,
}

/// A scheduler's line.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The scheduler's mark: `SBATCH`, `PBS`.
    pub mark: String,
    /// The whole line.
    pub range: TextRange,
    /// The words after the mark.
    pub words: Vec<Word>,
}

impl Word {
    /// The text, or the end of the path that it is if only that is known, beginning with `/`.
    pub fn path(&self) -> Option<&str> {
        self.text().or(self.path_end.as_deref())
    }

    /// The text, where known.
    pub fn text(&self) -> Option<&str> {
        if let WordValue::Known(text) = &self.value { Some(text) } else { None }
    }
}
