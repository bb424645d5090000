//! How a run starts, and which precedence follows from it.

use super::precedence::MergePolicy;
use super::run_sources::RunSources;
use crate::setting::Precedence;
use vramlint_catalog::precedence::{LaunchPath, precedence};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// How the run starts, for the table of precedence.
pub(super) fn launch_path(sources: &RunSources, dialect: Dialect, deepspeed: bool) -> LaunchPath {
    match sources.launch.as_ref().map(|launch| launch.launcher.path) {
        Some(LaunchPath::Accelerate) if deepspeed => LaunchPath::AccelerateDeepSpeed,
        Some(path) => path,
        None if dialect.is_standalone => LaunchPath::Framework,
        None => LaunchPath::Python,
    }
}

/// Whether the tool itself orders command line, files and code for this concept. If not, code outside the project does.
pub(super) fn merge_policy(concept: Concept, sources: &RunSources, dialect: Dialect, path: LaunchPath) -> MergePolicy {
    let launchers_own = matches!(
        concept,
        Concept::NumProcesses
            | Concept::NumMachines
            | Concept::GpuIds
            | Concept::VisibleDevices
            | Concept::DistributedType
            | Concept::MixedPrecision
    );
    let parser = sources.code.as_ref().is_some_and(|code| code.loads.iter().any(|load| load.loader == Some(Loader::TrlParser)));
    let proven = |path| precedence(path, concept).map(|(order, source)| Precedence { order, source });
    if !(launchers_own || parser || dialect.is_standalone || path == LaunchPath::Framework) {
        return MergePolicy::Open(proven(path));
    }
    let parsers = Precedence { order: "command line > file > default", source: "trl 1.16.0 trl/scripts/utils.py TrlParser" };
    MergePolicy::Ordered(proven(if launchers_own { path } else { LaunchPath::Framework }).unwrap_or(parsers))
}
