//! The forward of a model: embeddings, blocks, the last norm.

use super::attention::{Shared, attention};
use super::layers::LayerModule;
use super::load::Loaded;
use super::mlp::mlp;
use super::norm::norm;
use super::rotary;
use crate::arch::{Arch, Order};
use crate::estimate::{Phase, Words};
use crate::setup::{Attention as Kernel, Checkpointing, Setup};
use crate::tape::{Module, Site, Tape, Tensor};
use std::rc::Rc;

/// Rows and tokens of one forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Rows.
    pub(crate) rows: u64,
    /// Tokens of a row.
    pub(crate) seq: u64,
}

impl Batch {
    /// Tokens of all rows.
    pub(crate) fn tokens(self) -> u64 {
        self.rows * self.seq
    }
}

/// A model that can be run.
pub(crate) struct Model {
    pub(crate) loaded: Loaded,
    pub(crate) hidden: u64,
    pub(crate) vocab: u64,
    shape: crate::arch::Embedding,
    causal: bool,
}

const EMBEDDING: Words = Words { en: "embedding", zh: "嵌入" };
const ATTENTION: Words = Words { en: "attention", zh: "注意力" };
const MLP: Words = Words { en: "MLP", zh: "MLP" };
const NORM: Words = Words { en: "last norm", zh: "末层归一化" };

impl Model {
    /// The model of `arch` from what was loaded.
    pub(crate) fn new(arch: &Arch, loaded: Loaded) -> Self {
        Self { loaded, hidden: arch.hidden, vocab: arch.vocab, shape: arch.embedding, causal: arch.causal }
    }

    /// Hidden states of the last block, normed.
    pub(crate) fn forward(&self, t: &Tape, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
        t.at(Site { phase: Phase::Forward, layer: 0, name: &EMBEDDING });
        let tokens = batch.tokens();
        let mut hidden = t.module(Module::leaf([Some(self.loaded.embedding)]), ids, |t, ids| {
            let table = t.weight(self.loaded.embedding);
            t.embedding(ids, &table, tokens, self.shape.columns)
        });
        if setup.lora.is_some() && setup.checkpointing != Checkpointing::None && train {
            // enable_input_require_grads: a hook makes the output of the embedding need a gradient.
            hidden = t.with_grad(hidden, true);
        }
        let positions = t.empty(batch.seq, 8);
        let shared = Rc::new(self.shared(t, &hidden, batch, setup));
        for layer in &self.loaded.layers {
            let body: Rc<dyn Fn(&Tape, &Tensor) -> Tensor> = {
                let (layer, shared) = (layer.clone(), Rc::clone(&shared));
                Rc::new(move |t: &Tape, x: &Tensor| block(t, x, &layer, batch, &shared))
            };
            let x = hidden;
            hidden = t.module(Module::Block(layer.number), &x, |t, x| match setup.checkpointing {
                Checkpointing::None => body(t, x),
                _ if !train => body(t, x),
                kind => t.checkpoint(&body, x.clone(), kind == Checkpointing::NonReentrant),
            });
        }
        drop(positions);
        t.at(Site { phase: Phase::Forward, layer: 0, name: &NORM });
        match &self.loaded.final_norm {
            Some(module) => norm(t, &hidden, module),
            None => hidden,
        }
    }

    fn shared(&self, t: &Tape, hidden: &Tensor, batch: Batch, setup: &Setup) -> Shared {
        let mask = match setup.attention {
            Kernel::Eager if self.causal => Some(t.empty(batch.seq * batch.seq, hidden.width)),
            Kernel::Sdpa if setup.padding_mask => Some(t.empty(batch.rows * batch.seq * batch.seq, 1)),
            _ => None,
        };
        let columns = self.loaded.layers.first().and_then(|layer| layer.shape.attention.rotary).map(|rotary| rotary.columns);
        Shared {
            angles: columns.map(|columns| rotary::angles(t, batch.seq, columns, hidden.width)),
            mask,
            kernel: setup.attention,
        }
    }
}

/// One block.
fn block(t: &Tape, x: &Tensor, layer: &LayerModule, batch: Batch, shared: &Shared) -> Tensor {
    let site = |name| Site {
        phase: if t.site().phase == Phase::Forward { Phase::Forward } else { Phase::Backward },
        layer: layer.number,
        name,
    };
    let shape = &layer.shape;
    let norms = &layer.norms;
    t.at(site(&ATTENTION));
    match shape.order {
        Order::Pre => {
            let normed = norm(t, x, &norms[0]);
            let out = attention(t, &normed, &layer.attention, &shape.attention, batch, shared);
            drop(normed);
            let hidden = t.add(x, out);
            t.at(site(&MLP));
            let normed = norm(t, &hidden, &norms[1]);
            let out = mlp(t, &normed, &layer.mlp, &shape.mlp);
            drop(normed);
            t.add(&hidden, out)
        }
        _ => todo!("other orders"),
    }
}
