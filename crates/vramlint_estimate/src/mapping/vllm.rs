//! Where completions are generated: by transformers in the trained model, or by a vLLM engine beside it.

use super::Mapping;
use super::said::setting;
use vramlint_base::message;
use vramlint_memory::setup::Generation;

/// Share of the card that vLLM takes unless told otherwise: trl 1.16.0 trainer/grpo_config.py.
const SHARE: f64 = 0.3;

impl Mapping<'_> {
    /// A round of generation on this card, by the trained model or by an engine that shares it; `None` where a server generates.
    pub(super) fn round(&mut self, sequences: u64, prompt: u64, completion: u64) -> Option<Generation> {
        let (vllm_share, sleep_mode) = match self.text("vllm_mode").as_deref() {
            Some("server") => return None,
            Some("colocate") => (Some(self.share()), self.is_on("vllm_sleep")),
            _ => (None, false),
        };
        Some(Generation { sequences, prompt, completion, vllm_share, sleep_mode })
    }

    fn share(&mut self) -> f64 {
        let said = setting(self.run, "vllm_gpu_memory_utilization").and_then(|setting| setting.value()?.as_float());
        if said.is_none() {
            self.assume(message!(
                "vLLM takes {SHARE} of the card, the default of TRL 1.16",
                "vLLM 占用显卡的 {SHARE}（TRL 1.16 的默认值）"
            ));
        }
        said.unwrap_or(SHARE).clamp(0.0, 1.0)
    }
}
