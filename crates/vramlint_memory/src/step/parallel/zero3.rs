//! DeepSpeed ZeRO-3 (deepspeed 0.19.8, `runtime/zero/stage3.py`): weights in parts too, gathered while they are used.

use super::coordinator::Coordinator;
use super::param_sizes::ParamSizes;
use super::{BUCKETS, DistributedEngine, MASTERS, REDUCE, REDUCED, SHARDS, compute_width, label_scope, zero12};
use crate::estimate::Part;
use crate::model::Modules;
use crate::setup::{Offload, Setup};
use crate::tape::{Hooks, Module, ParamId, Tape, Tensor};
use std::cell::{Cell, RefCell};

/// Elements per chunk of the norm (`_constant_buffered_norm2`).
const NORM_BUFFER: u64 = 250_000_000;

/// A model in a ZeRO-3 engine.
pub(super) struct Zero3 {
    coordinator: RefCell<Coordinator>,
    ranks: u64,
    width: u64,
    bucket_size: u64,
    contiguous: bool,
    offload: bool,
    /// Numbers of this rank's part of each trained parameter.
    pieces: Vec<u64>,
    /// The fp32 master of each sub-group.
    masters: Vec<ParamId>,
    filled: Cell<u64>,
    waiting: RefCell<Vec<(ParamId, u64)>>,
    called: Cell<bool>,
    last: Cell<bool>,
    _resident: Vec<Tensor>,
}

impl Zero3 {
    /// Casts and partitions the model, creates masters by sub-group and the permanent buffers.
    pub(super) fn new(t: &Tape, loaded: &Modules, param_sizes: &ParamSizes, setup: &Setup) -> Self {
        let p = &setup.parallel;
        let ranks = p.world.max(1);
        let width = compute_width(setup);
        let mut resident = Vec::new();
        zero12::cast_module(t, width);
        let _label = label_scope(t, &SHARDS);
        let model: Vec<ParamId> = loaded.ids(t);
        let offload_param = p.offload_param != Offload::None;
        for id in &model {
            let memory = t.memory(*id);
            let part = memory.numel.div_ceil(ranks);
            let piece = (!offload_param).then(|| t.empty_as(part, memory.width, Part::Weights));
            let hollow = memory.hollow(memory.width);
            drop(memory);
            t.set_memory(*id, hollow);
            if t.with_param(*id, |param| param.trainable) {
                // Joined in one flat buffer below.
                drop(piece);
            } else {
                resident.extend(piece);
            }
        }
        t.empty_cache();
        // Flat partitions cover the full model, however many of its blocks run.
        let pieces: Vec<u64> =
            param_sizes.all().filter(|entry| entry.trainable).map(|entry| entry.numel.div_ceil(ranks)).collect();
        let total: u64 = pieces.iter().sum();
        if !offload_param {
            resident.push(t.empty_as(total, width, Part::Weights));
        }
        let offload = p.offload_optimizer != Offload::None;
        let groups = sub_groups(&pieces, p.sub_group);
        let _label = label_scope(t, &MASTERS);
        let masters: Vec<ParamId> = groups
            .iter()
            .map(|numel| {
                let memory = if offload { t.empty_tensor().hollow(4) } else { t.empty_as(*numel, 4, Part::Optimizer) };
                t.adopt(memory, [1, *numel], true)
            })
            .collect();
        if !offload {
            t.workspace(groups.iter().copied().max().unwrap_or(0) * 4);
        }
        if p.contiguous {
            let _label = label_scope(t, &BUCKETS);
            resident.push(t.empty_as(p.reduce_bucket, width, Part::Buffers));
        }
        if !offload {
            let _label = label_scope(t, &REDUCED);
            resident.push(t.empty_as(total, width, Part::Gradients));
        }
        let sizes: Vec<(ParamId, u64)> = model.iter().map(|id| (*id, t.numel(*id))).collect();
        let mut coordinator = Coordinator::new(&sizes, width, setup);
        coordinator.make_secondary_copies(t);
        Self {
            coordinator: RefCell::new(coordinator),
            ranks,
            width,
            bucket_size: p.reduce_bucket,
            contiguous: p.contiguous,
            offload,
            pieces,
            masters,
            filled: Cell::new(0),
            waiting: RefCell::default(),
            called: Cell::new(false),
            last: Cell::new(true),
            _resident: resident,
        }
    }

