//! What Python code says about a run: constants, class attributes, dataclass defaults, options and the calls that they reach.

use crate::SourceFile;
use crate::setting::Candidate;
use vramlint_base::{FileId, Place, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// What the code reachable from an entry script says.
#[derive(Clone, Debug, Default)]
pub struct CodeFacts {
    /// The entry and every module of the project that it imports, directly or not.
    pub files: Vec<FileId>,
    /// Candidates for the run's settings, strongest first per concept: an argument that reaches a call that matters, then a
    /// constant that is used, then a default of a dataclass that is made.
    pub candidates: Vec<(Concept, CodeCandidate)>,
    /// Files that the code loads, with the loader.
    pub loads: Vec<LoadedFile>,
    /// Options of its command line.
    pub options: Vec<CliOption>,
    /// The framework that trains, by its imports and calls.
    pub dialect: Option<Dialect>,
    /// `sft`, `dpo`, `grpo`, `reward`…, by the trainer or the names used.
    pub task: Option<String>,
    /// Whether the code accumulates gradients by itself; `None` where no training loop is seen.
    pub accumulates: Option<bool>,
    /// Variables that the code puts into its environment.
    pub environment: Vec<(String, Option<Value>, Place)>,
}

/// A candidate from code.
#[derive(Clone, Debug)]
pub struct CodeCandidate {
    /// The candidate.
    pub candidate: Candidate,
    /// The option of the command line (`batch_size` for `--batch_size`) that feeds it: a flag of the launch then wins.
    pub option: Option<String>,
    /// The stage that its name speaks of: `sft`, `grpo`.
    pub stage: Option<&'static str>,
    /// Whether it reaches a call that the library reads (`DataLoader(batch_size=…)`, `TrainingArguments(…)`).
    pub reaches_call: bool,
    /// For a value read from a loaded file: which of [`CodeFacts::loads`], and the keys.
    pub loaded_key: Option<(usize, Vec<String>)>,
}

/// A file that code loads.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// The path as the code has it, where known by default.
    pub path: Option<String>,
    /// The option whose value the path is: `config` for `open(args.config)`.
    pub option: Option<String>,
    /// The call.
    pub place: Place,
    /// Who reads it; `None` where that is not seen.
    pub loader: Option<Loader>,
}

/// An option of a script's command line: argparse, click, typer, fire, a dataclass read by HfArgumentParser.
#[derive(Clone, Debug)]
pub struct CliOption {
    /// Every spelling: `["--batch_size", "-b"]`.
    pub names: Vec<String>,
    /// The name in the code: `batch_size`.
    pub dest: String,
    /// The default, where known.
    pub default: Option<Value>,
    /// Where the default is written.
    pub default_place: Option<Place>,
    /// Where the option is declared.
    pub place: Place,
    /// Whether it takes no value.
    pub switch: bool,
}

/// Everything that the code reachable from `entry` says. `files` are all files of the project.
pub fn facts(files: &[SourceFile], entry: FileId) -> CodeFacts {
    todo!("{} {entry:?}", files.len())
}
