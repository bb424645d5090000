//! Parameters and their gradients.

use super::Tape;
use super::edge::{Edge, ParamId};
use super::tensor::Tensor;
use crate::estimate::Part;
use std::rc::Rc;

/// What is known of a parameter.
pub(crate) struct Param {
    /// Its memory.
    pub(super) tensor: Tensor,
    /// Rows and columns; one row for a vector.
    pub(crate) shape: [u64; 2],
    /// Whether it is trained.
    pub(crate) trainable: bool,
    /// It belongs to an `nn.Embedding` (some optimizers treat it differently).
    pub(crate) embedding: bool,
    /// It is the weight of a linear layer in a block, which some optimizers project.
    pub(crate) linear: bool,
    /// The GPU that holds it.
    pub(crate) gpu: u8,
    /// Its gradient.
    pub(super) grad: Option<Tensor>,
    /// Uses in the graph that is being run, and gradients that have arrived.
    pub(super) uses: u32,
    pub(super) arrived: u32,
    pub(super) waiting: Option<Tensor>,
}

impl Param {
    /// Bytes of an element.
    pub(crate) fn width(&self) -> u64 {
        self.tensor.width
    }
}

impl Tape {
    /// A new parameter.
    pub(crate) fn param(&self, shape: [u64; 2], width: u64, trainable: bool) -> ParamId {
        let numel = shape[0] * shape[1];
        let tensor = self.empty_as(numel, width, Part::Weights);
        self.adopt(tensor, shape, trainable)
    }

    /// A parameter whose memory is there already.
    pub(crate) fn adopt(&self, tensor: Tensor, shape: [u64; 2], trainable: bool) -> ParamId {
        let mut params = self.params.borrow_mut();
        let id = ParamId(u32::try_from(params.len()).unwrap_or(u32::MAX));
        let gpu = self.gpu();
        params.push(Param {
            tensor,
            shape,
            trainable,
            embedding: false,
            linear: false,
            gpu,
            grad: None,
            uses: 0,
            arrived: 0,
            waiting: None,
        });
        id
    }

    /// Reads what is known of it.
    pub(crate) fn with_param<T>(&self, id: ParamId, read: impl FnOnce(&mut Param) -> T) -> T {
        let place = self.place_of(id);
        read(&mut self.params.borrow_mut()[place as usize])
    }

    /// Parameters in order of creation.
    pub(crate) fn param_ids(&self) -> impl Iterator<Item = ParamId> + use<> {
        (0..u32::try_from(self.params.borrow().len()).unwrap_or(u32::MAX)).map(ParamId)
    }

    /// The parameter as an operand.
    pub(crate) fn weight(&self, id: ParamId) -> Tensor {
        let (tensor, trainable) = self.with_param(id, |param| (param.tensor.clone(), param.trainable));
        Tensor { edge: trainable.then_some(Edge::Param(id)), ..tensor }
    }

    /// Numbers in a parameter.
    pub(crate) fn numel(&self, id: ParamId) -> u64 {
        self.with_param(id, |param| param.shape[0].saturating_mul(param.shape[1]))
    }

    /// Its memory, without history.
    pub(crate) fn memory(&self, id: ParamId) -> Tensor {
        self.with_param(id, |param| param.tensor.clone())
    }

    /// Takes the gradient of a parameter, if any.
    pub(crate) fn take_grad(&self, id: ParamId) -> Option<Tensor> {
        self.with_param(id, |param| param.grad.take())
    }

    /// The gradient of a parameter, held by one more.
    pub(crate) fn grad(&self, id: ParamId) -> Option<Tensor> {
        self.with_param(id, |param| param.grad.clone())
    }

    /// Bytes of the gradient of a parameter.
    pub(crate) fn grad_bytes(&self, id: ParamId) -> Option<u64> {
        self.with_param(id, |param| param.grad.as_ref().map(Tensor::bytes))
    }

    /// Puts a gradient in place.
    pub(crate) fn set_grad(&self, id: ParamId, grad: Option<Tensor>) {
        drop(self.with_param(id, |param| std::mem::replace(&mut param.grad, grad)));
    }

    /// Replaces the memory of a parameter: quantized, sharded, moved.
    pub(crate) fn set_memory(&self, id: ParamId, tensor: Tensor) {
        drop(self.with_param(id, |param| std::mem::replace(&mut param.tensor, tensor)));
    }

    /// torch's `AccumulateGrad`: gradients of all uses are summed first, then stolen or added in place.
    pub(super) fn accumulate_param(&self, id: ParamId, grad: Tensor) {
        let Some(grad) = self.note_grad(id, grad) else { return };
        let (waiting, complete) = self.with_param(id, |param| {
            param.arrived += 1;
            (param.waiting.take(), param.arrived >= param.uses)
        });
        let sum = match waiting {
            Some(old) => self.sum_grads(old, grad),
            None => grad,
        };
        if !complete {
            self.with_param(id, |param| param.waiting = Some(sum));
            return;
        }
        let old = self.with_param(id, |param| {
            param.arrived = 0;
            param.uses = 0;
            param.grad.take()
        });
        let kept = match old {
            // Added in place; the new one is freed.
            Some(old) => old,
            None if Rc::strong_count(&sum.block) == 1 => {
                self.relabel(&sum.block, Part::Gradients);
                Tensor { edge: None, view: false, ..sum.clone() }
            }
            None => self.empty_as(sum.numel, sum.width, Part::Gradients),
        };
        drop(sum);
        self.with_param(id, |param| param.grad = Some(kept));
        if let Some(hooks) = self.hooks() {
            hooks.gradient(self, id);
        }
    }
}
