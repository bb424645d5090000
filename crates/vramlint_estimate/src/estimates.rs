//! The estimates of the runs of a project: computed on demand, once each, and shared.

use crate::calibration::calibrate;
use crate::capacity::Capacity;
use crate::mapping::{self, Mapped};
use crate::models::{Model, Models};
use crate::plausibility::plausible;
use crate::run_estimate::{RunEstimate, complete};
use crate::simulation_cache::SimulationCache;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use vramlint_base::{Message, message, panic_message};
use vramlint_memory::{Arch, Estimate, Setup};
use vramlint_resolve::{Project, Run};

/// One run: its setup and its estimate.
#[derive(Debug, Default)]
struct Slot {
    mapped: OnceLock<Result<Mapped, Message>>,
    estimate: OnceLock<Result<RunEstimate, Message>>,
}

impl Slot {
    fn mapped(&self, project: &Project, run: &Run, models: &Models) -> &Result<Mapped, Message> {
        self.mapped.get_or_init(|| mapping::map(project, run, models))
    }
}

/// The estimates of a project. `project` and `models` must be the same in every call.
#[derive(Debug, Default)]
pub struct Estimates {
    /// In the order of `project.runs`.
    slots: OnceLock<Vec<Slot>>,
    cache: Arc<SimulationCache>,
    /// The message of the first panic of a simulation.
    panic: OnceLock<String>,
}

impl Estimates {
    /// Estimates that share the simulations in `cache`.
    pub fn with_cache(cache: Arc<SimulationCache>) -> Self {
        Self { cache, ..Self::default() }
    }

    /// The runs of a project with their slots.
    fn slots<'a>(&'a self, project: &'a Project) -> impl Iterator<Item = (&'a Run, &'a Slot)> {
        let slots = self.slots.get_or_init(|| project.runs.iter().map(|_| Slot::default()).collect());
        project.runs.iter().zip(slots)
    }

    fn estimate<'a>(&'a self, slot: &'a Slot, project: &Project, run: &Run, models: &Models) -> &'a Result<RunEstimate, Message> {
        slot.estimate.get_or_init(|| {
            let mapped = slot.mapped(project, run, models).clone()?;
            let target = &project.policy(run.place.file).target;
            // A simulation that panics does not affect the other runs.
            let completed = || {
                let mut completed = complete(mapped, run, target, &self.cache);
                calibrate(&mut completed, &run.id, &project.policy(run.place.file).measured, models);
                completed
            };
            let completed = catch_unwind(AssertUnwindSafe(completed)).map_err(|payload| {
                let _ = self.panic.set(panic_message(payload.as_ref()).to_owned());
                message!(
                    "the simulation failed: this is a bug in vramlint, please report it",
                    "模拟失败：这是 vramlint 的缺陷，请报告"
                )
            })?;
            plausible(completed, run)
        })
    }

    /// The message of a simulation that panicked. The other runs have their estimates.
    pub fn panic(&self) -> Option<&str> {
        self.panic.get().map(String::as_str)
    }

    /// The estimate of a run of `project`, or why there is none; computed at the first call. `None` for a run of another project.
    pub fn get<'a>(&'a self, project: &'a Project, models: &'a Models, run: &Run) -> Option<&'a Result<RunEstimate, Message>> {
        let (run, slot) = self.slots(project).find(|(own, _)| own.id == run.id)?;
        Some(self.estimate(slot, project, run, models))
    }

    /// The estimate of another setup. Computed once per setup; `None` if the simulation panics.
    pub fn under_setup(&self, arch: &Arch, setup: &Setup) -> Option<Estimate> {
        catch_unwind(AssertUnwindSafe(|| self.cache.estimate(arch, setup))).ok()
    }

    /// The runs of `project` in order, each with its estimate or why there is none.
    pub fn iter<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
    ) -> impl Iterator<Item = (&'a Run, &'a Result<RunEstimate, Message>)> {
        self.slots(project).map(move |(run, slot)| (run, self.estimate(slot, project, run, models)))
    }

    /// The runs that can be estimated, each with its model and setup. Simulates nothing.
    pub fn setups<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
    ) -> impl Iterator<Item = (&'a Run, &'a Model, &'a Setup)> {
        self.slots(project).filter_map(move |(run, slot)| {
            let mapped = slot.mapped(project, run, models).as_ref().ok()?;
            Some((run, &mapped.model, &mapped.setup))
        })
    }

    /// The estimates of runs without an unverified value whose model and setup pass `filter`.
    pub fn well_supported<'a>(
        &'a self,
        project: &'a Project,
        models: &'a Models,
        filter: impl Fn(&Arch, &Setup) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        self.slots(project).filter_map(move |(run, slot)| {
            let mapped = slot.mapped(project, run, models).as_ref().ok()?;
            let selected = mapped.unverified.is_none() && filter(&mapped.model.arch, &mapped.setup);
            selected.then(|| self.estimate(slot, project, run, models).as_ref().ok())?.map(|estimate| (run, estimate))
        })
    }

    /// The estimates of runs whose target has a known GPU or host memory.
    pub fn on_target<'a>(&'a self, project: &'a Project, models: &'a Models) -> impl Iterator<Item = (&'a Run, &'a RunEstimate)> {
        self.slots(project).filter_map(move |(run, slot)| {
            let target = &project.policy(run.place.file).target;
            let known = Capacity::from_target(target).is_some() || target.host_memory.is_some();
            known.then(|| self.estimate(slot, project, run, models).as_ref().ok())?.map(|estimate| (run, estimate))
        })
    }
}
