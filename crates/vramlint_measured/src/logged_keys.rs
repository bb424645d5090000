//! Names under which trainers log memory.

use crate::Measured;
use serde_json::{Map, Value};

const GIB: f64 = 1_073_741_824.0;

/// A kind of memory.
#[derive(Clone, Copy)]
enum Kind {
    Tensors,
    Reserved,
}

/// Keys in GiB.
///
/// | key | source |
/// | --- | --- |
/// | `memory(GiB)` | ms-swift, `torch.cuda.max_memory_reserved` |
/// | `memory/…` | Axolotl, active and now older names |
/// | `peak_memory_…` | torchtune's metric loggers |
const KEYS: &[(&str, Kind)] = &[
    ("memory(GiB)", Kind::Reserved),
    ("memory/max_allocated (GiB)", Kind::Tensors),
    ("memory/device_reserved (GiB)", Kind::Reserved),
    ("memory/max_mem_allocated(gib)", Kind::Tensors),
    ("memory/device_mem_reserved(gib)", Kind::Reserved),
    ("peak_memory_alloc", Kind::Tensors),
    ("peak_memory_reserved", Kind::Reserved),
];

/// What one record of a log tells, by its keys.
pub(crate) fn read(record: &Map<String, Value>, found: &mut Measured) {
    for (key, kind) in KEYS {
        let Some(gib) = record.get(*key).and_then(Value::as_f64) else { continue };
        let bytes = bytes(gib, GIB);
        match kind {
            Kind::Tensors => found.tensors = found.tensors.max(bytes),
            Kind::Reserved => found.reserved = found.reserved.max(bytes),
        }
    }
    let number = |key: &str| record.get(key).and_then(Value::as_u64);
    // transformers' `skip_memory_metrics=False`: deltas of each stage (`trainer_utils.py`, `TrainerMemoryTracker`).
    if let Some(peaked) = number("train_mem_gpu_peaked_delta") {
        let signed = |key: &str| record.get(key).and_then(Value::as_i64).unwrap_or(0);
        let before = signed("before_init_mem_gpu") + signed("init_mem_gpu_alloc_delta") + signed("train_mem_gpu_alloc_delta");
        found.tensors = found.tensors.max(u64::try_from(before).ok().map(|before| before + peaked));
    }
}

/// `amount` times `unit` as a number of bytes.
pub(crate) fn bytes(amount: f64, unit: f64) -> Option<u64> {
    let bytes = (amount * unit).round();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded here
    (bytes.is_finite() && (0.0..1e17).contains(&bytes)).then_some(bytes as u64)
}
