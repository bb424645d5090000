//! The least time of a step on a GPU: a bound, never a promise.
//!
//! A GPU computes, reads its memory, and exchanges bytes with other GPUs and with the host, each no faster than its vendor states. All four
//! may run at once, so a step lasts at least as long as the longest of them; their sum would be no bound. The work is that which no run of
//! the setup gets around ([`StepCost::at_least`]), with rows as long as the setup says and no token masked.

use vramlint_catalog::gpus::{Gpu, Speeds};
use vramlint_memory::setup::{Dtype, Quantization};
use vramlint_memory::{Arch, Setup, StepCost};

/// What a step needs a GPU for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Operations of dense products.
    Compute,
    /// Bytes of its own memory.
    Memory,
    /// Bytes to or from other GPUs.
    Links,
    /// Bytes to or from the host.
    Host,
}

/// The least time of one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceTime {
    /// What is needed.
    pub resource: Resource,
    /// Operations or bytes of a step.
    pub amount: f64,
    /// Operations or bytes per second, at most.
    pub rate: f64,
}

impl ResourceTime {
    /// Seconds.
    pub fn seconds(&self) -> f64 {
        self.amount / self.rate
    }
}

/// The least time of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTime {
    /// The GPU.
    pub gpu: &'static Gpu,
    /// Where its speeds come from.
    pub source: &'static str,
    /// The type of the products: `bf16`, `fp16`, `tf32`, `fp32`.
    pub products: &'static str,
    /// The work.
    pub work: StepCost,
    /// Every resource that is needed and whose speed is known, the longest first.
    pub parts: Vec<ResourceTime>,
}

impl StepTime {
    /// The least time of a step of a setup. `None` where the GPU has no speed of the type of its products, or where the work is not
    /// followed.
    pub fn of(arch: &Arch, setup: &Setup, gpu: &'static Gpu) -> Option<Self> {
        let speeds = gpu.speeds?;
        let (products, rate) = product_speed(setup, &speeds)?;
        let work = StepCost::at_least(arch, setup)?;
        let amounts = [
            (Resource::Compute, work.flops(), Some(rate)),
            (Resource::Memory, work.memory_bytes, speeds.memory),
            (Resource::Links, work.link_bytes, speeds.links),
            (Resource::Host, work.host_bytes, speeds.host),
        ];
        #[allow(clippy::cast_precision_loss)] // speeds have four digits
        let known = amounts.into_iter().filter_map(|(resource, amount, rate)| {
            let rate = rate.filter(|rate| *rate > 0)? as f64;
            (amount.is_finite() && amount > 0.0).then_some(ResourceTime { resource, amount, rate })
        });
        let mut parts: Vec<ResourceTime> = known.collect();
        parts.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
        (!parts.is_empty()).then_some(Self { gpu, source: speeds.source, products, work, parts })
    }

    /// What takes longest.
    pub fn longest(&self) -> &ResourceTime {
        &self.parts[0]
    }

    /// Seconds that a step takes at least.
    pub fn seconds(&self) -> f64 {
        self.longest().seconds()
    }
}

/// The type in which products are computed, and operations per second. `None` where it is not known: LLM.int8 computes in integers.
pub(crate) fn product_speed(setup: &Setup, speeds: &Speeds) -> Option<(&'static str, u64)> {
    let dtype = match setup.quantization {
        Quantization::Int8 => return None,
        // Layers in 4 bits compute in a type of their own: the fastest of all counts.
        Quantization::FourBit { .. } => {
            let types = [setup.quantized_compute, setup.autocast, Some(setup.weights)];
            types.into_iter().flatten().find(|dtype| *dtype != Dtype::Fp32).unwrap_or(Dtype::Fp32)
        }
        Quantization::None => setup.autocast.unwrap_or(setup.weights),
    };
    match dtype {
        Dtype::Bf16 => Some(("bf16", speeds.bf16?)),
        Dtype::Fp16 => Some(("fp16", speeds.fp16?)),
        // A program may allow TF32 for products of fp32.
        Dtype::Fp32 => match (speeds.tf32, speeds.fp32) {
            (Some(tf32), fp32) if Some(tf32) > fp32 => Some(("tf32", tf32)),
            (_, fp32) => Some(("fp32", fp32?)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramlint_catalog::gpus::find;
    use vramlint_memory::setup::{Offload, Parallel, Scheme};

    fn seven_billion() -> Arch {
        Arch::from_parameters(7_000_000_000)
    }

    fn gpu(name: &str) -> &'static Gpu {
        find(name).expect("in the catalogue")
    }

    fn time(setup: &Setup, name: &str) -> Option<StepTime> {
        StepTime::of(&seven_billion(), setup, gpu(name))
    }

    fn batch() -> Setup {
        Setup { micro_batch: 8, sequence_length: 2048, ..Setup::default() }
    }

    #[test]
    fn a_full_step_is_bound_by_its_products() {
        let least = time(&batch(), "A100 80GB SXM").expect("known");
        let by_hand = least.work.flops() / 312e12;
        assert_eq!((least.longest().resource, least.products), (Resource::Compute, "bf16"));
        assert!((least.seconds() - by_hand).abs() < 1e-9 && (2.0..2.5).contains(&by_hand), "{by_hand}");
        let on_h100 = time(&batch(), "H100 SXM 80GB").expect("known").seconds();
        assert!((least.seconds() / on_h100 - 989.4 / 312.0).abs() < 1e-3);
    }

    #[test]
    fn one_short_row_is_bound_by_the_memory() {
        let least = time(&Setup { sequence_length: 16, ..Setup::default() }, "A100 80GB SXM").expect("known");
        assert_eq!(least.longest().resource, Resource::Memory);
    }

    #[test]
    fn sharding_and_offloading_are_bound_by_what_carries_the_bytes() {
        let parallel = Parallel { scheme: Scheme::Zero3, world: 8, local: 8, ..Parallel::default() };
        let sharded = Setup { micro_batch: 1, sequence_length: 64, parallel: parallel.clone(), ..Setup::default() };
        assert_eq!(time(&sharded, "RTX 4090").expect("known").longest().resource, Resource::Links);
        let offload = Parallel { offload_optimizer: Offload::Cpu, world: 1, local: 1, ..parallel };
        let offloaded = Setup { parallel: offload, sequence_length: 64, ..Setup::default() };
        assert_eq!(time(&offloaded, "A100 80GB SXM").expect("known").longest().resource, Resource::Host);
    }

    #[test]
    fn what_is_not_known_gives_no_bound() {
        assert_eq!(time(&batch(), "T4"), None, "bf16 on a GPU without it");
        assert_eq!(time(&batch(), "RTX 4090 Laptop"), None, "no speeds");
        assert_eq!(time(&Setup { quantization: Quantization::Int8, ..batch() }, "A100 80GB SXM"), None);
        let fp32 = Setup { weights: Dtype::Fp32, ..batch() };
        assert_eq!(time(&fp32, "A100 80GB SXM").map(|least| least.products), Some("tf32"), "which a program may allow");
        assert_eq!(time(&fp32, "V100").map(|least| least.products), Some("fp32"));
    }
}
