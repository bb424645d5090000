//! The estimate of a run: the question, the answer, and what it was compared with.

use crate::capacity::{Capacity, card};
use crate::mapping::{self, Mapped};
use crate::models::{Model, Models};
use crate::simulations::Simulations;
use crate::verdict::Verdict;
use std::sync::Arc;
use vramlint_base::Message;
use vramlint_catalog::Dialect;
use vramlint_memory::estimate::Part;
use vramlint_memory::{Estimate, Setup};
use vramlint_resolve::{Project, Run, Target};

/// The estimate of a run or of a setup.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEstimate {
    /// The trained model.
    pub model: Model,
    /// How it is trained. Where the run leaves something open, the value that takes most memory.
    pub setup: Setup,
    /// What that needs.
    pub estimate: Estimate,
    /// Lower bound of the peak in bytes, with the lightest values of everything that the project does not state.
    pub floor: u64,
    /// What one card holds, where that is known.
    pub capacity: Option<Capacity>,
    /// What the host holds in bytes, where that is known.
    pub host_capacity: Option<u64>,
    /// Whether it fits the card; `None` without a capacity.
    pub verdict: Option<Verdict>,
    /// Whether it fits the host; `None` without a capacity.
    pub host_verdict: Option<Verdict>,
    /// What no file says and was taken for granted.
    pub assumptions: Vec<Message>,
    /// The vocabulary of the library that trains, where there is a run: it decides which losses and optimizers are offered.
    pub library: Option<Dialect>,
    /// Completions of a prompt, for GRPO.
    pub num_generations: Option<u64>,
    /// Processes that share an optimizer step, where they are known.
    pub world: Option<u64>,
    /// Why the estimate is only a guess: a value that decides is said neither by the project nor by a library.
    pub doubt: Option<Message>,
    /// What was simulated: changes of the setup are asked of it too.
    pub(crate) made: Arc<Simulations>,
}

impl RunEstimate {
    /// Whether rules may speak of it: nothing that decides is a mere guess.
    pub fn is_grounded(&self) -> bool {
        self.doubt.is_none()
    }

    /// Bytes of a part at the peak.
    pub fn part(&self, part: Part) -> u64 {
        part_of(&self.estimate, part)
    }

    /// Whether it does not fit whatever the project does not state.
    pub fn certainly_too_large(&self) -> bool {
        self.capacity.as_ref().is_some_and(|capacity| self.floor > capacity.bytes)
    }
}

/// Bytes of a part at the peak of an estimate.
pub fn part_of(estimate: &Estimate, part: Part) -> u64 {
    Part::ALL.iter().position(|other| *other == part).map_or(0, |index| estimate.parts[index])
}

/// The estimate of a run of a project. An error says why there is none: which setting is missing.
pub fn estimate_run(project: &Project, run: &Run, models: &Models) -> Result<RunEstimate, Message> {
    let mapped = mapping::map(project, run, models)?;
    Ok(complete(mapped, run, &project.policy(run.place.file).target, &Arc::default()))
}

/// The estimate of a run that was mapped. The lightest values matter only where there is a card to compare with.
pub(crate) fn complete(mapped: Mapped, run: &Run, target: &Target, memory: &Arc<Simulations>) -> RunEstimate {
    let Mapped { model, least_model, setup, mut least, assumptions, num_generations, world, doubt } = mapped;
    least.external_bytes = outside(&least, Capacity::of(target).as_ref());
    let mut found = with(model, setup, target, memory);
    if found.capacity.is_some() {
        found.floor = memory.estimate(&least_model.arch, &least).low.min(found.estimate.low);
    }
    found.assumptions = assumptions;
    found.assumptions.extend(found.estimate.assumptions.iter().map(|one| Message { en: one.en.clone(), zh: one.zh.clone() }));
    found.library = Some(run.dialect);
    found.num_generations = num_generations;
    found.world = world;
    found.doubt = doubt;
    found
}

/// The estimate of a setup that is stated in full.
pub fn estimate_setup(model: Model, setup: Setup, target: &Target) -> RunEstimate {
    with(model, setup, target, &Arc::default())
}

/// Bytes that a colocated vLLM engine keeps of a card while the model trains.
fn outside(setup: &Setup, capacity: Option<&Capacity>) -> u64 {
    let share = setup.generation.filter(|round| !round.sleep_mode).and_then(|round| round.vllm_share);
    match (share, capacity) {
        // Thousandths are what people write: 0.3, 0.35, 0.925.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to 0..=1000
        (Some(share), Some(card)) => card.bytes / 1000 * (share.clamp(0.0, 1.0) * 1000.0).round() as u64,
        _ => setup.external_bytes,
    }
}

fn with(model: Model, mut setup: Setup, target: &Target, memory: &Arc<Simulations>) -> RunEstimate {
    setup.external_bytes = outside(&setup, Capacity::of(target).as_ref());
    setup.capability = setup.capability.or_else(|| card(target).and_then(|gpu| gpu.compute_capability));
    let estimate = memory.estimate(&model.arch, &setup);
    let capacity = Capacity::of(target);
    let host_capacity = target.host_memory;
    let verdict = capacity.as_ref().map(|capacity| Verdict::of(estimate.low, estimate.high, capacity.bytes));
    let host = estimate.host.peak;
    RunEstimate {
        verdict,
        host_verdict: host_capacity.map(|bytes| Verdict::of(host, host, bytes)),
        floor: estimate.low,
        capacity,
        host_capacity,
        assumptions: estimate.assumptions.iter().map(|one| Message { en: one.en.clone(), zh: one.zh.clone() }).collect(),
        library: None,
        num_generations: None,
        doubt: None,
        world: Some(setup.parallel.world),
        made: Arc::clone(memory),
        model,
        setup,
        estimate,
    }
}
