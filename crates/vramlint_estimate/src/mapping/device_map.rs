//! A model that `device_map` spreads over the GPUs of one process.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Message, message};
use vramlint_catalog::Concept;
use vramlint_memory::setup::Task;

/// Values that give every GPU the same budget (transformers 5.23.0 `integrations/accelerate.py`, `_get_device_map`).
const BALANCED: [&str; 2] = ["auto", "balanced"];
/// Values that fill the GPUs in another way.
const UNBALANCED: [&str; 2] = ["balanced_low_0", "sequential"];

impl Mapping<'_> {
    /// Spreads the model where one process sees several GPUs and loads it with `device_map`.
    pub(super) fn spread_over_gpus(&mut self, model: &Model) -> Result<(), Message> {
        let map = self.text(Concept::DeviceMap);
        let balanced = match &map {
            Some(map) if BALANCED.contains(&map.as_str()) => true,
            Some(map) if UNBALANCED.contains(&map.as_str()) => false,
            None if self.run.dialect.estimate.spreads_models => true,
            _ => return Ok(()),
        };
        let Some((processes, gpus)) = self.gpus_of_each_process().filter(|(_, gpus)| *gpus > 1) else { return Ok(()) };
        let encodes = matches!(self.upper.task, Task::Seq2Seq | Task::Gkd | Task::Distillation);
        if !balanced || processes > 1 || encodes || model.arch.has_decoder_blocks() {
            return Err(message!(
                "device_map spreads the model over {gpus} GPUs: estimates do not support that here",
                "device_map 把模型分散到 {gpus} 块 GPU 上：此处不支持这样的估算"
            ));
        }
        self.assume(message!(
            "device_map spreads the model over {gpus} GPUs: the figures are those of the fullest one, and each has room for its share",
            "device_map 把模型分散到 {gpus} 块 GPU 上：数字是其中占用最多的一块，并按每块都放得下自己那份计"
        ));
        self.both(|setup| setup.model_gpus = gpus);
        Ok(())
    }

    /// Processes, and the visible GPUs that each has for itself.
    fn gpus_of_each_process(&self) -> Option<(u64, u64)> {
        let visible = self.text(Concept::VisibleDevices)?.split(',').filter(|id| !id.trim().is_empty()).count() as u64;
        let ranks = [Concept::WorldSize, Concept::TensorParallelSize, Concept::ContextParallelSize];
        let sizes = ranks.map(|concept| self.run.int(concept).and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 0));
        let processes = sizes[0]?.saturating_mul(sizes[1].unwrap_or(1)).saturating_mul(sizes[2].unwrap_or(1));
        Some((processes, visible / processes))
    }
}
