//! Plans that make a training step fit a GPU: combinations of changes, searched exactly over the simulator. A pure function of an
//! estimate and a target.
//!
//! [`moves`] lists what can change, [`search`] finds the smallest combinations that fit, [`slowdown`] says what they cost in time.

mod ceiling;
mod moves;
mod search;
mod slowdown;
#[cfg(test)]
mod tests;

pub use ceiling::{Ceiling, Dimension, ceiling};
pub use slowdown::Slowdown;

use crate::repairs::{Change, TrainingEffect};
use crate::run_estimate::RunEstimate;
use vramlint_base::Message;
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_memory::{Estimate, Setup};

/// What a plan must respect.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Bytes of one GPU that a step may use.
    pub limit: u64,
    /// Settings that stay as they are, by their names in `vramlint runs`.
    pub keep: Vec<String>,
    /// Largest upper bound of the slowdown.
    pub max_slowdown: Option<f64>,
    /// Maximum number of plans.
    pub most: usize,
}

/// A combination of changes after which the step fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The changes, in the order in which they apply.
    pub changes: Vec<Change>,
    /// What they do to the training: the strongest effect of any of them.
    pub effect: TrainingEffect,
    /// The setup after them.
    pub setup: Setup,
    /// Its estimate.
    pub estimate: Estimate,
    /// How much longer a step takes.
    pub slowdown: Slowdown,
}

impl Plan {
    /// The changes as one sentence in the imperative. `before` is the setup without them.
    pub fn title(&self, before: &Setup) -> Message {
        let titles = self.titles(before);
        let join = |text: fn(&Message) -> &str, between: &str| titles.iter().map(text).collect::<Vec<_>>().join(between);
        Message { en: join(|title| &title.en, "; "), zh: join(|title| &title.zh, "；") }
    }

    /// The changes, one sentence each.
    pub fn titles(&self, before: &Setup) -> Vec<Message> {
        self.changes.iter().map(|change| change.title(before)).collect()
    }
}

/// The answer for one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitting {
    /// Whether the step fits as it is.
    pub fits: bool,
    /// The plans, best first: what keeps the training before what changes it, then the fewest changes, then the smallest slowdown.
    /// For a step that fits, plans that use the room for speed.
    pub plans: Vec<Plan>,
    /// Where no combination of changes fits, the one with the lowest upper bound.
    pub least: Option<Least>,
}

/// The lowest step that changes reach, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Least {
    /// Its likely peak.
    pub peak: u64,
    /// The upper bound of its peak, which has to fit.
    pub high: u64,
}

/// The plans for a run.
pub fn fit(of: &RunEstimate, options: &FitOptions) -> Fitting {
    let subject = Subject::new(of, options);
    if subject.fits(&of.estimate) {
        return Fitting { fits: true, plans: search::faster(&subject), least: None };
    }
    let (plans, least) = search::smaller(&subject);
    Fitting { fits: false, least: least.filter(|_| plans.is_empty()), plans }
}

/// A run that is to fit, with what its plans must respect.
struct Subject<'a> {
    of: &'a RunEstimate,
    options: &'a FitOptions,
    /// Upper bound over peak of the run's own estimate, in thousandths: what reading the project leaves open widens plans alike.
    widening: u64,
    /// The GPU that is to hold it, if the catalogue knows it.
    gpu: Option<&'static Gpu>,
}

impl<'a> Subject<'a> {
    fn new(of: &'a RunEstimate, options: &'a FitOptions) -> Self {
        let widening = u128::from(of.estimate.high) * 1000 / u128::from(of.estimate.peak.max(1));
        let gpu = of.capacity.as_ref().and_then(|capacity| gpus::lookup(&capacity.name.en)).map(|found| found.smallest());
        Self { of, options, gpu, widening: u64::try_from(widening).unwrap_or(u64::MAX) }
    }

    /// Whether an estimate certainly fits GPU and host.
    fn fits(&self, estimate: &Estimate) -> bool {
        estimate.high <= self.options.limit && self.of.host_capacity.is_none_or(|capacity| estimate.host.peak <= capacity)
    }

    /// The setup after `changes`; `None` if a library would reject it.
    fn apply(&self, changes: &[Change]) -> Option<Setup> {
        let mut setup = self.of.setup.clone();
        for change in changes {
            if !moves::is_possible(*change, &setup) {
                return None;
            }
            change.apply(&mut setup);
        }
        crate::repairs::keeps_groups_whole(self.of, &setup).then_some(setup)
    }

    /// The estimate of a setup, as widely bounded as that of the run; simulated once.
    fn estimate(&self, setup: &Setup) -> Estimate {
        let mut estimate = self.of.cache.estimate(&self.of.model.arch, setup);
        let widened = u128::from(estimate.peak) * u128::from(self.widening) / 1000;
        estimate.high = estimate.high.max(u64::try_from(widened).unwrap_or(u64::MAX));
        estimate
    }

    fn plan(&self, changes: Vec<Change>, setup: Setup, estimate: Estimate) -> Plan {
        let effect = changes.iter().map(|change| change.effect(&self.of.setup)).max().unwrap_or(TrainingEffect::Same);
        let slowdown = slowdown::between(&self.of.model.arch, &self.of.setup, &setup, self.gpu);
        Plan { changes, effect, setup, estimate, slowdown }
    }

    fn is_fast_enough(&self, plan: &Plan) -> bool {
        self.options.max_slowdown.is_none_or(|most| plan.slowdown.high <= most)
    }
}
