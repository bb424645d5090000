//! The estimate of one run and the capacities it is compared with.

use crate::calibration::calibrate;
use crate::capacity::{Capacity, gpu_of};
use crate::mapping::{self, Doubt, Mapped};
use crate::models::{Model, Models, Source};
use crate::open_settings::{Lightest, take_length};
use crate::plausibility::plausible;
use crate::simulation_cache::{SimulationCache, Timeline};
use crate::verdict::Verdict;
use std::sync::Arc;
use vramlint_base::Message;
use vramlint_catalog::Dialect;
use vramlint_memory::estimate::{Part, Phase};
use vramlint_memory::setup::Task;
use vramlint_memory::{Estimate, Setup};
use vramlint_resolve::{Project, Run, Target};

/// The estimate of a run or of a setup.
#[derive(Clone, Debug)]
pub struct RunEstimate {
    /// The trained model.
    pub model: Model,
    /// The setup. If the run leaves a value open, the one that needs most memory.
    pub setup: Setup,
    /// The estimate of that setup.
    pub estimate: Estimate,
    /// Its timeline, if whoever asks shows it.
    pub timeline: Option<Timeline>,
    /// Lower bound of the peak in bytes, with the lightest value of everything that the project does not state.
    pub floor: u64,
    /// The lightest value of everything that the project does not state; `None` for a setup that is stated.
    pub lightest: Option<Box<Lightest>>,
    /// Memory of the GPU, if known.
    pub capacity: Option<Capacity>,
    /// Memory of the host in bytes, if known.
    pub host_capacity: Option<u64>,
    /// Whether it fits the GPU; `None` without a capacity.
    pub verdict: Option<Verdict>,
    /// Whether it fits the host; `None` without a capacity.
    pub host_verdict: Option<Verdict>,
    /// Assumptions that no file states.
    pub assumptions: Vec<Message>,
    /// The framework of the run, if any: it determines which losses and optimizers can be offered.
    pub library: Option<Dialect>,
    /// Completions per prompt, for GRPO.
    pub num_generations: Option<u64>,
    /// Processes that share an optimizer step, if known.
    pub world: Option<u64>,
    /// Why the estimate is unverified: neither the project nor a library states a decisive value.
    pub unverified: Option<Message>,
    /// The simulations of this analysis, reused for changes of the setup.
    pub(crate) cache: Arc<SimulationCache>,
}

impl RunEstimate {
    /// Whether rules may report it: every decisive value is stated by the project or a library.
    pub fn is_well_supported(&self) -> bool {
        self.unverified.is_none()
    }

    /// Bytes of a part at the peak.
    pub fn part(&self, part: Part) -> u64 {
        part_of(&self.estimate, part)
    }

    /// The same run with another setup.
    #[must_use]
    pub fn with_setup(&self, setup: Setup) -> Self {
        let estimate = self.cache.estimate(&self.model.arch, &setup);
        let world = Some(setup.parallel.world);
        Self { floor: estimate.low, lightest: None, world, estimate, setup, ..self.clone() }
    }

    /// Whether it does not fit regardless of everything that the project does not state.
    pub fn certainly_too_large(&self) -> bool {
        // A size in a name proves nothing.
        let known = !matches!(self.model.source, Source::SizeInName(_));
        known && self.capacity.as_ref().is_some_and(|capacity| self.floor > capacity.bytes)
    }
}

/// Bytes of a part at the peak of an estimate.
pub fn part_of(estimate: &Estimate, part: Part) -> u64 {
    Part::ALL.iter().position(|other| *other == part).map_or(0, |index| estimate.parts[index])
}

/// The estimate of a run of a project. An error says which setting is missing.
pub fn estimate_run(project: &Project, run: &Run, models: &Models) -> Result<RunEstimate, Message> {
    let mapped = mapping::map(project, run, models)?;
    let policy = project.policy(run.place.file);
    let mut found = complete(mapped, run, &policy.target, &Arc::default());
    calibrate(&mut found, &run.id, &policy.measured, models);
    plausible(found, run)
}

