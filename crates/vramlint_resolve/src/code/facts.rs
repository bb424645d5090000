//! The facts that Python code states about a run.

use super::composition::Layer;
use super::module_casts::ModuleCast;
use super::recorded_call::LibraryCall;
use crate::setting::Candidate;
use std::collections::BTreeSet;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// The facts of the code that is reachable from an entry script.
#[derive(Clone, Debug, Default)]
pub struct CodeFacts {
    /// The cost of the interpretation: expressions and statements that were evaluated.
    pub steps: u32,
    /// The entry and every module of the project that it imports, directly or not.
    pub files: Vec<FileId>,
    /// Candidates for the run's settings, strongest first per concept: an argument of a call that the library reads, then a
    /// constant that is used, then a default of a dataclass or of an option.
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
    /// `sft`, `dpo`, `grpo`, `reward`…, by the trainer or by the names in use.
    pub task: Option<String>,
    /// Whether the code accumulates gradients by itself: `Some(true)` if it counts micro-batches (`step % N`, a loop inside the
    /// step; `N` is a candidate if it is known), `Some(false)` if a loop calls backward and step in turn, so that the accumulation
    /// is 1; `None` if a library decides or no loop is visible.
    pub accumulates: Option<bool>,
    /// How the code that trains is reached, if any is seen.
    pub training_path: Option<TrainingPath>,
    /// Whether the interpretation ended before the program did: what follows is not known.
    pub is_cut_off: bool,
    /// `Accelerator(…)` calls: whether any of them sets an accumulation. Otherwise accelerate's default or its environment decides.
    pub accelerator: Option<AcceleratorUse>,
    /// Models that are loaded.
    pub models: Vec<ModelLoad>,
    /// Whether parameters of what is trained may be kept from training.
    pub may_freeze: bool,
    /// Whether parameters of what is trained are kept from training under no condition.
    pub freezes_part: bool,
    /// The part that is kept from training, if it is known: `vision`, `language`, `all-but-projector`.
    pub frozen_part: Option<String>,
    /// Whether an optimizer gets one part of a model and nothing else visible.
    pub trains_one_part: bool,
    /// The functions of the project that put a kernel in the place of a model's attention, called under no condition.
    pub attention_kernels: Vec<String>,
    /// The name of the only tokenizer that the code loads.
    pub tokenizer: Option<String>,
    /// What loops over the modules of a model cast, in their order.
    pub module_casts: Vec<ModuleCast>,
    /// Whether a trainer is told to put no adapters on its model, and nothing else does.
    pub refuses_adapters: bool,
    /// Whether adapters may be put on what is trained.
    pub may_adapt: bool,
    /// Whether adapters are made or loaded.
    pub adapters: bool,
    /// Whether an optimizer or a trainer gets a model or a module that the code makes visibly.
    pub sees_some_trained: bool,
    /// Whether every optimizer and every trainer gets models and modules that the code makes visibly.
    pub sees_what_is_trained: bool,
    /// The library classes of the models that the code builds without loading them and trains: `transformers.T5ForConditionalGeneration`.
    pub built_models: Vec<String>,
    /// Whether a loop of the code computes the cross entropy of tokens with the tokens that follow them.
    pub predicts_next_token: bool,
    /// Whether the code cuts its rows into blocks of one length, so that none is padded.
    pub cuts_rows_into_blocks: bool,
    /// The lengths in tokens to which calls of a tokenizer cut the texts of a training, where they differ; rising.
    pub text_lengths: Vec<u64>,
    /// Tokens that the model generates for the rows of its own training loop.
    pub generated_tokens: Option<u64>,
    /// Texts that a collator makes of each sample and puts into one batch: 2 for the answers of a pair.
    pub texts_per_sample: u64,
    /// Whether something that is not visible is told to train.
    pub tells_to_train: bool,
    /// The call that trains modules of the project which nothing loads or casts: they keep torch's default dtype.
    pub keeps_default_dtype: Option<FileRange>,
    /// The tasks of the trainers that the project writes itself and makes, by the names of their classes.
    pub own_trainers: BTreeSet<&'static str>,
    /// Models that are loaded in code without visible callers, if other code trains.
    pub uncalled_models: Vec<ModelLoad>,
    /// Library calls in the order of execution; those in code without visible callers come last.
    pub calls: Vec<LibraryCall>,
    /// Environment variables that the code sets, with the value if it is known.
    pub environment: Vec<(String, Option<Value>, FileRange)>,
}

impl CodeFacts {
    /// Whether a parser fills the argument classes of a library from the command line.
    pub fn parses_library_arguments(&self) -> bool {
        self.parsers.iter().any(|parser| parser.command_line && !parser.classes.is_empty())
    }

    /// The model with an index from [`super::ArgValue::Model`].
    pub fn model(&self, index: usize) -> Option<&ModelLoad> {
        self.models.get(index).or_else(|| self.uncalled_models.get(index.checked_sub(self.models.len())?))
    }

