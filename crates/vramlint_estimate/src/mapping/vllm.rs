//! Where completions are generated: by transformers in the trained model, or by a vLLM engine.

use super::Mapping;
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_memory::setup::Generation;

/// `vllm_gpu_memory_utilization` by default: trl 1.16.0 trainer/grpo_config.py.
const SHARE: f64 = 0.3;

impl Mapping<'_> {
    /// A generation round on this GPU, by the trained model or by a colocated engine; `None` if a server generates.
    pub(super) fn round(&mut self, sequences: u64, prompt: u64, completion: u64) -> Option<Generation> {
        let (vllm_share, sleep_mode) = match self.text(Concept::VllmMode).as_deref() {
            Some("server") => return None,
            Some("colocate") => (Some(self.share()), self.is_on(Concept::VllmSleep)),
            _ => (None, false),
        };
        Some(Generation { sequences, prompt, completion, vllm_share, sleep_mode })
    }

    fn share(&mut self) -> f64 {
        let said = self.value(Concept::VllmGpuMemoryUtilization).and_then(Value::as_float);
        if said.is_none() {
            self.assume(message!(
                "vllm_gpu_memory_utilization is not set: {SHARE}, the default of TRL 1.16",
                "没有设置 vllm_gpu_memory_utilization：按 TRL 1.16 的默认值 {SHARE} 计"
            ));
        }
        said.unwrap_or(SHARE).clamp(0.0, 1.0)
    }
}
