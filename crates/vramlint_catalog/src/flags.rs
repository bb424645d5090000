//! Flags of the launchers: which take a value, and what they mean.

use crate::Concept;

/// A program that starts training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Launcher {
    /// `accelerate launch`
    Accelerate,
    /// `torchrun`, `python -m torch.distributed.run`, `python -m torch.distributed.launch`
    Torchrun,
    /// `deepspeed`
    DeepSpeed,
    /// `python`
    Python,
    /// `llamafactory-cli train`
    LlamaFactory,
    /// `axolotl train`, `accelerate launch -m axolotl.cli.train`
    Axolotl,
    /// `tune run`
    Tune,
    /// `trl sft`
    Trl,
    /// `swift sft`
    Swift,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Nothing: `--multi_gpu`.
    Switch,
    /// One value.
    One,
    /// All words up to the next flag.
    Many,
}

/// A flag of a launcher.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Every spelling, the canonical one first, with dashes: `["--num_processes", "--num-processes", "-n"]`.
    pub names: &'static [&'static str],
    /// What it takes.
    pub arity: Arity,
    /// The concept that it sets, where it is one.
    pub concept: Option<Concept>,
}

/// The flag of `launcher` with this spelling (without `=value`); unambiguous abbreviations count where the launcher's parser
/// allows them.
pub fn flag(launcher: Launcher, spelling: &str) -> Option<&'static Flag> {
    todo!("{launcher:?} {spelling}")
}
