//! From arguments of calls to candidates for concepts.

use super::CodeCandidate;
use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::leaf;
use super::value::{AbstractValue, Alternative, ObjectKind, ValueKind, ValueSource};
use crate::setting::{Candidate, Origin, Resolved};
use std::rc::Rc;
use vramlint_base::{FileRange, Value, message};
use vramlint_catalog::dialect::{Meaning, meaning, meanings, quantization};
use vramlint_catalog::{Concept, Dialect};

/// Candidates kept at most.
const CANDIDATES: usize = 2_000;
/// Dicts inside of dicts that are looked into.
const DEPTH: usize = 4;

/// How strong a candidate is; the order is that of [`super::CodeFacts::candidates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// An argument of a call that the library reads.
    Call,
    /// A constant that is read.
    Used,
    /// A default of a field or of an option.
    Default,
}

/// The call that a value reaches.
#[derive(Clone, Copy)]
pub(super) struct ReachedCall<'c> {
    pub(super) path: &'c str,
    pub(super) key: &'c str,
    pub(super) place: FileRange,
}

/// The concept of a key whose value is not known: tried with one value of each kind.
fn concept_of(dialect: Dialect, path: &[&str]) -> Option<Concept> {
    let probes = [Value::Int(1), Value::Bool(true), Value::Text("auto".to_string()), Value::Float(0.5)];
    probes.iter().find_map(|value| meaning(dialect, path, value)).map(|meaning| meaning.concept)
}

