//! Inputs that all blocks of a forward pass share.

use super::deberta::Distances;
use super::rotary::Angles;
use super::xlnet::SegmentInputs;
use crate::arch::{Attention, Rotary};
use crate::setup::Attention as Kernel;
use crate::tape::{Tape, Tensor};
use std::cell::RefCell;
use std::rc::Rc;

/// Keys and values by window.
pub(crate) type Lent = Rc<RefCell<Vec<(Option<u64>, [Tensor; 2])>>>;

/// What all blocks of a forward share.
pub(crate) struct SharedInputs {
    /// Tables of cosines and sines, for each kind that blocks use.
    pub(crate) angles: Vec<(Rotary, Angles)>,
    /// Masks that go to the kernel, by window.
    pub(crate) masks: Vec<(Option<u64>, Option<Tensor>)>,
    pub(crate) kernel: Kernel,
    /// Keys and values that later blocks use, by the window of the block that keeps them.
    pub(crate) lent: Lent,
    /// Rows have padded tokens.
    pub(crate) padded: bool,
    /// Embeddings of distances, which of them each pair of tokens has, and who is seen.
    pub(crate) distances: Option<Distances>,
    /// A bias of each pair of tokens for each head (MPNet).
    pub(crate) bias: Option<Tensor>,
    /// Distances, masks and segments (XLNet).
    pub(crate) segments: Option<SegmentInputs>,
}

/// Shared inputs without their tensors.
pub(super) struct SharedFrame {
    angles: Vec<Rotary>,
    masks: Vec<(Option<u64>, bool)>,
    kernel: Kernel,
    padded: bool,
}

impl SharedFrame {
    /// Whether it is the frame of these inputs.
    pub(super) fn is_of(&self, shared: &SharedInputs) -> bool {
        self.kernel == shared.kernel
            && self.padded == shared.padded
            && self.angles.iter().eq(shared.angles.iter().map(|(rotary, _)| rotary))
            && self.masks.iter().copied().eq(shared.masks.iter().map(|(window, mask)| (*window, mask.is_some())))
    }

    /// The inputs with these tensors, in the order of [`SharedInputs::tensors`].
    pub(super) fn filled(&self, tensors: &[Tensor]) -> SharedInputs {
        let mut rest = tensors.iter().cloned();
        let mut next = || rest.next().unwrap_or_else(|| unreachable!("a frame is filled with as many tensors as it came with"));
        SharedInputs {
            angles: self.angles.iter().map(|rotary| (*rotary, Angles { cos: next(), sin: next() })).collect(),
            masks: self.masks.iter().map(|(window, masked)| (*window, masked.then(&mut next))).collect(),
            kernel: self.kernel,
            padded: self.padded,
            lent: Lent::default(),
            distances: None,
            bias: None,
            segments: None,
        }
    }
}

impl SharedInputs {
    /// All its tensors, if there are none but angles and masks.
    pub(super) fn tensors(&self) -> Option<Vec<&Tensor>> {
        if self.distances.is_some() || self.bias.is_some() || self.segments.is_some() {
            return None;
        }
        let angles = self.angles.iter().flat_map(|(_, angles)| [&angles.cos, &angles.sin]);
        Some(angles.chain(self.masks.iter().filter_map(|(_, mask)| mask.as_ref())).collect())
    }

    /// Itself without its tensors.
    pub(super) fn frame(&self) -> SharedFrame {
        SharedFrame {
            angles: self.angles.iter().map(|(rotary, _)| *rotary).collect(),
            masks: self.masks.iter().map(|(window, mask)| (*window, mask.is_some())).collect(),
            kernel: self.kernel,
            padded: self.padded,
        }
    }

    /// Copies of what a block needs on the current GPU, if it is not one of the homes: that of masks and that of angles. accelerate 1.15
    /// copies the arguments of every block anew (`AlignDevicesHook`). Distances (DeBERTa) and biases (MPNet) are not copied: that is not
    /// modelled.
    pub(super) fn moved(&self, t: &Tape, a: &Attention, homes: [u8; 2]) -> Option<Self> {
        let gpu = t.gpu();
        if homes == [gpu; 2] || self.distances.is_some() || self.bias.is_some() || self.segments.is_some() {
            return None;
        }
        let copy = |x: &Tensor, home: u8| if home == gpu { x.clone() } else { t.empty(x.numel, x.width) };
        let mask = self.masks.iter().find(|(window, _)| *window == a.window);
        let masks = mask.map(|(window, mask)| (*window, mask.as_ref().map(|mask| copy(mask, homes[0]))));
        let angles = self.angles.iter().find(|(kind, _)| Some(*kind) == a.rotary);
        let angles = angles.map(|(kind, all)| (*kind, Angles { cos: copy(&all.cos, homes[1]), sin: copy(&all.sin, homes[1]) }));
        Some(Self {
            angles: angles.into_iter().collect(),
            masks: masks.into_iter().collect(),
            kernel: self.kernel,
            padded: self.padded,
            lent: Rc::clone(&self.lent),
            distances: None,
            bias: None,
            segments: None,
        })
    }

    /// The rotary tables of an attention.
    pub(super) fn angles(&self, a: &Attention) -> Option<&Angles> {
        self.angles.iter().find(|(kind, _)| Some(*kind) == a.rotary).map(|(_, angles)| angles)
    }

    /// Keeps keys and values for later blocks.
    pub(super) fn lend(&self, a: &Attention, states: [Tensor; 2]) {
        let mut lent = self.lent.borrow_mut();
        lent.retain(|(window, _)| *window != a.window);
        lent.push((a.window, states));
    }

    /// The keys and values that an earlier block kept.
    pub(super) fn borrowed(&self, a: &Attention) -> Option<(Tensor, Tensor)> {
        let lent = self.lent.borrow();
        lent.iter().find(|(window, _)| *window == a.window).map(|(_, [keys, values])| (keys.clone(), values.clone()))
    }

    /// The mask of an attention with this window.
    pub(super) fn mask(&self, a: &Attention) -> Option<&Tensor> {
        self.masks.iter().find(|(window, _)| *window == a.window).and_then(|(_, mask)| mask.as_ref())
    }
}
