//! The parts unfolded: who holds the bytes of the peak.

use super::{Item, Label, Part};
use crate::allocator::round_size;
use crate::arch::Arch;
use crate::model::Placement;
use crate::setup::{Dtype, Quantization, Setup};
use crate::step::layer_extrapolation::{Extrapolation, ShortRun};
use crate::tape::{Allocation, Site, Visitor};

/// Bytes of one name in one run.
#[derive(Clone, Copy)]
struct Group {
    part: Part,
    name: &'static Label,
    /// Whether they belong to blocks of the model.
    layered: bool,
    bytes: u64,
}

/// What is in use when an event has happened.
struct LiveGroups {
    until: usize,
    gpu: u8,
    site: Site,
    /// By block.
    live: Vec<Option<Group>>,
}

impl Visitor for LiveGroups {
    fn place(&mut self, site: Site) {
        self.site = site;
    }

    fn alloc(&mut self, number: usize, block: u32, allocation: Allocation) {
        let Allocation { bytes, part, gpu, at_once, .. } = allocation;
        let is_gone = at_once && number < self.until;
        if number <= self.until && gpu == self.gpu && !is_gone {
            let (name, layered) = (self.site.name, self.site.layer > 0);
            self.live[block as usize] = Some(Group { part, name, layered, bytes: round_size(bytes) });
        }
    }

    fn free(&mut self, number: usize, block: u32) {
        if number <= self.until {
            self.live[block as usize] = None;
        }
    }

    fn relabel(&mut self, number: usize, block: u32, part: Part) {
        if let Some(group) = self.live[block as usize].as_mut().filter(|_| number <= self.until) {
            group.part = part;
        }
    }

    fn empty_cache(&mut self, _: usize) {}

    fn until(&self) -> Option<usize> {
        Some(self.until)
    }
}

fn groups(short: &ShortRun, event: usize) -> Vec<Group> {
    let live = vec![None; short.trace.blocks as usize];
    let mut seen = LiveGroups { until: event, gpu: short.gpu, site: Site::default(), live };
    short.trace.record.visit(&mut seen);
    let mut out: Vec<Group> = Vec::new();
    for group in seen.live.into_iter().flatten() {
        match out.iter_mut().find(|other| other.part == group.part && std::ptr::eq(other.name, group.name)) {
            Some(other) => other.bytes += group.bytes,
            None => out.push(group),
        }
    }
    out
}

/// The quantities that formulas use.
pub(super) struct Terms {
    layers: u64,
    tokens: u64,
    vocab: u64,
    trainable: u64,
    /// Bytes of a weight, if all weights have the same type; bytes of a trained weight.
    weight: Option<u64>,
    trained: u64,
}

impl Terms {
    /// The terms of a setup of which `trainable` parameters are trained.
    pub(super) fn new(arch: &Arch, setup: &Setup, trainable: u64, gpu: u8) -> Self {
        let weight = setup.weights.bytes();
        Self {
            layers: if setup.model_gpus > 1 { Placement::new(arch, setup).blocks_on(gpu) } else { arch.layers() },
            tokens: setup.rows().saturating_mul(setup.sequence_length),
            vocab: arch.vocab,
            trainable,
            weight: (setup.quantization == Quantization::None && !setup.kbit_prepare).then_some(weight),
            trained: setup.lora.as_ref().and_then(|lora| lora.dtype).map_or(weight, Dtype::bytes),
        }
    }

    /// The arithmetic of a group, as far as it divides: `28 × 1024 tokens × 57344 B`.
    fn formula(&self, group: &Group, bytes: u64) -> String {
        let blocks = if group.layered && self.layers > 0 { self.layers } else { 1 };
        let each = bytes / blocks;
        let times = if blocks > 1 { format!("{blocks} × ") } else { String::new() };
        match group.part {
            Part::Weights => match self.weight {
                Some(width) => format!("{times}{} parameters × {width} B", each / width),
                None if blocks > 1 => format!("{times}{each} B"),
                None => String::new(),
            },
            Part::Gradients => format!("{times}{} parameters × {} B", each / self.trained.max(1), self.trained),
            Part::Optimizer if self.trainable > 0 => {
                // Hundredths, since the scales of 8-bit states make fractions.
                let hundredths = u128::from(bytes) * 100 / u128::from(self.trainable);
                format!("{} trained parameters × {}.{:02} B", self.trainable, hundredths / 100, hundredths % 100)
            }
            Part::Logits if self.vocab > 0 && each >= self.tokens.saturating_mul(self.vocab) && self.tokens > 0 => {
                format!("{} tokens × {} vocabulary × {} B", self.tokens, self.vocab, each / (self.tokens * self.vocab))
            }
            Part::Activations if self.tokens > 0 && each >= self.tokens => {
                format!("{times}{} tokens × {} B", self.tokens, each / self.tokens)
            }
            _ if blocks > 1 => format!("{times}{each} B"),
            _ => String::new(),
        }
    }
}

/// The items of the moment that is number `index` of the base run.
pub(super) fn items(extrapolation: &Extrapolation, index: usize, terms: &Terms) -> Vec<Item> {
    let base = groups(&extrapolation.base, extrapolation.base.profile.moments[index].event);
    let matched = extrapolation.matched(index);
    let others: Vec<Vec<Group>> = extrapolation
        .longer
        .iter()
        .zip(&matched)
        .map(|(longer, at)| groups(&longer.short, longer.short.profile.moments[*at].event))
        .collect();
    let mut items: Vec<Item> = base
        .iter()
        .map(|group| {
            let of = |groups: &[Group]| {
                groups
                    .iter()
                    .find(|other| other.part == group.part && std::ptr::eq(other.name, group.name))
                    .map_or(0, |g| g.bytes)
            };
            let bytes = extrapolation.extrapolate_value(group.bytes, others.iter().map(|groups| of(groups)));
            Item { part: group.part, label: *group.name, bytes, formula: terms.formula(group, bytes) }
        })
        .collect();
    items.sort_by(|a, b| a.part.cmp(&b.part).then(b.bytes.cmp(&a.bytes)));
    items
}
