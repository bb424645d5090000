//! Scripts that other scripts run (`bash train.sh 8`, `sbatch job.slurm --lr 1e-4`) or source.

use crate::SourceFile;
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_syntax::shell::{Assignment, Command, Word};

/// A command that runs another script of the project.
#[derive(Clone, Debug)]
pub(super) struct ScriptCall {
    /// The script that it runs.
    pub(super) script: FileId,
    /// The file of the command.
    pub(super) file: FileId,
    /// The command.
    pub(super) range: TextRange,
    /// What it passes.
    pub(super) arguments: Vec<Word>,
    /// The variables that it passes and that the script mentions.
    pub(super) environment: Vec<Assignment>,
    /// Options of `sbatch`, which replace those in the script.
    pub(super) scheduler_options: Vec<Word>,
    /// Whether it may run several times.
    pub(super) in_loop: bool,
    /// Whether it is in a branch.
    pub(super) conditional: bool,
}

impl ScriptCall {
    /// The call in a command, if it passes anything to a script of the project.
    pub(super) fn of_command(command: &Command, file: &SourceFile, sources: &SourceSet, paths: &PathResolver) -> Option<Self> {
        let (at, script) = called_script(command, file, sources, paths)?;
        let is_seen = |variable: &&Assignment| script.mentions(&variable.name);
        let is_sbatch = |word: &Word| program(word).is_some_and(|name| name == "sbatch");
        let sbatch = command.words[..at].iter().position(is_sbatch);
        let call = Self {
            script: script.id,
            file: file.id,
            range: command.range,
            arguments: command.words[at + 1..].to_vec(),
            environment: command.environment.iter().filter(is_seen).cloned().collect(),
            scheduler_options: sbatch.map_or_else(Vec::new, |sbatch| command.words[sbatch + 1..at].to_vec()),
            in_loop: command.in_loop,
            conditional: command.conditional,
        };
        let passes = !call.arguments.is_empty() || !call.environment.is_empty();
        passes.then_some(call)
    }

    /// Where a word of the command was written.
    pub(super) fn place(&self, word: &Word) -> FileRange {
        word.origin.unwrap_or(FileRange::new(self.file, word.range))
    }
}

/// Ends of the names of scripts.
const ENDS: &[&str] = &[".sh", ".bash", ".slurm", ".sbatch", ".job", ".pbs", ".lsf"];
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];
/// Programs before the script or the shell that runs it.
const STARTERS: &[&str] = &[
    "sbatch",
    "qsub",
    "bsub",
    "srun",
    "salloc",
    "nohup",
    "time",
    "exec",
    "command",
    "setsid",
    "env",
    "sudo",
    "timeout",
    "nice",
    "docker",
    "podman",
    "singularity",
    "apptainer",
    "mpirun",
    "mpiexec",
    "stdbuf",
    "uv",
    "poetry",
    "conda",
];

/// The script that a command runs, and which word names it.
fn called_script<'a>(
    command: &Command,
    file: &SourceFile,
    sources: &'a SourceSet,
    paths: &PathResolver,
) -> Option<(usize, &'a SourceFile)> {
    let named = |word: &Word| word.path().is_some_and(|path| ENDS.iter().any(|end| path.ends_with(end)));
    let at = command.words.iter().position(named)?;
    let starts = |word: &Word| program(word).is_some_and(|name| SHELLS.contains(&name) || STARTERS.contains(&name));
    let is_run = at == 0 || starts(&command.words[0]);
    // `bash -c` reads a text, `docker cp run.sh …` a file.
    let other = |word: &Word| matches!(word.text(), Some("-c" | "cp" | "build" | "push" | "install"));
    if !is_run || command.words[..at].iter().any(other) {
        return None;
    }
    Some((at, script_at(command.words[at].path()?, command, file, sources, paths)?))
}

/// The script of the project that a command sources.
pub(super) fn sourced_script<'a>(
    command: &Command,
    file: &SourceFile,
    sources: &'a SourceSet,
    paths: &PathResolver,
) -> Option<&'a SourceFile> {
    let is_source = matches!(command.words.first()?.text(), Some("source" | "."));
    // A command inside a quoted script has the place of the quotes.
    let is_written = command.range.slice(&file.text).starts_with(['s', '.']);
    if !is_source || !is_written {
        return None;
    }
    script_at(command.words.get(1)?.path()?, command, file, sources, paths)
}

fn script_at<'a>(
    path: &str,
    command: &Command,
    file: &SourceFile,
    sources: &'a SourceSet,
    paths: &PathResolver,
) -> Option<&'a SourceFile> {
    let entered = command.directory.as_deref().and_then(|path| paths.resolve_folder(path, file.folder()));
    let folder = entered.as_deref().unwrap_or_else(|| file.folder());
    let found = sources.file(paths.resolve(path.trim_start_matches('/'), folder)?);
    let is_other_shell = matches!(found.extension().as_str(), "ps1" | "psm1" | "bat" | "cmd");
    (found.is_script() && !is_other_shell && found.id != file.id).then_some(found)
}

/// The name of the program that a word starts.
fn program(word: &Word) -> Option<&str> {
    word.path().map(|path| path.rsplit('/').next().unwrap_or(path))
}
