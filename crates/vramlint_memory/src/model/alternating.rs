//! Several streams of hidden states, of which a block computes one and predicts the others (transformers 5.23, `Gemma3nTextAltUp`,
//! `Gemma3nTextLaurelBlock`, `Gemma3nTextDecoderLayer`, `Gemma3nTextModel`).

use super::linear::linear;
use super::modules::{LayerModule, LinearModule, NormModule};
use super::norm::norm;
use super::per_layer;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// What makes streams of embeddings, and one of them in the end.
#[derive(Clone, Debug)]
pub(crate) struct StreamsModule {
    pub(crate) into: Vec<LinearModule>,
    pub(crate) back: Vec<LinearModule>,
}

/// The part of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlternatingBlock {
    pub(crate) streams: u64,
    pub(crate) scale: ParamId,
    pub(crate) correction: LinearModule,
    pub(crate) prediction: LinearModule,
    pub(crate) router: LinearModule,
    pub(crate) router_norm: NormModule,
    pub(crate) laurel: [LinearModule; 2],
    pub(crate) laurel_norm: NormModule,
}

/// A part of a block: hidden states in, hidden states out.
type Forward<'a> = &'a dyn Fn(&Tape, &Tensor) -> Tensor;

/// The root of the mean square of each row; autocast runs the square in fp32.
fn magnitude(t: &Tape, x: &Tensor, columns: u64) -> Tensor {
    let square = if t.autocast_width().is_some() { t.square(t.cast(x, 4)) } else { t.square(x) };
    let mean = t.mean_last(square, x.numel / columns.max(1));
    t.unary_saving_output(mean)
}

/// `torch.stack`, whose parts autocast casts to the widest type.
fn stack(t: &Tape, parts: &[Tensor]) -> Tensor {
    let width = parts.iter().map(|part| part.width).max().unwrap_or(2);
    let parts: Vec<Tensor> = parts.iter().map(|part| t.cast(part, width)).collect();
    t.cat(&parts.iter().collect::<Vec<_>>())
}

/// `projection(x) * target / magnitude`.
fn at_magnitude(t: &Tape, x: &Tensor, projection: &LinearModule, target: &Tensor, (columns, width): (u64, u64)) -> Tensor {
    let projected = t.cast(linear(t, x, projection), width);
    let own = magnitude(t, &projected, columns);
    t.divide(&t.mul(&projected, Operand::Columns(target)), &own)
}

/// Embeddings as streams, and what is named until the forward returns.
pub(super) fn open(t: &Tape, x: &Tensor, module: &StreamsModule, columns: u64) -> (Tensor, Vec<Tensor>) {
    let target = magnitude(t, x, columns);
    let mut all = vec![x.clone()];
    all.extend(module.into.iter().map(|into| at_magnitude(t, x, into, &target, (columns, x.width))));
    let stacked = stack(t, &all);
    (stacked, all)
}

/// One stream of all.
pub(super) fn close(t: &Tape, x: &Tensor, module: &StreamsModule, (columns, width): (u64, u64)) -> Tensor {
    let one = x.numel / (module.back.len() as u64 + 1);
    let first = t.slice(x, one);
    let target = magnitude(t, &first, columns);
    let mut all = vec![first];
    all.extend(module.back.iter().map(|back| at_magnitude(t, &t.slice(x, one), back, &target, (columns, width))));
    let stacked = stack(t, &all);
    t.sum_dim(&stacked, one)
}

/// A number for each stream of a token.
fn route(t: &Tape, x: &Tensor, module: &AlternatingBlock) -> Tensor {
    let scaled = t.mul(norm(t, x, &module.router_norm), Operand::Scalar);
    let routed = linear(t, &scaled, &module.router);
    let open = t.unary_saving_output(t.cast(&routed, 4));
    t.cast(open, x.width)
}

/// A block over all streams. Everything that it names lives until it returns.
pub(super) fn block(
    t: &Tape,
    (x, own): (&Tensor, Option<&Tensor>),
    layer: &LayerModule,
    module: &AlternatingBlock,
    attend: Forward<'_>,
    feed: Forward<'_>,
) -> Tensor {
    let one = x.numel / module.streams.max(1);
    let norms = &layer.norms;
    let predictions = {
        let routed = route(t, &t.slice(x, one), module);
        let coefficients = linear(t, &routed, &module.prediction);
        let width = t.autocast_width().unwrap_or(x.width);
        let product = t.bmm(t.cast(x, width), t.cast(coefficients, width), x.numel);
        let sum = t.add_in_place(product, x);
        t.cast(t.contiguous(sum), x.width)
    };
    let active = t.slice(&predictions, one);
    let normed = norm(t, &active, &norms[0]);
    let laurel = {
        let low = linear(t, &normed, &module.laurel[0]);
        let high = linear(t, &low, &module.laurel[1]);
        let learned = norm(t, &high, &module.laurel_norm);
        t.add(&normed, &learned)
    };
    let attended = norm(t, &attend(t, &normed), &norms[1]);
    let gated = t.add(&active, &attended);
    let joined = t.mul(t.add(&gated, &laurel), Operand::Scalar);
    let before = norm(t, &joined, &norms[2]);
    let fed = feed(t, &before);
    let fed_normed = norm(t, &fed, &norms[3]);
    let activated = t.add(&joined, &fed_normed);
    let corrected = {
        let routed = route(t, &activated, module);
        let innovation = t.add(&activated, t.slice(&predictions, one));
        let repeated = t.repeat(&innovation, module.streams);
        let coefficients = t.add_broadcast(linear(t, &routed, &module.correction), Operand::Scalar);
        let product = t.mul(&repeated, Operand::Columns(&coefficients));
        t.add_in_place(product, &predictions)
    };
    let Some((input, end)) = own.zip(layer.per_layer.as_ref()) else { return corrected };
    let first = t.contiguous(t.slice(&corrected, one));
    let scale = t.weight(module.scale);
    let scaled = t.cast(t.mul(t.cast(&first, scale.width), Operand::Rows(&scale)), first.width);
    drop(first);
    let added = per_layer::added(t, &scaled, input, end);
    let out = t.add_to_part(&corrected, &added);
    drop((predictions, active, normed, laurel, attended, gated, joined, before, fed, fed_normed, activated));
    out
}
