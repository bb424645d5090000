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
    library("liger_kernel", false, false, true),
];

/// The library with this name.
pub fn find(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.name == name)
}

/// The library that a dotted module belongs to: `torch` for `torch.optim`.
pub fn of_module(module: &str) -> Option<&'static Library> {
    find(module.split('.').next().unwrap_or(module))
}
