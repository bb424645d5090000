//! Ranks that share the work: what one of them holds.
//!
//! An engine wraps the built model, hooks into modules and gradients ([`Hooks`]), and decides what the optimizer steps on.
//! Sizes of flat buffers, partitions and sub-groups come from the [`ParamSizes`] of the full model, so they are exact whichever blocks
//! run. Not linear in the number of blocks, and so exact only if enough of them run to fill one: the bucket that is open at a
//! moment, ZeRO-3's live parameters below their bound, and which of DDP's buckets a gradient falls into.
//!
//! Rank 0 is simulated: with flat buffers it owns the embedding, whose gradient is copied in full.

mod coordinator;
mod ddp;
mod flat_buffer;
pub(super) mod frozen_copy;
mod fsdp1;
mod fsdp2;
mod fsdp_param_group;
mod param_sizes;
pub(super) mod tensor_parallel;
mod zero12;
mod zero3;

pub(crate) use param_sizes::ParamSizes;

use crate::arch::Arch;
use crate::estimate::Label;
use crate::model::Modules;
use crate::setup::{Scheme, Setup};
use crate::tape::{Hooks, ParamId, Site, Tape};
use std::rc::Rc;

/// The stream of all-gathers.
const GATHER: u8 = 1;
/// The stream of reductions.
const REDUCE: u8 = 2;

static GATHERED: Label = Label { en: "gathered parameters", zh: "聚合的参数" };
static BUCKETS: Label = Label { en: "gradient buckets", zh: "梯度桶" };
static FLAT: Label = Label { en: "flat weights", zh: "展平的权重" };
static SHARDS: Label = Label { en: "sharded weights", zh: "分片权重" };
static MASTERS: Label = Label { en: "master weights in fp32", zh: "fp32 主权重" };
static REDUCED: Label = Label { en: "reduced gradients", zh: "归约后的梯度" };

/// Labels allocations until it is dropped.
struct LabelScope<'a> {
    tape: &'a Tape,
    before: Site,
}

fn label_scope<'a>(tape: &'a Tape, name: &'static Label) -> LabelScope<'a> {
    let before = tape.site();
    tape.set_site(Site { name, ..before });
    LabelScope { tape, before }
}

impl Drop for LabelScope<'_> {
    fn drop(&mut self) {
        self.tape.set_site(self.before);
    }
}

/// A way of sharing, wrapped around a model.
pub(super) trait DistributedEngine: Hooks {
    /// A micro-batch begins. `last`: its gradients are reduced, and a step follows.
    fn begin_micro_batch(&self, _t: &Tape, _last: bool) {}
    /// The model was called and gave its loss.
    fn end_forward(&self, _t: &Tape) {}
    /// Backward begins.
    fn begin_backward(&self, _t: &Tape) {}
    /// Backward has ended.
    fn end_backward(&self, _t: &Tape) {}
    /// What the optimizer steps on.
    fn optimizer_params(&self) -> Vec<ParamId>;
    /// The gradients are clipped by torch, not by the scheme.
    fn clips_with_torch(&self) -> bool {
        true
    }
    /// The optimizer's states are on the GPU.
    fn steps_on_gpu(&self) -> bool {
        true
    }
    /// Groups of parameters that are stepped one after the other, each prepared and released on its own.
    fn groups(&self) -> usize {
        1
    }
    /// Prepares the gradients of a group and returns the parameters that the optimizer steps on now.
    fn begin_step(&self, _t: &Tape, _group: usize) -> Vec<ParamId> {
        self.optimizer_params()
    }
    /// The group was stepped.
    fn end_step(&self, _t: &Tape, _group: usize) {}
    /// Before the first group: overflow and norm.
    fn compute_grad_norm(&self, _t: &Tape) {}
}

/// Wraps a built model. `None` for a single process.
pub(super) fn wrap(t: &Tape, loaded: &Modules, arch: &Arch, setup: &Setup) -> Option<Rc<dyn DistributedEngine>> {
    if setup.parallel.world <= 1 && matches!(setup.parallel.scheme, Scheme::None) {
        return None;
    }
    let engine: Rc<dyn DistributedEngine> = match setup.parallel.scheme {
        Scheme::None | Scheme::Megatron => return None,
        Scheme::Ddp => Rc::new(ddp::Ddp::new(t, setup)),
        Scheme::Zero1 | Scheme::Zero2 => Rc::new(zero12::Zero12::new(t, loaded, &ParamSizes::new(arch, setup), setup)),
        Scheme::Zero3 => Rc::new(zero3::Zero3::new(t, loaded, &ParamSizes::new(arch, setup), setup)),
        Scheme::Fsdp1 | Scheme::Fsdp2 => Rc::new(fsdp2::Fsdp2::new(t, loaded, setup)),
    };
    t.set_hooks(Some(Rc::clone(&engine) as Rc<dyn Hooks>));
    Some(engine)
}

/// The compute type of a sharded model: that of mixed precision, which DeepSpeed's engine and FSDP's policy apply to the
/// parameters themselves, or that of the weights.
pub(super) fn compute_width(setup: &Setup) -> u64 {
    setup.autocast.unwrap_or(setup.weights).bytes()
}

/// Whether forward runs under `torch.autocast`. It does not if the parameters themselves have the type of mixed precision.
pub(super) fn uses_autocast(setup: &Setup) -> bool {
    matches!(setup.parallel.scheme, Scheme::None | Scheme::Ddp)
}
