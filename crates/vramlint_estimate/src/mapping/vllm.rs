//! Where completions are generated: by transformers in the trained model, or by a vLLM engine beside it.

use super::Mapping;
use vramlint_base::message;
use vramlint_memory::setup::Generation;

/// A round of generation by transformers.
pub(super) fn round(sequences: u64, prompt: u64, completion: u64) -> Generation {
    Generation { sequences, prompt, completion, vllm_share: None, sleeps: false }
}

impl Mapping<'_> {
    /// Whether the trained model itself generates on this card. An engine that shares the card is counted.
    pub(super) fn generates_here(&mut self) -> bool {
        match self.text("vllm_mode").as_deref() {
            Some("server") => false,
            Some("colocate") => {
                self.engine_beside();
                false
            }
            _ => true,
        }
    }

    /// A colocated engine keeps its share unless it sleeps while the step trains (trl 1.16.0 generation/vllm_generation.py).
    fn engine_beside(&mut self) {
        if self.is_on("vllm_sleep") {
            self.assume(message!("vLLM sleeps while the step trains", "训练时 vLLM 处于休眠状态"));
            return;
        }
        self.assume(message!("vLLM's share of the card is not counted", "没有计入 vLLM 所占的显存"));
    }
}
