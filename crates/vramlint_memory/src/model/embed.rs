//! From token ids to what the first block sees.

use super::attention::Shared;
use super::decoder::{Batch, Model, lookup};
use super::mlp::linear;
use super::norm::norm;
use crate::setup::Setup;
use crate::tape::{Other, Tape, Tensor};
use std::rc::Rc;

impl Model {
    /// Hidden states, what the blocks share, and what has a name until the forward returns. With `require` a hook makes the output
    /// of the embedding need a gradient (`enable_input_require_grads`).
    pub(super) fn enter(
        &self,
        t: &Tape,
        ids: &Tensor,
        batch: Batch,
        setup: &Setup,
        require: bool,
    ) -> (Tensor, Rc<Shared>, Vec<Tensor>) {
        let rows = |t: &Tape| {
            let rows = lookup(t, self.loaded.embedding, ids, (batch.tokens(), self.shape.columns));
            if require { rows.requiring_grad() } else { rows }
        };
        if !self.causal {
            let hidden = self.encode(t, rows, batch);
            let shared = Rc::new(self.shared(t, &hidden, batch, setup));
            return (hidden.clone(), shared, vec![hidden]);
        }
        let rows = rows(t);
        let positions = t.add_broadcast(t.empty(if self.shape.by_row { batch.tokens() } else { batch.seq }, 8), Other::Scalar);
        let shared = Rc::new(self.shared(t, &rows, batch, setup));
        let hidden = self.decode(t, &rows, &positions, batch);
        (hidden, shared, vec![positions, rows])
    }

    /// What is done to the rows of the embedding table before the first block of a decoder.
    fn decode(&self, t: &Tape, rows: &Tensor, positions: &Tensor, batch: Batch) -> Tensor {
        let mut hidden = rows.clone();
        if self.shape.scaled {
            hidden = t.mul(hidden, Other::Scalar);
        }
        if let Some(into) = &self.loaded.projections[0] {
            hidden = linear(t, &hidden, into);
        }
        if let Some(module) = &self.loaded.embedding_norm {
            hidden = norm(t, &hidden, module);
        }
        if let Some(table) = self.loaded.positions {
            let each = if self.shape.by_row { batch.tokens() } else { batch.seq };
            let places = lookup(t, table, positions, (each, self.hidden));
            hidden = self.place(t, &hidden, &places, batch);
        }
        if self.shape.dropout {
            hidden = t.dropout(hidden);
        }
        hidden
    }

    /// The embeddings of BERT and its kin: tokens, types and positions, a norm, dropout. Each keeps its name until the module returns.
    fn encode(&self, t: &Tape, rows: impl FnOnce(&Tape) -> Tensor, batch: Batch) -> Tensor {
        let columns = self.shape.columns_beside(self.hidden);
        let each = if self.shape.by_row { batch.tokens() } else { batch.seq };
        let ids = if self.shape.by_row { t.empty(each, 8) } else { t.nothing() };
        let deberta = self.loaded.distances.is_some();
        let of_types = self.loaded.types.map(|table| (table, t.empty(each, 8)));
        let rows = rows(t);
        let types = of_types.map(|(table, ids)| lookup(t, table, &ids, (batch.tokens(), columns)));
        let sum = types.as_ref().map_or_else(|| rows.clone(), |types| t.add(&rows, types));
        let places = self.loaded.positions.map(|table| lookup(t, table, &ids, (each, columns)));
        let mut hidden = match &places {
            Some(places) => self.place(t, &sum, places, batch),
            None => sum.clone(),
        };
        drop(sum);
        // DeBERTa makes zeros where it has no positions, and multiplies by the mask.
        let zeros = (deberta && places.is_none()).then(|| t.empty(rows.numel, rows.width));
        if let Some(module) = &self.loaded.embedding_norm {
            hidden = norm(t, &hidden, module);
        }
        if deberta {
            let mask = t.empty(batch.tokens(), hidden.width);
            hidden = t.mul(&hidden, Other::Columns(&mask));
        }
        if self.shape.dropout {
            hidden = t.dropout(hidden);
        }
        drop(zeros);
        drop((rows, types, places));
        match &self.loaded.projections[0] {
            Some(into) => linear(t, &hidden, into),
            None => hidden,
        }
    }

    /// Positions joined: those of one row are seen by all, and their gradient is summed over them.
    fn place(&self, t: &Tape, hidden: &Tensor, places: &Tensor, batch: Batch) -> Tensor {
        if self.shape.by_row || batch.rows == 1 { t.add(hidden, places) } else { t.add_broadcast(hidden, Other::Rows(places)) }
    }
}
