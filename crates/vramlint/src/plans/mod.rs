//! The plans that make a run fit, with the edits of its files.

mod edits;

use crate::estimated_runs::{EstimatedRun, EstimatedRuns};
use vramlint_estimate::Plan;
use vramlint_estimate::fit::{Ceiling, Dimension, FitOptions, Fitting, ceiling, fit};
use vramlint_memory::Setup;
use vramlint_project::FixedFile;

/// Maximum number of plans of a run.
pub(crate) const MOST_PLANS: usize = 5;

/// An edit of a file.
pub(crate) struct FileEdit {
    pub(crate) path: String,
    pub(crate) offset: u32,
    pub(crate) end_offset: u32,
    pub(crate) text: String,
}

/// A plan with its edits.
pub(crate) struct EditedPlan {
    pub(crate) plan: Plan,
    /// The files that it changes; empty if no file sets the values, or if not every edit is known.
    pub(crate) files: Vec<FixedFile>,
    /// The edits of these files.
    pub(crate) edits: Vec<FileEdit>,
    /// Which changes of the plan, by their place in it, no edit of the files makes.
    pub(crate) by_hand: Vec<usize>,
}

/// What fits, for one run.
pub(crate) struct RunPlans {
    pub(crate) run: EstimatedRun,
    pub(crate) options: FitOptions,
    pub(crate) fitting: Fitting,
    pub(crate) plans: Vec<EditedPlan>,
    /// The setting to maximize and its largest value, in place of plans.
    pub(crate) ceiling: Option<(&'static str, Option<Ceiling>)>,
}

impl RunPlans {
    /// The plans of a run.
    pub(crate) fn search(runs: &EstimatedRuns, run: EstimatedRun, options: FitOptions) -> Self {
        let fitting = fit(&run.estimated, &options);
        let plans = fitting.plans.iter().map(|plan| edits::with_edits(runs, &run, plan.clone(), options.limit)).collect();
        Self { ceiling: None, plans, run, options, fitting }
    }

    /// The plans of a run on a GPU of `limit` bytes.
    pub(crate) fn within(runs: &EstimatedRuns, run: &EstimatedRun, limit: u64) -> Self {
        Self::search(runs, run.clone(), FitOptions { limit, keep: Vec::new(), max_slowdown: None, most: MOST_PLANS })
    }

    /// The largest value of a setting that fits.
    pub(crate) fn largest(run: EstimatedRun, options: FitOptions, dimension: Dimension, setting: &'static str) -> Self {
        let found = ceiling(&run.estimated, &options, dimension);
        let fitting = Fitting { fits: found.is_some(), plans: Vec::new(), least: None };
        Self { ceiling: Some((setting, found)), plans: Vec::new(), run, options, fitting }
    }

    /// The plans, each with the setup that it changes.
    pub(crate) fn shown_plans(&self) -> impl Iterator<Item = (&Plan, &Setup)> {
        self.plans.iter().map(|own| (&own.plan, &self.run.estimated.setup))
    }
}
