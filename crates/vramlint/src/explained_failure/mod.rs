//! A failure in a log, tied to the run that wrote it.

mod matching;

use crate::estimated_runs::{EstimatedRun, EstimatedRuns};
use crate::plans::RunPlans;
use vramlint_base::Message;
use vramlint_oom::{Amount, Event, Failure, Verdict};
use vramlint_view::oom::explanation;

/// An event, tied to the run that wrote it.
pub(crate) struct ExplainedFailure {
    pub(crate) log: String,
    pub(crate) event: Event,
    pub(crate) run: Option<String>,
    pub(crate) explanation: Message,
    /// The plans that make the run fit, where the step is to blame.
    pub(crate) plans: Option<RunPlans>,
}

impl ExplainedFailure {
    /// Explains an event of `log` by the run named `only`, or by the run whose files the log names.
    pub(crate) fn new(log: &str, event: &Event, project: Option<&EstimatedRuns>, only: Option<&str>) -> Self {
        let judgement = event.judge();
        let run = project.and_then(|project| match only {
            Some(id) => project.known.iter().find(|run| run.id == id),
            None => matching::run_of(project, event),
        });
        let report = run.map(EstimatedRun::report);
        let explanation = explanation(event, &judgement, report.as_ref());
        let helps = judgement.verdict.is_some_and(Verdict::is_of_the_step);
        let plans = project.zip(run).filter(|_| helps).and_then(|(project, run)| {
            // The GPU of the log decides; that of the project where the message is cut.
            let total = match &event.failure {
                Failure::Device(device) => device.allowed.or(device.total).map(Amount::in_bytes),
                _ => None,
            };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // amounts of a message
            let limit =
                total.map(|bytes| bytes as u64).or_else(|| run.estimated.capacity.as_ref().map(|capacity| capacity.bytes))?;
            Some(RunPlans::within(project, run, limit))
        });
        Self { log: log.to_owned(), event: event.clone(), run: run.map(|run| run.id.clone()), explanation, plans }
    }
}
