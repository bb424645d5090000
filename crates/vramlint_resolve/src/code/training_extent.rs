//! How much of what is trained is trained: all of it, a part, or adapters on it.

use super::heap::{Object, ObjectKind};
use super::interpreter::Interpreter;
use super::model_record::ModelRecord;
use super::qualified_name::leaf;
use super::trained_parameters::{ModelPart, is_module_class};
use super::value::{AbstractValue, Alternative, ValueKind};
use std::cell::RefCell;
use std::collections::BTreeSet;
use vramlint_base::FileRange;

impl Interpreter<'_> {
    /// Whether parameters of what is trained may be kept from training.
    pub(super) fn may_freeze(&self) -> bool {
        let of_models = self.trained_loads().any(|model| model.partly_frozen || model.frozen.is_some());
        let of_load = |load: usize| self.facts.models[load].partly_frozen || self.facts.models[load].frozen.is_some();
        let is_frozen = |id: usize| {
            self.parameters.frozen.contains(&id) || matches!(self.heap[id].kind, ObjectKind::Model(load) if of_load(load))
        };
        of_models || self.has_trained_part(&is_frozen) || self.parameters.freezes_hidden || self.calls_unseen_freezer()
    }

    /// Whether parameters of what is trained are kept from training under no condition.
    pub(super) fn freezes_part(&self) -> bool {
        self.freeze_rules().is_some()
            || self.has_trained_part(&|id| self.parameters.surely_frozen.contains(&id))
            || self.parameters.surely_frozen.iter().any(|id| match self.heap[*id].kind {
                ObjectKind::Model(load) => self.facts.models[load].is_trained(),
                _ => false,
            })
    }

    /// The frozen part, if it is known: `vision`, `language`, or all but what joins images to the text.
    pub(super) fn frozen_part(&self) -> Option<&'static str> {
        use ModelPart::{Language, Projector, Vision, Whole};
        let hidden = self.parameters.freezes_hidden || self.calls_unseen_freezer();
        if hidden || !self.freezes_part() {
            return None;
        }
        let frozen: Vec<ModelPart> = self.parameters.frozen_parts.iter().copied().collect();
        let joins = self.parameters.unfrozen_parts.contains(&Projector);
        match frozen.as_slice() {
            [Vision] | [Vision, Projector] => Some("vision"),
            [Vision, Language] => Some("all-but-projector"),
            [Language] => Some("language"),
            [Whole] | [Vision, Whole] if joins => Some("all-but-projector"),
            _ => None,
        }
    }

    fn trained_loads(&self) -> impl Iterator<Item = &ModelRecord> {
        self.facts.models.iter().filter(|model| model.is_trained())
    }

    /// Whether a module that is trained, or a part of one, is of a kind.
    fn has_trained_part(&self, is_it: &dyn Fn(usize) -> bool) -> bool {
        let mut seen = BTreeSet::new();
        self.parameters.modules.iter().any(|(id, _)| self.has_part(*id, is_it, &mut seen))
    }

    fn has_part(&self, id: usize, is_it: &dyn Fn(usize) -> bool, seen: &mut BTreeSet<usize>) -> bool {
        let object = &self.heap[id];
        seen.insert(id)
            && (is_it(id)
                || object.attributes.values().flat_map(|val| self.held(val)).any(|inner| self.has_part(inner, is_it, seen)))
    }

    /// The objects that a value is, and the models of which it is a part: `self.body = model.transformer`.
    fn held(&self, val: &AbstractValue) -> Vec<usize> {
        let of = |alt: &Alternative| match alt.kind {
            ValueKind::Object(id) => Some(id),
            ValueKind::Method(id, _) if matches!(self.heap[id].kind, ObjectKind::Model(_)) => Some(id),
            _ => None,
        };
        val.alternatives.iter().filter_map(of).collect()
    }

    /// Whether the only thing that is trained is one part of a module: a head on a body that no optimizer gets.
    pub(super) fn trains_one_part(&self) -> bool {
        if self.parameters.hidden {
            return false;
        }
        let trained: BTreeSet<usize> = self.parameters.modules.iter().map(|(id, _)| *id).collect();
        let parts: BTreeSet<&str> = self.parameters.parts.iter().map(|(_, part)| &**part).collect();
        if !parts.is_empty() {
            return parts.len() == 1 && trained.is_empty();
        }
        if self.trained_loads().next().is_some() {
            return false;
        }
        let Some(only) = trained.first().filter(|_| trained.len() == 1) else { return false };
        let owners = self.heap.iter().filter(|object| matches!(object.kind, ObjectKind::Instance { .. }));
        let others = |object: &Object| object.attributes.values().flat_map(AbstractValue::objects).collect::<BTreeSet<_>>();
        owners
            .map(others)
            .filter(|parts| parts.contains(only))
            .any(|parts| parts.iter().any(|id| id != only && self.has_weights(*id)))
    }

    /// Whether an object is a model that is loaded, or a layer that has weights.
    fn has_weights(&self, id: usize) -> bool {
        const LAYERS: &[&str] = &["Linear", "Embedding", "Conv1d", "Conv2d", "Conv3d", "ModuleList", "ModuleDict", "Sequential"];
        match &self.heap[id].kind {
            ObjectKind::Model(_) => true,
            ObjectKind::Library(path) => is_module_class(path) && LAYERS.contains(&leaf(path)),
            _ => false,
        }
    }

    /// Whether a loaded model is trained, alone or as a part of a module; or nothing else is.
    pub(super) fn is_among_trained(&self, load: usize) -> bool {
        self.trained_models().contains(&load)
    }

    /// The loaded models that are trained, alone or as a part of a module; all of them if nothing else is.
    pub(super) fn trained_models(&self) -> BTreeSet<usize> {
        let is_trained = |load: &usize| self.facts.models[*load].is_trained();
        let mut trained: BTreeSet<usize> = (0..self.facts.models.len()).filter(is_trained).collect();
        if trained.is_empty() && self.parameters.modules.is_empty() && !self.parameters.hidden {
            return (0..self.facts.models.len()).collect();
        }
        let parts = RefCell::new(&mut trained);
        self.has_trained_part(&|id| {
            if let ObjectKind::Model(load) = self.heap[id].kind {
                parts.borrow_mut().insert(load);
            }
            false
        });
        trained
    }

    /// Whether adapters may be put on what is trained: the code makes them, or calls what may make them.
    pub(super) fn may_adapt(&self) -> bool {
        let is_adapting = |name: &str| {
            let name = name.to_lowercase();
            ["lora", "peft", "adapter"].iter().any(|word| name.contains(word))
        };
        let refused = self.facts.adapters_refused && !self.facts.adapts;
        let ran = self.definitions.functions.iter().any(|info| info.runs > 0 && is_adapting(&info.def.name));
        let made = self.definitions.classes.iter().any(|info| info.made && !info.is_record && is_adapting(&info.def.name));
        let hidden = self.parameters.unseen_methods.iter().any(|name| is_adapting(name));
        // Unsloth adds adapters to most models, and loads a folder of adapters as a model.
        (self.facts.adapters && !refused)
            || self.facts.unsloth
            || ran
            || made
            || hidden
            || self.calls_unseen(|text| is_adapting(text))
    }

    /// Whether a function of the project that freezes may be among those that are called without being seen.
    fn calls_unseen_freezer(&self) -> bool {
        self.calls_unseen(freezes)
    }

    /// Whether a function of the project with such a text may be among those that are called without being seen.
    fn calls_unseen(&self, has: impl Fn(&str) -> bool) -> bool {
        let functions = self.definitions.functions.iter().filter(|info| info.runs == 0);
        functions.filter(|info| self.parameters.unseen_methods.contains(&info.def.name)).any(|info| {
            let end = info.def.body.last().map_or(info.def.name_range, |last| info.def.name_range.cover(last.range));
            has(self.sources.text(FileRange::new(info.file, end)))
        })
    }
}

/// Whether code keeps parameters from training, judging by its words.
fn freezes(text: &str) -> bool {
    let switched_off = text.split("requires_grad").skip(1).any(|rest| {
        let rest = rest.trim_start_matches(['_', ' ', '=', '(']);
        !rest.starts_with("True") && !rest.starts_with(')')
    });
    switched_off || text.replace("unfreeze", "").contains("freeze")
}
