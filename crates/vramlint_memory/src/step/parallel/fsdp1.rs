//! `FullyShardedDataParallel` (torch 2.15, `distributed/fsdp/_flat_param.py`): each unit is one flat parameter.
//!
//! Not compared with a trace. It shares [`super::fsdp2`]; the differences are that a flat parameter is gathered in place
//! (nothing is copied out), and that its gradient is concatenated in one flat tensor before the reduction.

use crate::estimate::Part;
use crate::tape::{ParamId, Tape, Tensor};

/// The flat gradient of a unit: a view of it belongs to every parameter, and autograd joins them.
pub(super) fn flatten_gradients(t: &Tape, group: &[ParamId], grads: Vec<(usize, Tensor)>, width: u64) -> Tensor {
    let numel = group.iter().map(|id| t.numel(*id)).sum();
    let flat = t.empty_as(numel, width, Part::Gradients);
    drop(grads);
    flat
}
