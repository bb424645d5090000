//! What is said about a framework in one place.

use super::evidence::Evidence;
use crate::Concept;
use crate::classes::Table;
use crate::dialect::Row;

/// A framework: everything that the rest of vramlint asks about it.
///
/// The libraries that frameworks build on (transformers, TRL, accelerate, DeepSpeed) and the names of a project's own files have
/// descriptors too, so that nothing needs to ask which of them it has at hand.
pub struct Framework {
    /// The name in `# vramlint: kind=…`.
    pub id: &'static str,
    /// As it calls itself.
    pub name: &'static str,
    /// The package, as pip names it.
    pub package: &'static str,
    /// Its keys, a later list before an earlier one.
    pub(crate) keys: &'static [&'static [Row]],
    /// What a key says of a second concept.
    pub(crate) second: &'static [Row],
    /// The type that `load_in_4bit` and its like give, and whether its constants are quantized too.
    pub(crate) four_bits: (&'static str, bool),
    /// The first word of the import paths of its classes, and their table.
    pub(crate) table: Option<ClassTable>,
    /// The files that hold its arguments; none where it is only called from Python.
    pub files: Option<ConfigFiles>,
    /// The classes that its files and commands fill.
    pub classes: ArgumentClasses,
    /// What is trained, by the first word of the command.
    pub tasks: &'static [(&'static [&'static str], &'static str)],
    /// Modules that train with it: `python -m axolotl.cli.train`.
    pub modules: &'static [EntryModule],
    /// Functions that train with the arguments of the command line: the package that has it, under whatever path, and its name.
    pub programs: &'static [(&'static str, &'static str)],
    /// Decorators of programs that take their whole configuration from the command line and stop without one.
    pub parsing_decorators: &'static [&'static str],
    /// Options that only its scripts have together, each group for itself.
    pub options: &'static [&'static [&'static str]],
    /// Options that name a file of settings which nothing here reads.
    pub unread_files: &'static [UnreadFile],
    /// Options that fill a micro-batch by tokens instead of sequences.
    pub token_batches: &'static [TokenBatches],
    /// What it does with keys that it does not know.
    pub unknown_keys: UnknownKeys,
    /// How it types the values of its file.
    pub file_types: FileTypes,
    /// The path of the key that names DeepSpeed's file.
    pub deepspeed_key: &'static [&'static str],
    /// The names of DeepSpeed files that it ships, and their stage.
    pub zero_presets: &'static [(&'static str, i64)],
    /// How it multiplies.
    pub batch: BatchArithmetic,
    /// Whether it trains by transformers' Trainer, so that its arguments and DeepSpeed's numbers must agree.
    pub is_hf_trainer: bool,
    /// Whether one file or one command line is the whole training, and it orders command line, file and default itself.
    pub is_standalone: bool,
    /// Whether it always trains under DeepSpeed.
    pub is_deepspeed: bool,
    /// Whether `tensor_parallel_size` and its like divide the processes that train.
    pub divides_ranks: bool,
    /// Whether one process gives rows to every GPU that it sees (`nn.DataParallel`).
    pub spreads_rows: bool,
    /// How many processes train where no launcher starts them.
    pub processes: Processes,
    /// What keeps activations on the host instead of computing them again.
    pub offloads_instead: Option<OffloadedInstead>,
    /// How it starts its processes by Ray, if it can.
    pub ray_workers: Option<RayWorkers>,
    /// Whether `use_vllm` alone means TRL's default mode.
    pub has_vllm_mode_of_trl: bool,
    /// The keys that hold vLLM's share of a GPU.
    pub vllm_shares: &'static [VllmShare],
    /// The keys that a fix writes.
    pub fixes: FixKeys,
    /// What an estimate takes for granted.
    pub estimate: EstimateTraits,
}

impl Framework {
    /// What a command with this first word trains.
    pub fn task_of_command(&self, word: &str) -> Option<&'static str> {
        self.tasks.iter().find(|(words, _)| words.contains(&word)).map(|(_, task)| *task)
    }
}

/// The first word of the import paths of the classes of a framework, and their table.
pub(crate) type ClassTable = (&'static str, fn() -> &'static Table);

/// The files of a framework.
#[derive(Clone, Copy, Debug)]
pub struct ConfigFiles {
    /// What tells them from others; the first that holds counts.
    pub evidence: &'static [Evidence],
    /// Who types their scalars.
    pub loader: ConfigLoader,
    /// Whether it makes a number of text that holds one (`2e-5`), whatever the loader did.
    pub text_becomes_number: bool,
    /// Whether it refuses what `yaml.safe_load` refuses, so that no loader of the project stands between.
    pub refuses_tags: bool,
}

