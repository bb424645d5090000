//! TRL 1.16's fused head (`trl/kernels/chunked_logprob.py`): logits exist one tile at a time.

use crate::estimate::Part;
use crate::model::{Batch, Model};
use crate::tape::{ParamId, Tape, Tensor};

/// Rows of a tile (`TOKEN_CHUNK_SIZE`).
const TILE_ROWS: u64 = 4096;
/// Columns of a tile (`_CHUNKED_LOGPROB_CHUNK_SIZE`).
const TILE_COLUMNS: u64 = 32768;

/// Log-probabilities of every next token. Rows whose label is masked are left out by TRL; here all count.
pub(super) fn log_probs(t: &Tape, hidden: Tensor, weight: ParamId, model: &Model, batch: Batch) -> Tensor {
    let rows = batch.size * (batch.seq_len - 1);
    let width = t.autocast_width().unwrap_or(hidden.width);
    let head = t.weight(weight);
    let picked = pick(t, &hidden, rows, model.hidden);
    let targets = t.empty(rows, 8);
    let tile = rows.min(TILE_ROWS) * TILE_COLUMNS;
    let numbers = |t: &Tape| t.empty(rows, 4);
    let (maximum, sum, entropy_sum, squares, total, before, target) =
        (numbers(t), numbers(t), numbers(t), numbers(t), numbers(t), numbers(t), numbers(t));
    let buffer = t.empty_as(tile, width, Part::Logits);
    let last = for_each_tile(t, [(rows, picked.numel, picked.width), (model.vocab, head.numel, head.width)], width, false);
    let log_z = numbers(t);
    let out = numbers(t);
    let entropy = numbers(t);
    let kept = t
        .records(&[&picked, &head])
        .then(|| (t.save(&picked), t.save(&head), t.save(&targets), t.save(&log_z), t.save(&entropy)));
    drop((maximum, sum, entropy_sum, squares, total, before, target, last, buffer));
    let (needs_hidden, needs_weight) = (picked.requires_grad(), head.requires_grad());
    let (hidden_numel, hidden_width) = (picked.numel, picked.width);
    let (weight_numel, weight_width, vocab) = (head.numel, head.width, model.vocab);
    let out = t.record(&[&picked, &head], out, move |tape, grad| {
        let to_hidden = needs_hidden.then(|| tape.empty(hidden_numel, 4));
        let to_weight = needs_weight.then(|| tape.empty(weight_numel, 4));
        let buffer = tape.empty_as(tile, width, Part::Logits);
        let last = for_each_tile(tape, [(rows, hidden_numel, hidden_width), (vocab, weight_numel, weight_width)], width, true);
        let cast =
            |x: Option<Tensor>, width: u64| x.map(|x| (if width == 4 { x.clone() } else { tape.empty(x.numel, width) }, x));
        let (hidden, weight) = (cast(to_hidden, hidden_width), cast(to_weight, weight_width));
        let hidden = hidden.map(|(out, wide)| {
            drop(wide);
            out
        });
        let weight = weight.map(|(out, wide)| {
            drop(wide);
            out
        });
        drop((last, buffer, grad, kept));
        vec![hidden, weight]
    });
    drop((hidden, picked, head, targets));
    out
}

/// `hidden[mask]`: a copy; backward writes into zeros, then the slice into zeros again.
fn pick(t: &Tape, hidden: &Tensor, rows: u64, columns: u64) -> Tensor {
    let sliced = t.slice(hidden, rows * columns);
    let indices = (t.empty(rows, 8), t.empty(rows, 8));
    let kept = t.records(&[&sliced]).then(|| (t.save(&indices.0), t.save(&indices.1)));
    let out = t.empty(rows * columns, hidden.width);
    drop(indices);
    t.record(&[&sliced], out, move |tape, grad| {
        let out = tape.empty(rows * columns, grad.width);
        // Indices are linearized and sorted.
        let linear = tape.empty(rows, 8);
        drop((tape.empty(rows, 8), tape.empty(rows, 8), tape.empty(rows, 8), linear));
        drop((grad, kept));
        vec![Some(out)]
    })
}

/// The products of all tiles of rows and columns. `sides` are hidden states and weight: how many rows or columns, elements, bytes of each.
/// Pieces of another type than `width` are converted. The next piece exists before the name of the last is bound anew; the forward, unlike
/// backward, does not name pieces of the weight. Returns the pieces that are still named.
fn for_each_tile(t: &Tape, sides: [(u64, u64, u64); 2], width: u64, names_both: bool) -> [Option<Tensor>; 2] {
    let [(rows, hidden, hidden_width), (vocab, weight, weight_width)] = sides;
    let piece = |from: u64, size: u64, all: u64, numel: u64| {
        let length = size.min(all - from);
        t.empty(length * numel / all.max(1), width)
    };
    let (mut chunk, mut part) = (None, None);
    for row in (0..rows).step_by(step(TILE_ROWS)) {
        if hidden_width != width {
            let next = piece(row, TILE_ROWS, rows, hidden);
            chunk = Some(next);
        }
        for column in (0..vocab).step_by(step(TILE_COLUMNS)) {
            if weight_width != width {
                let next = piece(column, TILE_COLUMNS, vocab, weight);
                part = Some(next);
            }
            t.workspace(t.device.cublas);
            if !names_both {
                part = None;
            }
        }
    }
    [chunk, part]
}

fn step(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}
