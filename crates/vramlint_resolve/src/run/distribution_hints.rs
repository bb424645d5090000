//! What in code or command spreads a training over processes in a way that no launcher shows.

use crate::code::CodeFacts;
use crate::launch::Launch;
use crate::project::Project;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;

/// Words of code that can spread over processes; a loop without any of them is one process.
const SPREADS: &[&str] = &[
    "accelerat",
    "torch.distributed",
    "DistributedDataParallel",
    "deepspeed",
    "Trainer",
    "lightning",
    "trl",
    "horovod",
    "fairscale",
    "colossalai",
    "init_process_group",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "import ray",
    "FullyShardedDataParallel",
    "fully_shard",
    "DataParallel",
];

/// Calls that start processes themselves, and variables of schedulers that make each process one of many.
const STARTS: &[&str] = &[
    "mp.spawn",
    "multiprocessing.spawn",
    "notebook_launcher",
    "elastic_launch",
    "SLURM_PROCID",
    "SLURM_NTASKS",
    "OMPI_COMM_WORLD",
    "PMI_SIZE",
    "ray.init",
    "ray.train",
    "TorchTrainer",
];
/// Programs in front of `python` that start it several times.
const RUNNERS: &[&str] = &["srun", "mpirun", "mpiexec", "horovodrun"];

/// What the text of one file shows, found once: many runs share files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    spreads: bool,
    starts: Option<&'static str>,
    splits_batches: bool,
    pub(super) parallelism: bool,
}

impl Marks {
    /// The marks of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            spreads: SPREADS.iter().any(|word| text.contains(word)),
            starts: STARTS.iter().find(|word| text.contains(**word)).copied(),
            splits_batches: text.contains("split_batches=True") || text.contains("split_batches = True"),
            parallelism: text.contains("ParallelismConfig("),
        }
    }
}

/// The marks of every file that code takes in.
pub(super) fn marks(project: &Project, code: Option<&CodeFacts>) -> impl Iterator<Item = Marks> {
    code.into_iter().flat_map(|code| &code.files).map(|id| project.marks(*id))
}

/// Whether code is a plain loop that can only be one process.
pub(super) fn plain_loop(project: &Project, code: Option<&CodeFacts>, dialect: Dialect) -> bool {
    let Some(facts) = code else { return false };
    let loops = facts.accumulates.is_some() && facts.accelerator.is_none() && dialect == Dialect::Plain;
    loops && marks(project, code).all(|marks| !marks.spreads)
}

/// The word that shows it, for a command that starts `python`.
pub(super) fn word(project: &Project, launch: Option<&Launch>, code: Option<&CodeFacts>) -> Option<&'static str> {
    let launch = launch.filter(|launch| launch.launcher == Launcher::Python)?;
    let text = launch.range.slice(&project.file(launch.file).text);
    let mut runner = text.split_whitespace().take_while(|word| !word.contains("python"));
    let runner = runner.find_map(|word| RUNNERS.iter().find(|runner| word.rsplit('/').next() == Some(**runner)));
    runner.copied().or_else(|| marks(project, code).find_map(|marks| marks.starts))
}

/// Whether the loader's batch is divided among the processes.
pub(super) fn splits_batches(project: &Project, code: Option<&CodeFacts>) -> bool {
    marks(project, code).any(|marks| marks.splits_batches)
}
