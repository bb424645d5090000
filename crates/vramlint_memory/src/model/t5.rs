//! The forward of T5: an encoder, and a decoder that sees it (transformers 5.23, `modeling_t5.py`).

use super::activation::activate;
use super::batch::Batch;
use super::decoder::{Model, lookup};
use super::linear::linear;
use super::modules::{AttentionModule, CrossAttentionBlock, LayerModule, NormModule, PlacesModule, Projections};
use super::norm::norm;
use crate::arch::{Attention, Mlp};
use crate::estimate::{Label, Phase};
use crate::model::modules::MlpModule;
use crate::setup::{Checkpointing, Setup};
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{BlockFn, Module, Operand, ParamId, Site, Tape, Tensor};
use std::rc::Rc;

pub(super) static ENCODER: Label = Label { en: "encoder", zh: "编码器" };
pub(super) static DECODER: Label = Label { en: "decoder", zh: "解码器" };

/// What is added to the scores.
struct Added {
    eager: bool,
    bias: Tensor,
    mask: Option<Tensor>,
}

/// How one attention runs.
struct Call<'a> {
    /// The input of keys and values; `None` if it is that of the queries.
    source: Option<&'a Tensor>,
    queries: Batch,
    keys: u64,
    added: &'a Added,
    /// Keys and values go through a cache, which copies them.
    cached: bool,
}

impl Model {
    /// Hidden states of the decoder, and what keeps its name until the loss is there.
    pub(crate) fn translate(&self, t: &Tape, ids: &Tensor, source: Batch, target: Batch, setup: &Setup) -> (Tensor, Vec<Tensor>) {
        let Some(decoder) = &self.modules.decoder else { return (self.forward(t, ids, source, setup, true), Vec::new()) };
        let biases = match &decoder.places {
            PlacesModule::Distances(biases) => *biases,
            PlacesModule::Positions { shape, table, embedding_norm } => {
                let sides = [(self.modules.positions, self.modules.embedding_norm), (*table, *embedding_norm)];
                return self.translate_by_positions(t, ids, [source, target], (decoder, shape, sides), setup);
            }
        };
        let checkpoints = setup.checkpointing != Checkpointing::None;
        let eager = setup.attention == crate::setup::Attention::Eager;
        let require = setup.trains_prompt || setup.lora.is_some() && checkpoints;
        t.set_site(Site { phase: Phase::Forward, layer: 0, name: &ENCODER });
        let rows = self.token_embeddings(t, ids, source, require);
        let width = rows.width;
        let padding = |keys: u64, queries: u64| setup.padding_mask.then(|| t.empty(source.size * keys * queries, width));
        let added = Rc::new(Added {
            eager,
            bias: self.distances(t, biases[0], source.seq_len),
            mask: padding(source.seq_len, source.seq_len),
        });
        let mut hidden = self.dropped(t, rows.clone());
        for layer in &self.modules.layers {
            let body: BlockFn = {
                let (layer, added) = (layer.clone(), Rc::clone(&added));
                Rc::new(move |t, x| encode(t, x, &layer, source, &added))
            };
            hidden = run(t, (&body, layer.number), hidden, setup);
        }
        let encoded = match &self.modules.final_norm {
            Some(module) => norm(t, &hidden, module),
            None => hidden,
        };
        let encoded = self.dropped(t, encoded);
        drop((rows, added));
        t.set_site(Site { phase: Phase::Forward, layer: 0, name: &DECODER });
        let shifted = t.empty(target.tokens(), 8);
        let rows = self.token_embeddings(t, &shifted, target, require);
        let heads = decoder.blocks.first().map_or(0, |block| block.own.shape.attention.heads);
        let own = Added {
            eager,
            bias: self.distances(t, biases[1], target.seq_len),
            mask: Some(t.empty(target.size * target.seq_len * target.seq_len, rows.width)),
        };
        let cross = Added {
            eager,
            bias: t.empty(heads * target.seq_len * source.seq_len, rows.width),
            mask: padding(source.seq_len, target.seq_len),
        };
        let shared = Rc::new((own, cross, encoded.clone()));
        let mut hidden = self.dropped(t, rows.clone());
        // The decoder caches although it trains, unless a checkpoint forbids it.
        let mut names = vec![encoded, shifted];
        for block in &decoder.blocks {
            let cache = Rc::new(std::cell::RefCell::new(Vec::new()));
            let body: BlockFn = {
                let (block, shared, cache) = (block.clone(), Rc::clone(&shared), Rc::clone(&cache));
                Rc::new(move |t, x| {
                    let (own, cross, encoded) = &*shared;
                    let call = Call { source: None, queries: target, keys: target.seq_len, added: own, cached: !checkpoints };
                    let other =
                        Call { source: Some(encoded), queries: target, keys: source.seq_len, added: cross, cached: !checkpoints };
                    let (out, kept) = decode(t, x, &block, &call, &other);
                    cache.borrow_mut().extend(kept);
                    out
                })
            };
            // Numbered after the blocks of the encoder.
            let number = block.own.number.saturating_add(u32::try_from(self.modules.layers.len()).unwrap_or(u32::MAX));
            hidden = run(t, (&body, number), hidden, setup);
            names.append(&mut cache.borrow_mut());
        }
        let normed = match &decoder.norm {
            Some(module) => norm(t, &hidden, module),
            None => hidden.clone(),
        };
        let last = self.dropped(t, normed);
        drop((hidden, rows, shared));
        let last = if self.head.scaled { t.mul(last, Operand::Scalar) } else { last };
        (last, names)
    }

