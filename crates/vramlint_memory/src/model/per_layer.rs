//! Embeddings that every block has for itself, and their part in a block (transformers 5.23, `Gemma4TextModel`).

use super::activation::activate;
use super::batch::Batch;
use super::decoder::lookup;
use super::linear::linear;
use super::modules::{LinearModule, NormModule};
use super::norm::norm;
use crate::arch::Activation;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// One table for all blocks, and what the embeddings of tokens add to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerLayerModule {
    pub(crate) table: ParamId,
    /// Columns of all blocks together.
    pub(crate) columns: u64,
    pub(crate) projection: LinearModule,
    pub(crate) norm: NormModule,
}

/// The part of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerLayerBlock {
    pub(crate) gate: LinearModule,
    pub(crate) projection: LinearModule,
    pub(crate) norm: NormModule,
}

/// The inputs of all blocks.
pub(super) fn inputs(t: &Tape, module: &PerLayerModule, ids: &Tensor, hidden: &Tensor, batch: Batch) -> Tensor {
    let rows = {
        let rows = lookup(t, module.table, ids, (batch.tokens(), module.columns));
        t.mul(rows, Operand::Scalar)
    };
    let projected = t.mul(linear(t, hidden, &module.projection), Operand::Scalar);
    let projected = norm(t, &projected, &module.norm);
    t.mul(t.add(projected, &rows), Operand::Scalar)
}

/// What a block adds to its hidden states: gated by its own input.
pub(super) fn added(t: &Tape, hidden: &Tensor, input: &Tensor, block: &PerLayerBlock) -> Tensor {
    let gate = activate(t, linear(t, hidden, &block.gate), Activation::Kernel);
    let gated = t.mul(gate, Operand::Same(input));
    let out = linear(t, &gated, &block.projection);
    drop(gated);
    norm(t, &out, &block.norm)
}
