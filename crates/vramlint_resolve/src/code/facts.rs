//! What Python code says about a run.

use super::recorded_call::LibraryCall;
use crate::setting::Candidate;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// What the code reachable from an entry script says.
#[derive(Clone, Debug, Default)]
pub struct CodeFacts {
    /// What it took to find out: expressions and statements that were looked at.
    pub steps: u32,
    /// The entry and every module of the project that it imports, directly or not.
    pub files: Vec<FileId>,
    /// Candidates for the run's settings, strongest first per concept: an argument that reaches a call that matters, then a
    /// constant that is used, then a default of a dataclass that is made or of an option.
    pub candidates: Vec<(Concept, CodeCandidate)>,
    /// Files that the code loads, with the loader.
    pub loads: Vec<LoadedFile>,
    /// Options of its command line.
    pub options: Vec<CliOption>,
    /// Classes of a library whose fields are options of the command line: `HfArgumentParser((TrainingArguments, …))`.
    pub argument_classes: Vec<ArgumentClass>,
    /// Parsers that fill dataclasses: `HfArgumentParser`, `TrlParser`.
    pub parsers: Vec<ParserUse>,
    /// The framework that trains, by its imports and calls.
    pub dialect: Option<Dialect>,
    /// `sft`, `dpo`, `grpo`, `reward`…, by the trainer or the names used.
    pub task: Option<String>,
    /// Whether the code accumulates gradients by itself: `Some(true)` where it counts micro-batches (`step % N`, a loop inside of
    /// the step; `N` is a candidate where it is known), `Some(false)` where a plain loop calls backward and step in turn, so that
    /// the accumulation is 1; `None` where a library decides or nothing is seen.
    pub accumulates: Option<bool>,
    /// `Accelerator(…)` calls: whether an accumulation is given to any (without one, accelerate's default or its environment rules).
    pub accelerator: Option<AcceleratorUse>,
    /// Models that are loaded.
    pub models: Vec<ModelLoad>,
    /// Models that are loaded in code of which no caller is seen, where other code trains.
    pub uncalled_models: Vec<ModelLoad>,
    /// Calls of libraries, in the order in which they are met; those of code that nobody is seen to call come last.
    pub calls: Vec<LibraryCall>,
    /// Variables of the environment that the code sets, with the value where known.
    pub environment: Vec<(String, Option<Value>, FileRange)>,
}

impl CodeFacts {
    /// The model with the index that a call's value has.
    pub fn model(&self, index: usize) -> Option<&ModelLoad> {
        self.models.get(index).or_else(|| self.uncalled_models.get(index.checked_sub(self.models.len())?))
    }

    /// Whether the code trains: a loop with a backward, a trainer, or a model that reaches one.
    pub fn trains(&self) -> bool {
        self.accumulates.is_some()
            || self.accelerator.is_some()
            || self.task.is_some()
            || self.models.iter().any(|model| model.trained == Some(true))
    }
}

/// How the code uses accelerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceleratorUse {
    /// The call.
    pub place: FileRange,
    /// Whether it gives `gradient_accumulation_steps` or a plugin for it.
    pub sets_accumulation: bool,
    /// Whether `accumulate()` is used; without it every micro-batch is a step.
    pub accumulate_called: bool,
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
    /// Whether the code that is reachable reads it; a constant that nobody reads says nothing about the run.
    pub used: bool,
    /// The key of a loaded file that it is: an index into [`CodeFacts::loads`] and the route from the root.
    pub loaded_key: Option<(usize, Vec<String>)>,
    /// Whether it holds only where a stronger candidate of the same place is absent: `cfg.get("batch_size", 8)`.
    pub fallback: bool,
    /// The variable of the environment that feeds it: `os.environ.get("BATCH", 4)`.
    pub env: Option<String>,
    /// Under which condition the call is made at all (`args.stage == "sft"`); the value itself may still be the only one.
    pub guard: Option<String>,
    /// The call that it reaches, by its full name: `trl.GRPOConfig`.
    pub call: Option<String>,
    /// The key in that call: `per_device_train_batch_size`.
    pub key: Option<String>,
    /// The place of the call that it reaches.
    pub call_place: Option<FileRange>,
}

/// A file that code loads.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// The path as the code has it, where known by default.
    pub path: Option<String>,
    /// The option whose value the path is: `config` for `open(args.config)`.
    pub option: Option<String>,
    /// The call.
    pub place: FileRange,
    /// Who reads it; `None` where that is not seen.
    pub loader: Option<Loader>,
    /// The number of the bare word on the command line that the path is (`sys.argv[1]` has 1).
    pub argument: Option<usize>,
    /// What it is read for.
    pub role: LoadRole,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRole {
    /// By the code itself.
    Data,
    /// As fields of the classes of a parser: `parse_yaml_file`, `parse_args_and_config`.
    Arguments,
    /// As `DeepSpeed`'s configuration.
    DeepSpeed,
}

/// A class of a library whose fields are options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentClass {
    /// Its full name: `transformers.TrainingArguments`.
    pub name: String,
    /// The vocabulary of its fields.
    pub dialect: Dialect,
    /// Where the parser is made.
    pub place: FileRange,
}

/// A parser that fills dataclasses from a command line or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserUse {
    /// Where it is made.
    pub place: FileRange,
    /// Whether it is TRL's, which reads `--config FILE`.
    pub trl: bool,
    /// Full names of the classes of libraries that it fills, those that classes of the project are made from too.
    pub classes: Vec<String>,
    /// Whether it fills classes that are not seen; the fields of the project's own are [`CodeFacts::options`].
    pub open: bool,
    /// Whether it reads the command line.
    pub command_line: bool,
    /// The calls by which it reads files: places of [`CodeFacts::loads`].
    pub loads: Vec<FileRange>,
    /// Whether keys and options that no class knows are let through.
    pub lenient: bool,
}

/// An option of a script's command line: argparse, click, typer, fire, a dataclass read by `HfArgumentParser`.
#[derive(Clone, Debug)]
pub struct CliOption {
    /// Every spelling: `["--batch_size", "-b"]`.
    pub names: Vec<String>,
    /// The name in the code: `batch_size`.
    pub dest: String,
    /// The default, where known.
    pub default: Option<Value>,
    /// Where the default is written.
    pub default_place: Option<FileRange>,
    /// Where the option is declared.
    pub place: FileRange,
    /// Whether it takes no value.
    pub switch: bool,
}

/// A model that code loads with weights: `from_pretrained` and its like.
#[derive(Clone, Debug)]
pub struct ModelLoad {
    /// The file of the call.
    pub file: FileId,
    /// The call.
    pub place: FileRange,
    /// The class and method by their full name: `transformers.AutoModelForCausalLM.from_pretrained`.
    pub class: String,
    /// Name or folder of the model, where known by default.
    pub model: Option<Value>,
    /// What `device_map` is, strongest first; empty where it is not given. The place is that of the value.
    pub device_map: Vec<CodeCandidate>,
    /// Everything that is given by keyword, with its value where known: the place is that of the value.
    pub arguments: Vec<(String, Option<Value>, FileRange)>,
    /// Whether arguments may be given that are not seen (`**kwargs` of an unknown caller).
    pub open: bool,
    /// Whether it is trained: it reaches an optimizer, a trainer, `prepare()` before a backward, or adapters. `Some(false)` for a
    /// model that is only run; `None` where that is not seen.
    pub trained: Option<bool>,
    /// Whether the call is made only under a condition that cannot be decided.
    pub conditional: bool,
    /// The calls of functions of the project that lead to it, outermost first.
    pub call_chain: Vec<FileRange>,
}