    fn token_embeddings(&self, t: &Tape, ids: &Tensor, batch: Batch, require: bool) -> Tensor {
        let rows = lookup(t, self.modules.embedding, ids, (batch.tokens(), self.hidden));
        if require && !rows.requires_grad() { rows.requiring_grad() } else { rows }
    }

    fn dropped(&self, t: &Tape, x: Tensor) -> Tensor {
        if self.shape.dropout { t.dropout(x) } else { x }
    }

    /// The bias of every pair of tokens, for each head.
    fn distances(&self, t: &Tape, table: ParamId, seq_len: u64) -> Tensor {
        let pairs = seq_len * seq_len;
        let heads = self.modules.layers.first().map_or(1, |layer| layer.shape.attention.heads);
        let buckets = t.empty(pairs, 8);
        lookup(t, table, &buckets, (pairs, heads))
    }
}

pub(super) fn run(t: &Tape, (body, number): (&BlockFn, u32), hidden: Tensor, setup: &Setup) -> Tensor {
    t.module(Module::Block(number), hidden, |t, x| match setup.checkpointing {
        Checkpointing::None => body(t, x),
        kind => t.checkpoint(body, x.clone(), kind),
    })
}

pub(super) fn site(t: &Tape, layer: u32, name: &'static Label) {
    let phase = if t.site().phase == Phase::Forward { Phase::Forward } else { Phase::Backward };
    t.set_site(Site { phase, layer, name });
}

fn encode(t: &Tape, x: &Tensor, layer: &LayerModule, batch: Batch, added: &Added) -> Tensor {
    site(t, layer.number, &ENCODER);
    let call = Call { source: None, queries: batch, keys: batch.seq_len, added, cached: false };
    let hidden = look(t, x, (&layer.attention, &layer.norms[0]), layer, &call, &mut Vec::new());
    feed(t, &hidden, layer)
}

fn decode(t: &Tape, x: &Tensor, block: &CrossAttentionBlock, own: &Call<'_>, cross: &Call<'_>) -> (Tensor, Vec<Tensor>) {
    site(t, block.own.number, &DECODER);
    let layer = &block.own;
    let mut cache = Vec::new();
    let hidden = look(t, x, (&layer.attention, &layer.norms[0]), layer, own, &mut cache);
    let hidden = look(t, &hidden, (&block.cross, &block.norm), layer, cross, &mut cache);
    (feed(t, &hidden, layer), cache)
}

/// Norm, attention, dropout, add.
fn look(
    t: &Tape,
    x: &Tensor,
    (module, before): (&AttentionModule, &NormModule),
    layer: &LayerModule,
    call: &Call<'_>,
    cache: &mut Vec<Tensor>,
) -> Tensor {
    let normed = norm(t, x, before);
    let out = attention(t, &normed, module, &layer.shape.attention, call, cache);
    let dropped = if layer.shape.dropout { t.dropout(&out) } else { out.clone() };
    t.add(x, dropped)
}

