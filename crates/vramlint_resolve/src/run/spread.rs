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

/// Whether code is a plain loop that can only be one process.
pub(super) fn plain_loop(project: &Project, code: Option<&CodeFacts>, dialect: Dialect) -> bool {
    let Some(code) = code else { return false };
    let loops = code.accumulates.is_some() && code.accelerator.is_none() && dialect == Dialect::Plain;
    loops && code.files.iter().all(|id| SPREADS.iter().all(|word| !project.file(*id).text.contains(word)))
}

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

/// The word that shows it, for a command that starts `python`.
pub(super) fn word(project: &Project, launch: Option<&Launch>, code: Option<&CodeFacts>) -> Option<&'static str> {
    let launch = launch.filter(|launch| launch.launcher == Launcher::Python)?;
    let text = launch.range.slice(&project.file(launch.file).text);
    let runner = text.split_whitespace().take_while(|word| !word.contains("python"));
    let runner = runner.filter_map(|word| RUNNERS.iter().find(|runner| word.rsplit('/').next() == Some(**runner))).next();
    runner.copied().or_else(|| {
        let files = code.into_iter().flat_map(|code| &code.files);
        files.into_iter().find_map(|id| STARTS.iter().find(|word| project.file(*id).text.contains(**word)).copied())
    })
}

/// Whether the loader's batch is divided among the processes.
pub(super) fn splits_batches(project: &Project, code: Option<&CodeFacts>) -> bool {
    let files = code.into_iter().flat_map(|code| &code.files);
    files.into_iter().any(|id| {
        let text = &project.file(*id).text;
        text.contains("split_batches=True") || text.contains("split_batches = True")
    })
}