impl ConfigFiles {
    /// Whether it reads numbers that `yaml.safe_load` takes for text.
    pub fn reads_more_numbers(&self) -> bool {
        self.text_becomes_number || self.loader != ConfigLoader::PyYaml
    }
}

/// Who types the scalars of a YAML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigLoader {
    /// `yaml.safe_load`.
    PyYaml,
    /// OmegaConf, which refuses a key that stands twice.
    OmegaConf,
    /// TRL's parser.
    TrlParser,
    /// jsonargparse: numbers as OmegaConf reads them; of a key that stands twice the last counts.
    JsonArgparse,
}

/// The classes of `data/classes` that the arguments of a framework fill.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentClasses {
    /// That of a file or command that says no more.
    pub usual: Option<&'static str>,
    /// By the first word of the command: `swift rlhf`.
    pub by_command: &'static [(&'static [&'static str], &'static str)],
    /// By a key that only one of them has, where no command is known.
    pub by_key: &'static [(&'static str, &'static str)],
    /// Whether the module that is run names the class: `openrlhf.cli.train_sft`.
    pub by_module: bool,
    /// Whether a key that the class lacks is one that the framework does not know.
    pub complete: bool,
}

impl ArgumentClasses {
    /// The class that a command with this first word fills.
    pub fn of_command(&self, word: &str) -> Option<&'static str> {
        self.by_command.iter().find(|(words, _)| words.contains(&word)).map(|(_, class)| *class)
    }
}

/// A module that trains.
#[derive(Clone, Copy, Debug)]
pub struct EntryModule {
    /// Its path; one that ends with a dot stands for every module inside.
    pub path: &'static str,
    /// Whether its first argument is the file.
    pub takes_file: bool,
}

impl EntryModule {
    /// Whether `module` is meant.
    pub fn is(&self, module: &str) -> bool {
        if self.path.ends_with('.') { module.starts_with(self.path) } else { module == self.path }
    }
}

/// What a framework does with a key that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Nobody looked.
    NotJudged,
    /// It drops the key.
    Dropped,
    /// It stops.
    Stops,
    /// It stops; releases come often, and a name that nothing has may be a new one.
    StopsUnlessNew,
}

/// What a framework does with keys that it does not know.
#[derive(Clone, Copy, Debug)]
pub struct UnknownKeys {
    /// In its file.
    pub in_file: Unknown,
    /// On its command line.
    pub on_command_line: Unknown,
    /// Variables of the environment that make it take any key.
    pub let_pass_by_variable: &'static [&'static str],
    /// A key that makes it take any other.
    pub let_pass_by_key: Option<&'static str>,
    /// A key of plugins, which bring keys of their own.
    pub extended_by: Option<&'static str>,
    /// Names that people bring from elsewhere, and its own for the same.
    pub borrowed: &'static [(&'static str, &'static str)],
}

/// How a framework types the values of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTypes {
    /// Nobody looked.
    NotJudged,
    /// By pydantic, which refuses what it cannot turn.
    Pydantic,
    /// Not at all: text ends in an error where these keys are computed with.
    Computed(&'static [&'static str]),
    /// As argparse would: by the declared type.
    Declared,
}

/// The arithmetic of a framework.
#[derive(Clone, Copy, Debug)]
pub struct BatchArithmetic {
    /// Where accumulation comes from if it is not stated.
    pub accumulation: Accumulation,
    /// Whether a row of the micro-batch is a completion rather than a prompt, where completions are generated.
    pub counts_completions: bool,
    /// Keys whose number is already the whole of an optimizer step.
    pub whole: &'static [&'static str],
    /// Version and file.
    pub source: &'static str,
}

impl BatchArithmetic {
    /// The rows of an optimizer step are the product of these. Only data-parallel processes count: tensor, context and sequence
    /// parallel ranks share rows.
    pub const STEP: &[Concept] = &[Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::WorldSize];
}

/// How accumulation comes about where it is not stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulation {
    /// It has a plain default, or none.
    Stated,
    /// The least that reaches this many rows.
    UpTo(i64),
    /// The whole batch over the micro-batches of all processes.
    OfWhole,
    /// The same; one where no whole is stated.
    OfWholeElseOne,
}

/// How many processes train where no launcher starts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// One, where the program is seen.
    One,
    /// One, whatever program reads the file.
    AlwaysOne,
    /// One for each device that its arguments name; every GPU where they name none.
    Devices,
    /// Those of the model that is trained, under Ray.
    Ray(&'static RayActors),
}

/// An option that fills micro-batches by tokens.
#[derive(Clone, Copy, Debug)]
pub struct TokenBatches {
    /// Its name.
    pub option: &'static str,
    /// Modules for which it is on unless it is given.
    pub on_by_default_in: &'static [&'static str],
}

