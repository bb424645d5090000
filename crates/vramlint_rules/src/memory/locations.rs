//! The places of memory findings.

use vramlint_base::{FileRange, Related, TextRange, message};
use vramlint_catalog::Concept;
use vramlint_estimate::RunEstimate;
use vramlint_memory::estimate::Part;
use vramlint_resolve::{Project, Run, SourceFile};

/// The setting that contributes most and is written in a file: the model if resident memory dominates, the micro-batch if
pub(super) fn deciding(run: &Run, estimate: &RunEstimate) -> FileRange {
    let resident: u64 =
        [Part::Weights, Part::Gradients, Part::Optimizer, Part::Buffers].iter().map(|part| estimate.part(*part)).sum();
    let of_batch = [Concept::MicroBatch, Concept::SequenceLength, Concept::Model];
    let of_model = [Concept::Model, Concept::MicroBatch, Concept::SequenceLength];
    let order = if resident > estimate.estimate.peak / 2 { of_model } else { of_batch };
    order.iter().find_map(|concept| written(run, *concept)).unwrap_or(run.place)
}

/// Where a setting of the run is written: the winner's place, or the first of several if none wins.
pub(super) fn written(run: &Run, concept: Concept) -> Option<FileRange> {
    let setting = run.settings.get(&concept)?;
    match setting.winning() {
        Some(winner) => winner.origin.place(),
        None => setting.candidates.iter().find_map(|candidate| candidate.origin.place()),
    }
}

/// The related place: where the target's memory is declared, if that is in a file of the project.
pub(super) fn target(project: &Project, run: &Run) -> Option<Related> {
    declared(project, run, &["memory", "gpu"])
}

/// Where the host memory is declared.
pub(super) fn host(project: &Project, run: &Run) -> Option<Related> {
    declared(project, run, &["host-memory"])
}

fn declared(project: &Project, run: &Run, keys: &[&str]) -> Option<Related> {
    let policy = project.policy(run.place.file);
    let path = policy.file.as_ref()?;
    let file = project.files.iter().find(|file| file.path == *path && file.host.is_none())?;
    let range = keys.iter().find_map(|key| in_target(file, key))?;
    // The command line may have replaced the GPU.
    let own = range.slice(&file.text).trim_matches(['"', '\'']);
    let replaced = policy.target.memory.is_none() && policy.target.gpu.as_deref().is_some_and(|gpu| gpu != own);
    (!replaced).then(|| Related {
        place: FileRange::new(file.id, range),
        message: message!("the target is declared here", "目标在此声明"),
    })
}

/// The value of a key in the table `[target]` or `[tool.vramlint.target]`.
fn in_target(file: &SourceFile, key: &str) -> Option<TextRange> {
    let mut inside = false;
    let mut at = 0;
    for line in file.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches('\u{feff}').trim();
        if bare.starts_with('[') {
            inside = matches!(bare.split('#').next().map(str::trim), Some("[target]" | "[tool.vramlint.target]"));
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            let value_start = start + name.len() + 1 + (value.len() - value.trim_start().len());
            let value = value.split('#').next().unwrap_or(value).trim();
            return Some(TextRange::of(value_start..value_start + value.len()));
        }
    }
    None
}