impl Interpreter<'_> {
    /// Every keyword of a call, by the vocabulary of its library.
    pub(super) fn emit_call(&mut self, dialect: Dialect, path: &str, given: &CallArguments, place: FileRange) {
        for (key, val) in last_of_each(given) {
            for alt in &val.alternatives {
                if let ValueKind::Object(id) = alt.kind
                    && matches!(self.objects[id].kind, ObjectKind::Dict { .. })
                {
                    self.emit_nested_under(dialect, &[key.as_str()], id, path, place, DEPTH);
                } else {
                    self.emit_alt(dialect, &[key.as_str()], alt, ReachedCall { path, key, place });
                }
            }
        }
    }

    /// Every leaf of a dict, by the vocabulary of a tool.
    pub(super) fn emit_nested(&mut self, dialect: Dialect, dict: usize, path: &str, place: FileRange) {
        self.emit_nested_under(dialect, &[], dict, path, place, DEPTH);
    }

    fn emit_nested_under(&mut self, dialect: Dialect, above: &[&str], dict: usize, path: &str, place: FileRange, depth: usize) {
        let ObjectKind::Dict { entries, .. } = self.objects[dict].kind.clone() else { return };
        for (key, val) in &entries {
            let Value::Text(key) = key else { continue };
            let mut keys = above.to_vec();
            keys.push(key);
            for alt in &val.alternatives {
                match alt.kind {
                    ValueKind::Object(id) if depth > 0 && matches!(self.objects[id].kind, ObjectKind::Dict { .. }) => {
                        self.emit_nested_under(dialect, &keys, id, path, place, depth - 1);
                    }
                    _ => self.emit_alt(dialect, &keys, alt, ReachedCall { path, key, place }),
                }
            }
        }
    }

    fn emit_alt(&mut self, dialect: Dialect, keys: &[&str], alt: &Alternative, reached: ReachedCall<'_>) {
        match self.known(alt) {
            Some(value) => {
                for Meaning { concept, value, stage, .. } in meanings(dialect, keys, &value) {
                    let mut candidate = self.candidate(alt, Resolved::Known(value), Some(reached));
                    candidate.stage = stage;
                    self.push(concept, Strength::Call, candidate);
                }
            }
            None => {
                if let Some(concept) = concept_of(dialect, keys) {
                    self.push_unknown(concept, alt, reached);
                }
            }
        }
    }

    fn push_unknown(&mut self, concept: Concept, alt: &Alternative, reached: ReachedCall<'_>) {
        let unknown = Self::unknown(alt);
        let candidate = self.candidate(alt, unknown, Some(reached));
        self.push(concept, Strength::Call, candidate);
    }

    /// One argument of a call, for a known concept.
    pub(super) fn emit_key(
        &mut self,
        concept: Concept,
        key: &str,
        given: &CallArguments,
        index: usize,
        path: &str,
        place: FileRange,
    ) {
        if let Some(val) = given.arg(key, index).cloned() {
            self.emit_as_key(concept, &val, path, key, place);
        }
    }

    /// A value for a known concept, as `key` of a call.
    pub(super) fn emit_as_key(&mut self, concept: Concept, val: &AbstractValue, path: &str, key: &str, place: FileRange) {
        for alt in &val.alternatives {
            let reached = ReachedCall { path, key, place };
            match self.known(alt) {
                Some(Value::Null) => {}
                Some(value) => {
                    let candidate = self.candidate(alt, Resolved::Known(value), Some(reached));
                    self.push(concept, Strength::Call, candidate);
                }
                None => self.push_unknown(concept, alt, reached),
            }
        }
    }

    /// A value for a concept that the shape of the code gives it.
    pub(super) fn emit_as(&mut self, concept: Concept, val: &AbstractValue, stage: Option<&'static str>) {
        for alt in &val.alternatives {
            if let (Some(value), Some(_)) = (self.known(alt), alt.source.place) {
                let mut candidate = self.candidate(alt, Resolved::Known(value), None);
                candidate.reaches_call = true;
                candidate.stage = stage;
                self.push(concept, Strength::Call, candidate);
            }
        }
    }

    /// A default of a field that a library reads.
    pub(super) fn emit_default(&mut self, dialect: Dialect, key: &str, val: &AbstractValue, path: &str) {
        for alt in &val.alternatives {
            if let (Some(value), Some(place)) = (self.known(alt), alt.source.place)
                && let Some(found) = meaning(dialect, &[key], &value)
            {
                let mut candidate = self.candidate(alt, Resolved::Known(found.value), Some(ReachedCall { path, key, place }));
                candidate.call_place = None;
                self.push(found.concept, Strength::Default, candidate);
            }
        }
    }

    /// The value of an alternative as data, unless only its absence is known.
    pub(super) fn known(&self, alt: &Alternative) -> Option<Value> {
        if matches!(alt.kind, ValueKind::Scalar(Value::Null)) && alt.source.is_set_outside() {
            return None;
        }
        self.plain(&alt.kind, 8)
    }

    fn unknown(alt: &Alternative) -> Resolved {
        let source = &alt.source;
        Resolved::Unknown(match (&alt.kind, &source.option, &source.env) {
            (ValueKind::Loaded(_, route), ..) => {
                let key = route.join(".");
                message!("it is the key {key} of a file that the code loads", "它是代码所加载文件中的键 {key}")
            }
            (_, Some(option), _) => {
                message!(
                    "it is the option {option} of the command line, which has no default",
                    "它是命令行选项 {option}，该选项没有默认值"
                )
            }
            (_, None, Some(name)) => message!("it is the environment variable {name}", "它是环境变量 {name}"),
            _ => message!("it is decided while the program runs", "其值在运行时才确定"),
        })
    }

    pub(super) fn candidate(&self, alt: &Alternative, value: Resolved, reached: Option<ReachedCall<'_>>) -> CodeCandidate {
        let source = &alt.source;
        let place = source.place.or(reached.map(|call| call.place)).unwrap_or_else(|| Self::start_of(self.entry));
        let raw = self.text(place).to_string();
        let known = matches!(value, Resolved::Known(_));
        let origin = match &source.option {
            Some(option) if known && !matches!(alt.kind, ValueKind::Loaded(..)) => {
                Origin::OptionDefault { place, option: option.clone() }
            }
            _ => Origin::Code { place, name: name_of(source, reached) },
        };
        let loaded_key = match &alt.kind {
            ValueKind::Loaded(load, route) => Some((*load, (**route).clone())),
            _ => None,
        };
        CodeCandidate {
            candidate: Candidate {
                value,
                raw,
                origin,
                condition: alt.condition.as_deref().map(str::to_string),
                assumptions: Vec::new(),
            },
            option: source.option.clone(),
            stage: None,
            reaches_call: reached.is_some(),
            used: true,
            loaded_key,
            fallback: alt.fallback,
            env: source.env.clone(),
            guard: super::branch::all(self.guards.iter()).map(|guard| guard.to_string()),
            call: reached.map(|call| call.path.to_string()),
            key: reached.map(|call| call.key.to_string()).filter(|key| !key.is_empty()),
            call_place: reached.map(|call| call.place),
        }
    }

    pub(super) fn push(&mut self, concept: Concept, strength: Strength, candidate: CodeCandidate) {
        let same = |known: &(Concept, Strength, CodeCandidate)| {
            known.0 == concept
                && known.2.candidate == candidate.candidate
                && known.2.call_place == candidate.call_place
                && known.2.loaded_key == candidate.loaded_key
                && known.2.option == candidate.option
        };
        let place = candidate.candidate.origin.place();
        let again = |known: &(Concept, Strength, CodeCandidate)| known.0 == concept && known.2.candidate.origin.place() == place;
        if self.settled.contains(&concept) && !self.record.candidates.iter().any(again) {
            return;
        }
        match self.record.candidates.iter().position(same) {
            // The same again by its own name: what the name says of the stage is kept.
            Some(index) => {
                let known = &mut self.record.candidates[index].2;
                known.stage = known.stage.or(candidate.stage);
            }
            None if self.record.candidates.len() < CANDIDATES => self.record.candidates.push((concept, strength, candidate)),
            None => {}
        }
    }

    /// `BitsAndBytesConfig(…)`: what its keywords say together.
    pub(super) fn quantization(&mut self, path: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        let values: Vec<(&String, Option<Value>)> = given.keyword.iter().map(|(key, val)| (key, self.plain_value(val))).collect();
        let read = |key: &str| values.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.as_ref());
        let unknown = |key: &str| matches!(read(key), Some(None));
        let decided = !given.open
            && given.rest.is_none()
            && !["load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type", "bnb_4bit_use_double_quant"].into_iter().any(unknown);
        let key = ["load_in_4bit", "load_in_8bit"]
            .into_iter()
            .find(|key| matches!(read(key), Some(Some(Value::Bool(true)))))
            .unwrap_or("load_in_4bit");
        let at = given.get(key).and_then(super::member_access::place_of).unwrap_or(place);
        let kind = match quantization(Dialect::HfTrainer, |key| read(key).flatten()) {
            Some(name) if decided => ValueKind::Scalar(Value::Text(name.to_string())),
            None if decided => ValueKind::Scalar(Value::Text("none".to_string())),
            _ => ValueKind::Unknown,
        };
        let name = format!("{}({key})", leaf(path));
        let val = AbstractValue::one(kind, ValueSource { place: Some(at), name, ..ValueSource::default() });
        AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Quantization(val))), place)
    }

    /// A `peft_config`: adapters where it is one.
    pub(super) fn adapted(&mut self, config: &AbstractValue, path: &str, place: FileRange) {
        let mut alternatives = Vec::new();
        for alt in &config.alternatives {
            let kind = match &alt.kind {
                ValueKind::Object(id) if matches!(self.objects[*id].kind, ObjectKind::Lora) => {
                    ValueKind::Scalar(Value::Text("lora".to_string()))
                }
                ValueKind::Scalar(Value::Null) => continue,
                _ => ValueKind::Unknown,
            };
            alternatives.push(Alternative {
                kind,
                source: Rc::new(ValueSource { place: Some(place), ..ValueSource::default() }),
                ..alt.clone()
            });
        }
        if !alternatives.is_empty() {
            self.emit_as_key(Concept::Method, &AbstractValue::from_alts(alternatives), path, "", place);
        }
    }
}

/// The last value of each keyword, in the order of the keywords.
fn last_of_each(given: &CallArguments) -> Vec<(&String, &AbstractValue)> {
    let mut found: Vec<(&String, &AbstractValue)> = Vec::new();
    for (key, val) in &given.keyword {
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = val,
            None => found.push((key, val)),
        }
    }
    found
}

/// What a value is called where it is written; an argument written on the spot is called after its call.
fn name_of(source: &ValueSource, reached: Option<ReachedCall<'_>>) -> String {
    match reached {
        Some(call) if source.name.is_empty() && !call.key.is_empty() => format!("{}({})", leaf(call.path), call.key),
        Some(call) if source.name.is_empty() => leaf(call.path).to_string(),
        _ => source.name.clone(),
    }
}
