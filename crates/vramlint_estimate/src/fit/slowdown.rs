//! What a plan costs in time: a bound and a ratio, never a promise.
//!
//! The work of a step ([`StepCost`]) over the speeds of a GPU is what it usually takes at best. How well a training uses the GPU, and how far
//! transfers overlap with computing, is not known; the ratio of two setups is computed for the whole range of both, and its extremes are
//! the bounds of the slowdown.

use vramlint_memory::{Arch, Setup, StepCost};

/// What a GPU does in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Dense matrix products in the 16-bit type of training, operations per second.
    pub flops: f64,
    /// Bytes per second of its own memory.
    pub memory: f64,
}

/// A usual data-centre GPU, where nothing is known: its proportions matter, not its speed (A100 80GB: 312 Tflop/s, 2.0 TB/s).
const USUAL: Speeds = Speeds { flops: 312e12, memory: 2.0e12 };
/// Shares of the peak that trainings reach.
const SHARES: [f64; 2] = [0.3, 0.9];
/// Bytes per second between GPUs: over PCIe 3.0, and over NVLink.
const LINKS: [f64; 2] = [10e9, 300e9];
/// Bytes per second to the host over PCIe: generation 3 in use by several GPUs, and generation 5.
const HOST_LINKS: [f64; 2] = [6e9, 50e9];

/// How much longer a step takes, as a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slowdown {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// The slowdown from `before` to `after`.
pub(super) fn between(arch: &Arch, before: &Setup, after: &Setup, speeds: Option<Speeds>) -> Slowdown {
    let speeds = speeds.unwrap_or(USUAL);
    let costs = (StepCost::of(arch, before), StepCost::of(arch, after));
    let mut slowdown = Slowdown { low: f64::MAX, high: 0.0 };
    for share in SHARES {
        for link in LINKS {
            for host in HOST_LINKS {
                for overlaps in [true, false] {
                    let time = |cost: &StepCost| {
                        let parts = [
                            cost.flops() / (speeds.flops * share),
                            cost.memory_bytes / speeds.memory,
                            cost.link_bytes / link,
                            cost.host_bytes / host,
                        ];
                        if overlaps { parts.into_iter().fold(0.0, f64::max) } else { parts.iter().sum() }
                    };
                    let ratio = time(&costs.1) / time(&costs.0).max(f64::MIN_POSITIVE);
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
