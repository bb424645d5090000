//! The estimates of the runs of a project: made when asked for, once each, and shared.

use crate::capacity::Capacity;
use crate::mapping::{self, Mapped};
use crate::models::{Model, Models};
use crate::run_estimate::{RunEstimate, complete};
use crate::simulations::Simulations;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use vramlint_base::{Message, message};
use vramlint_memory::{Arch, Estimate, Setup};
use vramlint_resolve::{Project, Run};

/// One run: how it is described, and its estimate.
#[derive(Debug, Default)]
struct Slot {
    mapped: OnceLock<Result<Mapped, Message>>,
    answer: OnceLock<Result<RunEstimate, Message>>,
}

/// The estimates of a project. `project` and `models` must be the same in every call.
#[derive(Debug, Default)]
pub struct Estimates {
    slots: OnceLock<Vec<Slot>>,
    made: Arc<Simulations>,
    failed: AtomicBool,
}

impl Estimates {
    /// Estimates that take what was simulated before, and leave what they simulate.
    pub fn knowing(made: Arc<Simulations>) -> Self {
        Self { made, ..Self::default() }
    }

    fn slots(&self, project: &Project) -> &[Slot] {
        self.slots.get_or_init(|| project.runs.iter().map(|_| Slot::default()).collect())
    }

    fn answer<'a>(&'a self, slot: &'a Slot, project: &Project, run: &Run, models: &Models) -> &'a Result<RunEstimate, Message> {
        slot.answer.get_or_init(|| {
            let mapped = slot.mapped.get_or_init(|| mapping::map(project, run, models)).clone()?;
            let target = &project.policy(run.place.file).target;
            // A run that cannot be simulated does not take the others with it.
            catch_unwind(AssertUnwindSafe(|| complete(mapped, run, target, &self.made))).map_err(|_| {
                self.failed.store(true, Ordering::Relaxed);
                message!("the simulation failed: a bug of vramlint, please report it", "模拟失败：这是 vramlint 的缺陷，请报告")
            })
        })
    }

    /// Whether an estimate that was asked for failed: a bug of ours, to be told. The other runs have theirs.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Makes the estimate of one run of `project`, if it is not made yet.
    pub fn make(&self, project: &Project, models: &Models, run: &Run) {
        let slots = project.runs.iter().zip(self.slots(project));
        if let Some((run, slot)) = slots.into_iter().find(|(own, _)| std::ptr::eq(*own, run)) {
            self.answer(slot, project, run, models);
        }
    }

    /// The estimate of one run of `project`, or why there is none; `None` for a run that is none of its own.
    pub fn of<'a>(&'a self, project: &'a Project, models: &'a Models, run: &Run) -> Option<&'a Result<RunEstimate, Message>> {
        let slots = project.runs.iter().zip(self.slots(project));
        let (run, slot) = slots.into_iter().find(|(own, _)| std::ptr::eq(*own, run))?;
        Some(self.answer(slot, project, run, models))
    }

    /// What a run would need under another setup, every other thing the same. Made once for each setup; `None` where it cannot be
    /// simulated.
    pub fn under(&self, arch: &Arch, setup: &Setup) -> Option<Estimate> {
        catch_unwind(AssertUnwindSafe(|| self.made.estimate(arch, setup))).ok()
    }

    /// One answer for each run of `project`, in their order: the estimate, or why there is none.
    pub fn all<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
    ) -> impl Iterator<Item = (&'a Run, &'a Result<RunEstimate, Message>)> {
        project.runs.iter().zip(self.slots(project)).map(move |(run, slot)| (run, self.answer(slot, project, run, models)))
    }

    /// The runs that can have an estimate, with the model and the setup that it would be made of. Nothing is simulated for it.
    pub fn described<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
    ) -> impl Iterator<Item = (&'a Run, &'a Model, &'a Setup)> {
        project.runs.iter().zip(self.slots(project)).filter_map(move |(run, slot)| {
            let mapped = slot.mapped.get_or_init(|| mapping::map(project, run, models)).as_ref().ok()?;
            Some((run, &mapped.model, &mapped.setup))
        })
    }

    /// The runs of which nothing that decides is only a guess, as far as `wanted` says yes, with their estimates.
    pub fn grounded<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
        wanted: impl Fn(&Arch, &Setup) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        let sure = |slot: &Slot, run: &Run| {
            let mapped = slot.mapped.get_or_init(|| mapping::map(project, run, models));
            mapped.as_ref().is_ok_and(|mapped| mapped.doubt.is_none() && wanted(&mapped.model.arch, &mapped.setup))
        };
        let chosen: Vec<_> = project.runs.iter().zip(self.slots(project)).filter(|(run, slot)| sure(slot, run)).collect();
        chosen.into_iter().filter_map(move |(run, slot)| Some((run, self.answer(slot, project, run, models).as_ref().ok()?)))
    }

    /// The runs whose card or host is known, with their estimates.
    pub fn on_target<'a>(&'a self, project: &'a Project, models: &'a Models) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        project.runs.iter().zip(self.slots(project)).filter_map(move |(run, slot)| {
            let target = &project.policy(run.place.file).target;
            let known = Capacity::of(target).is_some() || target.host_memory.is_some();
            known.then(|| self.answer(slot, project, run, models).as_ref().ok())?.map(|estimate| (run, estimate))
        })
    }
}