/// An option that names a file of settings which nothing here reads.
#[derive(Debug)]
pub struct UnreadFile {
    /// The option.
    pub option: &'static str,
    /// What the file sets; where it may set anything, no default is known.
    pub sets: Option<&'static [Concept]>,
}

/// Options that say how many processes train under Ray.
#[derive(Debug, PartialEq, Eq)]
pub struct RayActors {
    /// The modules that start Ray; any other is one process.
    pub modules: &'static [&'static str],
    /// The spellings of the number of nodes, 1 by default.
    pub nodes: &'static [&'static str],
    /// The spellings of the number of GPUs of a node.
    pub gpus: &'static [&'static str],
    /// The GPUs of a node where no option says it.
    pub gpus_by_default: i64,
    /// Version and file.
    pub source: &'static str,
}

/// A key that keeps the activations of adapted models on the host instead of checkpointing them.
#[derive(Clone, Copy, Debug)]
pub struct OffloadedInstead {
    /// The key.
    pub key: &'static str,
    /// Its words that leave checkpointing on.
    pub but: &'static [&'static str],
    /// The same, written as words of checkpointing itself.
    pub words: &'static [&'static str],
    /// The key that adds adapters.
    pub adapters: &'static str,
    /// The first release that does so.
    pub since: &'static str,
}

/// How a framework starts its processes by Ray, one for each GPU.
#[derive(Clone, Copy, Debug)]
pub struct RayWorkers {
    /// The key that turns it on.
    pub key: Option<&'static str>,
    /// The variable of the command that turns it on.
    pub variable: Option<&'static str>,
    /// The key of the number of processes, 1 by default.
    pub number: &'static str,
}

/// A key that holds vLLM's share of a GPU, above 0 and up to 1.
#[derive(Clone, Copy, Debug)]
pub struct VllmShare {
    /// The key.
    pub key: &'static str,
    /// It counts where this key is on,
    pub if_on: &'static str,
    /// and this one holds this text.
    pub if_text: Option<(&'static str, &'static str)>,
}

/// The keys that fixes write into a file.
#[derive(Clone, Copy, Debug)]
pub struct FixKeys {
    /// Accumulation.
    pub accumulation: Option<&'static str>,
    /// Gradient checkpointing.
    pub checkpointing: Option<&'static str>,
    /// Liger's kernels.
    pub liger: Option<&'static str>,
    /// The optimizer, by its transformers name.
    pub optimizer: Option<&'static str>,
    /// A base in 4 bits (nf4 with nested constants) under adapters, in a file or a command: what a key sets, the key, its value.
    pub four_bit: &'static [(Concept, &'static str, FixValue)],
    /// Adapters of rank 16 on all linear layers without dropout, likewise. A key of [`Self::four_bit`] wins over the same one here.
    pub adapters: &'static [(Concept, &'static str, FixValue)],
}

/// A value that a fix writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixValue {
    /// An integer.
    Number(u64),
    /// `true`.
    True,
    /// A word.
    Word(&'static str),
}

/// What an estimate takes for granted.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct EstimateTraits {
    /// Whether estimates play what it trains; models of its own code and diffusion models are not.
    pub is_played: bool,
    /// Whether the file is a recipe that names the class of each part: loss, optimizer, model.
    pub is_recipe: bool,
    /// A key that must be true for anything to be trained.
    pub trains_if: Option<&'static str>,
    /// Whether next-token prediction is what it does where no task is stated.
    pub is_language_modelling: bool,
    /// Whether a base in 4 or 8 bits is prepared by peft.
    pub prepares_quantized: bool,
    /// Whether adapters have no dropout where nothing is stated.
    pub no_dropout: bool,
    /// Whether it computes in bf16 on GPUs that can, where nothing or `auto` is stated.
    pub bf16_where_possible: bool,
    /// Whether it computes in the type of the checkpoint where no precision is stated: bf16, and fp16 for every other type.
    pub autocast_of_checkpoint: bool,
    /// Whether it computes in the type of its weights, whatever precision is stated: no autocast, and shards keep their type.
    pub computes_as_stored: bool,
    /// Whether what is sharded computes in the precision that is stated all the same.
    pub shards_compute_in_precision: bool,
    /// Whether FSDP is that of version 1 where nothing is stated.
    pub first_fsdp: bool,
    /// The type in which it loads weights where none is stated.
    pub weights: Weights,
    /// Whether a launcher that is not seen may shard or offload.
    pub may_be_launched: bool,
    /// The loss without whole logits that it always has or offers.
    pub loss: Loss,
    /// Its own names of linear layers, each with transformers' name.
    pub layer_names: &'static [(&'static str, &'static str)],
    /// Keys that adapt further layers, with the framework's names of these; `all-linear` takes in every other target.
    pub adapter_switches: &'static [(&'static str, &'static [&'static str])],
    /// Whether it lists the linear layers itself where all are targets, rather than let PEFT find them.
    pub lists_linear_layers: bool,
    /// Whether adapters have the type of the weights.
    pub adapters_as_weights: bool,
    /// Whether a process spreads its model over every GPU that it sees, where nothing says otherwise.
    pub spreads_models: bool,
    /// Whether its reward models keep the head of the language model beside a head for the value.
    pub value_head_rewards: bool,
    /// What its trainer does unless it is told otherwise, if that is Megatron's.
    pub megatron: Option<&'static MegatronDefaults>,
}

