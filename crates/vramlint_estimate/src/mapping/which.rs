//! Which model is trained.

use super::Mapping;
use super::said::setting;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_resolve::Candidate;

impl Mapping<'_> {
    /// The model, and the lightest that it may be where several are named.
    pub(super) fn which_model(&mut self) -> Result<(Model, Model), Message> {
        let unknown = || message!("the model is not known", "模型未知");
        let setting = setting(self.run, "model").ok_or_else(unknown)?;
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
                "the model is one of {count}: {id} is taken, the largest",
                "模型可能是 {count} 个之一：按其中最大的 {id} 计"
            ));
        }
        Ok((most.clone(), least.clone()))
    }

    fn not_found(&self, id: &str) -> Message {
        match self.models.nearest(id) {
            Some(meant) if meant != id => {
                message!("no architecture is known for {id}, did you mean {meant}?", "没有 {id} 的结构信息，是否想写 {meant}？")
            }
            _ => message!(
                "no architecture is known for {id}; [[model]] in vramlint.toml can name its config.json",
                "没有 {id} 的结构信息；可在 vramlint.toml 的 [[model]] 中给出它的 config.json"
            ),
        }
    }
}
