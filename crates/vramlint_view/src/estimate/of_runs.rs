//! The runs of a project: the seam between what was resolved and what is shown.

use super::{Answer, Card, Subject};
use vramlint_base::{Lang, Message};
use vramlint_estimate::RunEstimate;
use vramlint_project::Report;

/// Every run of what was asked for: what is to be estimated, or why it cannot be.
pub fn of_runs(report: &Report, lang: Lang) -> Vec<(String, Result<Subject, Message>)> {
    let runs = report.estimated_runs().map(|(run, found)| {
        let found = found.as_ref().map_err(Message::clone);
        (run.id.clone(), found.map(|found| subject(&run.id, found.clone(), lang)))
    });
    runs.collect()
}

/// The answer of one estimate, under the name of its run.
pub fn of_run(id: &str, found: RunEstimate, lang: Lang) -> Answer {
    Answer::of(subject(id, found, lang))
}

fn subject(id: &str, found: RunEstimate, lang: Lang) -> Subject {
    let capability = found.setup.capability;
    Subject {
        id: id.into(),
        model: found.model.id,
        task: found.setup.task.name(),
        num_generations: found.num_generations,
        arch: found.model.arch,
        setup: found.setup,
        known: Some(found.estimate),
        floor: Some(found.floor),
        card: found.capacity.map(|card| Card { name: Some(card.name.get(lang).to_owned()), bytes: card.bytes, capability }),
        host: found.host_capacity,
        assumptions: found.assumptions,
        unused: Vec::new(),
    }
}
