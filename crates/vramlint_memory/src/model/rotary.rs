//! Rotary position embedding.

use super::batch::Batch;
use crate::arch::{Rotary, RotaryJoin, RotaryTables};
use crate::tape::{Operand, Tape, Tensor};

/// Cosines and sines of every position.
#[derive(Clone)]
pub(crate) struct Angles {
    pub(crate) cos: Tensor,
    pub(crate) sin: Tensor,
}

/// The tables that all blocks share, in a type of `width` bytes. Models with stored tables read them in each block instead.
pub(crate) fn angles(t: &Tape, rows: u64, rotary: Rotary, width: u64) -> Angles {
    let columns = rotary.columns;
    t.no_grad(|t| {
        if matches!(rotary.tables, RotaryTables::Stored { .. }) {
            return Angles { cos: t.empty_tensor(), sin: t.empty_tensor() };
        }
        if rotary.tables == RotaryTables::Complex {
            return complex(t, rows * columns / 2);
        }
        let width = if matches!(rotary.tables, RotaryTables::Fp32 | RotaryTables::Repeated { fp32: true }) { 4 } else { width };
        let half = {
            let positions = t.empty(rows, 4);
            let half = t.empty(rows * columns / 2, 4);
            drop(positions);
            half
        };
        // gpt-oss does not repeat its angles.
        let half_wide = rotary.tables == RotaryTables::Half;
        let all = if half_wide { half.clone() } else { t.empty(rows * columns, 4) };
        let cos = t.mul(t.empty(all.numel, 4), Operand::Scalar);
        let sin = t.mul(t.empty(all.numel, 4), Operand::Scalar);
        let tables = Angles { cos: t.cast(&cos, width), sin: t.cast(&sin, width) };
        drop((half, all));
        tables
    })
}

/// `apply_rotary_pos_emb` of a family. `head_dim` is the width of a head.
pub(crate) fn turn(
    t: &Tape,
    (q, k): (&Tensor, &Tensor),
    rotary: Rotary,
    angles: &Angles,
    head_dim: u64,
    batch: Batch,
) -> (Tensor, Tensor) {
    let angles = match rotary.tables {
        RotaryTables::Cast | RotaryTables::CastTwice | RotaryTables::Fp32 => angles.clone(),
        RotaryTables::Half | RotaryTables::Complex => return turn_parts(t, (q, k), rotary, angles),
        RotaryTables::Repeated { .. } => repeated(t, &angles.cos, angles.cos.numel),
        RotaryTables::Stored { .. } => return stored(t, (q, k), rotary, head_dim, batch),
    };
    let cut = |x: &Tensor| {
        let turned = x.numel / head_dim.max(1) * rotary.columns;
        // A slice of everything is the tensor itself (torch, `applySlice`); one of nothing is still a slice.
        let first = if turned == x.numel { x.clone() } else { t.slice(x, turned) };
        (first, t.slice(x, x.numel - turned))
    };
    match rotary.parts {
        RotaryJoin::Whole => {
            let (left, right) = if rotary.fp32 && rotary.tables == RotaryTables::Cast {
                // Cohere casts both before rotating.
                let (wide_q, wide_k) = (t.cast(q, 4), t.cast(k, 4));
                (rotate(t, &wide_q, rotary, &angles), rotate(t, &wide_k, rotary, &angles))
            } else {
                (rotate(t, q, rotary, &angles), rotate(t, k, rotary, &angles))
            };
            if rotary.tables == RotaryTables::Cast && !rotary.fp32 {
                // Under autocast with fp32 weights the tables are fp32, and so is what they turn.
                return (left, right);
            }
            (t.cast(left, q.width), t.cast(right, k.width))
        }
        RotaryJoin::OneByOne => {
            let ((first_q, rest_q), (first_k, rest_k)) = (cut(q), cut(k));
            let left = t.cat(&[&rotate(t, &first_q, rotary, &angles), &rest_q]);
            let right = t.cat(&[&rotate(t, &first_k, rotary, &angles), &rest_k]);
            (left, right)
        }
        RotaryJoin::Together => {
            let ((first_q, rest_q), (first_k, rest_k)) = (cut(q), cut(k));
            let (left, right) = (rotate(t, &first_q, rotary, &angles), rotate(t, &first_k, rotary, &angles));
            let joined = t.cat(&[&left, &rest_q]);
            (joined, t.cat(&[&right, &rest_k]))
        }
    }
}

/// One of queries and keys, whose columns are all rotated.
pub(super) fn turn_one(t: &Tape, x: &Tensor, rotary: Rotary, angles: &Angles) -> Tensor {
    t.cast(rotate(t, x, rotary, angles), x.width)
}

