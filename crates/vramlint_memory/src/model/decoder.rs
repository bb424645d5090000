//! The forward of a model: embeddings, blocks, the last norm.

use super::activation::activate;
use super::alternating;
use super::attention::attention;
use super::batch::Batch;
use super::beside_experts;
use super::build::Modules;
use super::deberta;
use super::linear::linear;
use super::mlp::mlp;
use super::modules::{BesideModule, LayerModule, MlpModule, NormModule, Projections};
use super::mpnet;
use super::norm::norm;
use super::per_layer;
use super::planned_block::{BlockCall, Plans};
use super::rotary;
use super::shared::{Lent, SharedInputs};
use super::xlnet;
use crate::arch::{Arch, Dropped, Experts, Layer, Mlp, Order};
use crate::estimate::{Label, Phase};
use crate::setup::{Attention as Kernel, Checkpointing, Setup};
use crate::tape::{BlockFn, Module, Operand, ParamId, Site, Tape, Tensor};
use std::rc::Rc;

/// A model that can be run.
pub(crate) struct Model {
    pub(crate) modules: Modules,
    pub(crate) hidden: u64,
    pub(crate) vocab: u64,
    pub(super) shape: crate::arch::Embedding,
    pub(crate) head: crate::arch::HeadShape,
    pub(crate) causal: bool,
    /// How often each block runs.
    runs_per_block: usize,
    plans: Plans,
}

static EMBEDDING: Label = Label { en: "embedding", zh: "嵌入" };
static ATTENTION: Label = Label { en: "attention", zh: "注意力" };
static MLP: Label = Label { en: "MLP", zh: "MLP" };
static NORM: Label = Label { en: "final norm", zh: "末层归一化" };

impl Model {
    /// The model of `arch` from what was loaded.
    pub(crate) fn new(arch: &Arch, modules: Modules) -> Self {
        let plans = Plans::default();
        Self {
            modules,
            hidden: arch.hidden,
            vocab: arch.vocab,
            shape: arch.embedding,
            head: arch.head,
            causal: arch.causal,
            runs_per_block: usize::try_from(arch.blocks_per_weights).unwrap_or(usize::MAX).max(1),
            plans,
        }
    }

    /// Asks the model, with its adapters switched off if so wished.
    pub(crate) fn without_adapters<T>(&self, off: bool, ask: impl FnOnce(&Self) -> T) -> T {
        if !off {
            return ask(self);
        }
        let modules =
            Modules { layers: self.modules.layers.iter().map(LayerModule::without_adapters).collect(), ..self.modules.shared() };
        ask(&Self { modules, plans: Plans::default(), ..*self })
    }

    /// Hidden states of the last block, normed.
    pub(crate) fn forward(&self, t: &Tape, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
        let phase = if t.site().phase == Phase::Generate { Phase::Generate } else { Phase::Forward };
        t.set_site(Site { phase, layer: 0, name: &EMBEDDING });
        let checkpoints = setup.checkpointing != Checkpointing::None;
        // With checkpointing, the input of the blocks gets a gradient though everything below is frozen (transformers 5.23.0
        // `modeling_utils.py` `gradient_checkpointing_enable`).
        let frozen_below = setup.lora.is_some() || setup.trained.as_ref().is_some_and(|parts| !parts.starts_at_block);
        let require = train && (setup.trains_prompt || frozen_below && checkpoints);
        t.set_gpu(self.modules.placement.embedding);
        let (mut hidden, (shared, own_inputs), mut names) = self.embed_inputs(t, ids, batch, setup, require);
        // A bf16 residual and an fp16 output add to fp32, or the other way round.
        if t.device.mixed_halves && t.autocast_width().is_some() {
            hidden = t.cast(hidden, 4);
        }
        let streams = self.modules.streams.as_ref().map(|module| {
            let (stacked, named) = alternating::open(t, &hidden, module, self.hidden);
            hidden = stacked;
            (module, named)
        });
        let placement = &self.modules.placement;
        let mut from = placement.embedding;
        let runs = |block| std::iter::repeat_n(block, self.runs_per_block);
        for (index, layer) in self.modules.layers.iter().enumerate().flat_map(runs) {
            let gpu = placement.layer(index);
            let own = own_inputs.as_ref().map(|all| t.slice(all, all.numel / self.modules.layers.len().max(1) as u64));
            let call = BlockCall {
                batch,
                checkpointing: if train { setup.checkpointing } else { Checkpointing::None },
                gpus: [from, gpu],
                homes: [placement.embedding, placement.final_norm],
            };
            let starts = checkpoints && train && setup.trained.as_ref().is_some_and(|parts| parts.starts_at_block);
            let x = if starts && self.trains_block(t, index) { hidden.requiring_grad() } else { hidden };
            // A block that runs again finds the copies of its weights that autocast keeps, and adds to its gradients.
            let planned = (self.runs_per_block == 1)
                .then(|| self.plans.run(t, &self.modules, (index, layer), (&x, &shared), call))
                .flatten();
            hidden = planned.unwrap_or_else(|| run_block(t, (&x, own), layer, &shared, call));
            from = gpu;
            // DeBERTa asks its encoder for the states of all blocks.
            if self.modules.distances.is_some() {
                names.push(hidden.clone());
            }
        }
        t.set_site(Site { phase, layer: 0, name: &NORM });
        t.set_gpu(from);
        let hidden = t.move_to(&hidden, placement.final_norm);
        let hidden = match &streams {
            Some((module, named)) => {
                let width = named.first().map_or(hidden.width, |first| first.width);
                alternating::close(t, &hidden, module, (self.hidden, width))
            }
            None => hidden,
        };
        let last = match &self.modules.final_norm {
            Some(module) => norm(t, &hidden, module),
            None => hidden,
        };
        // XLNet keeps tokens before rows until here.
        let last = if self.shape.dropout_behind { t.contiguous(t.dropout(last)) } else { last };
        drop((names, own_inputs, streams));
        let last = match &self.modules.projections[1] {
            Some(back) => linear(t, &last, back),
            None => last,
        };
        t.move_to(&last, placement.head)
    }

