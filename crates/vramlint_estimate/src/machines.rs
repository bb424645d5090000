//! The estimate of a run on other machines.

use crate::run_estimate::{RunEstimate, external_bytes};
use crate::verdict::Verdict;
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_memory::setup::{Dtype, Megatron, Scheme};
use vramlint_memory::{Estimate, Setup};

/// GPUs in one host, as servers are built.
const GPUS_PER_HOST: u64 = 8;
/// Numbers of GPUs of which the smallest sufficient one is searched.
const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// GPUs of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The GPU; `None` for a size of memory.
    pub gpu: Option<&'static Gpu>,
    /// Memory of one GPU, bytes.
    pub bytes: u64,
    /// How many GPUs train.
    pub gpus: u64,
}

impl Machine {
    /// GPUs of the catalogue.
    pub fn of_gpu(gpu: &'static Gpu, gpus: u64) -> Self {
        Self { gpu: Some(gpu), bytes: gpu.memory(), gpus }
    }

    /// GPUs of which only the memory is known, in bytes.
    pub const fn of_memory(bytes: u64, gpus: u64) -> Self {
        Self { gpu: None, bytes, gpus }
    }
}

/// A run on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineEstimate {
    /// The machine.
    pub machine: Machine,
    /// The estimate of one GPU.
    pub estimate: Estimate,
    /// Whether it fits.
    pub verdict: Verdict,
    /// Samples of one optimizer step over all GPUs.
    pub effective_batch: u64,
    /// Whether the GPU computes in the types of the training: `Some(false)` for bf16 on a GPU that has none.
    pub has_types: Option<bool>,
}

impl RunEstimate {
    /// The run on another machine, with the settings of one GPU as they are. `None` if the number of GPUs does not follow from data
    /// parallelism alone: tensor, context and pipeline parallelism divide the GPUs in their own way.
    pub fn on_machine(&self, machine: &Machine) -> Option<MachineEstimate> {
        let setup = on(&self.setup, machine)?;
        let mut estimate = self.cache.estimate(&self.model.arch, &setup);
        self.widen_alike(&mut estimate);
        let uses_bf16 = [Some(setup.weights), setup.autocast].contains(&Some(Dtype::Bf16));
        Some(MachineEstimate {
            machine: machine.clone(),
            verdict: Verdict::of(estimate.low, estimate.high, machine.bytes),
            effective_batch: effective_batch(&setup),
            has_types: machine.gpu.map(|gpu| gpu.bf16 || !uses_bf16),
            estimate,
        })
    }

    /// The run with the setup that it has on another machine. `None` as in [`Self::on_machine`].
    #[must_use]
    pub fn moved_to(&self, machine: &Machine) -> Option<Self> {
        let mut moved = self.with_setup(on(&self.setup, machine)?);
        self.widen_alike(&mut moved.estimate);
        moved.floor = moved.estimate.low;
        Some(moved)
    }

    /// What the project leaves open widens the bounds of every machine in the proportions of the run's own.
    fn widen_alike(&self, estimate: &mut Estimate) {
        let share = |bound: u64| {
            let scaled = u128::from(estimate.peak) * u128::from(bound) / u128::from(self.estimate.peak.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let (low, high) = (share(self.floor.min(self.estimate.low)), share(self.estimate.high));
        (estimate.low, estimate.high) = (estimate.low.min(low), estimate.high.max(high));
    }

    /// The fewest and then smallest GPUs of the catalogue that certainly hold the run and compute in its types.
    pub fn smallest_machine(&self) -> Option<MachineEstimate> {
        let mut candidates: Vec<&'static Gpu> = gpus::all().iter().filter(|gpu| !gpu.is_modified() && !gpu.is_mobile()).collect();
        candidates.sort_by_key(|gpu| gpu.memory_mib);
        let machines = COUNTS.into_iter().flat_map(|count| candidates.iter().map(move |gpu| Machine::of_gpu(gpu, count.into())));
        machines.filter_map(|machine| self.on_machine(&machine)).find(MachineEstimate::is_sufficient)
    }

    /// The cheapest of `prices` per GPU and hour whose GPUs certainly hold the run and compute in its types, with the price of all of them.
    pub fn cheapest_machine(&self, prices: &[(&'static Gpu, f64)]) -> Option<(MachineEstimate, f64)> {
        let mut machines: Vec<(f64, Machine)> = prices
            .iter()
            .flat_map(|(gpu, price)| COUNTS.map(|count| (price * f64::from(count), Machine::of_gpu(gpu, count.into()))))
            .collect();
        machines.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let estimates = machines.into_iter().filter_map(|(price, machine)| Some((self.on_machine(&machine)?, price)));
        estimates.into_iter().find(|(estimate, _)| estimate.is_sufficient())
    }
}

impl MachineEstimate {
    /// Whether the run certainly trains there.
    pub fn is_sufficient(&self) -> bool {
        self.verdict == Verdict::Fits && self.has_types != Some(false)
    }
}

/// The setup on another machine.
fn on(setup: &Setup, machine: &Machine) -> Option<Setup> {
    let mut setup = setup.clone();
    let parallel = &mut setup.parallel;
    if parallel.world != machine.gpus {
        if parallel.tensor > 1 || parallel.context > 1 || parallel.megatron != Megatron::default() {
            return None;
        }
        (parallel.world, parallel.local) = (machine.gpus, machine.gpus.min(GPUS_PER_HOST));
        parallel.scheme = match parallel.scheme {
            Scheme::None if machine.gpus > 1 => Scheme::Ddp,
            Scheme::Ddp if machine.gpus == 1 => Scheme::None,
            scheme => scheme,
        };
        parallel.hpz = parallel.hpz.min(machine.gpus);
    }
    setup.capability = machine.gpu.and_then(|gpu| gpu.compute_capability).or(setup.capability);
    setup.external_bytes = external_bytes(&setup, Some(machine.bytes));
    Some(setup)
}

fn effective_batch(setup: &Setup) -> u64 {
    setup.micro_batch.saturating_mul(setup.accumulation).saturating_mul(setup.parallel.world)
}
