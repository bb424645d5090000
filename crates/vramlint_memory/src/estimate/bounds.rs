//! From reserved bytes to what `nvidia-smi` shows, with bounds.

use super::constants::{communicators, context, spread, tensor_spread};
use crate::arch::Arch;
use crate::setup::{Scheme, Setup};

/// Memory outside the allocator, and the bounds of the total.
pub(super) struct Bounds {
    pub(super) context: u64,
    pub(super) low: u64,
    pub(super) high: u64,
}

/// Much unused memory may not be there: of the scripts that were traced, three of those with more than a tenth of the tensors had 64 to 79
/// of 100 parts of it less, one with more than a quarter had none, and one of DeepSpeed's on one GPU with more than half had half of it.
/// Where less is unused, no record reserved 5 % less.
const FRAGILE: u64 = 10;
const MOST_FRAGILE: u64 = 4;

/// Bounds of the total for `reserved` bytes in the allocator, of which `tensors` are in use.
pub(super) fn bounds(arch: &Arch, setup: &Setup, reserved: u64, tensors: u64) -> Bounds {
    let (certainty, experts, scheme) = (arch.certainty(), arch.has_experts(), setup.parallel.scheme);
    let (below, above) = spread(certainty, experts, scheme);
    let share =
        |bytes: u64, thousandths: u64| u64::try_from(u128::from(bytes) * u128::from(thousandths) / 1000).unwrap_or(u64::MAX);
    // A heap may also turn out unfragmented: allocated tensors are the lower bound.
    let least = tensors.saturating_sub(share(tensors, tensor_spread(certainty, experts, scheme)));
    // How far a cache that grows token by token fragments the heap depends on the first free block that each size finds.
    let grows = setup.generation.is_some_and(|round| round.vllm_share.is_none());
    // Much unused memory hangs on the order of a few large blocks, which loading and the first step decide.
    let alone = scheme == Scheme::None || setup.parallel.world < 2;
    let exceeds = |part: u64| alone && reserved > tensors + tensors / part;
    let unused = reserved.saturating_sub(tensors);
    let less = if exceeds(FRAGILE) { share(unused, 800).max(share(reserved, below)) } else { share(reserved, below) };
    let low = if grows || exceeds(MOST_FRAGILE) { least } else { reserved.saturating_sub(less).max(least) };
    let high = reserved.saturating_add(share(reserved, above));
    if !setup.cuda_context {
        return Bounds { context: 0, low, high };
    }
    let (own, shared) = (context(setup.platform), communicators(setup.parallel.scheme, setup.parallel.world));
    let outside = setup.external_bytes;
    Bounds {
        context: own.likely + shared.likely,
        low: low.saturating_add(own.low + shared.low).saturating_add(outside),
        high: high.saturating_add(own.high + shared.high).saturating_add(outside),
    }
}
