//! `fully_shard` over each block and the root (torch 2.15, `distributed/fsdp/_fully_shard`), as accelerate 1.15 calls it.

use super::fsdp_param_group::FsdpParamGroup;
use super::{BUCKETS, DistributedEngine, GATHER, GATHERED, REDUCE, compute_width, fsdp1, label_scope};
use crate::estimate::Part;
use crate::model::Modules;
use crate::setup::{Offload, Scheme, Setup};
use crate::tape::{Hooks, Module, ParamId, Tape, Tensor};
use std::cell::{Cell, RefCell};

/// A model wrapped by `fully_shard`.
pub(super) struct Fsdp2 {
    /// Blocks in order, the root last.
    groups: Vec<FsdpParamGroup>,
    /// Shards of what is trained.
    trained: Vec<ParamId>,
    /// `FullyShardedDataParallel`: units are flat parameters.
    flat: bool,
    ranks: u64,
    compute: u64,
    reduce: u64,
    reshard: bool,
    offload: bool,
    defer: bool,
    last: Cell<bool>,
    order: RefCell<Vec<usize>>,
    /// In forward the copy-out overlaps with the next all-gather, so its buffer lives one unit longer.
    held: RefCell<Option<Tensor>>,
    /// The input of the last reduce-scatter, kept until the next.
    sent: RefCell<Option<Tensor>>,
}

impl Fsdp2 {
    /// Shards block by block, then what is left as the root.
    pub(super) fn new(t: &Tape, loaded: &Modules, setup: &Setup) -> Self {
        let p = &setup.parallel;
        let (before, blocks, behind) = super::param_sizes::split_at_blocks(t, loaded);
        let rest: Vec<ParamId> = before.into_iter().chain(behind).collect();
        let compute = compute_width(setup);
        let offload = p.offload_param != Offload::None || p.offload_optimizer != Offload::None;
        let mut members: Vec<Vec<ParamId>> = if p.wrap_blocks { blocks } else { Vec::new() };
        if p.wrap_blocks {
            members.push(rest);
        } else {
            members.push(loaded.ids(t));
        }
        // Sharded within a group and replicated across groups (HYBRID_SHARD), if a group size is set.
        let ranks = if p.hpz > 1 { p.hpz } else { p.world.max(1) };
        let groups: Vec<FsdpParamGroup> =
            members.into_iter().map(|params| FsdpParamGroup::new(t, params, ranks, compute, offload)).collect();
        t.empty_cache();
        let shards = groups.iter().flat_map(|group| group.shards.iter().copied());
        Self {
            trained: shards.filter(|id| t.with_param(*id, |param| param.trainable)).collect(),
            groups,
            flat: p.scheme == Scheme::Fsdp1,
            ranks,
            compute,
            reduce: if p.reduce_fp32 { 4 } else { compute },
            reshard: p.reshard,
            offload,
            defer: p.defer_reduction,
            last: Cell::new(true),
            order: RefCell::default(),
            held: RefCell::default(),
            sent: RefCell::default(),
        }
    }

    fn root(&self) -> usize {
        self.groups.len() - 1
    }

    fn group_index(&self, module: &Module) -> Option<usize> {
        match module {
            // A frozen model may have more blocks than the trained one, whose last unit then stands for them.
            Module::Block(number) if self.groups.len() > 1 => Some((*number as usize).saturating_sub(1).min(self.root() - 1)),
            _ => None,
        }
    }

    /// `FSDPParamGroup.unshard`: one all-gather of the unit, its own part cast first.
    fn unshard(&self, t: &Tape, index: usize) {
        let group = &self.groups[index];
        if group.gathered.get() || group.pending.borrow().is_some() {
            return;
        }
        let _label = label_scope(t, &GATHERED);
        let numel: u64 = group.shard_numels.iter().sum();
        // Offloaded shards are copied from the host first.
        let moved: Vec<Tensor> = if self.offload {
            group.shards.iter().map(|id| t.empty_as(t.numel(*id), t.with_param(*id, |p| p.width()), Part::Buffers)).collect()
        } else {
            Vec::new()
        };
        let output = t.on_stream(GATHER, |t| {
            let cast: u64 = group
                .shards
                .iter()
                .zip(&group.shard_numels)
                .filter(|(id, _)| t.with_param(**id, |param| param.width()) != self.compute)
                .map(|(_, size)| *size)
                .sum();
            let input = (cast > 0).then(|| t.empty_as(cast, self.compute, Part::Buffers));
            let output = t.empty_as(numel * self.ranks, self.compute, Part::Buffers);
            drop(input);
            output
        });
        drop(moved);
        group.pending.replace(Some(output));
    }

    /// `FSDPParamGroup.wait_for_unshard`: copied out to each parameter's own memory.
    fn copy_out(&self, t: &Tape, index: usize, forward: bool) {
        let group = &self.groups[index];
        let Some(output) = group.pending.take() else { return };
        if forward {
            self.held.replace(None);
        }
        let _label = label_scope(t, &GATHERED);
        if self.flat {
            // Parameters are views of what was gathered.
            group.whole.replace(vec![output]);
            group.gathered.set(true);
            return;
        }
        let whole = group.shard_numels.iter().map(|size| t.empty_as(size * self.ranks, self.compute, Part::Buffers)).collect();
        group.whole.replace(whole);
        group.gathered.set(true);
        if forward {
            self.held.replace(Some(output));
        }
    }

