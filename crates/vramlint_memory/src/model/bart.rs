//! The forward of BART and its kin: an encoder, and a decoder that sees it, with embeddings of positions (transformers 5.23,
//! `modeling_bart.py`, `modeling_mbart.py`, `modeling_pegasus.py`, `modeling_marian.py`, `modeling_m2m_100.py`).

use super::activation::activate;
use super::attention_kernel::attend;
use super::batch::Batch;
use super::decoder::{Model, lookup};
use super::linear::linear;
use super::modules::{
    AttentionModule, CrossAttentionBlock, DecoderModule, LayerModule, MlpModule, NormModule, PlacesModule, Projections,
};
use super::norm::norm;
use super::shared::{Lent, SharedInputs};
use super::t5::{DECODER, ENCODER, run, site};
use crate::arch::{Attention, Mlp, Order, PositionStacks, Positions};
use crate::setup::{Attention as Kernel, Checkpointing, Dtype, Setup};
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{BlockFn, Operand, ParamId, Site, Tape, Tensor};
use std::rc::Rc;

/// The table of positions of a stack, and the norm over its embeddings.
type Side = (Option<ParamId>, Option<NormModule>);

/// What every block of a stack is told.
struct Context {
    batch: Batch,
    /// The mask of the attention to itself.
    own: SharedInputs,
    /// What the encoder said, the length of its rows, and who of it is seen.
    source: Option<(Tensor, u64, SharedInputs)>,
    activation_dropout: bool,
    clamps: bool,
    caches: bool,
}

impl Model {
    /// Hidden states of the decoder, and what keeps its name until the loss is there.
    pub(super) fn translate_by_positions(
        &self,
        t: &Tape,
        ids: &Tensor,
        [source, target]: [Batch; 2],
        (decoder, shape, sides): (&DecoderModule, &PositionStacks, [Side; 2]),
        setup: &Setup,
    ) -> (Tensor, Vec<Tensor>) {
        let checkpoints = setup.checkpointing != Checkpointing::None;
        let require = setup.trains_prompt || setup.lora.is_some() && checkpoints;
        let context = |batch: Batch, own: Option<Tensor>, source: Option<(Tensor, u64, SharedInputs)>| Context {
            batch,
            own: masked(own, setup),
            source,
            activation_dropout: shape.activation_dropout,
            clamps: shape.clamps_fp16 && setup.weights == Dtype::Fp16,
            caches: shape.caches && !checkpoints,
        };
        // Tokens are shifted before the encoder runs.
        let shifted = t.empty(target.tokens(), 8);
        t.set_site(Site { phase: crate::estimate::Phase::Forward, layer: 0, name: &ENCODER });
        let (mut hidden, names) = self.placed(t, ids, source, (shape, sides[0], true), require);
        let width = names.first().map_or(4, |rows| rows.width);
        let own = Rc::new(context(source, padding(t, source, source.seq_len, width, setup), None));
        for layer in &self.modules.layers {
            let body: BlockFn = {
                let (layer, own) = (layer.clone(), Rc::clone(&own));
                Rc::new(move |t, x| encode(t, x, &layer, &own))
            };
            hidden = run(t, (&body, layer.number), hidden, setup);
        }
        let encoded = normed(t, hidden, self.modules.final_norm.as_ref());
        drop((names, own));
        t.set_site(Site { phase: crate::estimate::Phase::Forward, layer: 0, name: &DECODER });
        let (mut hidden, names) = self.placed(t, &shifted, target, (shape, sides[1], false), require);
        // The decoder makes a mask of ones for itself, which the kernels of torch can do without.
        let pairs = target.size * target.seq_len * target.seq_len;
        let causal = (setup.attention == Kernel::Eager).then(|| t.empty(pairs, width));
        let seen = masked(padding(t, target, source.seq_len, width, setup), setup);
        let all = Rc::new(context(target, causal, Some((encoded.clone(), source.seq_len, seen))));
        for block in &decoder.blocks {
            let body: BlockFn = {
                let (block, all) = (block.clone(), Rc::clone(&all));
                Rc::new(move |t, x| decode(t, x, &block, &all))
            };
            // Numbered after the blocks of the encoder.
            let number = block.own.number.saturating_add(u32::try_from(self.modules.layers.len()).unwrap_or(u32::MAX));
            hidden = run(t, (&body, number), hidden, setup);
        }
        let last = normed(t, hidden, decoder.norm.as_ref());
        drop((names, all));
        (last, vec![encoded, shifted])
    }

    /// Embedded tokens with their positions, and what keeps its name until the stack returns.
    fn placed(
        &self,
        t: &Tape,
        ids: &Tensor,
        batch: Batch,
        (shape, (table, over), of_encoder): (&PositionStacks, Side, bool),
        require: bool,
    ) -> (Tensor, Vec<Tensor>) {
        let rows = lookup(t, self.modules.embedding, ids, (batch.tokens(), self.hidden));
        // Every family multiplies by a number, be it 1.
        let rows = t.mul(rows, Operand::Scalar);
        let rows = if require && !rows.requires_grad() { t.leaf(rows) } else { rows };
        let per_row = batch.seq_len;
        let each = match shape.positions {
            // The encoder of BART looks positions up for every sequence.
            Positions::Learned if of_encoder => batch.tokens(),
            Positions::Learned | Positions::Frozen => per_row,
            Positions::Buffer => batch.tokens(),
        };
        let numbers = t.empty(each, 8);
        let places = match table {
            Some(table) => lookup(t, table, &numbers, (each, self.hidden)),
            None => t.empty(each * self.hidden, self.modules.buffers.first().map_or(rows.width, |buffer| buffer.width)),
        };
        drop(numbers);
        let sum = if each == batch.tokens() { t.add(&rows, &places) } else { t.add_broadcast(&rows, Operand::Rows(&places)) };
        let hidden = normed(t, sum, over.as_ref());
        let hidden = if self.shape.dropout { t.dropout(hidden) } else { hidden };
        (hidden, vec![rows, places])
    }

