//! From token ids to what the first block sees.

use super::batch::Batch;
use super::decoder::{Model, lookup};
use super::linear::linear;
use super::norm::norm;
use super::per_layer;
use super::shared::SharedInputs;
use crate::estimate::Part;
use crate::setup::Setup;
use crate::tape::{Operand, Tape, Tensor};
use std::rc::Rc;

impl Model {
    /// Hidden states, the shared inputs and those of each block, and the tensors that stay referenced until the forward returns. With `require` a hook makes the output
    /// of the embedding need a gradient (`enable_input_require_grads`).
    pub(super) fn embed_inputs(
        &self,
        t: &Tape,
        ids: &Tensor,
        batch: Batch,
        setup: &Setup,
        require: bool,
    ) -> (Tensor, (Rc<SharedInputs>, Option<Tensor>), Vec<Tensor>) {
        let rows = |t: &Tape| {
            let rows = lookup(t, self.modules.embedding, ids, (batch.tokens(), self.shape.columns));
            let rows = if require && !rows.requires_grad() { rows.requiring_grad() } else { rows };
            self.join_beside(t, rows)
        };
        if !self.causal {
            let mut kept = Vec::new();
            let hidden = match &self.modules.patches {
                Some(module) => self.see(t, ids, module, batch),
                None => self.encode(t, rows, batch, setup.padding_mask, &mut kept),
            };
            let hidden = if require && !hidden.requires_grad() { hidden.requiring_grad() } else { hidden };
            let shared = Rc::new(self.shared(t, &hidden, batch, setup));
            // XLNet keeps the rows of its table, and the others what they have made of them.
            if kept.is_empty() {
                kept.push(hidden.clone());
            }
            return (hidden, (shared, None), kept);
        }
        let rows = rows(t);
        let positions = t.add_broadcast(
            t.empty(if self.shape.positions_per_sequence { batch.tokens() } else { batch.seq_len }, 8),
            Operand::Scalar,
        );
        let shared = Rc::new(self.shared(t, &rows, batch, setup));
        let hidden = self.decode(t, &rows, &positions, batch);
        let own = self.modules.per_layer.as_ref().map(|module| per_layer::inputs(t, module, ids, &hidden, batch));
        (hidden, (shared, own), vec![positions, rows])
    }

    /// Rows among which trained parameters beside the model have put their own: each gets its gradient when backward comes here.
    fn join_beside(&self, t: &Tape, rows: Tensor) -> Tensor {
        self.modules.beside.iter().fold(rows, |rows, id| {
            let (weight, numel, width) = (t.weight(*id), t.numel(*id), t.memory(*id).width);
            let passes = rows.requires_grad();
            let joined = rows.detach();
            t.record(&[&rows, &weight], joined, move |tape, grad| {
                let own = tape.empty_as(numel, width, Part::Gradients);
                vec![passes.then_some(grad), Some(own)]
            })
        })
    }

    /// What is done to the rows of the embedding table before the first block of a decoder.
    fn decode(&self, t: &Tape, rows: &Tensor, positions: &Tensor, batch: Batch) -> Tensor {
        let mut hidden = rows.clone();
        if self.shape.scaled {
            hidden = t.mul(hidden, Operand::Scalar);
        }
        if let Some(into) = &self.modules.projections[0] {
            hidden = linear(t, &hidden, into);
        }
        if let Some(module) = &self.modules.embedding_norm {
            hidden = norm(t, &hidden, module);
        }
        if let Some(table) = self.modules.positions {
            let each = if self.shape.positions_per_sequence { batch.tokens() } else { batch.seq_len };
            let places = lookup(t, table, positions, (each, self.hidden));
            hidden = self.place(t, &hidden, &places, batch);
        }
        if self.shape.dropout {
            hidden = t.dropout(hidden);
        }
        hidden
    }

    /// The embeddings of BERT-like encoders: tokens, types and positions, a norm, dropout. Each stays referenced until the module returns.
    fn encode(&self, t: &Tape, rows: impl FnOnce(&Tape) -> Tensor, batch: Batch, padded: bool, kept: &mut Vec<Tensor>) -> Tensor {
        let columns = self.shape.side_table_columns(self.hidden);
        let each = if self.shape.positions_per_sequence { batch.tokens() } else { batch.seq_len };
        let ids = if self.shape.positions_per_sequence { t.empty(each, 8) } else { t.empty_tensor() };
        let deberta = self.modules.distances.is_some();
        let of_types = self.modules.types.map(|table| (table, t.empty(each, 8)));
        let rows = rows(t);
        let types = of_types.map(|(table, ids)| lookup(t, table, &ids, (batch.tokens(), columns)));
        let sum = types.as_ref().map_or_else(|| rows.clone(), |types| t.add(&rows, types));
        let places = self.modules.positions.map(|table| lookup(t, table, &ids, (each, columns)));
        let mut hidden = match &places {
            Some(places) => self.place(t, &sum, places, batch),
            None => sum.clone(),
        };
        drop(sum);
        let tasks = self.modules.tasks.map(|table| lookup(t, table, &t.empty(batch.tokens(), 8), (batch.tokens(), columns)));
        if let Some(tasks) = &tasks {
            hidden = t.add_in_place(&hidden, tasks);
        }
        if self.shape.drops_tokens {
            hidden = t.mul(&hidden, Operand::Scalar);
            hidden = t.mul(&hidden, Operand::Scalar);
            hidden = t.mul(&hidden, Operand::Scalar);
        }
        // Without positions, DeBERTa creates zeros; it also multiplies by the mask.
        let zeros = (deberta && places.is_none()).then(|| t.empty(rows.numel, rows.width));
        if let Some(module) = &self.modules.embedding_norm {
            hidden = norm(t, &hidden, module);
        }
        if deberta {
            let mask = t.empty(batch.tokens(), hidden.width);
            hidden = t.mul(&hidden, Operand::Columns(&mask));
        }
        if self.shape.dropout {
            hidden = t.dropout(hidden);
        }
        drop(zeros);
        if self.shape.drops_tokens && padded {
            let mask = t.empty(batch.tokens(), hidden.width);
            hidden = t.mul(&hidden, Operand::Columns(&mask));
        }
        if self.shape.dropout_behind {
            kept.push(rows.clone());
        }
        drop((rows, types, places, tasks));
        match &self.modules.projections[0] {
            Some(into) => linear(t, &hidden, into),
            None => hidden,
        }
    }

    /// Positions joined: those of one row are seen by all, and their gradient is summed over them.
    fn place(&self, t: &Tape, hidden: &Tensor, places: &Tensor, batch: Batch) -> Tensor {
        if self.shape.positions_per_sequence || batch.size == 1 {
            t.add(hidden, places)
        } else {
            t.add_broadcast(hidden, Operand::Rows(places))
        }
    }
}
