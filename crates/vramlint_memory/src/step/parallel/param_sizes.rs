//! Every parameter of the full model, whether its block runs or not: sizes of flat buffers and partitions depend on it.

use crate::arch::{Arch, Layer};
use crate::model::{Modules, build};
use crate::setup::Setup;
use crate::tape::{Device, ParamId, Tape};
use std::collections::HashMap;

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamSize {
    /// Numbers in it.
    pub(crate) numel: u64,
    /// Whether it is trained.
    pub(crate) trainable: bool,
}

/// The parameters of a model in the order of `model.parameters()`, block by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParamSizes {
    before: Vec<ParamSize>,
    blocks: Vec<Vec<ParamSize>>,
    after: Vec<ParamSize>,
}

impl ParamSizes {
    /// Counts `arch` with all its blocks. Blocks of a kind are equal, unless some of them are frozen: then one stands for all.
    pub(crate) fn new(arch: &Arch, setup: &Setup) -> Self {
        let tape =
            Tape::new(Device { cublas: 0, cublas_lt: 0, multiprocessors: 1, threads: 1, mixed_halves: false, adapted: false });
        let alike = setup.trained.is_none() && setup.model_gpus <= 1;
        let built: Vec<(Layer, u64)> =
            arch.layers.iter().map(|(layer, times)| (*layer, if alike { (*times).min(1) } else { *times })).collect();
        let loaded = build(&tape, arch, setup, &built, false);
        let (before, blocks, after) = split_at_blocks(&tape, &loaded);
        let entry = |id: &ParamId| ParamSize { numel: tape.numel(*id), trainable: tape.with_param(*id, |param| param.trainable) };
        let entries = |ids: &[ParamId]| ids.iter().map(entry).collect::<Vec<_>>();
        // Those of a decoder come after the blocks of the encoder, one each.
        let times = arch.layers.iter().filter(|(_, times)| alike && *times > 0).map(|(_, times)| *times);
        let times = times.chain(std::iter::repeat(1));
        let blocks = blocks.iter().zip(times).flat_map(|(block, times)| (0..times).map(|_| entries(block))).collect();
        Self { before: entries(&before), blocks, after: entries(&after) }
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = ParamSize> + '_ {
        self.before.iter().chain(self.blocks.iter().flatten()).chain(&self.after).copied()
    }

    /// Numbers of those that are trained.
    pub(crate) fn trainable(&self) -> u64 {
        self.all().filter(|entry| entry.trainable).map(|entry| entry.numel).sum()
    }

    /// Numbers of all.
    pub(crate) fn total(&self) -> u64 {
        self.all().map(|entry| entry.numel).sum()
    }

    /// The offset of each trained parameter of a built model in the flat buffer of the full model. If only some blocks are
    /// built, they count as the first ones, and parameters after the blocks keep their offsets at the end.
    pub(crate) fn offsets(&self, t: &Tape, loaded: &Modules) -> HashMap<ParamId, u64> {
        let mut at = 0;
        let mut places = HashMap::new();
        let (before, blocks, after) = split_at_blocks(t, loaded);
        let mut place = |entries: &[ParamSize], ids: Option<&[ParamId]>| {
            for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.trainable) {
                if let Some(id) = ids.and_then(|ids| ids.get(index)) {
                    places.insert(*id, at);
                }
                at += entry.numel;
            }
        };
        place(&self.before, Some(&before));
        for (number, entries) in self.blocks.iter().enumerate() {
            place(entries, blocks.get(number).map(Vec::as_slice));
        }
        place(&self.after, Some(&after));
        places
    }
}

/// Parameters before, inside and after the blocks.
pub(super) fn split_at_blocks(t: &Tape, loaded: &Modules) -> (Vec<ParamId>, Vec<Vec<ParamId>>, Vec<ParamId>) {
    let first = loaded.blocks.iter().flatten().map(|id| id.0).min().unwrap_or(u32::MAX);
    let inside: std::collections::HashSet<ParamId> = loaded.blocks.iter().flatten().copied().collect();
    let (before, after) = loaded.ids(t).into_iter().filter(|id| !inside.contains(id)).partition(|id| id.0 < first);
    (before, loaded.blocks.clone(), after)
}
