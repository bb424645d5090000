//! DeepSpeed ZeRO-1 and ZeRO-2 (deepspeed 0.19.8, `runtime/zero/stage_1_and_2.py`): flat weights on every rank, masters, states
//! and reduced gradients in parts.

use super::flat_buffer;
use super::param_sizes::ParamSizes;
use super::{BUCKETS, DistributedEngine, FLAT, MASTERS, REDUCE, REDUCED, compute_width, label_scope};
use crate::estimate::Part;
use crate::model::Modules;
use crate::setup::{Offload, Scheme, Setup};
use crate::tape::{Hooks, Module, ParamId, Tape, Tensor};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A model in a ZeRO-1 or ZeRO-2 engine.
pub(super) struct Zero12 {
    stage2: bool,
    overlap: bool,
    contiguous: bool,
    offload: bool,
    width: u64,
    bucket_size: u64,
    /// Numbers of one part.
    part: u64,
    /// Elements of all parameters that overlap this rank's partition: their gradients are copied in full.
    touched: u64,
    /// Elements of each of them inside the partition.
    pieces: Vec<u64>,
    offsets: HashMap<ParamId, u64>,
    /// The fp32 master of this rank's part.
    master: ParamId,
    trained: Vec<ParamId>,
    last: Cell<bool>,
    buffers: RefCell<Vec<Tensor>>,
    filled: Cell<u64>,
    waiting: RefCell<Vec<ParamId>>,
    /// Reduced gradients of the parameters that reach into the part; those of earlier micro-batches.
    reduced: RefCell<Option<Tensor>>,
    summed: RefCell<Option<Tensor>>,
    _staging: Option<Tensor>,
}

impl Zero12 {
    /// Casts the model, flattens trained parameters, and creates the master copy of a partition.
    pub(super) fn new(t: &Tape, loaded: &Modules, param_sizes: &ParamSizes, setup: &Setup) -> Self {
        let p = &setup.parallel;
        let width = compute_width(setup);
        let trained: Vec<ParamId> = t.param_ids().filter(|id| t.with_param(*id, |param| param.trainable)).collect();
        cast_module(t, width);
        t.empty_cache();
        // Flat weights cover the full model, however many of its blocks run.
        let part = flat_buffer::partition_numel(param_sizes.trainable(), p.world, 2);
        let _label = label_scope(t, &FLAT);
        let whole = t.empty_as(part * p.world.max(1), width, Part::Weights);
        for id in &trained {
            let numel = t.numel(*id);
            t.set_memory(*id, whole.part(numel));
        }
        let offload = p.offload_optimizer != Offload::None;
        let _label = label_scope(t, &MASTERS);
        let copy = t.empty_as(part, width, Part::Optimizer);
        let memory = if offload { copy.hollow(4) } else { t.empty_as(part, 4, Part::Optimizer) };
        drop(copy);
        let master = t.adopt(memory, [1, part], true);
        if !offload {
            t.workspace(part * 4);
        }
        let mut at = 0;
        let (mut touched, mut pieces, mut largest) = (0, Vec::new(), 0);
        for entry in param_sizes.all().filter(|entry| entry.trainable) {
            let piece = flat_buffer::owned_numel(at, entry.numel, part);
            if piece > 0 {
                touched += entry.numel;
                pieces.push(piece);
            }
            largest = largest.max(entry.numel);
            at += entry.numel;
        }
        Self {
            stage2: p.scheme == Scheme::Zero2,
            overlap: p.overlap,
            contiguous: p.contiguous,
            offload,
            width,
            bucket_size: p.reduce_bucket,
            part,
            touched,
            pieces,
            offsets: param_sizes.offsets(t, loaded),
            master,
            trained,
            last: Cell::new(true),
            buffers: RefCell::default(),
            filled: Cell::new(0),
            waiting: RefCell::default(),
            reduced: RefCell::default(),
            summed: RefCell::default(),
            // `temp_grad_buffer_for_gpu_offload`, as large as the largest parameter.
            _staging: offload.then(|| t.empty_as(largest, width, Part::Buffers)),
        }
    }

    /// `setup_buckets`: allocated at the first gradient of a backward, regardless of the model's size.
    fn setup_buckets(&self, t: &Tape) {
        if self.contiguous && self.buffers.borrow().is_empty() {
            let _label = label_scope(t, &BUCKETS);
            let count = if self.overlap { 2 } else { 1 };
            for _ in 0..count {
                let buffer = t.empty_as(self.bucket_size, self.width, Part::Buffers);
                self.buffers.borrow_mut().push(buffer);
            }
        }
    }

    fn on_reduce_stream(&self, t: &Tape, body: impl FnOnce(&Tape)) {
        if self.overlap { t.on_stream(REDUCE, body) } else { body(t) }
    }

    /// `reduce_independent_p_g_buckets_and_remove_grads`.
    fn add_to_bucket(&self, t: &Tape, id: ParamId) {
        let numel = t.numel(id);
        if self.filled.get() + numel > self.bucket_size {
            self.reduce(t);
        }
        if self.contiguous && numel <= self.bucket_size {
            // Copied into the bucket; the gradient itself is freed.
            drop(t.take_grad(id));
        } else if self.contiguous && self.offload {
            // One that is too large for the bucket gets memory of its own, which the copying stream uses.
            let own = t.empty_as(numel, self.width, Part::Gradients);
            own.record_stream();
            t.set_grad(id, Some(own));
        }
        self.filled.set(self.filled.get() + numel);
        self.waiting.borrow_mut().push(id);
    }

