//! Builds estimate inputs from the runs of a project.

use super::{EstimateInput, EstimateReport, GpuCapacity};
use vramlint_base::{Lang, Message};
use vramlint_estimate::RunEstimate;
use vramlint_project::Report;

/// Every selected run: the input of its estimate, or why it has none.
pub fn run_inputs(report: &Report, lang: Lang) -> Vec<(String, Result<EstimateInput, Message>)> {
    let runs = report.estimated_runs().map(|(run, found)| {
        let found = found.as_ref().map_err(Message::clone);
        (run.id.clone(), found.map(|found| estimate_input(&run.id, found.clone(), lang)))
    });
    runs.collect()
}

/// The report of one run.
pub fn run_report(id: &str, found: RunEstimate, lang: Lang) -> EstimateReport {
    EstimateReport::new(estimate_input(id, found, lang))
}

fn estimate_input(id: &str, found: RunEstimate, lang: Lang) -> EstimateInput {
    let capability = found.setup.capability;
    EstimateInput {
        id: id.into(),
        model: found.model.id,
        task: found.setup.task.name(),
        num_generations: found.num_generations,
        arch: found.model.arch,
        setup: found.setup,
        known: Some((found.estimate, found.timeline)),
        floor: Some(found.floor),
        lightest: found.lightest,
        gpu: found.capacity.map(|gpu| GpuCapacity { name: Some(gpu.name.get(lang).to_owned()), bytes: gpu.bytes, capability }),
        host: found.host_capacity,
        assumptions: found.assumptions,
        unused: Vec::new(),
    }
}
