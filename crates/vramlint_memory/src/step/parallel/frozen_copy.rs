//! Frozen models beside the trained one: where parameters are sharded, so are theirs (trl 1.16.0 models/utils.py `prepare_deepspeed`,
//! `prepare_fsdp`; ms-swift 4.6.0.dev0 swift/rlhf_trainers/rollout_mixin.py `_setup_teacher`).

use crate::estimate::Part;
use crate::model::Modules;
use crate::setup::{Scheme, Setup};
use crate::tape::Tape;

/// Leaves this rank its shard of each parameter. What is gathered for a moment does not count: the trained model gathers as much.
pub(crate) fn shard(t: &Tape, modules: &Modules, setup: &Setup) {
    let parallel = &setup.parallel;
    if !matches!(parallel.scheme, Scheme::Zero3 | Scheme::Fsdp1 | Scheme::Fsdp2) || parallel.world < 2 {
        return;
    }
    for id in modules.ids(t) {
        let whole = t.memory(id);
        let mut own = t.empty_as(whole.numel.div_ceil(parallel.world), whole.width, Part::Weights);
        own.numel = whole.numel;
        t.set_memory(id, own);
    }
}
