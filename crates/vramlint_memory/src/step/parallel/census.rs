//! Every parameter of the whole model, be it run or not: what sizes of flat buffers and partitions depend on.

use crate::arch::Arch;
use crate::model::{Loaded, load};
use crate::setup::Setup;
use crate::tape::{Device, ParamId, Tape};
use std::collections::HashMap;

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Numbers in it.
    pub(crate) numel: u64,
    /// Whether it is trained.
    pub(crate) trainable: bool,
}

/// The parameters of a model in the order of `model.parameters()`, block by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census {
    before: Vec<Entry>,
    blocks: Vec<Vec<Entry>>,
    behind: Vec<Entry>,
}

impl Census {
    /// Counts `arch` with all its blocks.
    pub(crate) fn new(arch: &Arch, setup: &Setup) -> Self {
        let tape = Tape::new(Device { cublas: 0, cublas_lt: 0, multiprocessors: 1, threads: 1 });
        let loaded = load(&tape, arch, setup, &arch.layers, false);
        let (before, blocks, behind) = split(&tape, &loaded);
        let entry = |id: &ParamId| Entry { numel: tape.numel(*id), trainable: tape.with_param(*id, |param| param.trainable) };
        let entries = |ids: &[ParamId]| ids.iter().map(entry).collect::<Vec<_>>();
        Self { before: entries(&before), blocks: blocks.iter().map(|block| entries(block)).collect(), behind: entries(&behind) }
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = Entry> + '_ {
        self.before.iter().chain(self.blocks.iter().flatten()).chain(&self.behind).copied()
    }

    /// Numbers of those that are trained.
    pub(crate) fn trainable(&self) -> u64 {
        self.all().filter(|entry| entry.trainable).map(|entry| entry.numel).sum()
    }

    /// Numbers of all.
    pub(crate) fn total(&self) -> u64 {
        self.all().map(|entry| entry.numel).sum()
    }

    /// Where each trained parameter of a loaded model stands in a flat buffer of the whole one. Where only some of the blocks
    /// are loaded, they are taken for the first ones, and what stands behind the blocks keeps its place at the end.
    pub(crate) fn offsets(&self, t: &Tape, loaded: &Loaded) -> HashMap<ParamId, u64> {
        let mut at = 0;
        let mut places = HashMap::new();
        let (before, blocks, behind) = split(t, loaded);
        let mut place = |entries: &[Entry], ids: Option<&[ParamId]>| {
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
        place(&self.behind, Some(&behind));
        places
    }
}

/// Parameters before the blocks, in them, and behind them.
pub(super) fn split(t: &Tape, loaded: &Loaded) -> (Vec<ParamId>, Vec<Vec<ParamId>>, Vec<ParamId>) {
    let first = loaded.blocks.iter().flatten().map(|id| id.0).min().unwrap_or(u32::MAX);
    let inside: std::collections::HashSet<ParamId> = loaded.blocks.iter().flatten().copied().collect();
    let (before, behind) = loaded.ids(t).into_iter().filter(|id| !inside.contains(id)).partition(|id| id.0 < first);
    (before, loaded.blocks.clone(), behind)
}