    /// Logits with the bias that BART and most of its kin add to them.
    pub(crate) fn bias_logits(&self, t: &Tape, logits: Tensor) -> Tensor {
        let Some(decoder) = &self.modules.decoder else { return logits };
        match (&decoder.places, self.modules.buffers.last()) {
            (PlacesModule::Positions { shape, .. }, Some(bias)) if shape.logits_bias => {
                let out = t.add_broadcast(&logits, Operand::Rows(bias));
                t.relabel(&out.block, crate::estimate::Part::Logits);
                out
            }
            _ => logits,
        }
    }
}

impl Tape {
    /// The tensor as a leaf that needs a gradient: what accumulates that gradient holds the tensor until backward comes there.
    fn leaf(&self, x: Tensor) -> Tensor {
        let leaf = x.requiring_grad();
        let kept = self.save(&leaf);
        let same = leaf.detach();
        self.record(&[&leaf], same, move |_, grad| {
            drop(kept);
            vec![Some(grad)]
        })
    }
}

fn normed(t: &Tape, x: Tensor, module: Option<&NormModule>) -> Tensor {
    match module {
        Some(module) => norm(t, &x, module),
        None => x,
    }
}

/// The mask of padded sources, for each query.
fn padding(t: &Tape, queries: Batch, keys: u64, width: u64, setup: &Setup) -> Option<Tensor> {
    let pairs = queries.size * queries.seq_len * keys;
    match setup.attention {
        Kernel::Flash => None,
        Kernel::Sdpa => setup.padding_mask.then(|| t.empty(pairs, 1)),
        Kernel::Eager => setup.padding_mask.then(|| t.empty(pairs, width)),
    }
}

fn masked(mask: Option<Tensor>, setup: &Setup) -> SharedInputs {
    SharedInputs {
        angles: Vec::new(),
        masks: vec![(None, mask)],
        kernel: setup.attention,
        padded: setup.padding_mask,
        lent: Lent::default(),
        distances: None,
        bias: None,
        segments: None,
    }
}

fn encode(t: &Tape, x: &Tensor, layer: &LayerModule, context: &Context) -> Tensor {
    site(t, layer.number, &ENCODER);
    let hidden = join(t, x, layer, &layer.norms[0], &|t, x| own(t, &x, layer, context));
    let hidden = join(t, &hidden, layer, &layer.norms[1], &|t, x| feed(t, x, layer, context));
    if context.clamps && hidden.width == 2 { t.clamp(hidden, 2) } else { hidden }
}

fn decode(t: &Tape, x: &Tensor, block: &CrossAttentionBlock, context: &Context) -> Tensor {
    let layer = &block.own;
    site(t, layer.number, &DECODER);
    let mut hidden = join(t, x, layer, &layer.norms[0], &|t, x| own(t, &x, layer, context));
    if let Some((encoded, keys, seen)) = &context.source {
        let look = |t: &Tape, x: Tensor| {
            let from = (encoded, *keys);
            attention(t, &x, from, (&block.cross, &layer.shape.attention), context, seen)
        };
        hidden = join(t, &hidden, layer, &block.norm, &look);
    }
    join(t, &hidden, layer, &layer.norms[1], &|t, x| feed(t, x, layer, context))
}

/// A part of a block, dropout, the residual, and the norm before the part or behind the sum.
fn join(t: &Tape, x: &Tensor, layer: &LayerModule, module: &NormModule, part: &dyn Fn(&Tape, Tensor) -> Tensor) -> Tensor {
    let first = layer.shape.order == Order::Pre;
    let out = part(t, if first { norm(t, x, module) } else { x.clone() });
    let out = if layer.shape.dropout { t.dropout(out) } else { out };
    let sum = t.add(x, out);
    if first { sum } else { norm(t, &sum, module) }
}

fn own(t: &Tape, x: &Tensor, layer: &LayerModule, context: &Context) -> Tensor {
    attention(t, x, (x, context.batch.seq_len), (&layer.attention, &layer.shape.attention), context, &context.own)
}

/// Attention of `x` to a source.
fn attention(
    t: &Tape,
    x: &Tensor,
    (source, keys): (&Tensor, u64),
    (module, a): (&AttentionModule, &Attention),
    context: &Context,
    shared: &SharedInputs,
) -> Tensor {
    let Projections::Separate { q, k, v } = &module.projections else { return x.clone() };
    let shape = AttentionShape {
        batch: context.batch.size,
        queries: context.batch.seq_len,
        keys,
        heads: a.heads,
        kv_heads: a.heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    let (q, k, v) = (linear(t, x, q), linear(t, source, k), linear(t, source, v));
    let width = k.width;
    let cached = |x: Tensor| if context.caches && context.source.is_some() { t.cached(x, width) } else { x };
    let (k, v) = (cached(k), cached(v));
    let out = attend(t, (&q, &k, &v), a, shape, shared);
    linear(t, &out, &module.out)
}

fn feed(t: &Tape, x: Tensor, layer: &LayerModule, context: &Context) -> Tensor {
    let (MlpModule::Plain { up, down, .. }, Mlp::Plain { activation, .. }) = (&layer.mlp, &layer.shape.mlp) else {
        return x;
    };
    let inner = activate(t, linear(t, &x, up), *activation);
    drop(x);
    let inner = if context.activation_dropout { t.dropout(inner) } else { inner };
    linear(t, &inner, down)
}
