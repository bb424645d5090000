//! A language model and a model that sees, loaded one by one and trained as one.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Value, message};
use vramlint_resolve::code::ModelLoad;

impl Mapping<'_> {
    /// The language model among `found` with the others as its tower, if all others are loaded by classes of models that see.
    pub(super) fn joint_model(&mut self, found: &[Model]) -> Option<Model> {
        let code = self.run.code.as_ref()?;
        let sees = |model: &Model| {
            let names = |load: &Option<Value>| load.as_ref().and_then(Value::as_str) == Some(model.id.as_str());
            let mut loads = code.models.iter().filter(|load| load.trained == Some(true) && names(&load.model)).peekable();
            loads.peek().is_some() && loads.all(|load| load.class.split('.').any(is_tower) || self.calls_tower(load))
        };
        let (towers, languages): (Vec<&Model>, Vec<&Model>) = found.iter().partition(|model| sees(model));
        let [language] = languages.as_slice() else { return None };
        let mut joint = (*language).clone();
        for tower in towers {
            joint.arch.add_tower(tower.arch.parameters());
            let (sees, reads) = (&tower.id, &language.id);
            self.assume(message!("{reads} and {sees} are trained as one model", "{reads} 与 {sees} 作为一个模型训练"));
        }
        joint.exact_parameters = None;
        Some(joint)
    }

    /// Whether the call names a class of a tower that the project derives from another one: `InternVisionModel.from_pretrained(path)`.
    fn calls_tower(&self, load: &ModelLoad) -> bool {
        let call = load.place.range.slice(&self.project.file(load.place.file).text);
        load.derived && call.split('(').next().unwrap_or_default().split('.').any(|part| is_tower(part.trim()))
    }
}

/// Whether a class is that of a model that turns images into vectors: `CLIPVisionModel`, `InternVisionModel`, `ViTModel`.
pub(super) fn is_tower(class: &str) -> bool {
    class.ends_with("VisionModel") || class.ends_with("VisionTransformer") || class.ends_with("ViTModel")
}
