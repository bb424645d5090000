//! Models that the process holds in addition to the trained one.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Value, message};
use vramlint_memory::setup::{Dtype, Quantization, Reference, Resident};
use vramlint_resolve::code::ModelLoad;

impl Mapping<'_> {
    /// Adds the models that are certainly loaded for inference: without a condition, called but not trained. The reference model of the
    /// method does not count.
    pub(super) fn residents(&mut self, trained: &Model) {
        let Some(code) = self.run.code.clone() else { return };
        if !code.models.iter().any(|load| load.trained == Some(true)) {
            return;
        }
        let mut references = usize::from(self.upper.reference == Reference::Copy);
        let beside: Vec<&ModelLoad> =
            code.models.iter().filter(|load| load.trained == Some(false) && !load.conditional && !load.open).collect();
        for load in beside {
            let Some(id) = load.model.as_ref().and_then(Value::as_str) else { continue };
            if references > 0 && id == trained.id {
                references -= 1;
                continue;
            }
            let Some(model) = self.models.find_or_infer(id) else { continue };
            let weights = stated_dtype(load).or(model.dtype).unwrap_or(Dtype::Bf16);
            let quantization = model.prequantized.unwrap_or(Quantization::None);
            self.assume(message!("{id} stays in GPU memory next to the trained model", "{id} 与被训练的模型同时占用显存"));
            let resident = Resident { label: id.to_owned(), arch: model.arch, weights, quantization };
            self.both(|setup| setup.residents.push(resident.clone()));
        }
    }
}

/// The requested type of a loaded model.
fn stated_dtype(load: &ModelLoad) -> Option<Dtype> {
    let (_, value, _) = load.arguments.iter().find(|(name, ..)| matches!(name.as_str(), "dtype" | "torch_dtype"))?;
    match value.as_ref()?.as_str()?.trim_start_matches("torch.") {
        "bfloat16" => Some(Dtype::Bf16),
        "float16" | "half" => Some(Dtype::Fp16),
        "float32" | "float" => Some(Dtype::Fp32),
        _ => None,
    }
}
