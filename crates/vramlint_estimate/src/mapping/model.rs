//! The trained model.

use super::Mapping;
use super::setting_range::setting;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::Candidate;

impl Mapping<'_> {
    /// The model, and the lightest of the candidates.
    pub(super) fn model_range(&mut self) -> Result<(Model, Model), Message> {
        let unknown = || message!("the model is unknown", "模型未知");
        let setting = setting(self.run, Concept::Model).ok_or_else(unknown)?;
        let candidates: Vec<&Candidate> = setting.winning().map_or_else(|| setting.candidates.iter().collect(), |one| vec![one]);
        let mut found: Vec<Model> = Vec::new();
        for candidate in candidates {
            let id = candidate.known().and_then(Value::as_str).ok_or_else(unknown)?;
            if found.iter().any(|model| model.id == id) {
                continue;
            }
            let model = self.models.find(id).ok_or_else(|| self.not_found(id))?;
            found.push(model);
        }
        found.sort_by_key(|model| model.arch.parameters());
        let (Some(most), Some(least)) = (found.last(), found.first()) else { return Err(unknown()) };
        if found.len() > 1 {
            let (id, count) = (&most.id, found.len());
            self.assume(message!(
                "the model is one of {count}: assuming {id}, the largest",
                "模型可能是 {count} 个之一：按其中最大的 {id} 计"
            ));
        }
        Ok((most.clone(), least.clone()))
    }

    fn not_found(&self, id: &str) -> Message {
        match self.models.nearest(id) {
            Some(meant) if meant != id => {
                message!("unknown model {id}; did you mean {meant}?", "未知模型 {id}；是否想写 {meant}？")
            }
            _ => message!(
                "unknown model {id}; declare its config.json under [[model]] in vramlint.toml",
                "未知模型 {id}；可在 vramlint.toml 的 [[model]] 中给出它的 config.json"
            ),
        }
    }
}