/// The estimate of a mapped run. The lower bound is simulated only if there is a GPU to compare with.
pub(crate) fn complete(mapped: Mapped, run: &Run, target: &Target, cache: &Arc<SimulationCache>) -> RunEstimate {
    let Mapped {
        model,
        lower_model,
        setup,
        mut lower,
        assumptions,
        num_generations,
        world,
        longest_row,
        open_world,
        fewest_rows,
        own_divergence,
        even_rows,
        doubts,
        unverified,
    } = mapped;
    if open_world {
        set_world(&mut lower, MOST_PROCESSES);
    }
    lower.external_bytes = external_bytes(&lower, memory_of(target));
    let mut found = with(model, setup, target, cache);
    if let Some(longest) = longest_row {
        widen_by_length(&mut found, &lower, longest, cache);
    }
    if open_world {
        widen_by_world(&mut found, cache);
    }
    if let Some(rows) = fewest_rows {
        let few = Setup { micro_batch: rows, ..found.setup.clone() };
        found.estimate.low = cache.estimate(&found.model.arch, &few).low.min(found.estimate.low);
    }
    if found.setup.task == Task::Ppo {
        widen_by_processes(&mut found);
    }
    widen_by_evaluation(&mut found, cache);
    if own_divergence {
        widen_by_divergence(&mut found);
    }
    if found.setup.padding_mask && even_rows {
        widen_by_padding(&mut found, cache);
    }
    if doubts.contains(&Doubt::ShortTexts) {
        let half = Setup { sequence_length: found.setup.sequence_length.div_ceil(2), ..found.setup.clone() };
        found.estimate.low = cache.estimate(&found.model.arch, &half).low.min(found.estimate.low);
    }
    widen_by_doubts(&mut found, &doubts);
    if found.capacity.is_some() {
        found.floor = cache.estimate(&lower_model.arch, &lower).low.min(found.estimate.low);
    }
    found.lightest = Some(Box::new(Lightest { arch: lower_model.arch, setup: lower }));
    // The lower bound that every output shows decides: what the project leaves open may make the run fit.
    found.verdict = found.capacity.as_ref().map(|capacity| Verdict::of(found.floor, found.estimate.high, capacity.bytes));
    found.assumptions = assumptions;
    found.assumptions.extend(found.estimate.assumptions.iter().map(|one| Message { en: one.en.clone(), zh: one.zh.clone() }));
    found.library = Some(run.dialect);
    found.num_generations = num_generations;
    found.world = world;
    found.unverified = unverified;
    found
}

/// Widens the bounds to those of the shortest and the longest rows that the project may have.
fn widen_by_length(found: &mut RunEstimate, lightest: &Setup, longest: u64, cache: &SimulationCache) {
    let mut short = found.setup.clone();
    take_length(&mut short, lightest);
    found.estimate.low = cache.estimate(&found.model.arch, &short).low.min(found.estimate.low);
    if longest > found.setup.sequence_length {
        let long = Setup { sequence_length: longest, ..found.setup.clone() };
        found.estimate.high = cache.estimate(&found.model.arch, &long).high.max(found.estimate.high);
    }
}

/// Widens the lower bound to a GPU on which other models are not loaded or sleep, and to a kernel for the cross entropy that keeps no
/// log-probabilities (OpenRLHF 0.11.0 openrlhf/models/utils.py `log_probs_from_logits`).
fn widen_by_processes(found: &mut RunEstimate) {
    let setup = &found.setup;
    let tokens = setup.micro_batch.saturating_mul(setup.sequence_length) / setup.parallel.context.max(1);
    let kept = tokens.saturating_mul(found.model.arch.vocabulary()).saturating_mul(4);
    let in_loss = found.estimate.peak_phase == Phase::Loss;
    let less = setup.external_bytes.saturating_add(if in_loss { kept } else { 0 });
    found.estimate.low = found.estimate.low.saturating_sub(less);
}

/// Widens the upper bound to the copies of all logits that a divergence written by hand makes: both distributions, what is divided by the
/// temperature, the pointwise terms.
fn widen_by_divergence(found: &mut RunEstimate) {
    const COPIES: u64 = 4;
    let tokens = found.setup.micro_batch.saturating_mul(found.setup.sequence_length);
    let logits = tokens.saturating_mul(found.model.arch.vocabulary()).saturating_mul(4);
    found.estimate.high = found.estimate.high.saturating_add(logits.saturating_mul(COPIES));
}

