//! Processes that Slurm starts: `srun --ntasks=16 python train.py`, where the code takes its rank from Slurm.

use super::world_size::WorldSizeInput;
use crate::features::Feature;
use vramlint_syntax::shell::Word;

/// What `srun` is told, by the long and the short spelling of its options (Slurm 24.05 `srun` manual).
const TASKS: (&str, &str) = ("--ntasks", "-n");
const NODES: (&str, &str) = ("--nodes", "-N");
const TASKS_PER_NODE: (&str, &str) = ("--ntasks-per-node", "");

impl WorldSizeInput<'_> {
    /// The processes of a command behind `srun` that form one group; `None` if their number or the group is not visible.
    pub(super) fn slurm_tasks(&self) -> Option<i64> {
        let launch = self.launch?;
        let joins = self.graph.any_has(&self.code?.files, Feature::SlurmProcessId);
        let script = self.graph.file(launch.file).script().filter(|_| joins)?;
        let holds = |range: vramlint_base::TextRange| range.start <= launch.range.start && launch.range.end <= range.end;
        let command = script.commands.iter().find(|command| holds(command.range))?;
        let runner =
            command.words.iter().position(|word| word.text().is_some_and(|text| text.rsplit('/').next() == Some("srun")))?;
        let words = &command.words[runner + 1..];
        let end = words.iter().position(|word| word.text().is_some_and(|text| text.contains("python")))?;
        let options = &words[..end];
        if options.iter().any(|word| word.text().is_none() && !is_value(word, options)) {
            return None;
        }
        match given(options, TASKS) {
            Some(tasks) => tasks.ok(),
            None => given(options, NODES)?.ok()?.checked_mul(given(options, TASKS_PER_NODE)?.ok()?),
        }
    }
}

/// Whether a word is the value of the option before it.
fn is_value(word: &Word, options: &[Word]) -> bool {
    let at = options.iter().position(|other| other.range == word.range);
    let before = at.and_then(|at| options.get(at.checked_sub(1)?)).and_then(Word::text);
    before.is_some_and(|text| text.starts_with('-') && !text.contains('='))
}

/// An option has a number that is not known.
struct NotKnown;

/// The number that an option is given.
fn given(options: &[Word], (long, short): (&str, &str)) -> Option<Result<i64, NotKnown>> {
    let number = |text: &str| text.parse().ok().filter(|number| *number > 0).ok_or(NotKnown);
    options.iter().enumerate().rev().find_map(|(at, word)| {
        let text = word.text()?;
        if text == long || !short.is_empty() && text == short {
            return Some(options.get(at + 1).and_then(Word::text).ok_or(NotKnown).and_then(number));
        }
        let attached = text.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
        let attached =
            attached.or_else(|| text.strip_prefix(short).filter(|rest| !short.is_empty() && rest.starts_with(char::is_numeric)));
        attached.map(number)
    })
}
