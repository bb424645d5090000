//! What is said about a launcher in one place.

use crate::dialect::Dialect;
use crate::flag::Flag;
use crate::precedence::LaunchPath;

/// A program that starts training: everything that the rest of vramlint asks about it.
pub struct LauncherSpec {
    /// The command, as messages name it: `axolotl train`.
    pub name: &'static str,
    /// The commands that start it.
    pub commands: &'static [Command],
    /// Modules that are the same program: `python -m torch.distributed.run`, and the word that must follow.
    pub modules: &'static [(&'static str, Option<&'static str>)],
    /// The flags that it knows itself.
    pub flags: &'static [Flag],
    /// Flags that it takes besides, to hand them on.
    pub(crate) hands_on: &'static [&'static [Flag]],
    /// Whether its parser takes an unambiguous beginning for a long flag.
    pub(crate) abbreviates: bool,
    /// The framework whose command line it is.
    pub dialect: Option<Dialect>,
    /// How a configuration is named on its command line.
    pub config: ConfigArgument,
    /// Whether every word is an argument of the training, with a file in front or without.
    pub is_all_arguments: bool,
    /// Whether flags alone may say everything, without a file.
    pub is_enough: bool,
    /// Whether the processes are accelerate's, so that its flags and its file count.
    pub starts_accelerate: bool,
    /// How many processes it starts.
    pub processes: ProcessCount,
    /// Who wins where several places set the same thing.
    pub path: LaunchPath,
}

/// A command that starts a launcher.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The names of the program.
    pub programs: &'static [&'static str],
    /// The words that must follow, each with its alternatives.
    pub words: &'static [&'static [&'static str]],
    /// Whether the last of these stays, as what is started: the `sft` of `trl sft`.
    pub keeps_last: bool,
}

/// A command without further words.
pub(crate) const fn command(programs: &'static [&'static str]) -> Command {
    Command { programs, words: &[], keeps_last: false }
}

impl Command {
    /// With words that must follow.
    pub(crate) const fn then(self, words: &'static [&'static [&'static str]]) -> Self {
        Self { words, ..self }
    }

    /// With the last word as what is started.
    pub(crate) const fn starting(self, words: &'static [&'static [&'static str]]) -> Self {
        Self { words, keeps_last: true, ..self }
    }

    /// How many words belong to the launcher, where these start it.
    fn matches(&self, program: &str, rest: &[Option<&str>]) -> Option<usize> {
        let fits = self.programs.contains(&program)
            && self
                .words
                .iter()
                .enumerate()
                .all(|(at, words)| rest.get(at).copied().flatten().is_some_and(|word| words.contains(&word)));
        fits.then(|| 1 + self.words.len() - usize::from(self.keeps_last))
    }
}

/// How a configuration is named on a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigArgument {
    /// It is the first word.
    pub is_first: bool,
    /// The option that names it.
    pub option: Option<&'static str>,
    /// The option that names accelerate's file, or one that ships with the launcher.
    pub accelerate_option: Option<&'static str>,
    /// The key that a first word means which is not a file.
    pub positional: Option<&'static str>,
    /// Where the framework's repository holds the configurations that ship with it and go by their name: `llama3_1/8B_lora`.
    pub bundled: Option<&'static str>,
}

/// How many processes a launcher starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessCount {
    /// accelerate's arithmetic.
    Accelerate,
    /// accelerate's, where the framework's file may hold arguments of the launcher too.
    AccelerateAndFile,
    /// torchrun's arithmetic.
    Torchrun,
    /// torchrun's where it is asked for; else one.
    TorchrunIfAsked,
    /// The deepspeed launcher's arithmetic.
    DeepSpeed,
    /// The program decides.
    Program,
    /// `NPROC_PER_NODE` and `NNODES` of the environment; else one.
    VariablesElseOne,
    /// `NPROC_PER_NODE` and `NNODES` of the environment; else one for each GPU.
    VariablesElseGpus,
    /// The launcher that a flag names, accelerate where none does.
    Chosen,
    /// Devices and nodes that the framework's arguments name.
    Devices,
}

impl LauncherSpec {
    /// How many of `words` belong to the launcher, where they start it. A word that is not known is `None`.
    pub(super) fn matches(&self, words: &[Option<&str>]) -> Option<usize> {
        let program = program_name((*words.first()?)?);
        self.commands.iter().find_map(|command| command.matches(program, &words[1..]))
    }

    /// Whether `python -m MODULE` with `next` behind it is this program, and how many words that takes after the module.
    pub(super) fn is_module(&self, module: &str, next: Option<&str>) -> Option<usize> {
        self.modules.iter().find_map(|(name, word)| {
            let fits = *name == module && word.is_none_or(|word| next == Some(word));
            fits.then_some(usize::from(word.is_some()))
        })
    }
}

/// The name of a program without its folder.
pub(super) fn program_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program).trim_end_matches(".exe")
}

/// What most launchers have in common.
pub(crate) const PLAIN: LauncherSpec = LauncherSpec {
    name: "",
    commands: &[],
    modules: &[],
    flags: &[],
    hands_on: &[],
    abbreviates: false,
    dialect: None,
    config: ConfigArgument { is_first: false, option: None, accelerate_option: None, positional: None, bundled: None },
    is_all_arguments: false,
    is_enough: false,
    starts_accelerate: false,
    processes: ProcessCount::Program,
    path: LaunchPath::Python,
};

/// What the command lines of frameworks have in common.
pub(crate) const FRAMEWORK: LauncherSpec = LauncherSpec { path: LaunchPath::Framework, ..PLAIN };
