//! From the moments of a step to the answer.

use super::bounds::bounds;
use super::breakdown::{Terms, items};
use super::timeline::{steady, timeline};
use super::{Estimate, Host, Item, Label, Moment, Part, Phase};
use crate::arch::Arch;
use crate::setup::{Scheme, Setup};
use crate::step::clamp::{clamp_setup, cut_lengths};
use crate::step::layer_extrapolation::{Extrapolation, Peaks, extrapolate};

static OUTSIDE: Label = Label { en: "other engine on the GPU", zh: "同卡的其他引擎" };
static CONTEXT: Label = Label { en: "CUDA context and libraries", zh: "CUDA 上下文与库" };
static UNUSED: Label = Label { en: "reserved by the allocator but unused", zh: "分配器持有但未被张量使用" };

/// The estimate of one setup.
pub fn estimate(arch: &Arch, setup: &Setup) -> Estimate {
    if setup.parallel.scheme == Scheme::Megatron {
        return crate::megatron::estimate(arch, setup);
    }
    let clamped = clamp_setup(arch, setup);
    answer(arch, setup, &clamped, &extrapolate(arch, &clamped))
}

/// The estimate of one setup and its [`timeline`]. Only a model that is too deep to be simulated in full is simulated once more for it.
pub fn estimate_with_timeline(arch: &Arch, setup: &Setup) -> (Estimate, Vec<Moment>) {
    if setup.parallel.scheme == Scheme::Megatron {
        return (crate::megatron::estimate(arch, setup), crate::megatron::timeline(arch, setup));
    }
    let clamped = clamp_setup(arch, setup);
    let extrapolation = extrapolate(arch, &clamped);
    let is_full = extrapolation.longer.is_empty();
    let moments = if is_full { steady(&extrapolation.base.profile) } else { timeline(arch, setup) };
    (answer(arch, setup, &clamped, &extrapolation), moments)
}

/// The answer to a setup that was `asked` for.
fn answer(arch: &Arch, asked: &Setup, setup: &Setup, extrapolation: &Extrapolation) -> Estimate {
    let Some(peaks) = extrapolation.peaks() else { return nothing(arch) };
    let peak = peaks.highest;
    let tensors = peak.allocated;
    let most = peaks.reserved.max(tensors);
    // Segments that grow with what is in them leave little unused.
    let reserved = if setup.expandable_segments { tensors.next_multiple_of(2 << 20) } else { most };
    let bounds = bounds(arch, setup, reserved, tensors);

    let trainable = extrapolation.extrapolate_number(|short| short.trace.trainable);
    let mut list = items(extrapolation, peak.index, &Terms::new(arch, setup, trainable, extrapolation.base.gpu));
    let mut parts = [0_u64; 10];
    for item in &list {
        parts[item.part as usize] = parts[item.part as usize].saturating_add(item.bytes);
    }
    let named = parts.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    parts[Part::Fragmentation as usize] = reserved.saturating_sub(named);
    parts[Part::Context as usize] = bounds.context;
    parts[Part::Other as usize] =
        parts[Part::Other as usize].saturating_add(if setup.cuda_context { setup.external_bytes } else { 0 });
    let mut push = |part, label: &Label, bytes| {
        if bytes > 0 {
            list.push(Item { part, label: *label, bytes, formula: String::new() });
        }
    };
    push(Part::Other, &OUTSIDE, if setup.cuda_context { setup.external_bytes } else { 0 });
    push(Part::Context, &CONTEXT, bounds.context);
    push(Part::Fragmentation, &UNUSED, parts[Part::Fragmentation as usize]);
    Estimate {
        parameters: arch.parameters(),
        trainable,
        peak: parts.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)),
        peak_phase: peak.phase,
        tensors,
        reserved,
        parts,
        items: list,
        managed: extrapolation.extrapolate_number(|short| short.trace.managed),
        low: bounds.low,
        high: bounds.high,
        phases: phases(&peaks),
        host: crate::host::host(arch, setup),
        assumptions: arch.assumptions().iter().cloned().chain(cut_lengths(asked, setup)).collect(),
    }
}

/// The highest allocated bytes of each phase that occurs, in the order of the step.
fn phases(peaks: &Peaks) -> Vec<(Phase, u64)> {
    [Phase::Generate, Phase::Forward, Phase::Loss, Phase::Backward, Phase::Optimizer, Phase::Evaluate]
        .into_iter()
        .filter_map(|phase| peaks.phases.iter().find(|(other, _)| *other == phase).copied())
        .collect()
}

/// A model without anything to run.
fn nothing(arch: &Arch) -> Estimate {
    Estimate {
        parameters: arch.parameters(),
        trainable: 0,
        peak: 0,
        peak_phase: Phase::Load,
        tensors: 0,
        reserved: 0,
        parts: [0; 10],
        items: Vec::new(),
        managed: 0,
        low: 0,
        high: 0,
        phases: Vec::new(),
        host: Host::default(),
        assumptions: arch.assumptions().to_vec(),
    }
}