    /// `__reduce_and_partition_ipg_grads`: what is reduced is joined first, unless it is a single one without padding.
    fn reduce(&self, t: &Tape) {
        let mut waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        self.filled.set(0);
        if waiting.is_empty() {
            return;
        }
        let _label = label_scope(t, &BUCKETS);
        t.on_stream(REDUCE, |t| {
            let in_place = waiting.len() == 1 && waiting[0].1.is_multiple_of(self.ranks);
            let padded: u64 = waiting.iter().map(|(_, numel)| numel.div_ceil(self.ranks) * self.ranks).sum();
            let joined = (!in_place).then(|| t.empty_as(padded, self.width, Part::Buffers));
            waiting.sort_unstable();
            for (id, numel) in &waiting {
                if self.offload {
                    // `partition_grads`: back to the GPU, its norm in fp64, and an fp32 copy on the way to the host.
                    let piece = numel.div_ceil(self.ranks);
                    let copy = t.empty_as(piece, self.width, Part::Gradients);
                    if self.last.get() {
                        t.workspace(piece.min(NORM_BUFFER) * 8);
                        t.workspace(piece * 4);
                    }
                    drop(copy);
                }
                if let Some(grad) = t.take_grad(*id) {
                    grad.record_stream();
                }
            }
            drop(joined);
        });
    }

    fn params(module: &Module) -> &[ParamId] {
        match module {
            Module::Leaf(params) => params,
            Module::Block(_) => &[],
        }
    }
}

/// Sizes of the sub-groups in which masters are kept and stepped: one is closed as soon as it reaches its limit.
fn sub_groups(pieces: &[u64], limit: u64) -> Vec<u64> {
    let mut groups = Vec::new();
    let mut open = 0;
    for piece in pieces {
        open += piece;
        if open >= limit {
            groups.push(std::mem::take(&mut open));
        }
    }
    if open > 0 {
        groups.push(open);
    }
    groups
}

impl DistributedEngine for Zero3 {
    fn begin_micro_batch(&self, t: &Tape, last: bool) {
        self.last.set(last);
        // The model and the base model inside it are modules without parameters of their own.
        self.called.set(false);
        for _ in 0..2 {
            self.coordinator.borrow_mut().fetch(t, &[], false);
        }
    }

    fn begin_backward(&self, t: &Tape) {
        self.coordinator.borrow_mut().fetch(t, &[], true);
    }

    fn end_backward(&self, t: &Tape) {
        self.reduce(t);
        self.coordinator.borrow_mut().finish_backward(t);
    }

    fn optimizer_params(&self) -> Vec<ParamId> {
        self.masters.clone()
    }

    fn clips_with_torch(&self) -> bool {
        false
    }

    fn steps_on_gpu(&self) -> bool {
        !self.offload
    }

    fn groups(&self) -> usize {
        self.masters.len()
    }

    fn compute_grad_norm(&self, t: &Tape) {
        self.coordinator.borrow_mut().release_all();
        if !self.offload {
            // `get_grad_norm_direct` converts one gradient after the other to fp64.
            for piece in &self.pieces {
                t.workspace(piece * 8);
            }
        }
    }

    fn begin_step(&self, t: &Tape, group: usize) -> Vec<ParamId> {
        let Some(master) = self.masters.get(group).filter(|_| !self.offload) else { return Vec::new() };
        let numel = t.numel(*master);
        let _label = label_scope(t, &REDUCED);
        // `_prepare_fp32_grad_for_sub_group`.
        let joined = (self.pieces.len() > 1).then(|| t.empty_as(numel, self.width, Part::Gradients));
        let grad = if self.width == 4 && joined.is_some() { joined } else { Some(t.empty_as(numel, 4, Part::Gradients)) };
        t.set_grad(*master, grad);
        vec![*master]
    }

    fn end_step(&self, t: &Tape, group: usize) {
        if let Some(master) = self.masters.get(group) {
            drop(t.take_grad(*master));
        }
        if group + 1 == self.masters.len() {
            self.coordinator.borrow_mut().invalidate();
            self.coordinator.borrow_mut().gather_persistent(t);
        }
    }
}

impl Hooks for Zero3 {
    fn before_forward(&self, t: &Tape, module: &Module) {
        if matches!(module, Module::Block(_)) && !self.called.replace(true) {
            // The rotary embedding runs before the first block.
            self.coordinator.borrow_mut().fetch(t, &[], false);
        }
        self.coordinator.borrow_mut().fetch(t, Self::params(module), false);
    }

    fn after_forward(&self, t: &Tape, module: &Module) {
        self.coordinator.borrow_mut().release(t, Self::params(module), false);
    }

    fn before_backward(&self, t: &Tape, module: &Module) {
        self.coordinator.borrow_mut().fetch(t, Self::params(module), true);
    }

    fn after_backward(&self, t: &Tape, module: &Module) {
        self.coordinator.borrow_mut().release(t, Self::params(module), true);
    }

    fn gradient(&self, t: &Tape, id: ParamId) {
        let numel = t.numel(id);
        if self.filled.get() + numel > self.bucket_size && self.filled.get() > 0 {
            self.reduce(t);
        }
        let fits = self.contiguous && self.filled.get() + numel <= self.bucket_size;
        if let Some(grad) = fits.then(|| t.take_grad(id)).flatten() {
            // Copied to the bucket on the reducing stream.
            grad.record_stream();
        }
        self.filled.set(self.filled.get() + numel);
        self.waiting.borrow_mut().push((id, numel));
    }

    fn replaces_linear(&self) -> bool {
        true
    }
}
