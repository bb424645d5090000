//! Turns arguments of calls into candidates for concepts.

use super::call_arguments::CallArguments;
use super::facts::CodeCandidate;
use super::facts_builder::{FactsBuilder, Strength};
use super::heap::{Heap, ObjectKind};
use super::qualified_name::leaf;
use super::sources::Sources;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use crate::setting::{Candidate, Origin, Resolved};
use std::collections::HashMap;
use std::rc::Rc;
use vramlint_base::{FileRange, Value, message};
use vramlint_catalog::dialect::{Meaning, meaning, meanings};
use vramlint_catalog::{Concept, Dialect};
/// Maximum nesting of dicts that are read.
const DEPTH: usize = 4;

/// The call that a value reaches.
#[derive(Clone, Copy)]
pub(super) struct ReachedCall<'c> {
    pub(super) path: &'c str,
    pub(super) key: &'c str,
    pub(super) place: FileRange,
}

/// One value of each kind.
fn probes() -> [Value; 4] {
    [Value::Int(1), Value::Bool(true), Value::Text("auto".to_string()), Value::Float(0.5)]
}

/// The concept of a key whose value is unknown, found by trying one value of each kind.
fn concept_of(dialect: Dialect, path: &[&str]) -> Option<Concept> {
    probes().iter().find_map(|value| meaning(dialect, path, value)).map(|meaning| meaning.concept)
}

/// The concepts of a key, found by trying one value of each kind.
pub(super) fn concepts_of(dialect: Dialect, key: &str) -> Vec<Concept> {
    probes().iter().flat_map(|value| meanings(dialect, &[key], value)).map(|meaning| meaning.concept).collect()
}

/// Turns values into candidates under the conditions of the current statement.
pub(super) struct CandidateSink<'s, 'a> {
    facts: &'s mut FactsBuilder,
    heap: &'s Heap,
    sources: &'s Sources<'a>,
    guard: Option<Rc<str>>,
}

impl<'s, 'a> CandidateSink<'s, 'a> {
    pub(super) fn new(facts: &'s mut FactsBuilder, heap: &'s Heap, sources: &'s Sources<'a>, guard: Option<Rc<str>>) -> Self {
        Self { facts, heap, sources, guard }
    }

    /// Keeps a candidate unless it is known already.
    pub(super) fn push(&mut self, concept: Concept, strength: Strength, candidate: CodeCandidate) {
        self.facts.push(concept, strength, candidate);
    }

    /// Emits every keyword of a call, in the vocabulary of its library.
    pub(super) fn emit_call(&mut self, dialect: Dialect, path: &str, args: &CallArguments, place: FileRange) {
        for (key, val) in last_of_each(args) {
            self.emit_key(dialect, key, val, ReachedCall { path, key, place });
        }
    }

    /// Emits a value, or every leaf of a dict, as a key of a tool, whatever the call that it reaches names it.
    pub(super) fn emit_key(&mut self, dialect: Dialect, key: &str, val: &AbstractValue, reached: ReachedCall<'_>) {
        for alt in &val.alternatives {
            match alt.kind {
                ValueKind::Object(id) if matches!(self.heap[id].kind, ObjectKind::Dict { .. }) => {
                    self.emit_nested_under(dialect, &[key], id, reached.path, reached.place, DEPTH);
                }
                _ => self.emit_alternative(dialect, &[key], alt, reached),
            }
        }
    }

    /// Emits every leaf of a dict, in the vocabulary of a tool.
    pub(super) fn emit_nested(&mut self, dialect: Dialect, dict: usize, path: &str, place: FileRange) {
        self.emit_nested_under(dialect, &[], dict, path, place, DEPTH);
    }

