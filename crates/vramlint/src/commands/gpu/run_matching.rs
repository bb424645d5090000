//! Which run a process belongs to: the one whose script and arguments its command line names.
//!
//! A process that trains was started by the command of the run, or by a program that handed on the arguments: torchrun, DeepSpeed,
//! a framework's own command. So one of the command lines of the process and its ancestors names the script (or the configuration) of
//! the run, and then its arguments. Where these differ from those of the run, so may its settings: then the run is not known.

use crate::output::gpu_live::Prediction;
use std::path::{Component, Path, PathBuf};
use vramlint_base::FileId;
use vramlint_gpu::CommandLine;
use vramlint_resolve::{Project, Run};

/// A run of the project with its estimate.
#[derive(Clone, Debug)]
pub(super) struct KnownRun {
    pub(super) prediction: Prediction,
    /// Paths of the entry script, or of the configurations if the project has no entry.
    subjects: Vec<PathBuf>,
    /// Path of the file that starts it.
    starter: Option<PathBuf>,
    /// The arguments after the script; `None` for an unknown one.
    arguments: Vec<Option<String>>,
    /// Whether other arguments may follow.
    is_open: bool,
}

impl KnownRun {
    /// The run as processes show it; `cwd` is the folder that the paths of the project are relative to.
    pub(super) fn new(project: &Project, run: &Run, cwd: &Path, prediction: Prediction) -> Self {
        let path = |file: FileId| normal(&cwd.join(&project.file(file).path));
        let starter = path(run.place.file);
        let subjects: Vec<PathBuf> = match run.entry {
            Some(entry) => vec![path(entry)],
            None => run.files.iter().map(|file| path(*file)).filter(|path| *path != starter || run.launch.is_none()).collect(),
        };
        let words = run.launch.iter().flat_map(|launch| &launch.arguments).map(|word| word.text().map(str::to_owned));
        let arguments: Vec<Option<String>> = words.collect();
        let is_open = arguments.contains(&None);
        Self { prediction, subjects, starter: run.launch.as_ref().map(|_| starter), arguments, is_open }
    }

    #[cfg(test)]
    pub(super) fn of_script(script: &str, prediction: Prediction) -> Self {
        Self { prediction, subjects: vec![script.into()], starter: None, arguments: Vec::new(), is_open: false }
    }

    #[cfg(test)]
    pub(super) fn with_arguments(self, arguments: Vec<String>) -> Self {
        Self { arguments: arguments.into_iter().map(Some).collect(), ..self }
    }

    /// Whether a command line starts this run.
    fn is_started_by(&self, line: &CommandLine) -> bool {
        let Some(at) = (0..line.words.len()).find(|at| names_one_of(line, *at, &self.subjects)) else { return false };
        let after: Vec<&str> = line.words[at + 1..].iter().map(String::as_str).filter(|word| !is_rank(word)).collect();
        let known: Vec<&str> = self.arguments.iter().flatten().map(String::as_str).collect();
        // Of the whole line: where a framework has no script, the configuration is an argument itself.
        let has_all = known.iter().all(|word| line.words.iter().any(|other| other == word));
        has_all && (self.is_open || after.iter().all(|word| known.contains(word)))
    }
}

/// The run that a process belongs to, from the command lines of it and its ancestors. `None` if there is none, or several with different
/// predictions.
pub(super) fn matching_run(runs: &[KnownRun], lines: &[CommandLine]) -> Option<usize> {
    let started: Vec<usize> = (0..runs.len()).filter(|index| lines.iter().any(|line| runs[*index].is_started_by(line))).collect();
    // Of the runs with these arguments, the script that an ancestor executes starts one.
    let is_named = |index: &usize| {
        let starter = runs[*index].starter.as_slice();
        lines.iter().any(|line| (0..line.words.len()).any(|at| names_one_of(line, at, starter)))
    };
    let named: Vec<usize> = started.iter().copied().filter(is_named).collect();
    let candidates = if named.is_empty() { started } else { named };
    // A run with more of these arguments is the closer one: unknown words accept anything.
    let known = |index: usize| runs[index].arguments.iter().flatten().count();
    let most = candidates.iter().map(|index| known(*index)).max()?;
    let mut closest = candidates.into_iter().filter(|index| known(*index) == most);
    let first = closest.next()?;
    let same = |index: usize| {
        let (one, other) = (&runs[first].prediction, &runs[index].prediction);
        (one.low, one.peak, one.high) == (other.low, other.peak, other.high)
    };
    closest.all(same).then_some(first)
}

/// Whether the word at `at` names one of the files: by a path, or as a module after `-m`.
fn names_one_of(line: &CommandLine, at: usize, files: &[PathBuf]) -> bool {
    let word = &line.words[at];
    let module = at > 0 && line.words[at - 1] == "-m";
    let relative: Vec<PathBuf> = if module {
        let path = word.replace('.', "/");
        vec![format!("{path}.py").into(), format!("{path}/__main__.py").into()]
    } else {
        let value = word.split_once('=').filter(|_| word.starts_with("--")).map_or(word.as_str(), |(_, value)| value);
        vec![value.into()]
    };
    relative.iter().any(|path| {
        let absolute =
            line.directory.as_ref().map(|folder| folder.join(path)).or_else(|| path.is_absolute().then(|| path.clone()));
        absolute.is_some_and(|absolute| files.contains(&normal(&absolute)))
    })
}

