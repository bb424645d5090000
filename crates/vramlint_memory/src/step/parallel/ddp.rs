//! torch `DistributedDataParallel` (torch 2.15, `csrc/distributed/c10d/reducer.cpp`).

use super::{BUCKETS, DistributedEngine, label_scope};
use crate::estimate::Part;
use crate::setup::Setup;
use crate::tape::{Hooks, Module, ParamId, Tape, Tensor};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The first bucket is small, so that the first reduction starts early.
const FIRST: u64 = 1 << 20;

/// A model in `DistributedDataParallel`.
pub(super) struct Ddp {
    trained: Vec<ParamId>,
    limit: u64,
    views: bool,
    defer: bool,
    /// Gradients in the order of completion, from which buckets are rebuilt.
    order: RefCell<Vec<ParamId>>,
    buckets: RefCell<Vec<Tensor>>,
    places: RefCell<HashMap<ParamId, Tensor>>,
    rebuilt: Cell<bool>,
    last: Cell<bool>,
}

impl Ddp {
    /// Wraps the trained parameters; until the first backward has shown an order, one bucket per type holds everything.
    pub(super) fn new(t: &Tape, setup: &Setup) -> Self {
        let trained: Vec<ParamId> = t.param_ids().filter(|id| t.with_param(*id, |param| param.trainable)).collect();
        let ddp = Self {
            limit: setup.parallel.ddp_bucket,
            views: setup.parallel.bucket_view,
            defer: setup.parallel.defer_reduction,
            order: RefCell::default(),
            buckets: RefCell::default(),
            places: RefCell::default(),
            rebuilt: Cell::new(false),
            last: Cell::new(true),
            trained,
        };
        let all: Vec<ParamId> = ddp.trained.iter().rev().copied().collect();
        ddp.build(t, &all, u64::MAX, u64::MAX);
        ddp
    }

    /// Fills buckets in order: one is closed as soon as it reaches its limit. Types are kept apart.
    fn build(&self, t: &Tape, order: &[ParamId], first: u64, limit: u64) {
        let _label = label_scope(t, &BUCKETS);
        let mut open: Vec<(u64, u64, Vec<ParamId>, u64)> = Vec::new();
        let mut closed = Vec::new();
        for id in order {
            let width = t.with_param(*id, |param| param.width());
            let bytes = t.numel(*id) * width;
            let index = open.iter().position(|bucket| bucket.0 == width).unwrap_or_else(|| {
                open.push((width, 0, Vec::new(), first));
                open.len() - 1
            });
            let bucket = &mut open[index];
            bucket.1 += bytes;
            bucket.2.push(*id);
            if bucket.1 >= bucket.3 {
                closed.push((bucket.0, std::mem::take(&mut bucket.2), std::mem::take(&mut bucket.1)));
                bucket.3 = limit;
            }
        }
        closed.extend(open.into_iter().filter(|bucket| bucket.1 > 0).map(|(width, bytes, ids, _)| (width, ids, bytes)));
        self.places.borrow_mut().clear();
        self.buckets.borrow_mut().clear();
        for (width, ids, bytes) in closed {
            let bucket = t.empty_as(bytes / width, width, Part::Buffers);
            for id in ids {
                self.places.borrow_mut().insert(id, bucket.part(t.numel(id)));
            }
            self.buckets.borrow_mut().push(bucket);
        }
    }
}

impl DistributedEngine for Ddp {
    fn begin_micro_batch(&self, t: &Tape, last: bool) {
        self.last.set(last);
        if !self.rebuilt.get() && self.order.borrow().len() == self.trained.len() {
            self.rebuilt.set(true);
            let order = self.order.borrow().clone();
            self.build(t, &order, FIRST.min(self.limit), self.limit);
        }
    }

    fn optimizer_params(&self) -> Vec<ParamId> {
        self.trained.clone()
    }
}

impl Hooks for Ddp {
    fn before_forward(&self, _: &Tape, _: &Module) {}
    fn after_forward(&self, _: &Tape, _: &Module) {}
    fn before_backward(&self, _: &Tape, _: &Module) {}
    fn after_backward(&self, _: &Tape, _: &Module) {}

    fn gradient(&self, t: &Tape, id: ParamId) {
        if !self.rebuilt.get() && !self.order.borrow().contains(&id) {
            self.order.borrow_mut().push(id);
        }
        // The reducer is inactive under `no_sync`; otherwise the gradient is copied to its bucket and, if requested, becomes a view of it.
        if self.views && (self.last.get() || !self.defer) {
            t.set_grad(id, self.places.borrow().get(&id).cloned());
        }
    }
}
