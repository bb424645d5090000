//! Generation by transformers before the update: the prompt first, then one token at a time over a growing cache.

use crate::estimate::{Label, Part, Phase};
use crate::model::{Batch, Model};
use crate::setup::{Generation, Setup};
use crate::tape::{Site, Tape, Tensor};

static CACHE: Label = Label { en: "key and value cache", zh: "键值缓存" };
static SAMPLING: Label = Label { en: "sampling", zh: "采样" };

/// The prompt through the model, the full cache, and one sampled token.
pub(super) fn generate(t: &Tape, model: &Model, setup: &Setup, round: Generation) {
    t.no_grad(|t| {
        t.autocast(setup.autocast.map(crate::setup::Dtype::bytes), |t| {
            let prompt = Batch { size: round.sequences, seq_len: round.prompt.max(1) };
            t.set_site(Site { phase: Phase::Generate, layer: 0, name: &CACHE });
            let ids = t.empty_as(prompt.tokens(), 8, Part::Other);
            let hidden = model.forward(t, &ids, prompt, setup, false);
            let width = setup.autocast.map_or(hidden.width, crate::setup::Dtype::bytes);
            t.set_site(Site { phase: Phase::Generate, layer: 0, name: &CACHE });
            let length = round.prompt.saturating_add(round.completion);
            let of_layer = |layer: &crate::model::LayerModule| {
                let a = &layer.shape.attention;
                let tokens = a.window.map_or(length, |window| window.min(length)) * round.sequences;
                let side = |columns: u64| t.empty_as(tokens * a.kv_heads * columns, width, Part::KvCache);
                [side(a.head_dim), side(a.value_dim)]
            };
            let cache: Vec<[Tensor; 2]> = model.modules.layers.iter().map(of_layer).collect();
            // A further token is joined to what is there: keys of one block exist twice for a moment.
            drop(model.modules.layers.first().map(of_layer));
            t.set_site(Site { phase: Phase::Generate, layer: 0, name: &SAMPLING });
            // Logits of the last token, in fp32, sorted and as probabilities.
            let logits = t.empty_as(round.sequences * model.vocab, 4, Part::Logits);
            let sorted = t.empty_as(round.sequences * model.vocab, 4, Part::Logits);
            let probabilities = t.empty_as(round.sequences * model.vocab, 4, Part::Logits);
            drop((logits, sorted, probabilities, cache, hidden));
        });
    });
}
