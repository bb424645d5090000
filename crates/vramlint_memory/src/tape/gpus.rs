//! Several GPUs that one process drives.

use super::{Tape, Tensor};

impl Tape {
    /// Sets the GPU on which subsequent operations allocate.
    pub(crate) fn set_gpu(&self, gpu: u8) {
        self.log.borrow_mut().gpu = gpu;
    }

    /// The current GPU.
    pub(crate) fn gpu(&self) -> u8 {
        self.log.borrow().gpu
    }

    /// Copies a tensor of the current GPU to another one, which becomes the current one. Its gradient is copied back.
    pub(crate) fn move_to(&self, x: &Tensor, gpu: u8) -> Tensor {
        let from = self.gpu();
        self.set_gpu(gpu);
        if from == gpu {
            return x.clone();
        }
        let copy = self.empty(x.numel, x.width);
        self.set_gpu(from);
        let copy = self.record(&[x], copy, |t, grad| vec![Some(t.empty(grad.numel, grad.width))]);
        self.set_gpu(gpu);
        copy
    }
}
