//! The runs of a project: the seam between what was resolved and what is shown.

use super::subject::Subject;
use vramlint_base::{Message, message};
use vramlint_project::Report;

/// Every run of what was asked for: what is to be estimated, or why it cannot be.
pub(super) fn of_runs(report: &Report) -> Vec<(String, Result<Subject, Message>)> {
    let why = message!("runs are not estimated yet: give the setup by flags", "尚不能估算项目中的训练任务：请用参数给出训练配置");
    report.runs().map(|run| (run.id.clone(), Err(why.clone()))).collect()
}