/// Widens the bounds by what reading the code leaves uncertain.
fn widen_by_doubts(found: &mut RunEstimate, doubts: &[Doubt]) {
    let (below, above) = doubts.iter().fold((0, 0), |(below, above), doubt| {
        let (lower, higher) = doubt.spread(found);
        (below.max(lower), above.max(higher))
    });
    let share = |bytes: u64, thousandths: u64| bytes / 1000 * thousandths;
    found.estimate.low = found.estimate.low.saturating_sub(share(found.estimate.low, below));
    // What fragments the likely step fragments the largest one as well.
    found.estimate.high = found.estimate.high.saturating_add(share(found.estimate.high, above));
}

/// Widens the bounds to a batch whose rows all have the same length: attention then gets no mask.
fn widen_by_padding(found: &mut RunEstimate, cache: &SimulationCache) {
    let even = Setup { padding_mask: false, ..found.setup.clone() };
    found.estimate.low = cache.estimate(&found.model.arch, &even).low.min(found.estimate.low);
}

/// Processes beyond which sharding saves next to nothing.
const MOST_PROCESSES: u64 = 1024;

fn set_world(setup: &mut Setup, processes: u64) {
    setup.parallel.world = processes;
    setup.parallel.local = setup.parallel.local.min(processes);
}

/// Widens the bounds to those of one process and of many.
fn widen_by_world(found: &mut RunEstimate, cache: &SimulationCache) {
    let mut with_processes = |processes: u64| {
        let mut setup = found.setup.clone();
        set_world(&mut setup, processes);
        let estimate = cache.estimate(&found.model.arch, &setup);
        found.estimate.low = estimate.low.min(found.estimate.low);
        found.estimate.high = estimate.high.max(found.estimate.high);
    };
    with_processes(1);
    with_processes(MOST_PROCESSES);
}

/// Widens the bounds to those of the steps before the first evaluation, which many runs end without.
fn widen_by_evaluation(found: &mut RunEstimate, cache: &SimulationCache) {
    if found.setup.evaluation_batch.is_some() {
        let setup = Setup { evaluation_batch: None, ..found.setup.clone() };
        found.estimate.low = cache.estimate(&found.model.arch, &setup).low.min(found.estimate.low);
    }
}

/// The estimate of a fully stated setup.
pub fn estimate_setup(model: Model, setup: Setup, target: &Target) -> RunEstimate {
    with(model, setup, target, &Arc::default())
}

fn memory_of(target: &Target) -> Option<u64> {
    Capacity::from_target(target).map(|capacity| capacity.bytes)
}

/// GPU memory that a colocated vLLM engine keeps while the model trains, in bytes.
pub(crate) fn external_bytes(setup: &Setup, capacity: Option<u64>) -> u64 {
    let share = setup.generation.filter(|round| !round.sleep_mode).and_then(|round| round.vllm_share);
    match (share, capacity) {
        // Shares have at most three decimals in practice: 0.3, 0.35, 0.925.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to 0..=1000
        (Some(share), Some(bytes)) => bytes / 1000 * (share.clamp(0.0, 1.0) * 1000.0).round() as u64,
        _ => setup.external_bytes,
    }
}

fn with(model: Model, mut setup: Setup, target: &Target, cache: &Arc<SimulationCache>) -> RunEstimate {
    setup.external_bytes = external_bytes(&setup, memory_of(target));
    setup.capability = setup.capability.or_else(|| gpu_of(target).and_then(|gpu| gpu.compute_capability));
    let (estimate, timeline) = cache.estimate_run(&model.arch, &setup);
    let capacity = Capacity::from_target(target);
    let host_capacity = target.host_memory;
    let verdict = capacity.as_ref().map(|capacity| Verdict::of(estimate.low, estimate.high, capacity.bytes));
    let host = estimate.host.peak;
    RunEstimate {
        verdict,
        host_verdict: host_capacity.map(|bytes| Verdict::of(host, host, bytes)),
        floor: estimate.low,
        lightest: None,
        capacity,
        host_capacity,
        assumptions: estimate.assumptions.iter().map(|one| Message { en: one.en.clone(), zh: one.zh.clone() }).collect(),
        library: None,
        num_generations: None,
        unverified: None,
        world: Some(setup.parallel.world),
        cache: Arc::clone(cache),
        model,
        setup,
        estimate,
        timeline,
    }
}
