//! Python libraries that code of a training imports, and what an import of each means.

/// A library and what its use says about code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// The name that code imports: `pytorch_lightning`.
    pub name: &'static str,
    /// Whether a module that imports it may be the entry of a training.
    pub trains: bool,
    /// Whether code without visible callers is searched for training where it is imported.
    pub searched: bool,
    /// Whether every call of it is recorded. Of torch, only some parts are.
    pub calls_recorded: bool,
}

const fn library(name: &'static str, trains: bool, searched: bool, calls_recorded: bool) -> Library {
    Library { name, trains, searched, calls_recorded }
}

/// The libraries that are known, once each.
pub const LIBRARIES: &[Library] = &[
    library("torch", true, true, false),
    library("transformers", true, true, true),
    library("trl", true, true, true),
    library("peft", true, true, true),
    library("accelerate", true, true, true),
    library("bitsandbytes", true, true, true),
    library("deepspeed", true, true, true),
    library("unsloth", true, true, true),
    library("lightning", true, true, true),
    library("pytorch_lightning", true, true, true),
    library("lightning_fabric", false, false, true),
    library("sentence_transformers", false, true, true),
    library("torchtune", true, true, false),
    library("swift", true, true, false),
    library("llamafactory", true, true, false),
    library("axolotl", true, false, false),
    library("openrlhf", true, false, false),
    library("verl", true, false, false),
    library("colossalai", true, false, false),
    library("fairscale", true, false, false),
    library("torchao", false, false, true),
    library("vllm", false, false, true),
    library("datasets", false, false, true),
    library("optimum", false, false, true),
    library("modelscope", false, false, true),
    library("huggingface_hub", false, false, true),
    library("liger_kernel", false, false, true),
];

/// Functions and classes that train when they are called, by their library: axolotl 0.18.0 `cli/train.py`, LLaMA-Factory 0.9.6
/// `train/tuner.py`, ms-swift 4.6 `pipelines`, lightning 2.6.6 `pytorch/cli.py`, unsloth 2026 `trainer.py`, trlx 0.7.0 `trlx.py`.
const TRAINING_FUNCTIONS: &[(&str, &[&str])] = &[
    ("axolotl", &["train", "do_train", "do_cli"]),
    ("llamafactory", &["run_exp"]),
    ("swift", &["sft_main", "pt_main", "rlhf_main", "pretrain_main"]),
    ("lightning", &["LightningCLI"]),
    ("pytorch_lightning", &["LightningCLI"]),
    ("unsloth", &["unsloth_train"]),
    ("trlx", &["train"]),
];

/// Whether a call of `name` of a library trains.
pub fn trains_when_called(library: &str, name: &str) -> bool {
    TRAINING_FUNCTIONS.iter().any(|(own, names)| *own == library && names.contains(&name))
}

/// Libraries whose code is never followed. The catalogue says what matters of them, also of a copy in the project and in the library's own
/// repository; and a folder of this name inside of a package hides nothing, as it is not on the path of modules.
const NOT_FOLLOWED: &[&str] = &[
    "torch",
    "transformers",
    "trl",
    "peft",
    "accelerate",
    "bitsandbytes",
    "deepspeed",
    "unsloth",
    "sentence_transformers",
    "diffusers",
    "lightning",
    "pytorch_lightning",
    "vllm",
    "timm",
];

/// Whether a dotted module belongs to a library whose code is not followed.
pub fn is_not_followed(module: &str) -> bool {
    NOT_FOLLOWED.contains(&module.split('.').next().unwrap_or(module))
}

/// The library with this name.
pub fn find(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.name == name)
}

/// The library that a dotted module belongs to: `torch` for `torch.optim`.
pub fn of_module(module: &str) -> Option<&'static Library> {
    find(module.split('.').next().unwrap_or(module))
}
