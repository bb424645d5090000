//! Inputs that all blocks of a forward pass share.

use super::deberta::Distances;
use super::rotary::Angles;
use crate::arch::{Attention, Rotary};
use crate::setup::Attention as Kernel;
use crate::tape::Tensor;

/// What all blocks of a forward share.
pub(crate) struct SharedInputs {
    /// Tables of cosines and sines, for each kind that blocks use.
    pub(crate) angles: Vec<(Rotary, Angles)>,
    /// Masks that go to the kernel, by window.
    pub(crate) masks: Vec<(Option<u64>, Option<Tensor>)>,
    pub(crate) kernel: Kernel,
    /// Embeddings of distances, which of them each pair of tokens has, and who is seen.
    pub(crate) distances: Option<Distances>,
}

impl SharedInputs {
    /// The rotary tables of an attention.
    pub(super) fn angles(&self, a: &Attention) -> Option<&Angles> {
        self.angles.iter().find(|(kind, _)| Some(*kind) == a.rotary).map(|(_, angles)| angles)
    }

    /// The mask of an attention with this window.
    pub(super) fn mask(&self, a: &Attention) -> Option<&Tensor> {
        self.masks.iter().find(|(window, _)| *window == a.window).and_then(|(_, mask)| mask.as_ref())
    }
}
