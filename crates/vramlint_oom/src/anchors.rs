//! The bytes that every message has: one pass finds where a log may hold one.

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

/// Which reader looks at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Words of allocators and drivers.
    OutOfMemory,
    /// The number that an allocator was asked for.
    TriedToAllocate,
    /// A status of cuBLAS and its like.
    AllocFailed,
    /// `cudaMallocAsync`.
    MallocAsync,
    /// NCCL.
    NcclAllocation,
    /// XLA, TensorFlow.
    Xla,
    /// Host memory.
    Host,
    /// torchrun.
    Exitcode,
    /// The launcher of DeepSpeed.
    Deepspeed,
    /// A shell, the kernel, a data loader.
    Killed,
    /// Exit status 137.
    Status137,
    /// `SIGKILL` in an exception.
    Sigkill,
    /// The kernel, Slurm.
    OomKill,
    /// Slurm, LSF.
    Scheduler,
    /// Kubernetes, Docker, notebooks in the cloud.
    Container,
    /// Ray.
    Ray,
    /// systemd-oomd, earlyoom.
    Daemon,
    /// A bus error, `/dev/shm`.
    SharedMemory,
    /// vLLM, SGLang.
    Engine,
}

/// Each text and its reader. The texts leave out first letters whose case varies.
const ANCHORS: &[(&str, Anchor)] = &[
    ("ut of memory", Anchor::OutOfMemory),
    ("ried to allocate", Anchor::TriedToAllocate),
    ("_ALLOC_FAILED", Anchor::AllocFailed),
    ("exceed allowed memory", Anchor::MallocAsync),
    ("Failed to CUDA ", Anchor::NcclAllocation),
    ("RESOURCE_EXHAUSTED", Anchor::Xla),
    ("OOM when allocating", Anchor::Xla),
    ("nable to allocate", Anchor::Host),
    ("annot allocate memory", Anchor::Host),
    ("MemoryError", Anchor::Host),
    ("std::bad_alloc", Anchor::Host),
    ("rror 1455", Anchor::Host),
    ("xitcode", Anchor::Exitcode),
    ("exits with return code", Anchor::Deepspeed),
    ("Killing subprocess", Anchor::Deepspeed),
    ("see_memory_usage", Anchor::Deepspeed),
    ("Killed", Anchor::Killed),
    ("Kill process", Anchor::Killed),
    ("zsh: killed", Anchor::Killed),
    ("terminated by signal 9", Anchor::Killed),
    ("已杀死", Anchor::Killed),
    ("status 137", Anchor::Status137),
    ("code 137", Anchor::Status137),
    ("ode: 137", Anchor::Status137),
    ("Exit Code:", Anchor::Status137),
    ("SIGKILL", Anchor::Sigkill),
    ("oom-kill", Anchor::OomKill),
    ("oom_kill", Anchor::OomKill),
    ("Out Of Memory", Anchor::Scheduler),
    ("xceeded memory limit", Anchor::Scheduler),
    ("xceeded job memory limit", Anchor::Scheduler),
    ("PBS: job killed", Anchor::Scheduler),
    ("TERM_MEMLIMIT", Anchor::Scheduler),
    ("OOMKilled", Anchor::Container),
    ("low on resource: memory", Anchor::Container),
    ("using all available RAM", Anchor::Container),
    ("more memory than is available", Anchor::Container),
    ("low on memory", Anchor::Ray),
    ("systemd-oomd", Anchor::Daemon),
    ("earlyoom", Anchor::Daemon),
    ("us error", Anchor::SharedMemory),
    ("SIGBUS", Anchor::SharedMemory),
    ("shared memory", Anchor::SharedMemory),
    ("</torch_", Anchor::SharedMemory),
    ("'/dev/shm", Anchor::SharedMemory),
    ("NCCL WARN Error: failed to extend /dev/shm", Anchor::SharedMemory),
    ("Free memory on device", Anchor::Engine),
    ("the cache blocks", Anchor::Engine),
    ("max seq len", Anchor::Engine),
    ("mem-fraction-static", Anchor::Engine),
    ("Error in memory profiling", Anchor::Engine),
];

/// Searches for all anchors at once.
pub(crate) enum AnchorSearch {
    /// With vector instructions.
    Packed(Box<Searcher>),
    /// On machines without them.
    Automaton(Box<AhoCorasick>),
}

impl AnchorSearch {
    pub(crate) fn new() -> Self {
        let texts = ANCHORS.iter().map(|(text, _)| text);
        let packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(texts.clone()).build();
        match packed {
            Some(searcher) => Self::Packed(Box::new(searcher)),
            None => Self::Automaton(Box::new(
                AhoCorasickBuilder::new()
                    .match_kind(aho_corasick::MatchKind::LeftmostFirst)
                    .build(texts)
                    .expect("the texts are few and short"),
            )),
        }
    }

    /// The anchors in `bytes` with their first byte, in order.
    pub(crate) fn find_iter<'a>(&'a self, bytes: &'a [u8]) -> Box<dyn Iterator<Item = (usize, Anchor)> + 'a> {
        let anchor = |pattern: usize| ANCHORS[pattern].1;
        match self {
            Self::Packed(searcher) => {
                Box::new(searcher.find_iter(bytes).map(move |found| (found.start(), anchor(found.pattern().as_usize()))))
            }
            Self::Automaton(automaton) => {
                Box::new(automaton.find_iter(bytes).map(move |found| (found.start(), anchor(found.pattern().as_usize()))))
            }
        }
    }
}

/// Length of the longest anchor in bytes.
pub(crate) fn longest() -> usize {
    ANCHORS.iter().map(|(text, _)| text.len()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        let log = "RuntimeError: CUDA out of memory. Tried to allocate 1 MiB\nMemoryError\nOut of memory: Killed process 1";
        let packed: Vec<_> = AnchorSearch::new().find_iter(log.as_bytes()).collect();
        let automaton = AhoCorasickBuilder::new()
            .match_kind(aho_corasick::MatchKind::LeftmostFirst)
            .build(ANCHORS.iter().map(|(text, _)| text))
            .expect("legal");
        let automaton: Vec<_> = AnchorSearch::Automaton(Box::new(automaton)).find_iter(log.as_bytes()).collect();
        assert_eq!(packed, automaton);
        assert_eq!(packed.len(), 5);
    }
}