/// Angles as complex values in fp32: `numel` of them.
fn complex(t: &Tape, numel: u64) -> Angles {
    let angles = t.empty(numel, 4);
    let table = {
        let ones = t.empty(numel, 4);
        let polar = t.empty(numel, 8);
        drop(ones);
        t.mul(polar, Operand::Scalar)
    };
    drop(angles);
    Angles { cos: table, sin: t.empty_tensor() }
}

/// Queries and keys whose columns are all rotated: by halves, by neighbouring pairs one at a time, or as complex values.
pub(super) fn turn_parts(t: &Tape, (q, k): (&Tensor, &Tensor), rotary: Rotary, angles: &Angles) -> (Tensor, Tensor) {
    if rotary.tables == RotaryTables::Complex {
        let (wide_q, wide_k) = (t.cast(q, 4), t.cast(k, 4));
        if rotary.parts == RotaryJoin::Whole {
            // Llama 4 casts both back at the end.
            let (left, right) = (t.complex_mul(&wide_q, &angles.cos), t.complex_mul(&wide_k, &angles.cos));
            return (t.cast(&left, q.width), t.cast(&right, k.width));
        }
        // The heads of the queries come back in front of the tokens.
        let seen = t.view_with_grad_copy(&wide_q);
        let left = t.cast(t.complex_mul(&seen, &angles.cos), q.width);
        let right = t.cast(t.complex_mul(&wide_k, &angles.cos), k.width);
        return (left, right);
    }
    if !rotary.interleaved && rotary.tables != RotaryTables::Half {
        return (rotate(t, q, rotary, angles), rotate(t, k, rotary, angles));
    }
    let one = |x: &Tensor| {
        let half = x.numel / 2;
        let parts = match rotary.tables {
            RotaryTables::Half => t.split(x, &[half, half]),
            _ => vec![t.slice(x, half), t.slice(x, half)],
        };
        let times = |part: usize, table: &Tensor| t.mul(&parts[part], Operand::Rows(table));
        let first = t.add(times(0, &angles.cos), times(1, &angles.sin));
        let second = t.add(times(1, &angles.cos), times(0, &angles.sin));
        t.cat(&[&first, &second])
    };
    let left = one(q);
    (left, one(k))
}

/// `repeat_interleave(2)` of half of each table: `numel` elements each.
fn repeated(t: &Tape, like: &Tensor, numel: u64) -> Angles {
    t.no_grad(|t| Angles { cos: t.empty(numel, like.width), sin: t.empty(numel, like.width) })
}

/// GPT-J: rows of its table are picked in each block, and repeated for keys and for queries.
fn stored(t: &Tape, (q, k): (&Tensor, &Tensor), rotary: Rotary, head_dim: u64, batch: Batch) -> (Tensor, Tensor) {
    let numel = batch.seq_len * rotary.columns;
    let rows = t.no_grad(|t| {
        let positions = t.empty(numel, 8);
        let picked = t.empty(numel, 4);
        let keep = matches!(rotary.tables, RotaryTables::Stored { fp32: true, .. });
        let rows = if keep { picked } else { t.cast(&picked, k.width) };
        drop(positions);
        rows
    });
    let one = |x: &Tensor| {
        let angles = repeated(t, &rows, numel);
        if rotary.parts == RotaryJoin::Whole {
            return rotate(t, x, rotary, &angles);
        }
        let turned = x.numel / head_dim.max(1) * rotary.columns;
        let (first, rest) = (t.slice(x, turned), t.slice(x, x.numel - turned));
        let turned = rotate(t, &first, rotary, &angles);
        t.cat(&[&turned, &rest])
    };
    let right = one(k);
    (one(q), right)
}

/// `x * cos + rotate_half(x) * sin`. Halves and neighbouring pairs need the same memory.
fn rotate(t: &Tape, x: &Tensor, rotary: Rotary, angles: &Angles) -> Tensor {
    // ERNIE converts each operand.
    let wide = |x: Tensor| if rotary.fp32 { t.cast(x, 4) } else { x };
    let left = t.mul(wide(x.clone()), Operand::Rows(&angles.cos));
    let right = {
        let half = x.numel / 2;
        let x = if rotary.tables == RotaryTables::CastTwice { wide(x.clone()) } else { x.clone() };
        let (first, second) = (t.slice(&x, half), t.slice(&x, half));
        let turned = t.neg(second);
        t.cat(&[&turned, &first])
    };
    let right = t.mul(wide(right), Operand::Rows(&angles.sin));
    t.add(left, right)
}
