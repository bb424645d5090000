//! Ranks that share the work: what one of them holds.
//!
//! A scheme takes the loaded model over, stands around modules and gradients ([`Hooks`]), and says what the optimizer steps on.
//! Sizes of flat buffers, parts and sub-groups come from a [`Census`] of the whole model, so they are right whichever of its blocks are
//! run. Not linear in the number of blocks, and so right only where enough of them are run to fill one: the bucket that is open at a
//! moment, ZeRO-3's live parameters below their bound, and which of DDP's buckets a gradient falls into.
//!
//! Rank 0 is simulated: with flat buffers it is the one that owns the embedding, whose gradient is copied whole.

mod census;
mod coordinator;
mod ddp;
mod flat;
mod fsdp1;
mod fsdp2;
pub(super) mod shape;
mod unit;
mod zero12;
mod zero3;

pub(crate) use census::Census;

use crate::estimate::Words;
use crate::model::Loaded;
use crate::setup::{Scheme as Kind, Setup};
use crate::tape::{Hooks, ParamId, Site, Tape};
use std::rc::Rc;

/// The stream of all-gathers.
const GATHER: u8 = 1;
/// The stream of reductions.
const REDUCE: u8 = 2;

static GATHERED: Words = Words { en: "gathered parameters", zh: "聚合的参数" };
static BUCKETS: Words = Words { en: "gradient buckets", zh: "梯度桶" };
static FLAT: Words = Words { en: "flat weights", zh: "展平的权重" };
static SHARDS: Words = Words { en: "sharded weights", zh: "分片权重" };
static MASTERS: Words = Words { en: "master weights in fp32", zh: "fp32 主权重" };
static REDUCED: Words = Words { en: "reduced gradients", zh: "归约后的梯度" };

/// Says what memory is taken for, until it goes.
struct FileRange<'a> {
    tape: &'a Tape,
    before: Site,
}

fn place<'a>(tape: &'a Tape, name: &'static Words) -> FileRange<'a> {
    let before = tape.site();
    tape.at(Site { name, ..before });
    FileRange { tape, before }
}

impl Drop for FileRange<'_> {
    fn drop(&mut self) {
        self.tape.at(self.before);
    }
}

/// A way of sharing, wrapped around a model.
pub(super) trait Scheme: Hooks {
    /// A micro-batch begins. `last`: gradients are reduced behind it, and a step follows.
    fn begin_micro_batch(&self, _t: &Tape, _last: bool) {}
    /// The model was called and gave its loss.
    fn end_forward(&self, _t: &Tape) {}
    /// Backward begins.
    fn begin_backward(&self, _t: &Tape) {}
    /// Backward has ended.
    fn end_backward(&self, _t: &Tape) {}
    /// What the optimizer steps on.
    fn optimized(&self) -> Vec<ParamId>;
    /// The gradients are clipped by torch, not by the scheme.
    fn torch_clips(&self) -> bool {
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
    /// Gradients of a group are made ready; what it gives is what the optimizer steps on now.
    fn begin_step(&self, _t: &Tape, _group: usize) -> Vec<ParamId> {
        self.optimized()
    }
    /// The group was stepped.
    fn end_step(&self, _t: &Tape, _group: usize) {}
    /// Before the first group: overflow and norm.
    fn norm(&self, _t: &Tape) {}
}

/// Takes a loaded model over. `None` where one process has all.
pub(super) fn wrap(t: &Tape, loaded: &Loaded, census: &Census, setup: &Setup) -> Option<Rc<dyn Scheme>> {
    if setup.parallel.world <= 1 && matches!(setup.parallel.scheme, Kind::None) {
        return None;
    }
    let scheme: Rc<dyn Scheme> = match setup.parallel.scheme {
        Kind::None => return None,
        Kind::Ddp => Rc::new(ddp::Ddp::new(t, setup)),
        Kind::Zero1 | Kind::Zero2 => Rc::new(zero12::Zero::new(t, loaded, census, setup)),
        Kind::Zero3 => Rc::new(zero3::Zero3::new(t, loaded, census, setup)),
        Kind::Fsdp1 | Kind::Fsdp2 => Rc::new(fsdp2::Fsdp2::new(t, loaded, setup)),
    };
    t.set_hooks(Some(Rc::clone(&scheme) as Rc<dyn Hooks>));
    Some(scheme)
}

/// The type in which a sharded model computes: that of mixed precision, which DeepSpeed's engine and FSDP's policy give to the
/// parameters themselves, or that of the weights.
pub(super) fn compute_width(setup: &Setup) -> u64 {
    setup.autocast.unwrap_or(setup.weights).bytes()
}

/// Whether forward runs under `torch.autocast`: not where the parameters themselves are in the type of mixed precision.
pub(super) fn autocasts(setup: &Setup) -> bool {
    matches!(setup.parallel.scheme, Kind::None | Kind::Ddp)
}
