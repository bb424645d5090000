//! What a launcher tells each process about the others in its environment.

use super::distribution_hints::process_starter;
use super::precedence::CandidateSet;
use super::sources::launcher;
use super::world_size::WorldSizeInput;
use crate::code::RankVariables;
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;

/// The variables that a launch sets, `None` if something else around it may set them.
pub(super) fn rank_variables(graph: &FileGraph, launch: &Launch) -> Option<RankVariables> {
    if launch.variable("WORLD_SIZE").is_some() {
        return None;
    }
    match launch.launcher {
        Launcher::Python => process_starter(graph, Some(launch), None).is_none().then_some(RankVariables::Absent),
        Launcher::Torchrun | Launcher::DeepSpeed => {
            Some(process_count(graph, launch).map_or(RankVariables::Unknown, RankVariables::Set))
        }
        // It starts a single process as `python` does (accelerate 1.15.0 `commands/launch.py`, `simple_launcher`).
        Launcher::Accelerate => Some(match process_count(graph, launch) {
            Some(1) => RankVariables::Absent,
            Some(count) => RankVariables::Set(count),
            None => RankVariables::Unknown,
        }),
        _ => None,
    }
}

fn process_count(graph: &FileGraph, launch: &Launch) -> Option<i64> {
    let named = launch.flag("--config_file").filter(|_| launch.launcher == Launcher::Accelerate);
    let path = named.and_then(|flag| flag.values.first()?.path());
    let accelerate = path.and_then(|path| graph.path_resolver.resolve(path, &launch.directory)).map(|id| graph.file(id));
    let mut candidates = CandidateSet::default();
    launcher::add(&mut candidates, Some(launch), accelerate, None);
    let input = WorldSizeInput {
        graph,
        file: launch.file,
        launch: Some(launch),
        accelerate,
        accelerate_missing: named.is_some() && accelerate.is_none(),
        training: Vec::new(),
        policy: graph.policy(launch.file),
        dialect: Dialect::Plain,
        plain_loop: false,
        code: None,
        process_starter: None,
        shared_ranks: Ok((1, String::new())),
    };
    input.resolve(&candidates, &candidates).value()?.as_int()
}
