//! What a plan costs in time: a bound and a ratio, never a promise.
//!
//! The work of a step ([`StepCost`]) over the speeds of a GPU is what it usually takes at best. How well a training uses the GPU, and how far
//! transfers overlap with computing, is not known; the ratio of two setups is computed for the whole range of both, and its extremes are
//! the bounds of the slowdown.

use crate::step_time::product_speed;
use vramlint_catalog::gpus::Gpu;
use vramlint_memory::{Arch, Setup, StepCost};

/// What a GPU does in a second.
struct Speeds {
    /// Dense matrix products in the type of the step, operations per second.
    flops: f64,
    /// Bytes per second of its own memory.
    memory: f64,
    /// Bytes per second between GPUs, from the slowest to the fastest.
    links: [f64; 2],
    /// Bytes per second to the host, from the slowest to the fastest.
    host: [f64; 2],
}

/// A usual data-centre GPU, where nothing is known: its proportions matter, not its speed (A100 80GB: 312 Tflop/s, 2.0 TB/s; between GPUs
/// over PCIe 3.0 or NVLink; to the host over PCIe 3.0 in use by several GPUs, or over PCIe 5.0).
const USUAL: Speeds = Speeds { flops: 312e12, memory: 2.0e12, links: [10e9, 300e9], host: [6e9, 50e9] };
/// Shares of the peak that trainings reach.
const SHARES: [f64; 2] = [0.3, 0.9];
/// The least share of a link's peak: others use it as well.
const LINK_SHARE: f64 = 0.25;

impl Speeds {
    /// The speeds of a step on a GPU, those that are known in place of the usual ones.
    fn of(setup: &Setup, gpu: Option<&'static Gpu>) -> Self {
        let Some(known) = gpu.and_then(|gpu| gpu.speeds) else { return USUAL };
        #[allow(clippy::cast_precision_loss)] // speeds have four digits
        let number = |speed: Option<u64>| speed.filter(|speed| *speed > 0).map(|speed| speed as f64);
        let range = |speed: Option<u64>, usual: [f64; 2]| number(speed).map_or(usual, |speed| [speed * LINK_SHARE, speed]);
        Self {
            flops: number(product_speed(setup, &known).map(|(_, speed)| speed)).unwrap_or(USUAL.flops),
            memory: number(known.memory).unwrap_or(USUAL.memory),
            links: range(known.links, USUAL.links),
            host: range(known.host, USUAL.host),
        }
    }
}

/// How much longer a step takes, as a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slowdown {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// The slowdown from `before` to `after`, on `gpu` if it is known.
pub(super) fn between(arch: &Arch, before: &Setup, after: &Setup, gpu: Option<&'static Gpu>) -> Slowdown {
    let steps = [before, after].map(|setup| (StepCost::of(arch, setup), Speeds::of(setup, gpu)));
    let mut slowdown = Slowdown { low: f64::MAX, high: 0.0 };
    for share in SHARES {
        for link in [0, 1] {
            for host in [0, 1] {
                for overlaps in [true, false] {
                    let [now, then] = steps.each_ref().map(|(cost, speeds)| {
                        let parts = [
                            cost.flops() / (speeds.flops * share),
                            cost.memory_bytes / speeds.memory,
                            cost.link_bytes / speeds.links[link],
                            cost.host_bytes / speeds.host[host],
                        ];
                        if overlaps { parts.into_iter().fold(0.0, f64::max) } else { parts.iter().sum() }
                    });
                    let ratio = then / now.max(f64::MIN_POSITIVE);
                    slowdown.low = slowdown.low.min(ratio);
                    slowdown.high = slowdown.high.max(ratio);
                }
            }
        }
    }
    Slowdown { low: hundredths(slowdown.low), high: hundredths(slowdown.high) }
}

fn hundredths(ratio: f64) -> f64 {
    if ratio.is_finite() { (ratio * 100.0).round() / 100.0 } else { 1.0 }
}
