//! The edits of a plan, proven: the project with them gives the estimate that the plan promises.

use super::{EditedPlan, FileEdit};
use crate::estimated_runs::{EstimatedRun, EstimatedRuns};
use vramlint_base::{Applicability, Edit, Fix, Message};
use vramlint_estimate::repairs::Change;
use vramlint_estimate::{Plan, RunEstimate};
use vramlint_memory::Setup;
use vramlint_memory::setup::{Checkpointing, Parallel};
use vramlint_project::fix::{apply_edits, in_host};
use vramlint_project::{FixedFile, Report, Request, check};
use vramlint_rules::{edits_to_verify, joined_edits};

/// The plan with its edits, and with the estimate of the edited project. Without edits if the files do not say what is fitted, if an edit
/// is not known, or if the edited project would not be what the plan promises.
pub(super) fn with_edits(runs: &EstimatedRuns, run: &EstimatedRun, plan: Plan, limit: u64) -> EditedPlan {
    let none = |plan: Plan, by_hand: Vec<usize>| EditedPlan { plan, by_hand, files: Vec::new(), edits: Vec::new() };
    let Some((request, report)) = runs.project.as_ref().filter(|_| !run.is_overridden) else { return none(plan, Vec::new()) };
    let Some(resolved) = report.runs().find(|found| found.id == run.id) else { return none(plan, Vec::new()) };
    let edits = |change: &Change| edits_to_verify(&report.project, resolved, *change, &run.estimated);
    let of_changes: Vec<Option<Vec<Edit>>> = plan.changes.iter().map(edits).collect();
    let by_hand: Vec<usize> = (0..of_changes.len()).filter(|place| of_changes[*place].is_none()).collect();
    if !by_hand.is_empty() {
        return none(plan, by_hand);
    }
    let all: Vec<Edit> = of_changes.into_iter().flatten().flatten().collect();
    let found = joined_edits(all).and_then(|edits| {
        let edits = in_project(report, &edits)?;
        let files = apply_edits(&report.project, &request.cwd, &edits)?;
        let edited = edited_run(request, report, &files, run)?;
        keeps_promise(&edited, &plan, limit).then(|| (edited, files, file_edits(report, &edits)))
    });
    let Some((edited, files, edits)) = found else { return none(plan, Vec::new()) };
    let plan = Plan { setup: edited.setup, estimate: edited.estimate, ..plan };
    EditedPlan { plan, files, edits, by_hand }
}

/// The edits at their places in files: a block of a document is part of one.
fn in_project(report: &Report, edits: &[Edit]) -> Option<Vec<Edit>> {
    let none = || Message { en: String::new(), zh: String::new() };
    let fix = Fix { title: none(), applicability: Applicability::Unsafe, edits: edits.to_vec() };
    in_host(&report.project, &fix).map(|fix| fix.edits)
}

/// The estimate of the run in the edited project.
fn edited_run(request: &Request, report: &Report, files: &[FixedFile], run: &EstimatedRun) -> Option<RunEstimate> {
    let mut edited = request.clone();
    // Only the run is read again, not everything that was asked for.
    let place = report.runs().find(|found| found.id == run.id).map(|found| found.place.file);
    edited.paths = place.map(|file| vec![report.project.file(file).path.clone().into()]).unwrap_or(edited.paths);
    edited.overlay.extend(files.iter().map(|file| (file.path.clone(), file.after.clone().into_bytes())));
    let report = check(&edited, &|_, _| {}).ok()?;
    let (_, found) = report.estimated_runs().find(|(found, _)| found.id == run.id)?;
    found.as_ref().ok().cloned()
}

/// Whether an edited run fits and trains as the plan says. What a framework adds to a change may move the estimate.
fn keeps_promise(edited: &RunEstimate, plan: &Plan, limit: u64) -> bool {
    let trains = |setup: &Setup| {
        let Parallel { scheme, world, offload_optimizer, offload_param, .. } = setup.parallel;
        let batch = (setup.micro_batch, setup.accumulation, world, setup.evaluation_batch);
        let rows = (setup.sequence_length, setup.generation.map(|round| round.completion));
        let model = (setup.lora.as_ref().map(|lora| lora.r), setup.quantization, setup.reference);
        let saving = (setup.checkpointing == Checkpointing::None, setup.head, setup.attention, setup.expandable_segments);
        (batch, rows, model, saving, (scheme, offload_optimizer, offload_param))
    };
    // An offloaded optimizer is one of DeepSpeed's.
    let changes_optimizer = plan.changes.iter().any(|change| matches!(change, Change::Optimizer(_)));
    let same_optimizer = !changes_optimizer || edited.setup.optimizer == plan.setup.optimizer;
    let fits_host = edited.host_capacity.is_none_or(|capacity| edited.estimate.host.peak <= capacity);
    trains(&edited.setup) == trains(&plan.setup) && same_optimizer && edited.estimate.high <= limit && fits_host
}

fn file_edits(report: &Report, edits: &[Edit]) -> Vec<FileEdit> {
    let edit = |edit: &Edit| FileEdit {
        path: report.project.file(edit.place.file).path.clone(),
        offset: edit.place.range.start,
        end_offset: edit.place.range.end,
        text: edit.text.clone(),
    };
    edits.iter().map(edit).collect()
}
