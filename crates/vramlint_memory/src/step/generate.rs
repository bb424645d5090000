//! Generation by transformers before the update: the prompt first, then one token at a time over a growing cache (transformers 5.23
//! generation/utils.py, `_sample`; cache_utils.py, `DynamicLayer.update`).

use crate::estimate::{Label, Part, Phase};
use crate::model::{Batch, LayerModule, Model};
use crate::setup::{Checkpointing, Dtype, Generation, Setup, Task};
use crate::tape::{Site, Tape, Tensor};

static CACHE: Label = Label { en: "key and value cache", zh: "键值缓存" };
static SAMPLING: Label = Label { en: "sampling", zh: "采样" };

/// The tokens that are simulated of a completion: more would only lengthen the trace.
const TOKENS: u64 = 256;

/// The prompt through the model, and the tokens of the completion.
pub(super) fn generate(t: &Tape, model: &Model, setup: &Setup, round: Generation) {
    // accelerate wraps the forward that a trainer calls. PEFT generates with the model inside, whose forward has no autocast.
    let autocast = setup.autocast.filter(|_| setup.lora.is_none()).map(Dtype::bytes);
    t.no_grad(|t| t.autocast(autocast, |t| complete(t, model, setup, round, autocast)));
    t.forget_copies();
}

fn complete(t: &Tape, model: &Model, setup: &Setup, round: Generation, autocast: Option<u64>) {
    // With checkpointing, this trainer generates without a cache (trl 1.16.0 experimental/online_dpo/online_dpo_trainer.py:550).
    let cached = setup.task != Task::OnlineDpo || setup.checkpointing == Checkpointing::None;
    let (prompt, length) = (round.prompt.max(1), round.prompt.saturating_add(round.completion).saturating_sub(1).max(1));
    let first = Batch { size: round.sequences, seq_len: if cached { prompt } else { length } };
    t.set_site(Site { phase: Phase::Generate, layer: 0, name: &CACHE });
    let ids = t.empty_as(first.tokens(), 8, Part::Other);
    t.begin_call(cached, cached);
    let hidden = model.forward(t, &ids, first, setup, false);
    let width = autocast.unwrap_or(hidden.width);
    let returned = t.take_returned();
    drop(hidden);
    if !cached {
        return;
    }
    t.set_site(Site { phase: Phase::Generate, layer: 0, name: &CACHE });
    let side = |layer: &LayerModule, tokens: u64, columns: u64| {
        let tokens = layer.shape.attention.window.map_or(tokens, |window| window.min(tokens));
        t.empty_as(tokens * round.sequences * layer.shape.attention.kv_heads * columns, width, Part::KvCache)
    };
    let columns = |layer: &LayerModule| [layer.shape.attention.head_dim, layer.shape.attention.value_dim];
    let layers = &model.modules.layers;
    let mut cache: Vec<[Tensor; 2]> = if returned.len() == 2 * layers.len() {
        returned.chunks_exact(2).map(|sides| [sides[0].clone(), sides[1].clone()]).collect()
    } else {
        layers.iter().map(|layer| columns(layer).map(|columns| side(layer, prompt, columns))).collect()
    };
    drop(returned);
    for kept in cache.iter().flatten() {
        t.relabel(&kept.block, Part::KvCache);
    }
    // Logits of the last token in fp32 and as probabilities stay named while the next one is computed.
    let logits = |t: &Tape| t.empty_as(round.sequences * model.vocab, 4, Part::Logits);
    let mut named: Option<[Tensor; 2]> = None;
    let stride = round.completion.div_ceil(TOKENS).max(1);
    let mut tokens = prompt;
    loop {
        t.set_site(Site { phase: Phase::Generate, layer: 0, name: &SAMPLING });
        let returned = logits(t);
        let scores = logits(t);
        let probabilities = logits(t);
        drop(named.replace([scores, probabilities]));
        drop(returned);
        if tokens >= length {
            break;
        }
        tokens = tokens.saturating_add(stride).min(length);
        t.set_site(Site { phase: Phase::Generate, layer: 0, name: &CACHE });
        // A further token is joined to what is there.
        for (layer, sides) in layers.iter().zip(&mut cache) {
            for (kept, columns) in sides.iter_mut().zip(columns(layer)) {
                *kept = side(layer, tokens, columns);
            }
        }
    }
    drop((named, cache, ids));
}