    /// Whether something of a block is trained.
    fn trains_block(&self, t: &Tape, index: usize) -> bool {
        let mut params = self.modules.blocks.get(index).into_iter().flatten();
        params.any(|id| t.with_param(*id, |param| param.trainable))
    }

    /// What is done to logits before a loss sees them: capped (Gemma 2), multiplied by a number (Cohere, Granite).
    pub(crate) fn finish_logits(&self, t: &Tape, logits: Tensor) -> Tensor {
        let mut logits = logits;
        if self.head.softcap {
            logits = t.div_scalar(logits);
            logits = t.unary_saving_output(logits);
            logits = t.mul(logits, Operand::Scalar);
        }
        if self.head.scaled {
            logits = t.mul(logits, Operand::Scalar);
        }
        logits
    }

    pub(super) fn shared(&self, t: &Tape, hidden: &Tensor, batch: Batch, setup: &Setup) -> SharedInputs {
        let layers = &self.modules.layers;
        let mut masks: Vec<(Option<u64>, Option<Tensor>)> = Vec::new();
        for window in layers.iter().map(|layer| layer.shape.attention.window) {
            if !masks.iter().any(|(known, _)| *known == window) {
                masks.push((window, self.mask(t, hidden.width, window, batch, setup)));
            }
        }
        // The tables of angles are computed where the last norm is.
        t.set_gpu(self.modules.placement.final_norm);
        let mut angles = Vec::new();
        for rotary in layers.iter().filter_map(|layer| layer.shape.attention.rotary) {
            if !angles.iter().any(|(known, _)| *known == rotary) {
                angles.push((rotary, rotary::angles(t, batch.seq_len, rotary, hidden.width)));
            }
        }
        t.set_gpu(self.modules.placement.embedding);
        let distances = self.modules.distances.as_ref().map(|(table, module)| {
            let padding = if setup.padding_mask { 8 } else { 4 };
            deberta::distances(t, *table, module.as_ref(), batch, padding)
        });
        let heads = layers.first().map_or(1, |layer| layer.shape.attention.heads);
        let bias = self.modules.shared_bias.map(|table| mpnet::bias(t, table, heads, batch));
        let (kernel, padded) = (setup.attention, setup.padding_mask);
        let segments = layers.iter().any(|layer| matches!(layer.attention.projections, Projections::Segments(_)));
        let segments = segments.then(|| xlnet::inputs(t, self.hidden, batch));
        SharedInputs { angles, masks, kernel, padded, lent: Lent::default(), distances, bias, segments }
    }