    /// Whether the code trains: a loop with a backward pass, a trainer, or a model that reaches one.
    pub fn trains(&self) -> bool {
        self.accumulates.is_some()
            || self.accelerator.is_some()
            || self.task.is_some()
            || self.models.iter().any(|model| model.trained == Some(true))
    }
}

/// How the code that trains is reached from the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingPath {
    /// The program calls it.
    Called,
    /// The program makes a trainer, and nothing visible tells it to train.
    TrainerMade,
    /// It stands in the entry, and nothing visible calls it.
    UncalledInEntry,
    /// It stands in an imported module, and nothing visible calls it.
    UncalledInImport,
}

/// How the code uses accelerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceleratorUse {
    /// The call.
    pub place: FileRange,
    /// Whether it sets `gradient_accumulation_steps` or a plugin for it.
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
    /// The stage that its name contains: `sft`, `grpo`.
    pub stage: Option<&'static str>,
    /// Whether it reaches a call that the library reads (`DataLoader(batch_size=…)`, `TrainingArguments(…)`).
    pub reaches_call: bool,
    /// Whether reachable code reads it. A constant that is never read says nothing about the run.
    pub used: bool,
    /// The key of a loaded file, if it is one: an index into [`CodeFacts::loads`] and the route from the root.
    pub loaded_key: Option<(usize, Vec<String>)>,
    /// Whether it holds only if a stronger candidate of the same place is absent: `cfg.get("batch_size", 8)`.
    pub fallback: bool,
    /// The environment variable that feeds it: `os.environ.get("BATCH", 4)`.
    pub env: Option<String>,
    /// The condition under which the call is made at all (`args.stage == "sft"`). The value itself may still be the only one.
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
    /// The path in the code, if it is known by default.
    pub path: Option<String>,
    /// The option whose value the path is: `config` for `open(args.config)`.
    pub option: Option<String>,
    /// The call.
    pub place: FileRange,
    /// The loader; `None` if it is not visible.
    pub loader: Option<Loader>,
    /// The file, if the code and the command line settle it.
    pub file: Option<FileId>,
    /// The number of the positional word on the command line that holds the path (1 for `sys.argv[1]`).
    pub argument: Option<usize>,
    /// The purpose of the load.
    pub role: LoadRole,
    /// The parts of a configuration of several files; empty for one that is a single file.
    pub layers: Vec<Layer>,
}

/// The purpose of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRole {
    /// Data for the code itself.
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
    /// Full names of the library classes that it fills, including base classes of classes of the project.
    pub classes: Vec<String>,
    /// Whether it fills classes that are not visible. The fields of the project's own classes are [`CodeFacts::options`].
    pub open: bool,
    /// Whether it reads the command line.
    pub command_line: bool,
    /// The calls by which it reads files: places of [`CodeFacts::loads`].
    pub loads: Vec<FileRange>,
    /// Whether it accepts keys and options that no class has.
    pub lenient: bool,
}

/// An option of a script's command line: argparse, click, typer, fire, a dataclass read by `HfArgumentParser`.
#[derive(Clone, Debug)]
pub struct CliOption {
    /// Every spelling: `["--batch_size", "-b"]`.
    pub names: Vec<String>,
    /// The name in the code: `batch_size`.
    pub dest: String,
    /// The default, if it is known.
    pub default: Option<Value>,
    /// Where the default is written.
    pub default_place: Option<FileRange>,
    /// Where the option is declared.
    pub place: FileRange,
    /// Whether it takes no value.
    pub switch: bool,
}

/// A model that code loads with weights: `from_pretrained` and similar calls.
#[derive(Clone, Debug)]
pub struct ModelLoad {
    /// The file of the call.
    pub file: FileId,
    /// The call.
    pub place: FileRange,
    /// The class and method by their full name: `transformers.AutoModelForCausalLM.from_pretrained`.
    pub class: String,
    /// Name or folder of the model, if it is known by default.
    pub model: Option<Value>,
    /// The values of `device_map`, strongest first; empty if it is absent. The places are those of the values.
    pub device_map: Vec<CodeCandidate>,
    /// The keyword arguments, with their values if they are known. The places are those of the values.
    pub arguments: Vec<(String, Option<Value>, FileRange)>,
    /// Whether there may be hidden arguments (`**kwargs` of an unknown caller).
    pub open: bool,
    /// Whether it is trained: it reaches an optimizer, a trainer, `prepare()` before a backward pass, or adapters. `Some(false)`
    /// for a model that only runs inference; `None` if unknown.
    pub trained: Option<bool>,
    /// Whether the call is made only under an undecided condition.
    pub conditional: bool,
    /// Whether a class of the project that derives from the class loads it.
    pub derived: bool,
    /// How often a training loop of the project calls it for each backward.
    pub forward_calls: usize,
    /// The calls of functions of the project that lead to it, outermost first.
    pub call_chain: Vec<FileRange>,
}
