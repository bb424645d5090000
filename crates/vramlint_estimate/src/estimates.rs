//! The estimates of all runs, made once and shared.

use crate::models::Models;
use crate::run_estimate::{RunEstimate, estimate_run};
use std::sync::OnceLock;
use vramlint_base::Message;
use vramlint_resolve::{Project, Run};

/// One answer for each run of a project, in their order: the estimate, or why there is none.
pub type Answers = Vec<Result<RunEstimate, Message>>;

/// The estimates of a project, made when first asked for.
#[derive(Debug, Default)]
pub struct Estimates(OnceLock<Answers>);

impl Estimates {
    /// One answer for each run of `project`, in their order. `project` and `models` must be the same in every call.
    pub fn of(&self, project: &Project, models: &Models) -> &Answers {
        self.0.get_or_init(|| project.runs.iter().map(|run| estimate_run(project, run, models)).collect())
    }

    /// The runs that have an estimate, with it.
    pub fn known<'a>(&'a self, project: &'a Project, models: &Models) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        project.runs.iter().zip(self.of(project, models)).filter_map(|(run, answer)| Some((run, answer.as_ref().ok()?)))
    }
}