    /// The mask of the blocks that see `window` tokens back (transformers 5.23, `masking_utils.py`): the fused kernels need none
    /// while every token is seen.
    fn mask(&self, t: &Tape, width: u64, window: Option<u64>, batch: Batch, setup: &Setup) -> Option<Tensor> {
        let written = self.modules.layers.iter().any(|layer| layer.shape.attention.materializes_scores());
        let biased = self
            .modules
            .layers
            .iter()
            .map(|layer| layer.shape.attention)
            .find(|attention| attention.alibi && attention.always_masked);
        let shares_bias = self.modules.shared_bias.is_some();
        let always = self.modules.layers.iter().any(|layer| layer.shape.attention.always_masked);
        let one = batch.seq_len * batch.seq_len;
        match setup.attention {
            // Falcon adds ALiBi to its mask: one value per head.
            _ if biased.is_some() => biased.map(|attention| t.empty(batch.size * attention.heads * one, width)),
            _ if shares_bias => setup.padding_mask.then(|| t.empty(batch.size * one, width)),
            Kernel::Sdpa if written && self.causal => Some(t.empty(batch.size * one, width)),
            Kernel::Eager if self.causal || setup.padding_mask => Some(t.empty(batch.size * one, width)),
            Kernel::Sdpa if setup.padding_mask => Some(t.empty(batch.size * one, 1)),
            Kernel::Sdpa if always || window.is_some_and(|window| batch.seq_len >= window) => Some(t.empty(one, 1)),
            _ => None,
        }
    }
}

/// A part of a block: hidden states in, hidden states out.
type Forward<'a> = &'a dyn Fn(&Tape, &Tensor) -> Tensor;

/// Experts beside the MLP of a block.
type Beside<'a> = Option<(&'a Experts, &'a BesideModule)>;

/// Rows of a table, looked up by a module of their own.
pub(super) fn lookup(t: &Tape, table: ParamId, ids: &Tensor, (rows, columns): (u64, u64)) -> Tensor {
    t.module(Module::leaf([Some(table)]), ids, |t, ids| {
        let table = t.weight(table);
        t.embedding(ids, &table, rows, columns)
    })
}

/// One block as a module, under its checkpoint.
pub(super) fn run_block(
    t: &Tape,
    (x, own): (&Tensor, Option<Tensor>),
    layer: &LayerModule,
    shared: &Rc<SharedInputs>,
    call: BlockCall,
) -> Tensor {
    let number = layer.number;
    let body: BlockFn = {
        let (layer, shared, [from, gpu]) = (layer.clone(), Rc::clone(shared), call.gpus);
        Rc::new(move |t: &Tape, x: &Tensor| {
            t.set_gpu(from);
            let x = t.move_to(x, gpu);
            let own = own.as_ref().map(|own| t.move_to(own, gpu));
            match shared.moved(t, &layer.shape.attention, call.homes) {
                Some(shared) => block(t, (&x, own.as_ref()), &layer, call.batch, &shared),
                None => block(t, (&x, own.as_ref()), &layer, call.batch, &shared),
            }
        })
    };
    t.module(Module::Block(number), x, |t, x| match call.checkpointing {
        Checkpointing::None => body(t, x),
        kind => t.checkpoint(&body, x.clone(), kind),
    })
}

/// One block.
fn block(t: &Tape, (x, own): (&Tensor, Option<&Tensor>), layer: &LayerModule, batch: Batch, shared: &SharedInputs) -> Tensor {
    let site = |name| Site {
        phase: match t.site().phase {
            phase @ (Phase::Forward | Phase::Generate) => phase,
            _ => Phase::Backward,
        },
        layer: layer.number,
        name,
    };
    let attend = |t: &Tape, x: &Tensor| {
        t.set_site(site(&ATTENTION));
        attention(t, x, &layer.attention, &layer.shape.attention, batch, shared)
    };
    let feed = |t: &Tape, x: &Tensor| {
        t.set_site(site(&MLP));
        mlp(t, x, &layer.mlp, &layer.shape.mlp, x.numel / batch.tokens().max(1))
    };
    t.set_site(site(&ATTENTION));
    if let (Projections::Segments(module), Some(inputs)) = (&layer.attention.projections, &shared.segments) {
        let hidden = xlnet::attend(t, x, (module, &layer.attention.out, &layer.norms[0]), &layer.shape, inputs, batch);
        t.set_site(site(&MLP));
        return xlnet::feed(t, &hidden, layer);
    }
    if let Some(module) = &layer.alternating {
        return alternating::block(t, (x, own), layer, module, &attend, &feed);
    }
    let out = join(t, x, layer, &attend, &feed);
    if layer.shape.own_input.is_none() {
        return out;
    }
    let out = match own.zip(layer.per_layer.as_ref()) {
        Some((own, module)) => t.add(&out, per_layer::added(t, &out, own, module)),
        None => out,
    };
    t.scale_in_place(&out)
}

