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
    run_tiles(t, &picked, &head, width, model.vocab, rows);
    let log_z = numbers(t);
    let out = numbers(t);
    let entropy = numbers(t);
    let kept = t
        .records(&[&picked, &head])
        .then(|| (t.save(&picked), t.save(&head), t.save(&targets), t.save(&log_z), t.save(&entropy)));
    drop((maximum, sum, entropy_sum, squares, total, before, target, buffer));
    let (needs_hidden, needs_weight) = (picked.requires_grad(), head.requires_grad());
    let (hidden_numel, hidden_width) = (picked.numel, picked.width);
    let (weight_numel, weight_width, vocab) = (head.numel, head.width, model.vocab);
    let out = t.record(&[&picked, &head], out, move |tape, grad| {
        let to_hidden = needs_hidden.then(|| tape.empty(hidden_numel, 4));
        let to_weight = needs_weight.then(|| tape.empty(weight_numel, 4));
        let buffer = tape.empty_as(tile, width, Part::Logits);
        // Names are bound anew while the last piece still lives: two pieces from the second on.
        let pair = |size: u64, all: u64| [size.min(all), size.min(all.saturating_sub(size))];
        let pieces = |sizes: [u64; 2], numel: u64, all: u64| {
            let kept = sizes.into_iter().filter(|size| *size > 0);
            kept.map(|size| tape.empty(size * numel / all.max(1), width)).collect::<Vec<Tensor>>()
        };
        let chunk = (hidden_width != width).then(|| pieces(pair(TILE_ROWS, rows), hidden_numel, rows));
        let part = (weight_width != width).then(|| pieces(pair(TILE_COLUMNS, vocab), weight_numel, vocab));
        tape.workspace(tape.device.cublas);
        let cast =
            |x: Option<Tensor>, width: u64| x.map(|x| (if width == 4 { x.clone() } else { tape.empty(x.numel, width) }, x));
        let (hidden, weight) = (cast(to_hidden, hidden_width), cast(to_weight, weight_width));
        drop((chunk, part));
        let hidden = hidden.map(|(out, wide)| {
            drop(wide);
            out
        });
        let weight = weight.map(|(out, wide)| {
            drop(wide);
            out
        });
        drop((buffer, grad, kept));
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

fn run_tiles(t: &Tape, hidden: &Tensor, weight: &Tensor, width: u64, vocab: u64, rows: u64) {
    let chunk = (hidden.width != width).then(|| t.empty(rows.min(TILE_ROWS) * hidden.numel / rows.max(1), width));
    let columns = vocab.min(TILE_COLUMNS);
    let part = (weight.width != width).then(|| t.empty(columns * weight.numel / vocab.max(1), width));
    t.workspace(t.device.cublas);
    drop((chunk, part));
}
