//! The estimates of all runs, made once and shared.

use crate::models::Models;
use crate::run_estimate::{RunEstimate, estimate_run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use vramlint_base::{Message, message};
use vramlint_resolve::{Project, Run};

/// One answer for each run of a project, in their order: the estimate, or why there is none.
pub type Answers = Vec<Result<RunEstimate, Message>>;

/// The estimates of a project, made when first asked for.
#[derive(Debug, Default)]
pub struct Estimates(OnceLock<Made>);

#[derive(Debug)]
struct Made {
    answers: Answers,
    /// Whether one of them failed, which is a bug of ours.
    failed: bool,
}

impl Estimates {
    /// One answer for each run of `project`, in their order. `project` and `models` must be the same in every call.
    pub fn of(&self, project: &Project, models: &Models) -> &Answers {
        &self.0.get_or_init(|| made(project, models)).answers
    }

    /// Whether an estimate that was asked for failed: a bug of ours, to be told. The other runs have theirs.
    pub fn failed(&self) -> bool {
        self.0.get().is_some_and(|made| made.failed)
    }

    /// The runs that have an estimate, with it.
    pub fn known<'a>(&'a self, project: &'a Project, models: &Models) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        project.runs.iter().zip(self.of(project, models)).filter_map(|(run, answer)| Some((run, answer.as_ref().ok()?)))
    }
}

fn made(project: &Project, models: &Models) -> Made {
    let mut failed = false;
    let answers = project.runs.iter().map(|run| {
        catch_unwind(AssertUnwindSafe(|| estimate_run(project, run, models))).unwrap_or_else(|_| {
            failed = true;
            Err(message!(
                "vramlint failed to estimate this run; this is a bug of vramlint",
                "vramlint 估算此任务时出错，这是 vramlint 的缺陷"
            ))
        })
    });
    Made { answers: answers.collect(), failed }
}