/// Attention and MLP joined with the residual stream. Scopes are those of the `forward` of the decoder layers of transformers
/// 5.23: what Python reassigns lives until the call that replaces it returns.
fn join(t: &Tape, x: &Tensor, layer: &LayerModule, attend: Forward<'_>, feed: Forward<'_>) -> Tensor {
    let shape = &layer.shape;
    let norms = &layer.norms;
    match shape.order {
        Order::Pre => {
            let half = |x: &Tensor, before: &NormModule, part: Forward<'_>, vector: Option<ParamId>| {
                let out = part(t, &norm(t, x, before));
                let out = match vector {
                    Some(vector) => t.mul(&out, Operand::Rows(&t.weight(vector))),
                    None => out,
                };
                add_residual(t, x, out, shape)
            };
            let [first, second] = layer.vectors.map_or([None, None], |vectors| vectors.map(Some));
            let hidden = half(x, &norms[0], attend, first);
            half(&hidden, &norms[1], feed, second)
        }
        Order::PreSkipFirst => {
            let hidden = add_residual(t, x, attend(t, x), shape);
            let out = feed(t, &norm(t, &hidden, &norms[0]));
            add_residual(t, &hidden, out, shape)
        }
        Order::Post { dropped, keeps_activation: keeps } => {
            // What was dropped has a name until the norm has run.
            let half = |x: &Tensor, part: Forward<'_>, behind: &NormModule, dropout: bool| {
                let out = part(t, x);
                let out = if dropout { t.dropout(out) } else { out };
                norm(t, &t.add(x, &out), behind)
            };
            let hidden = half(x, attend, &norms[0], shape.dropout && dropped != Dropped::Mlp);
            if let (true, MlpModule::Plain { up, down, own: None }, Mlp::Plain { activation, .. }) =
                (keeps, &layer.mlp, &shape.mlp)
            {
                t.set_site(Site { name: &MLP, ..t.site() });
                let inner = activate(t, linear(t, &hidden, up), *activation);
                return half(&hidden, &|t, _| linear(t, &inner, down), &norms[1], shape.dropout);
            }
            half(&hidden, feed, &norms[1], shape.dropout && dropped != Dropped::Attention)
        }
        Order::Sandwich => {
            let half = |x: &Tensor, before: &NormModule, part: Forward<'_>, behind: &NormModule, beside: Beside<'_>| {
                let out = part(t, &norm(t, x, before));
                let out = match beside {
                    Some((shape, module)) => beside_experts::joined(t, x, &out, shape, module),
                    None => out,
                };
                let out = norm(t, &out, behind);
                add_residual(t, x, out, shape)
            };
            let hidden = half(x, &norms[0], attend, &norms[1], None);
            half(&hidden, &norms[2], feed, &norms[3], layer.shape.beside.as_ref().zip(layer.beside.as_ref()))
        }
        Order::Alternating { .. } => unreachable!("streams have a block of their own"),
        Order::PostInResidual => {
            let half = |x: &Tensor, part: Forward<'_>, behind: &NormModule| {
                let out = norm(t, &part(t, x), behind);
                add_residual(t, x, out, shape)
            };
            let hidden = half(x, attend, &norms[0]);
            half(&hidden, feed, &norms[1])
        }
        Order::Parallel { norms: count, in_place } => {
            let first = norm(t, x, &norms[0]);
            let early = (in_place && count > 1).then(|| norm(t, x, &norms[1]));
            let attended = attend(t, &first);
            let attended = if shape.dropout { t.dropout(attended) } else { attended };
            let fed = match (early, count) {
                (Some(second), _) => feed(t, &second),
                (None, 1) => feed(t, &first),
                (None, _) => {
                    drop(first);
                    feed(t, &norm(t, x, &norms[1]))
                }
            };
            let fed = if shape.dropout { t.dropout(fed) } else { fed };
            let both = if in_place { t.add_in_place(fed, &attended) } else { t.add(&attended, &fed) };
            t.add(both, x)
        }
    }
}

/// `x + out`, after applying dropout and the residual multiplier to `out`.
fn add_residual(t: &Tape, x: &Tensor, out: Tensor, shape: &Layer) -> Tensor {
    let out = if shape.dropout { t.dropout(out) } else { out };
    if shape.scaled {
        let scaled = t.mul(&out, Operand::Scalar);
        return t.add(x, scaled);
    }
    t.add(x, out)
}
