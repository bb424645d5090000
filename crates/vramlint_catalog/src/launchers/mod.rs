//! The launchers, one descriptor each, and the list of them.
//!
//! A new launcher is a file here (or a descriptor in the file of its framework) and a line in the list below.

use crate::frameworks;
use std::ops::Deref;

pub(crate) mod accelerate;
pub(crate) mod deepspeed;
pub(crate) mod python;
pub(crate) mod spec;
pub(crate) mod torchrun;

pub use deepspeed::{HostSlots, resource_filter};
pub use spec::{Command, ConfigArgument, LauncherSpec, ProcessCount};

macro_rules! launchers {
    ($($(#[$doc:meta])* $variant:ident in $spec:path;)*) => {
        /// A program that starts training: the name by which its descriptor goes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Launcher { $($(#[$doc])* $variant,)* }

        impl Launcher {
            /// Every launcher.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// What is known of it.
            pub fn spec(self) -> &'static LauncherSpec {
                match self { $(Self::$variant => &$spec,)* }
            }
        }
    };
}

launchers! {
    /// `accelerate launch`
    Accelerate in accelerate::LAUNCHER;
    /// `torchrun`, `python -m torch.distributed.run`, `python -m torch.distributed.launch`
    Torchrun in torchrun::LAUNCHER;
    /// `deepspeed`
    DeepSpeed in deepspeed::LAUNCHER;
    /// `python`
    Python in python::LAUNCHER;
    /// `llamafactory-cli train`
    LlamaFactory in frameworks::llama_factory::LAUNCHER;
    /// `llamafactory-cli sft` under `USE_V1=1`
    LlamaFactoryV1 in frameworks::llama_factory_v1::LAUNCHER;
    /// `axolotl train`, `accelerate launch -m axolotl.cli.train`
    Axolotl in frameworks::axolotl::LAUNCHER;
    /// `tune run`
    Tune in frameworks::torchtune::LAUNCHER;
    /// `trl sft`
    Trl in frameworks::trl::LAUNCHER;
    /// `swift sft`
    Swift in frameworks::ms_swift::LAUNCHER;
    /// `megatron sft`
    Megatron in frameworks::megatron_swift::LAUNCHER;
    /// `litgpt finetune_lora`
    Litgpt in frameworks::litgpt::LAUNCHER;
}

impl Deref for Launcher {
    type Target = LauncherSpec;

    fn deref(&self) -> &LauncherSpec {
        self.spec()
    }
}

impl Launcher {
    /// The launcher at the front of a command, and how many words are its own. A word that is not known is `None`.
    pub fn of_words(words: &[Option<&str>]) -> Option<(Self, usize)> {
        let found = Self::ALL.iter().find_map(|launcher| Some((*launcher, launcher.matches(words)?)));
        found.or_else(|| python::is_interpreter(spec::program_name((*words.first()?)?)).then(|| of_python(words)))
    }

    /// The launcher whose command begins with this program, where what it starts is still to be written.
    pub fn of_program(program: &str) -> Option<Self> {
        let program = spec::program_name(program);
        let begins = |command: &Command| command.keeps_last && command.programs.contains(&program);
        Self::ALL.iter().copied().find(|launcher| launcher.commands.iter().any(begins))
    }

    /// What may stand in place of a program: the `sft` of `trl sft`; those of its first command.
    pub fn subcommands(self) -> impl Iterator<Item = &'static str> {
        let kept = self.spec().commands.iter().find(|command| command.keeps_last && command.words.len() == 1);
        kept.into_iter().flat_map(|command| command.words[0]).copied()
    }
}

/// `python -m torch.distributed.run …` is torchrun, `python -m accelerate.commands.launch …` is accelerate.
fn of_python(words: &[Option<&str>]) -> (Launcher, usize) {
    let rest = &words[1..];
    let at = rest.iter().position(|word| word.is_none_or(|text| !text.starts_with('-') || text == "-m"));
    if let Some(at) = at.filter(|at| rest[*at] == Some("-m"))
        && let Some(module) = rest.get(at + 1).copied().flatten()
    {
        let next = rest.get(at + 2).copied().flatten();
        let found = Launcher::ALL.iter().find_map(|launcher| Some((*launcher, launcher.is_module(module, next)?)));
        if let Some((launcher, taken)) = found {
            return (launcher, 1 + at + 2 + taken);
        }
    }
    (Launcher::Python, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Option<(Launcher, usize)> {
        let words: Vec<Option<&str>> = command.split(' ').map(Some).collect();
        Launcher::of_words(&words)
    }

    #[test]
    fn commands_start_their_launchers() {
        assert_eq!(of("accelerate launch train.py"), Some((Launcher::Accelerate, 2)));
        assert_eq!(of("/opt/bin/torchrun train.py"), Some((Launcher::Torchrun, 1)));
        assert_eq!(of("llamafactory-cli train x.yaml"), Some((Launcher::LlamaFactory, 2)));
        assert_eq!(of("llamafactory-cli export x.yaml"), None);
        assert_eq!(of("trl sft --config x.yaml"), Some((Launcher::Trl, 1)), "sft stays, as what is started");
        assert_eq!(of("swift infer"), None);
        assert_eq!(of("python -u -m torch.distributed.run train.py"), Some((Launcher::Torchrun, 4)));
        assert_eq!(of("python3.11 -m llamafactory.cli train x.yaml"), Some((Launcher::LlamaFactory, 4)));
        assert_eq!(of("python -m llamafactory.cli export"), Some((Launcher::Python, 1)));
        assert_eq!(of("python train.py"), Some((Launcher::Python, 1)));
        assert_eq!(of("pytest -m slow"), None);
        assert_eq!(Launcher::of_words(&[None, Some("launch")]), None);
    }

    #[test]
    fn a_command_that_is_not_finished_tells_its_launcher() {
        assert_eq!(Launcher::of_program("swift"), Some(Launcher::Swift));
        assert_eq!(Launcher::of_program("axolotl"), None);
        assert!(Launcher::Trl.subcommands().any(|word| word == "grpo"));
    }
}