/// What a trainer on Megatron-Core does unless its arguments say otherwise.
#[derive(Debug, PartialEq, Eq)]
pub struct MegatronDefaults {
    /// Whether data-parallel ranks share the optimizer states (`use_distributed_optimizer`).
    pub distributed_optimizer: bool,
    /// What is computed again (`recompute_granularity`).
    pub recompute_granularity: &'static str,
    /// Whether one kernel rotates queries and keys (`apply_rope_fusion`).
    pub fused_rotary: bool,
    /// Whether rows are joined instead of padded (`padding_free`).
    pub padding_free: bool,
    /// Version and file.
    pub source: &'static str,
}

/// The type in which weights are loaded where none is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// That of the checkpoint.
    Stored,
    /// fp32 where all of them are trained, else that of the checkpoint.
    StoredUnlessTrained,
    /// The type that is computed in.
    Computing,
    /// fp32 where they are trained, else the type that is computed in.
    ComputingUnlessTrained,
}

/// How the logits become a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Whole logits; nothing else is offered.
    Whole,
    /// Whole logits, unless Liger's kernel is turned on.
    LigerOffered,
    /// In pieces where it is asked to.
    PiecesOffered,
    /// In chunks, by kernels of its own.
    Chunked,
}

/// What most frameworks have in common: a descriptor names what differs.
pub(super) const COMMON: Framework = Framework {
    id: "",
    name: "",
    package: "",
    keys: &[],
    second: &[],
    // Axolotl 0.18.0 loaders/model.py, LLaMA-Factory 0.9.6 model_args.py, ms-swift 4.6, OpenRLHF 0.11 and unsloth alike.
    four_bits: ("nf4", true),
    table: None,
    files: None,
    classes: ArgumentClasses { usual: None, by_command: &[], by_key: &[], by_module: false, complete: false },
    tasks: &[],
    modules: &[],
    programs: &[],
    parsing_decorators: &[],
    options: &[],
    unread_files: &[],
    token_batches: &[],
    unknown_keys: UnknownKeys {
        in_file: Unknown::NotJudged,
        on_command_line: Unknown::NotJudged,
        let_pass_by_variable: &[],
        let_pass_by_key: None,
        extended_by: None,
        borrowed: &[],
    },
    batch: BatchArithmetic { accumulation: Accumulation::Stated, counts_completions: false, whole: &[], source: "" },
    file_types: FileTypes::NotJudged,
    deepspeed_key: &["deepspeed"],
    zero_presets: &[],
    vllm_shares: &[],
    is_hf_trainer: false,
    is_standalone: false,
    is_deepspeed: false,
    divides_ranks: false,
    spreads_rows: false,
    processes: Processes::One,
    offloads_instead: None,
    ray_workers: None,
    has_vllm_mode_of_trl: false,
    fixes: FixKeys { accumulation: None, checkpointing: None, liger: None, optimizer: None, four_bit: &[], adapters: &[] },
    estimate: EstimateTraits {
        is_played: true,
        is_recipe: false,
        trains_if: None,
        is_language_modelling: false,
        prepares_quantized: false,
        no_dropout: false,
        value_head_rewards: false,
        megatron: None,
        spreads_models: false,
        bf16_where_possible: false,
        computes_as_stored: false,
        shards_compute_in_precision: false,
        autocast_of_checkpoint: false,
        first_fsdp: false,
        weights: Weights::Stored,
        may_be_launched: true,
        loss: Loss::LigerOffered,
        layer_names: &[],
        adapter_switches: &[],
        lists_linear_layers: false,
        adapters_as_weights: false,
    },
};

/// What most files have in common.
pub(super) const FILES: ConfigFiles =
    ConfigFiles { evidence: &[], loader: ConfigLoader::PyYaml, text_becomes_number: false, refuses_tags: false };