/// Whether a word is what launchers add: the rank of the process on its node.
fn is_rank(word: &str) -> bool {
    ["--local_rank", "--local-rank"]
        .iter()
        .any(|flag| word.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
}

/// The path on the disk; as written, without `.` and `..`, if there is none.
fn normal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let mut parts = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => _ = parts.pop(),
                part => parts.push(part),
            }
        }
        parts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, peak: u64, subject: &str, starter: &str, arguments: &[Option<&str>]) -> KnownRun {
        let arguments: Vec<Option<String>> = arguments.iter().map(|word| word.map(str::to_owned)).collect();
        KnownRun {
            starter: Some(Path::new("/nowhere").join(starter)),
            is_open: arguments.contains(&None),
            arguments,
            ..KnownRun::of_script(&format!("/nowhere/{subject}"), Prediction { run: id.to_owned(), low: peak, peak, high: peak })
        }
    }

    fn line(words: &str) -> CommandLine {
        CommandLine { words: words.split(' ').map(str::to_owned).collect(), directory: Some("/nowhere".into()) }
    }

    fn found(runs: &[KnownRun], lines: &[&str]) -> Option<String> {
        let lines: Vec<CommandLine> = lines.iter().map(|words| line(words)).collect();
        matching_run(runs, &lines).map(|index| runs[index].prediction.run.clone())
    }

    #[test]
    fn a_process_belongs_to_the_run_with_its_script_and_arguments() {
        let runs = [
            run("a", 1, "train.py", "a.sh", &[Some("--lr"), Some("1e-4")]),
            run("b", 2, "train.py", "b.sh", &[Some("--lr"), Some("1e-5")]),
        ];
        assert_eq!(found(&runs, &["python -u train.py --lr 1e-5"]).as_deref(), Some("b"));
        assert_eq!(found(&runs, &["python -u ./x/../train.py --local_rank=3 --lr 1e-4"]).as_deref(), Some("a"));
        assert_eq!(found(&runs, &["python train.py --lr 1e-3"]), None, "other values");
        assert_eq!(found(&runs, &["python train.py --lr 1e-4 --batch 64"]), None, "more than the run says");
        assert_eq!(found(&runs, &["python serve.py --lr 1e-4"]), None);
        assert_eq!(found(&runs, &[]), None);
    }

    #[test]
    fn an_ancestor_may_name_the_run() {
        let runs = [run("a", 1, "train.py", "a.sh", &[]), run("b", 2, "train.py", "b.sh", &[])];
        let worker = "python -c from multiprocessing.spawn import spawn_main";
        assert_eq!(found(&runs, &[worker, "torchrun --nproc_per_node 2 train.py", "bash b.sh"]).as_deref(), Some("b"));
        assert_eq!(found(&runs, &[worker, "torchrun train.py", "bash"]), None, "either of them");
        assert_eq!(found(&runs[..1], &[worker, "python -m train"]).as_deref(), Some("a"), "as a module");
    }

    #[test]
    fn unknown_arguments_accept_anything_and_yield_to_known_ones() {
        let open = run("open", 1, "train.py", "a.sh", &[None]);
        let runs = [open.clone(), run("known", 2, "train.py", "a.sh", &[Some("--fast")])];
        assert_eq!(found(&runs, &["python train.py --slow --very"]).as_deref(), Some("open"));
        assert_eq!(found(&runs, &["python train.py --fast"]).as_deref(), Some("known"));
        let twin = KnownRun { prediction: Prediction { run: "twin".to_owned(), ..open.prediction.clone() }, ..open.clone() };
        assert_eq!(found(&[open, twin], &["python train.py"]).as_deref(), Some("open"), "the predictions are the same");
    }

    #[test]
    fn a_configuration_names_the_run_of_a_framework() {
        let runs =
            [run("a", 1, "a.yaml", "a.sh", &[Some("a.yaml")]), run("b", 2, "b.yaml", "b.sh", &[Some("b.yaml"), Some("lr=1")])];
        assert_eq!(found(&runs, &["python llamafactory-cli train a.yaml"]).as_deref(), Some("a"));
        assert_eq!(found(&runs, &["python llamafactory-cli train b.yaml lr=1"]).as_deref(), Some("b"));
        assert_eq!(found(&runs, &["python llamafactory-cli train b.yaml"]), None);
    }

    #[test]
    fn a_directory_that_is_not_known_names_absolute_paths_only() {
        let runs = [run("a", 1, "train.py", "a.sh", &[])];
        let at = |words: &str| CommandLine { directory: None, ..line(words) };
        assert_eq!(matching_run(&runs, &[at("python /nowhere/train.py")]), Some(0));
        assert_eq!(matching_run(&runs, &[at("python train.py")]), None);
    }
}
