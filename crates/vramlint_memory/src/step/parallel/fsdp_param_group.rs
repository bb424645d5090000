//! What `fully_shard` gathers and reduces together (torch 2.15, `distributed/fsdp/_fully_shard/_fsdp_param_group.py`).

use super::{SHARDS, label_scope};
use crate::estimate::Part;
use crate::tape::{ParamId, Tape, Tensor};
use std::cell::{Cell, RefCell};

/// Parameters that are gathered and reduced together.
pub(super) struct FsdpParamGroup {
    pub(super) params: Vec<ParamId>,
    /// This rank's rows of each of them.
    pub(super) shards: Vec<ParamId>,
    /// Elements of each shard, padded to full rows.
    pub(super) shard_numels: Vec<u64>,
    /// What was gathered and is not copied out yet.
    pub(super) pending: RefCell<Option<Tensor>>,
    pub(super) whole: RefCell<Vec<Tensor>>,
    pub(super) gathered: Cell<bool>,
    pub(super) reduced: Cell<bool>,
    /// Its index in the order of the forward, for prefetching in backward.
    pub(super) forward_index: Cell<Option<usize>>,
}

impl FsdpParamGroup {
    /// Keeps this rank's rows of `params`. Training gathers them in a type of `compute` bytes.
    pub(super) fn new(t: &Tape, params: Vec<ParamId>, ranks: u64, compute: u64, offload: bool) -> Self {
        let _label = label_scope(t, &SHARDS);
        let (mut shards, mut shard_numels) = (Vec::new(), Vec::new());
        let mut whole = Vec::new();
        for id in &params {
            let (shape, width, trainable, embedding) =
                t.with_param(*id, |param| (param.shape, param.width(), param.trainable, param.embedding));
            // Along the first dimension, which for a vector is its only one.
            let (rows, columns) = if shape[0] == 1 { (shape[1], 1) } else { (shape[0], shape[1]) };
            let rows = rows.div_ceil(ranks.max(1));
            let memory = t.memory(*id);
            let shard = if offload { memory.hollow(width) } else { t.empty_as(rows * columns, width, Part::Weights) };
            let shape = if shape[0] == 1 { [1, rows] } else { [rows, columns] };
            let shard = t.adopt(shard, shape, trainable);
            t.with_param(shard, |param| param.embedding = embedding);
            shards.push(shard);
            shard_numels.push(rows * columns);
            whole.push(memory);
        }
        for (id, memory) in params.iter().zip(&whole) {
            t.set_memory(*id, memory.hollow(compute));
        }
        drop(whole);
        Self {
            params,
            shards,
            shard_numels,
            pending: RefCell::default(),
            whole: RefCell::default(),
            gathered: Cell::new(false),
            reduced: Cell::new(false),
            forward_index: Cell::new(None),
        }
    }
}