    fn release(group: &FsdpParamGroup) {
        group.whole.borrow_mut().clear();
        group.gathered.set(false);
    }

    fn forward_begins(&self, t: &Tape, index: usize) {
        if self.groups[index].gathered.get() && self.groups[index].forward_index.get().is_some() {
            // Run again inside backward: it is there already.
            return;
        }
        self.unshard(t, index);
        self.copy_out(t, index, true);
    }

    fn forward_ends(&self, index: usize) {
        let group = &self.groups[index];
        if self.reshard {
            Self::release(group);
        }
        group.reduced.set(false);
        let mut order = self.order.borrow_mut();
        group.forward_index.set(Some(order.len()));
        order.push(index);
    }

    fn backward_begins(&self, t: &Tape, index: usize) {
        self.unshard(t, index);
        self.copy_out(t, index, false);
        // `_backward_prefetch`: the unit that was run before this one.
        let before = self.groups[index].forward_index.get().and_then(|forward_index| forward_index.checked_sub(1));
        let target = before.and_then(|forward_index| self.order.borrow().get(forward_index).copied());
        if let Some(target) = target {
            self.unshard(t, target);
        }
    }

    /// `FSDPParamGroup.post_backward`.
    fn backward_ends(&self, t: &Tape, index: usize) {
        let group = &self.groups[index];
        if group.reduced.replace(true) {
            return;
        }
        if self.defer && !self.last.get() {
            // Gradients stay unsharded until the last micro-batch (`set_requires_gradient_sync(False)`).
            Self::release(group);
            return;
        }
        let grads: Vec<(usize, Tensor)> =
            group.params.iter().enumerate().filter_map(|(at, id)| Some((at, t.take_grad(*id)?))).collect();
        Self::release(group);
        self.sent.replace(None);
        if grads.is_empty() {
            return;
        }
        let _label = label_scope(t, &BUCKETS);
        let places: Vec<usize> = grads.iter().map(|(at, _)| *at).collect();
        let numel: u64 = places.iter().map(|at| group.shard_numels[*at]).sum();
        let input = if self.flat {
            let joined = fsdp1::flatten_gradients(t, &group.params, grads, self.compute);
            // Reduced in place, or in a copy of another type.
            if self.reduce == self.compute { joined } else { t.empty_as(joined.numel, self.reduce, Part::Buffers) }
        } else {
            let input = t.empty_as(numel * self.ranks, self.reduce, Part::Buffers);
            drop(grads);
            input
        };
        t.on_stream(REDUCE, |t| {
            let width = places.first().map_or(4, |at| t.with_param(group.shards[*at], |param| param.width()));
            let output = t.empty_as(numel, self.reduce, Part::Gradients);
            let output = if width == self.reduce { output } else { t.empty_as(numel, width, Part::Gradients) };
            for at in places {
                let shard = group.shards[at];
                if !self.offload && t.grad_bytes(shard).is_none() {
                    t.set_grad(shard, Some(output.part(group.shard_numels[at])));
                }
            }
        });
        self.sent.replace(Some(input));
    }
}

impl DistributedEngine for Fsdp2 {
    fn begin_micro_batch(&self, t: &Tape, last: bool) {
        self.last.set(last);
        self.order.borrow_mut().clear();
        for group in &self.groups {
            group.forward_index.set(None);
        }
        self.forward_begins(t, self.root());
    }

    fn end_forward(&self, _: &Tape) {
        self.forward_ends(self.root());
    }

    fn begin_backward(&self, t: &Tape) {
        self.held.replace(None);
        self.backward_begins(t, self.root());
    }

    fn end_backward(&self, t: &Tape) {
        // The root, and units whose inputs needed no gradient.
        self.backward_ends(t, self.root());
        for index in 0..self.root() {
            self.backward_ends(t, index);
        }
        self.sent.replace(None);
    }

    fn optimizer_params(&self) -> Vec<ParamId> {
        self.trained.clone()
    }

    fn steps_on_gpu(&self) -> bool {
        !self.offload
    }
}

impl Hooks for Fsdp2 {
    fn before_forward(&self, t: &Tape, module: &Module) {
        if let Some(index) = self.group_index(module) {
            self.forward_begins(t, index);
        }
    }

    fn after_forward(&self, _: &Tape, module: &Module) {
        if let Some(index) = self.group_index(module) {
            self.forward_ends(index);
        }
    }

    fn before_backward(&self, t: &Tape, module: &Module) {
        if let Some(index) = self.group_index(module) {
            self.backward_begins(t, index);
        }
    }

    fn after_backward(&self, t: &Tape, module: &Module) {
        if let Some(index) = self.group_index(module) {
            self.backward_ends(t, index);
        }
    }

    fn gradient(&self, t: &Tape, id: ParamId) {
        if self.defer && !self.last.get() && t.grad(id).is_some_and(|grad| grad.width != self.reduce) {
            // Gradients that wait are kept in the type of the reduction.
            let wide = t.empty_as(t.numel(id), self.reduce, Part::Gradients);
            t.set_grad(id, Some(wide));
        }
    }
}
