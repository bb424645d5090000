//! Every number that is not arithmetic, with its reason.

use crate::arch::Certainty;
use crate::setup::{Platform, Scheme};

const MIB: u64 = 1 << 20;

/// A constant with its bounds, bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) low: u64,
    pub(super) likely: u64,
    pub(super) high: u64,
}

/// What a process holds on a card outside torch's allocator: CUDA context, loaded kernels, library handles.
///
/// Hugging Face's memory anatomy and users' `nvidia-smi` listings give 0.3 to 0.6 GiB on cards from Volta on; on Windows the display
/// driver model adds to it. Not measured here: the width says so.
pub(super) const fn context(platform: Platform) -> Range {
    match platform {
        Platform::Linux => Range { low: 300 * MIB, likely: 460 * MIB, high: 640 * MIB },
        Platform::Windows => Range { low: 400 * MIB, likely: 640 * MIB, high: 1024 * MIB },
    }
}

/// NCCL's buffers for one set of communicators. 0.3 to 1 GiB on eight cards of one machine, by channel count; not measured here.
pub(super) const fn communicators(scheme: Scheme, world: u64) -> Range {
    if matches!(scheme, Scheme::None) || world < 2 {
        return Range { low: 0, likely: 0, high: 0 };
    }
    Range { low: 200 * MIB, likely: 500 * MIB, high: 1024 * MIB }
}

/// By how much reserved memory of a setup may lie below and above the estimate, in thousandths.
///
/// Learnt from `tests/records`: the widest that 98 of 100 records of each kind need, rounded up.
pub(super) const fn spread(certainty: Certainty, scheme: Scheme) -> (u64, u64) {
    match (certainty, scheme) {
        (Certainty::Traced, Scheme::None) => (35, 45),
        (Certainty::Traced, _) => (60, 60),
        (Certainty::Usual, _) => (100, 150),
        (Certainty::Count, _) => (250, 350),
    }
}
