//! Every number that is not arithmetic, with its reason.

use crate::arch::Certainty;
use crate::setup::{Platform, Scheme};

const MIB: u64 = 1 << 20;

/// A constant with its bounds, bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) low: u64,
    pub(crate) likely: u64,
    pub(crate) high: u64,
}

/// GPU memory of a process outside torch's allocator: CUDA context, loaded kernels, library handles.
///
/// Hugging Face's memory anatomy and users' `nvidia-smi` listings give 0.3 to 0.6 GiB on GPUs from Volta on; on Windows the display
/// driver model adds to it. Not measured here, hence the wide bounds.
pub(super) const fn context(platform: Platform) -> Range {
    match platform {
        Platform::Linux => Range { low: 300 * MIB, likely: 460 * MIB, high: 640 * MIB },
        Platform::Windows => Range { low: 400 * MIB, likely: 640 * MIB, high: 1024 * MIB },
    }
}

/// NCCL's buffers for one set of communicators. 0.3 to 1 GiB on eight GPUs of one machine, by channel count; not measured here.
pub(super) const fn communicators(scheme: Scheme, world: u64) -> Range {
    if matches!(scheme, Scheme::None) || world < 2 {
        return Range { low: 0, likely: 0, high: 0 };
    }
    Range { low: 200 * MIB, likely: 500 * MIB, high: 1024 * MIB }
}

/// GPU memory of a rank of Megatron outside torch's allocator: a context, and buffers of NCCL for each of its groups of ranks.
pub(crate) const fn outside_megatron(groups: u64, platform: Platform) -> Range {
    let (own, each) = (context(platform), communicators(Scheme::Ddp, 2));
    Range { low: own.low + groups * each.low, likely: own.likely + groups * each.likely, high: own.high + groups * each.high }
}

/// How far reserved memory may be below and above the estimate, in thousandths.
///
/// Derived from `tests/records` (`accuracy` prints them under *What bounds need*): bounds that cover 98 of 100 records, with a larger
/// margin if there are few records. One device: 576 records; DDP 15, ZeRO-1 10, ZeRO-2 13, ZeRO-3 14 (its streams have separate pools;
/// two records differ by 15 % because of them), `fully_shard` 20, `FullyShardedDataParallel` none. Generic decoder and parameter count: the
/// records of 560 decoders without experts and 80 with, read as if the family were unknown; these bounds cover 95 of 100 of each class. A
/// count alone does not tell experts, so its bounds are those of a decoder without. Megatron: no record; its formulas leave out temporaries
/// of kernels, copies that a layout needs, and what the allocator holds unused.
pub(crate) const fn spread(certainty: Certainty, experts: bool, scheme: Scheme) -> (u64, u64) {
    match (certainty, scheme) {
        (Certainty::Traced, Scheme::None) => (40, 45),
        (Certainty::Traced, Scheme::Ddp) => (35, 35),
        (Certainty::Traced, Scheme::Zero1 | Scheme::Zero2 | Scheme::Fsdp2) => (25, 25),
        (Certainty::Traced, Scheme::Fsdp1) => (60, 60),
        (Certainty::Traced, Scheme::Zero3) => (170, 170),
        (Certainty::Traced, Scheme::Megatron) => (150, 250),
        (Certainty::GenericDecoder, _) if experts => (120, 420),
        (Certainty::GenericDecoder, _) => (200, 300),
        (Certainty::ParameterCount, _) if experts => (450, 650),
        (Certainty::ParameterCount, _) => (310, 650),
    }
}

/// How far allocated tensors may be below the estimate, in thousandths: the lower bound of reserved memory.
pub(super) const fn tensor_spread(certainty: Certainty, experts: bool, scheme: Scheme) -> u64 {
    match certainty {
        Certainty::Traced => 10,
        Certainty::GenericDecoder | Certainty::ParameterCount => spread(certainty, experts, scheme).0,
    }
}
