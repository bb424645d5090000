//! The trained model.

use super::Mapping;
use super::setting_range::setting;
use crate::models::{Model, Source};
use vramlint_base::{Message, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Resolved};

/// Says what leaves the model open: the flag or the name in the code, and why its value is not known.
fn unknown_model(candidate: &Candidate, why: &Message) -> Message {
    let Message { en, zh } = why;
    match &candidate.origin {
        Origin::Flag { flag: name, .. }
        | Origin::Documented { flag: name, .. }
        | Origin::Code { name, .. }
        | Origin::Env { name, .. }
        | Origin::OptionDefault { option: name, .. } => {
            message!(
                "the model comes from `{name}`: {en}; give it with `--set model=…`",
                "模型来自 `{name}`：{zh}；可用 `--set model=…` 给出"
            )
        }
        _ => message!("the model is unknown: {en}; give it with `--set model=…`", "模型未知：{zh}；可用 `--set model=…` 给出"),
    }
}

impl Mapping<'_> {
    /// The model, and the lightest of the candidates.
    pub(super) fn model_range(&mut self) -> Result<(Model, Model), Message> {
        let unknown = || {
            message!(
                "the project does not name the model; give it with `--set model=…`",
                "项目没有写明模型；可用 `--set model=…` 给出"
            )
        };
        let setting = setting(self.run, Concept::Model).ok_or_else(unknown)?;
        let candidates: Vec<&Candidate> = setting.winning().map_or_else(|| setting.candidates.iter().collect(), |one| vec![one]);
        let mut found: Vec<Model> = Vec::new();
        for candidate in candidates {
            let id = match &candidate.value {
                Resolved::Known(value) => value.as_str().ok_or_else(unknown)?,
                Resolved::Unknown(why) => return Err(unknown_model(candidate, why)),
            };
            if found.iter().any(|model| model.id == id) {
                continue;
            }
            let model = self.models.find_or_infer(id).ok_or_else(|| self.not_found(id))?;
            if let Some(why) = model.undescribed() {
                return Err(why);
            }
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
        self.say_what_a_name_tells(most);
        Ok((most.clone(), least.clone()))
    }

    /// A name is no proof: says what it is taken for. A size alone decides no verdict.
    fn say_what_a_name_tells(&mut self, model: &Model) {
        match (model.told_by_name(), &model.source) {
            (Some(what), Source::SizeInName(_)) => self.assume_unverified(what),
            (Some(what), _) => self.assume(what),
            (None, _) => {}
        }
    }

    fn not_found(&self, id: &str) -> Message {
        match self.models.nearest(id) {
            Some(meant) if meant != id => {
                message!("unknown model {id}; did you mean {meant}?", "未知模型 {id}；是否想写 {meant}？")
            }
            _ => message!(
                "unknown model {id}; declare its config.json with `vramlint model add`",
                "未知模型 {id}；可用 `vramlint model add` 加入它的 config.json"
            ),
        }
    }
}
