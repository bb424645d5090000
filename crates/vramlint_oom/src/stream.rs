//! Which process wrote a line: what launchers put before the lines of each rank.

use regex::Regex;
use std::sync::LazyLock;

/// Who wrote a line, where its beginning says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Rank of the process.
    pub(crate) rank: Option<u32>,
    /// What tells its lines from those of others.
    key: Option<String>,
}

impl Stream {
    /// Whether a line of `other` may continue a message of this process: the same process, or a line that names none, since a terminal
    /// that wraps lines repeats nothing.
    pub(crate) fn is_continued_by(&self, other: &Self) -> bool {
        other.key.is_none() || self.key == other.key
    }
}

/// What names a rank or a process at the beginning of a line:
///
/// - `[rank3]:` of PyTorch, also after a time stamp or a name of a host,
/// - `[default3]:` of torchrun with `--tee`,
/// - `[1,3]<stderr>:` of mpirun,
/// - `3: ` of `srun --label`,
/// - `(Worker rank=3 pid=17)` of Ray and vLLM.
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:",
        r"[^\[\]]{0,100}?(?:\[[^\[\]]{0,60}\][^\[\]]{0,40}?){0,2}?\[(?:rank|default)(?P<torch>\d{1,6})\]:?\s?",
        r"|\s*\[\d+,(?P<mpi>\d{1,6})\](?:<\w+>)?:\s?",
        r"|\s*(?P<srun>\d{1,4}): ",
        r"|\s*\((?P<actor>[\w.:/-]*[^()]{0,40}?pid=\d+[^()]*)\)\s?",
        r")"
    ))
    .expect("a legal pattern")
});

static RANK_OF_ACTOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\brank=(\d{1,6})\b|_TP(\d{1,6})\b").expect("a legal pattern"));

/// Who wrote `line`, and the line without what says so.
pub(crate) fn split(line: &str) -> (Stream, &str) {
    let Some(found) = PREFIX.captures(line) else { return (Stream::default(), line) };
    let rest = &line[found.get(0).map_or(0, |all| all.end())..];
    let number = ["torch", "mpi", "srun"].iter().find_map(|name| found.name(name)).map(|digits| digits.as_str());
    let stream = if let Some(digits) = number {
        Stream { rank: digits.parse().ok(), key: Some(digits.to_owned()) }
    } else {
        let actor = found.name("actor").map_or("", |name| name.as_str());
        let rank = RANK_OF_ACTOR.captures(actor).and_then(|found| found.get(1).or(found.get(2))?.as_str().parse().ok());
        Stream { rank, key: Some(actor.to_owned()) }
    };
    (stream, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_launchers_name_the_rank() {
        for (line, rank, rest) in [
            ("[rank3]: Traceback", Some(3), "Traceback"),
            ("2026-01-01T00:00:00Z stderr F [rank12]:   File", Some(12), "  File"),
            ("node-1: [rank0]: loss", Some(0), "loss"),
            ("[default7]:RuntimeError: CUDA", Some(7), "RuntimeError: CUDA"),
            ("[1,5]<stderr>:RuntimeError", Some(5), "RuntimeError"),
            ("2: RuntimeError", Some(2), "RuntimeError"),
            ("(RayTrainWorker pid=17, ip=10.0.0.1) RuntimeError", None, "RuntimeError"),
            ("(VllmWorker rank=1 pid=17) ERROR", Some(1), "ERROR"),
            ("RuntimeError: CUDA out of memory", None, "RuntimeError: CUDA out of memory"),
        ] {
            let (stream, found) = split(line);
            assert_eq!((stream.rank, found), (rank, rest), "{line}");
        }
    }

    #[test]
    fn lines_of_other_ranks_do_not_continue_a_message() {
        let (zero, one, none) = (split("[rank0]: a").0, split("[rank1]: a").0, split("a").0);
        assert!(zero.is_continued_by(&zero) && zero.is_continued_by(&none));
        assert!(!zero.is_continued_by(&one) && !none.is_continued_by(&one));
    }
}
