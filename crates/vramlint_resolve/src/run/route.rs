//! How a run starts, and who wins by that.

use super::seed::Seed;
use super::settle::Join;
use crate::setting::Precedence;
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::precedence::{Route, precedence};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// How the run starts, for the table of who wins.
pub(super) fn route_of(seed: &Seed, dialect: Dialect, deepspeed: bool) -> Route {
    match seed.launch.as_ref().map(|launch| launch.launcher) {
        Some(Launcher::Accelerate) if deepspeed => Route::AccelerateDeepSpeed,
        Some(Launcher::Accelerate) => Route::Accelerate,
        Some(Launcher::Torchrun) => Route::Torchrun,
        Some(Launcher::DeepSpeed) => Route::DeepSpeed,
        Some(Launcher::LlamaFactory | Launcher::Axolotl | Launcher::Tune | Launcher::Trl | Launcher::Swift) => Route::Framework,
        None if matches!(dialect, Dialect::LlamaFactory | Dialect::Axolotl | Dialect::Torchtune | Dialect::MsSwift) => {
            Route::Framework
        }
        Some(Launcher::Python) | None => Route::Python,
    }
}

/// Whether the tool itself orders command line, files and code for this concept; else code that the project does not show does.
pub(super) fn join_for(concept: Concept, seed: &Seed, dialect: Dialect, route: Route) -> Join {
    let launchers_own = matches!(
        concept,
        Concept::NumProcesses
            | Concept::NumMachines
            | Concept::GpuIds
            | Concept::VisibleDevices
            | Concept::DistributedType
            | Concept::MixedPrecision
    );
    let parser = seed.code.as_ref().is_some_and(|code| code.loads.iter().any(|load| load.loader == Some(Loader::TrlParser)));
    let framework =
        matches!(dialect, Dialect::LlamaFactory | Dialect::Axolotl | Dialect::Torchtune | Dialect::MsSwift | Dialect::OpenRlhf);
    let proven = |route| precedence(route, concept).map(|(order, source)| Precedence { order, source });
    if !(launchers_own || parser || framework || route == Route::Framework) {
        return Join::Open(proven(route));
    }
    let parsers = Precedence { order: "command line > file > default", source: "trl 1.16.0 trl/scripts/utils.py TrlParser" };
    Join::Ordered(proven(if launchers_own { route } else { Route::Framework }).unwrap_or(parsers))
}
