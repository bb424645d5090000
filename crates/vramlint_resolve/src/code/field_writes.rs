//! Fields of a library's objects that the code writes after it has made them: `training_args.learning_rate = 1e-5`.

use super::candidates::{ReachedCall, concepts_of};
use super::facts_builder::Strength;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::library_classes::argument_class;
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::python::Expr;

/// The attribute of arguments whose batch the code reads.
const BATCH_IS_READ: &str = "__batch_is_read__";

/// Words in the name of a configuration that is not that of the trained language model.
const OTHER_MODELS: &[&str] =
    &["vision", "visual", "vit", "image", "audio", "draft", "teacher", "ref", "reference", "reward", "critic"];

/// The attribute in which a configuration of transformers holds its attention (5.23.0 `configuration_utils.py`). The name without the
/// underscore is an argument; as an attribute, nothing of transformers reads it.
pub(super) const ATTENTION: &str = "_attn_implementation";

impl Interpreter<'_> {
    /// `config.llm_config._attn_implementation = val`: the attention of a model that is made from the configuration, or of one that has it.
    pub(super) fn write_attention(&mut self, owner: &Expr, val: &AbstractValue, place: FileRange) {
        let Some(path) = owner.dotted() else { return };
        let is_config = path.rsplit('.').next().is_some_and(|name| name.ends_with("config") || name.ends_with("cfg"));
        if !is_config || path.split(['.', '_']).any(|word| OTHER_MODELS.contains(&word)) {
            return;
        }
        let key = "attn_implementation";
        self.candidates().emit_key(Dialect::HfTrainer, key, val, ReachedCall { path: &path, key, place });
    }

    /// Notes that the code reads a field of an object.
    pub(super) fn note_read(&mut self, id: usize, name: &str) {
        if name == "per_device_train_batch_size" {
            self.heap[id].attributes.insert(BATCH_IS_READ.to_owned(), AbstractValue::unknown());
        }
    }

    /// `base.name = val`: what the library gets, whoever made the object. What certainly happens replaces what the call gave.
    pub(super) fn write_field(&mut self, base: &AbstractValue, name: &str, val: &AbstractValue, place: FileRange) {
        let Some(alt) = base.single() else { return };
        let ValueKind::Object(id) = alt.kind else { return };
        let path: Option<Rc<str>> = match &self.heap[id].kind {
            ObjectKind::Library(path) => Some(path.clone()),
            ObjectKind::Instance { class, .. } => self.definitions.external_base(*class),
            ObjectKind::Lora => Some("peft.LoraConfig".into()),
            ObjectKind::Quantization { compute, .. }
                if name.starts_with("load_in_") || name.starts_with("bnb_4bit_quant_type") =>
            {
                let compute = compute.clone();
                self.heap[id].kind =
                    ObjectKind::Quantization { kind: AbstractValue::located(ValueKind::Unknown, place), compute };
                return;
            }
            _ => None,
        };
        let Some(path) = path else { return };
        let dialect = match argument_class(&path) {
            Some(kind) => kind.dialect,
            None if &*path == "peft.LoraConfig" => Dialect::HfTrainer,
            None => return,
        };
        let concepts = concepts_of(dialect, name);
        // A data set that got the number before makes the batches; the loader takes one of them at a time.
        let is_one = concepts.contains(&Concept::MicroBatch) && val.constant() == Some(&Value::Int(1));
        if is_one && self.heap[id].attributes.contains_key(BATCH_IS_READ) {
            return;
        }
        if self.control.guards.is_empty()
            && let Some(made) = alt.source.place
        {
            self.facts.candidates.retain(|(concept, strength, candidate)| {
                !(concepts.contains(concept) && *strength == Strength::Call && candidate.call_place == Some(made))
            });
        }
        self.candidates().emit_key(dialect, name, val, ReachedCall { path: &path, key: name, place });
    }
}
