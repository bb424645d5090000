//! Rotary position embedding.

use crate::tape::{Other, Tape, Tensor};

/// Cosines and sines of every position, made once in a forward.
pub(crate) struct Angles {
    pub(crate) cos: Tensor,
    pub(crate) sin: Tensor,
}

/// The tables for `rows` positions of `columns`, in a type of `width` bytes.
pub(crate) fn angles(t: &Tape, rows: u64, columns: u64, width: u64) -> Angles {
    t.no_grad(|t| {
        let half = {
            let positions = t.empty(rows, 4);
            let half = t.empty(rows * columns / 2, 4);
            drop(positions);
            half
        };
        let all = t.empty(rows * columns, 4);
        let cos = t.mul(t.empty(rows * columns, 4), Other::Scalar);
        let sin = t.mul(t.empty(rows * columns, 4), Other::Scalar);
        let tables = Angles { cos: t.cast(&cos, width), sin: t.cast(&sin, width) };
        drop((half, all));
        tables
    })
}

/// `x * cos + rotate_half(x) * sin` for one of queries and keys.
pub(crate) fn turn(t: &Tape, x: &Tensor, angles: &Angles) -> Tensor {
    let left = t.mul(x, Other::Rows(&angles.cos));
    let right = {
        let half = x.numel / 2;
        let (first, second) = (t.slice(x, half), t.slice(x, half));
        let turned = t.neg(second);
        t.cat(&[&turned, &first])
    };
    let right = t.mul(right, Other::Rows(&angles.sin));
    t.add(left, right)
}
