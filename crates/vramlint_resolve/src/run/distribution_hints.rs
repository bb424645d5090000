//! Signs of multi-process training other than a known launcher.

use crate::code::CodeFacts;
use crate::features::{Feature, FileFeatures};
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;

/// Calls that start processes themselves, and variables of schedulers that make each process one of many.
const PROCESS_STARTERS: &[Feature] = &[
    Feature::MpSpawn,
    Feature::MultiprocessingSpawn,
    Feature::NotebookLauncher,
    Feature::ElasticLaunch,
    Feature::SlurmProcessId,
    Feature::SlurmTaskCount,
    Feature::OpenMpiWorld,
    Feature::PmiSize,
    Feature::RayInit,
    Feature::RayTrain,
    Feature::TorchTrainer,
];
/// Programs in front of `python` that start it several times.
const RUNNERS: &[&str] = &["srun", "mpirun", "mpiexec", "horovodrun"];

/// Whether the code is a plain loop that can only be one process.
pub(super) fn is_plain_loop(graph: &FileGraph, code: Option<&CodeFacts>, dialect: Dialect) -> bool {
    let Some(facts) = code else { return false };
    let loops = facts.accumulates.is_some() && facts.accelerator.is_none() && dialect == Dialect::Plain;
    loops && !graph.any_has(&facts.files, Feature::DistributedTraining)
}

/// The word of the code, or of a command that starts `python`, that may start more processes.
pub(super) fn process_starter(graph: &FileGraph, launch: Option<&Launch>, code: Option<&CodeFacts>) -> Option<&'static str> {
    let launch = launch.filter(|launch| launch.launcher == Launcher::Python)?;
    let text = launch.range.slice(&graph.file(launch.file).text);
    let mut before_python = text.split_whitespace().take_while(|word| !word.contains("python"));
    let runner = before_python.find_map(|word| RUNNERS.iter().find(|runner| word.rsplit('/').next() == Some(**runner)));
    runner.copied().or_else(|| {
        let mut files = code.into_iter().flat_map(|code| &code.files);
        files.find_map(|file| first_starter(graph.features(*file)))
    })
}

fn first_starter(features: FileFeatures) -> Option<&'static str> {
    PROCESS_STARTERS.iter().find(|starter| features.has(**starter)).map(|starter| starter.words()[0])
}

/// Whether accelerate divides the data loader's batch among the processes.
pub(super) fn splits_batches(graph: &FileGraph, code: Option<&CodeFacts>) -> bool {
    code.is_some_and(|code| graph.any_has(&code.files, Feature::SplitBatches))
}