fn attention(t: &Tape, x: &Tensor, module: &AttentionModule, a: &Attention, call: &Call<'_>, cache: &mut Vec<Tensor>) -> Tensor {
    let Projections::Separate { q, k, v } = &module.projections else { return x.clone() };
    let source = call.source.unwrap_or(x);
    // The gradient of a matmul has the heads first; the gradient of a kernel keeps the projected layout.
    let heads = |x: Tensor| if call.added.eager { t.view_with_grad_copy(x) } else { x };
    let q = heads(linear(t, x, q));
    let (k, v) = {
        let k = linear(t, source, k);
        let v = heads(linear(t, source, v));
        if call.cached { (t.cat(&[&k]), t.cat(&[&v])) } else { (k, v) }
    };
    if call.cached {
        cache.extend([k.detach(), v.detach()]);
    }
    let rows = call.queries.size;
    if !call.added.eager {
        let out = kernel(t, [&q, &k, &v], a, call);
        return linear(t, &out, &module.out);
    }
    // A batched product copies what is laid out by tokens, unless there is one row; a cache lays heads first.
    let fold = |x: Tensor, first: bool| if rows > 1 && !first { t.contiguous(x) } else { x };
    let computed = |x: &Tensor| t.autocast_width().map_or_else(|| x.clone(), |width| t.cast(x, width));
    let raw = {
        let (q, k) = (fold(computed(&q), false), fold(computed(&k), call.cached));
        t.bmm(q, k, rows * a.heads * call.queries.seq_len * call.keys)
    };
    let scaled = t.mul(raw, Operand::Scalar);
    let biased = t.add_broadcast(scaled, Operand::Rows(&call.added.bias));
    let biased = if call.added.mask.is_some() { t.add_broadcast(biased, Operand::Scalar) } else { biased };
    let width = if t.autocast_width().is_some() { 4 } else { biased.width };
    let soft = t.softmax(t.cast(biased, width), width);
    let weights = if a.dropout { t.dropout(soft) } else { soft };
    let out = {
        let v = fold(computed(&v), call.cached);
        let out = t.bmm(computed(&weights), v, rows * a.heads * call.queries.seq_len * a.value_dim);
        t.transpose_contiguous(out)
    };
    drop(weights);
    linear(t, &out, &module.out)
}

/// The torch kernel that accepts a bias. The bias is materialized and combined with the mask.
fn kernel(t: &Tape, [q, k, v]: [&Tensor; 3], a: &Attention, call: &Call<'_>) -> Tensor {
    let shape = AttentionShape {
        batch: call.queries.size,
        queries: call.queries.seq_len,
        keys: call.keys,
        heads: a.heads,
        kv_heads: a.heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    let width = t.autocast_width().unwrap_or(q.width);
    let computed = |x: &Tensor| t.cast(x, width);
    let bias = &call.added.bias;
    let bias = match &call.added.mask {
        Some(mask) => {
            let all = t.empty(mask.numel * a.heads, mask.width);
            t.add_broadcast(all, Operand::Rows(bias))
        }
        None if bias.requires_grad() => t.contiguous(bias),
        None => bias.clone(),
    };
    t.mem_efficient_biased(&computed(q), &computed(k), &computed(v), shape, &computed(&bias))
}

/// Norm, MLP with dropout inside, dropout, add.
fn feed(t: &Tape, x: &Tensor, layer: &LayerModule) -> Tensor {
    let behind = layer.norms.last();
    let normed = behind.map_or_else(|| x.clone(), |module| norm(t, x, module));
    let drop_some = |x: Tensor| if layer.shape.dropout { t.dropout(x) } else { x };
    let out = match (&layer.mlp, &layer.shape.mlp) {
        (MlpModule::Gated { gate, up: Some(up), down }, Mlp::Gated { activation, .. }) => {
            let inner = {
                let gated = activate(t, linear(t, &normed, gate), *activation);
                let up = linear(t, &normed, up);
                t.mul(gated, Operand::Same(&up))
            };
            linear(t, &drop_some(inner), down)
        }
        (MlpModule::Plain { up, down, .. }, Mlp::Plain { activation, .. }) => {
            let inner = activate(t, linear(t, &normed, up), *activation);
            linear(t, &drop_some(inner), down)
        }
        _ => normed.clone(),
    };
    let dropped = if layer.shape.dropout { t.dropout(&out) } else { out.clone() };
    t.add(x, dropped)
}
