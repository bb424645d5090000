//! What a GPU computes and moves in a second, at most.

use serde::Deserialize;

/// Bytes per second of a PCIe lane in one direction, by generation: 8, 16 and 32 GT/s, of which 128 in 130 bits carry data (PCI Express
/// Base Specification 3.0 to 5.0).
const LANES: [(u64, u64); 3] = [(3, 984_615_384), (4, 1_969_230_769), (5, 3_938_461_538)];

/// The peaks of a GPU, as its vendor states them. No kernel is faster; most are slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speeds {
    /// Operations per second of dense products in fp32 without tensor cores.
    pub fp32: Option<u64>,
    /// The same in TF32.
    pub tf32: Option<u64>,
    /// The same in fp16, accumulated in fp32.
    pub fp16: Option<u64>,
    /// The same in bf16.
    pub bf16: Option<u64>,
    /// Bytes per second of its own memory.
    pub memory: Option<u64>,
    /// Bytes per second to the host in one direction.
    pub host: Option<u64>,
    /// Bytes per second to other GPUs in one direction: over links of the vendor, else over PCIe. `None` if that is not known.
    pub links: Option<u64>,
    /// The paper that states them.
    pub source: &'static str,
}

/// Speeds as the table writes them.
#[derive(Deserialize)]
pub(super) struct Row<'a> {
    tflops: Tflops,
    memory_gb_s: Option<f64>,
    pcie: Option<(u64, u64)>,
    links_gb_s: Option<f64>,
    source: &'a str,
}

#[derive(Deserialize)]
struct Tflops {
    fp32: Option<f64>,
    tf32: Option<f64>,
    fp16: Option<f64>,
    bf16: Option<f64>,
}

impl From<Row<'static>> for Speeds {
    fn from(row: Row<'static>) -> Self {
        let tera = |tflops: Option<f64>| tflops.map(|value| scaled(value, 1e12));
        let lane = |generation: u64| LANES.iter().find(|(known, _)| *known == generation).map(|(_, bytes)| *bytes);
        let host = row.pcie.and_then(|(generation, lanes)| Some(lane(generation)? * lanes));
        // Vendors sum both directions. Without links, GPUs exchange over PCIe.
        let links = match row.links_gb_s {
            Some(sum) if sum > 0.0 => Some(scaled(sum / 2.0, 1e9)),
            Some(_) => host,
            None => None,
        };
        Self {
            fp32: tera(row.tflops.fp32),
            tf32: tera(row.tflops.tf32),
            fp16: tera(row.tflops.fp16),
            bf16: tera(row.tflops.bf16),
            memory: row.memory_gb_s.map(|value| scaled(value, 1e9)),
            host,
            links,
            source: row.source,
        }
    }
}

#[allow(clippy::cast_sign_loss)] // figures of the table are positive, and a test reads them all
fn scaled(value: f64, unit: f64) -> u64 {
    (value * unit).round() as u64
}