    /// `reduce_ipg_grads`.
    fn reduce(&self, t: &Tape) {
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        let filled = self.filled.replace(0);
        if waiting.is_empty() {
            return;
        }
        let _label = label_scope(t, &BUCKETS);
        self.on_reduce_stream(t, |t| {
            // Slices for several ranks are concatenated for one all-reduce; a single slice is reduced in place.
            if self.slices(t, &waiting) > 1 || !self.contiguous && waiting.len() > 1 {
                drop(t.empty_as(filled, self.width, Part::Buffers));
            }
            for id in &waiting {
                let owned = self.owned(t, *id);
                if owned == 0 {
                    if self.stage2 {
                        drop(t.take_grad(*id));
                    }
                    continue;
                }
                if self.offload {
                    // Its norm in fp64, and its copy in fp32 on the way to the host.
                    t.workspace(owned * 8);
                    t.workspace(owned * 4);
                }
                if self.contiguous && !self.offload && self.reduced.borrow().is_none() {
                    let _label = label_scope(t, &REDUCED);
                    let all = t.empty_as(self.touched, self.width, Part::Gradients);
                    self.reduced.replace(Some(all));
                }
                if self.contiguous {
                    drop(t.take_grad(*id));
                }
            }
        });
    }

    /// Elements of a parameter inside this rank's partition.
    fn owned(&self, t: &Tape, id: ParamId) -> u64 {
        self.offsets.get(&id).map_or(0, |offset| flat_buffer::owned_numel(*offset, t.numel(id), self.part))
    }

    /// Neighbouring slices of a bucket that belong to different ranks.
    fn slices(&self, t: &Tape, waiting: &[ParamId]) -> u64 {
        let mut count = 0;
        let mut before = None;
        for id in waiting {
            let offset = self.offsets.get(id).copied().unwrap_or(0);
            let last = (offset + t.numel(*id).saturating_sub(1)) / self.part.max(1);
            let first = offset / self.part.max(1);
            count += last - first + u64::from(before != Some(first));
            before = Some(last);
        }
        count
    }
}

/// `_cast_module_mixed_precision`: every floating-point parameter to the type of the engine, one after the other.
pub(super) fn cast_module(t: &Tape, width: u64) {
    for id in t.param_ids() {
        let memory = t.memory(id);
        if memory.width != width && memory.width != 1 {
            let fresh = t.empty_as(memory.numel, width, Part::Weights);
            drop(memory);
            t.set_memory(id, fresh);
        }
    }
}

impl DistributedEngine for Zero12 {
    fn begin_micro_batch(&self, _: &Tape, last: bool) {
        self.last.set(last);
    }

    fn end_backward(&self, t: &Tape) {
        if !self.stage2 && !self.last.get() {
            // Stage 1 reduces once per step: until then gradients and buckets are unchanged.
            return;
        }
        if !self.stage2 && !self.overlap {
            // Stage 1 without overlap reduces when backward is over.
            for id in &self.trained {
                self.add_to_bucket(t, *id);
            }
        }
        self.reduce(t);
        if !self.contiguous && self.last.get() {
            let _label = label_scope(t, &REDUCED);
            let all = t.empty_as(self.touched, self.width, Part::Gradients);
            self.reduced.replace(Some(all));
            for id in &self.trained {
                drop(t.take_grad(*id));
            }
        }
        let fresh = self.reduced.take();
        if self.summed.borrow().is_none() {
            self.summed.replace(fresh);
        }
        // `_release_ipg_buffers`: the second one first.
        while self.buffers.borrow_mut().pop().is_some() {}
    }

    fn optimizer_params(&self) -> Vec<ParamId> {
        vec![self.master]
    }

    fn clips_with_torch(&self) -> bool {
        false
    }

    fn steps_on_gpu(&self) -> bool {
        !self.offload
    }

    fn compute_grad_norm(&self, t: &Tape) {
        if self.offload {
            return;
        }
        // `get_grad_norm_direct` converts one gradient after the other to fp64.
        for piece in &self.pieces {
            t.workspace(piece * 8);
        }
    }

    fn begin_step(&self, t: &Tape, _: usize) -> Vec<ParamId> {
        if self.offload {
            return Vec::new();
        }
        let _label = label_scope(t, &REDUCED);
        let joined = (self.pieces.len() > 1).then(|| t.empty_as(self.part, self.width, Part::Gradients));
        let grad = if self.width == 4 && joined.is_some() {
            joined
        } else {
            let wide = t.empty_as(self.part, 4, Part::Gradients);
            drop(joined);
            Some(wide)
        };
        t.set_grad(self.master, grad);
        self.summed.replace(None);
        self.optimizer_params()
    }

    fn end_step(&self, t: &Tape, _: usize) {
        drop(t.take_grad(self.master));
        // Updated weights are gathered in place (`runtime/utils.py`, `all_gather_dp_groups`).
    }
}

impl Hooks for Zero12 {
    fn before_forward(&self, _: &Tape, _: &Module) {}
    fn after_forward(&self, _: &Tape, _: &Module) {}
    fn before_backward(&self, _: &Tape, _: &Module) {}
    fn after_backward(&self, _: &Tape, _: &Module) {}

    fn gradient(&self, t: &Tape, id: ParamId) {
        self.setup_buckets(t);
        if self.stage2 || self.overlap && self.last.get() {
            self.add_to_bucket(t, id);
        }
    }
}
