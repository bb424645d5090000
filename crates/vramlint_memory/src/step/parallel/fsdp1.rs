//! `FullyShardedDataParallel` (torch 2.15, `distributed/fsdp/_flat_param.py`): each unit is one flat parameter.
//!
//! Not compared with a trace. What it shares with [`super::fsdp2`] is there; what differs is that a unit is gathered where its
//! parameters lie, so that nothing is copied out, and that its gradient is joined in one flat tensor before it is reduced.

use crate::estimate::Part;
use crate::tape::{ParamId, Tape, Tensor};

/// The flat gradient of a unit: a view of it belongs to every parameter, and autograd joins them.
pub(super) fn flatten_gradients(t: &Tape, group: &[ParamId], grads: Vec<(usize, Tensor)>, width: u64) -> Tensor {
    let numel = group.iter().map(|id| t.numel(*id)).sum();
    let flat = t.empty_as(numel, width, Part::Gradients);
    drop(grads);
    flat
}