    fn emit_nested_under(&mut self, dialect: Dialect, above: &[&str], dict: usize, path: &str, place: FileRange, depth: usize) {
        let ObjectKind::Dict { entries, .. } = self.heap[dict].kind.clone() else { return };
        for (key, val) in &entries {
            let Value::Text(key) = key else { continue };
            let mut keys = above.to_vec();
            keys.push(key);
            for alt in &val.alternatives {
                match alt.kind {
                    ValueKind::Object(id) if depth > 0 && matches!(self.heap[id].kind, ObjectKind::Dict { .. }) => {
                        self.emit_nested_under(dialect, &keys, id, path, place, depth - 1);
                    }
                    _ => self.emit_alternative(dialect, &keys, alt, ReachedCall { path, key, place }),
                }
            }
        }
    }

    fn emit_alternative(&mut self, dialect: Dialect, keys: &[&str], alt: &Alternative, reached: ReachedCall<'_>) {
        match self.heap.data_unless_absent(alt) {
            // An option without a default: the library takes no `None` here, so the caller has to give it.
            Some(Value::Null) if alt.source.option.is_some() => {
                if let Some(concept) = concept_of(dialect, keys).filter(|concept| is_number(*concept)) {
                    self.push_unknown(concept, alt, reached);
                }
            }
            Some(value) => {
                for Meaning { concept, value, stage, .. } in meanings(dialect, keys, &value) {
                    if dialect == Dialect::DeepSpeed && value.as_str() == Some("auto") && is_filled_by_trainer(concept) {
                        continue;
                    }
                    let mut candidate = self.candidate(alt, Resolved::Known(value), Some(reached));
                    candidate.stage = stage;
                    self.facts.push(concept, Strength::Call, candidate);
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
        self.facts.push(concept, Strength::Call, candidate);
    }

    /// Emits one argument of a call for a known concept.
    pub(super) fn emit_argument(
        &mut self,
        concept: Concept,
        key: &str,
        args: &CallArguments,
        index: usize,
        path: &str,
        place: FileRange,
    ) {
        if let Some(val) = args.arg(key, index).cloned() {
            self.emit_value(concept, &val, path, key, place);
        }
    }

    /// Emits a value for a known concept, as `key` of a call.
    pub(super) fn emit_value(&mut self, concept: Concept, val: &AbstractValue, path: &str, key: &str, place: FileRange) {
        for alt in &val.alternatives {
            let reached = ReachedCall { path, key, place };
            match self.heap.data_unless_absent(alt) {
                Some(Value::Null) => {}
                Some(value) => {
                    let candidate = self.candidate(alt, Resolved::Known(value), Some(reached));
                    self.facts.push(concept, Strength::Call, candidate);
                }
                None => self.push_unknown(concept, alt, reached),
            }
        }
    }

    /// Emits a value whose concept follows from the shape of the code.
    pub(super) fn emit_inferred(&mut self, concept: Concept, val: &AbstractValue, stage: Option<&'static str>) {
        for alt in &val.alternatives {
            let value = match (self.heap.data_unless_absent(alt), &alt.kind) {
                (Some(value), _) => Some(Resolved::Known(value)),
                (None, ValueKind::Loaded(..)) => Some(Self::unknown(alt)),
                // Next to what is known it may be the one that holds.
                (None, ValueKind::Unknown) if val.alternatives.len() > 1 => Some(Self::unknown(alt)),
                _ => None,
            };
            if let (Some(value), Some(_)) = (value, alt.source.place) {
                let mut candidate = self.candidate(alt, value, None);
                candidate.reaches_call = true;
                candidate.stage = stage;
                self.facts.push(concept, Strength::Call, candidate);
            }
        }
    }

    /// Emits the default of a field that a library reads.
    pub(super) fn emit_default(&mut self, dialect: Dialect, key: &str, val: &AbstractValue, path: &str) {
        for alt in &val.alternatives {
            if let (Some(value), Some(place)) = (self.heap.data_unless_absent(alt), alt.source.place)
                && let Some(found) = meaning(dialect, &[key], &value)
            {
                let mut candidate = self.candidate(alt, Resolved::Known(found.value), Some(ReachedCall { path, key, place }));
                candidate.call_place = None;
                self.facts.push(found.concept, Strength::Default, candidate);
            }
        }
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
            _ => message!("the program sets it at run time", "其值由程序在运行时设置"),
        })
    }

    pub(super) fn candidate(&self, alt: &Alternative, value: Resolved, reached: Option<ReachedCall<'_>>) -> CodeCandidate {
        let source = &alt.source;
        let place = source.place.or(reached.map(|call| call.place)).unwrap_or_else(|| self.sources.entry_start());
        let raw = self.sources.text(place).to_string();
        let known = matches!(value, Resolved::Known(_));
        let origin = match &source.option {
            Some(option) if known && !matches!(alt.kind, ValueKind::Loaded(..)) => {
                Origin::OptionDefault { place, option: option.clone() }
            }
            _ => Origin::Code { place, name: name_of(source, reached) },
        };
        let loaded_key = match &alt.kind {
            ValueKind::Loaded(load, route) => Some((*load, (**route).clone())),
            _ => source.loaded.as_deref().cloned(),
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
            guard: self.guard.as_deref().map(str::to_string),
            call: reached.map(|call| call.path.to_string()),
            key: reached.map(|call| call.key.to_string()).filter(|key| !key.is_empty()),
            call_place: reached.map(|call| call.place),
        }
    }

    /// Emits the method of a `peft_config`: adapters if it is one.
    pub(super) fn emit_adapters(&mut self, config: &AbstractValue, path: &str, place: FileRange) {
        let mut alternatives = Vec::new();
        for alt in &config.alternatives {
            let kind = match &alt.kind {
                ValueKind::Object(id) if matches!(self.heap[*id].kind, ObjectKind::Lora) => {
                    ValueKind::Scalar(Value::Text("lora".to_string()))
                }
                ValueKind::Object(id) => match &self.heap[*id].kind {
                    ObjectKind::Library(path) => {
                        peft_method(path).map_or(ValueKind::Unknown, |name| ValueKind::Scalar(Value::Text(name)))
                    }
                    _ => ValueKind::Unknown,
                },
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
            self.emit_value(Concept::Method, &AbstractValue::from_alternatives(alternatives), path, "", place);
        }
    }
}

/// The method of a configuration class of PEFT, by its name: `ia3` for `peft.IA3Config`.
fn peft_method(path: &str) -> Option<String> {
    let name = path.strip_prefix("peft.")?.rsplit('.').next()?.strip_suffix("Config")?;
    // The base class says nothing.
    (!matches!(name, "" | "Peft")).then(|| name.to_lowercase())
}

fn is_number(concept: Concept) -> bool {
    matches!(concept, Concept::MicroBatch | Concept::GradientAccumulationSteps | Concept::LearningRate)
}

/// Whether transformers puts the trainer's value in the place of `auto` (transformers 5.23 `integrations/deepspeed.py`).
fn is_filled_by_trainer(concept: Concept) -> bool {
    matches!(concept, Concept::MicroBatch | Concept::GradientAccumulationSteps | Concept::LearningRate | Concept::MixedPrecision)
}

/// The last value of each keyword, in the order of the keywords.
fn last_of_each(args: &CallArguments) -> Vec<(&String, &AbstractValue)> {
    let mut found: Vec<(&String, &AbstractValue)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (key, val) in &args.keyword {
        if let Some(place) = places.get(key.as_str()) {
            found[*place].1 = val;
        } else {
            places.insert(key, found.len());
            found.push((key, val));
        }
    }
    found
}

/// The name of a value in the code. An argument without a name of its own is named after its call.
fn name_of(source: &ValueSource, reached: Option<ReachedCall<'_>>) -> String {
    match reached {
        Some(call) if source.name.is_empty() && !call.key.is_empty() => format!("{}({})", leaf(call.path), call.key),
        Some(call) if source.name.is_empty() => leaf(call.path).to_string(),
        _ => source.name.clone(),
    }
}
