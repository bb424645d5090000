//! Which parameters of the trained model the code keeps from training, step by step.

use super::heap::{MODEL_DEPTH, ObjectKind};
use super::interpreter::Interpreter;
use super::selection::Selection;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The attribute that holds the model below the head: `model.model`.
const BELOW_HEAD: &str = "__below_head__";
/// How a rule names that part.
const BASE: &str = "<base>";
/// Maximum number of steps that are kept.
const MAX_RULES: usize = 64;

/// One step: the parameters of a part of a model are frozen, or told to train.
pub(super) struct FreezeRule {
    /// The model or module.
    object: usize,
    /// The part within it; empty: all.
    part: Rc<str>,
    trains: bool,
    /// Which parameters of the part; `None`: all.
    selection: Option<Selection>,
    /// Whether it is certain that this happens, and to what.
    certain: bool,
}

impl Interpreter<'_> {
    /// The model below the head of a loaded model: an object of its own that stands for the same load.
    pub(super) fn below_head(&mut self, id: usize) -> usize {
        let known = self.heap[id].attributes.get(BELOW_HEAD).and_then(|val| val.objects().next());
        known.unwrap_or_else(|| {
            let copy = self.new_object(self.heap[id].kind.clone());
            let below = AbstractValue::new(ValueKind::Object(copy), ValueSource::default());
            let own = self.heap[id].attributes.clone();
            self.heap[copy].attributes = own;
            self.heap[copy].attributes.insert(BELOW_HEAD.to_owned(), below.clone());
            self.heap[id].attributes.insert(BELOW_HEAD.to_owned(), below);
            copy
        })
    }

    /// Notes that parameters are frozen, or told to train. `on` is the value that `requires_grad` gets; `None`: true.
    pub(super) fn note_freeze_rule(&mut self, base: &AbstractValue, on: Option<&AbstractValue>) {
        if self.parameters.rules.len() >= MAX_RULES {
            self.parameters.rules.iter_mut().for_each(|rule| rule.certain = false);
            return;
        }
        let around = self.control.selection();
        let chosen = on.and_then(Selection::of);
        let truth = on.map_or(Some(true), |on| self.heap.truth(on));
        let is_known = (chosen.is_some() || truth.is_some()) && base.single().is_some();
        let around_known = around.clone().unwrap_or_default();
        for alt in &base.alternatives {
            let (object, part) = match &alt.kind {
                ValueKind::Object(id) => (*id, Rc::from("")),
                ValueKind::Method(id, part) => (*id, part.clone()),
                _ => continue,
            };
            if !self.is_model_or_module(object) {
                continue;
            }
            let certain = is_known && around.is_ok() && !part.contains('?');
            let mut add = |trains: bool, selection: Option<Selection>| {
                let selection = match (around_known.clone(), selection) {
                    (Some(around), Some(own)) => Some(around.and(own)),
                    (around, own) => around.or(own),
                };
                let certain = certain && selection.as_ref().is_none_or(Selection::is_short);
                self.parameters.rules.push(FreezeRule { object, part: part.clone(), trains, selection, certain });
            };
            match &chosen {
                Some(chosen) => {
                    add(true, Some(chosen.as_ref().clone()));
                    add(false, Some(chosen.as_ref().clone().negated()));
                }
                None => add(truth == Some(true), None),
            }
        }
    }

    /// The steps that decide which parameters of the only trained model are trained, in the form that estimates read: `freeze
    /// layers[:8]; train where name has "norm"`. `None` if nothing but the whole model is frozen, or if they are not all certain.
    pub(super) fn freeze_rules(&self) -> Option<String> {
        let trained = self.trained_models();
        let made: BTreeSet<usize> =
            self.parameters.modules.iter().map(|(id, _)| *id).filter(|id| self.is_made_model(*id)).collect();
        let is_of_model = |rule: &FreezeRule| match self.heap[rule.object].kind {
            ObjectKind::Model(load) => trained.contains(&load) && made.is_empty(),
            _ => made.contains(&rule.object) && trained.is_empty(),
        };
        if trained.len() + made.len() != 1 {
            return None;
        }
        let holds_model = |id: usize| {
            let object = AbstractValue::new(ValueKind::Object(id), ValueSource::default());
            !self.heap.models_in(&object, MODEL_DEPTH).is_empty()
        };
        let concerns = |rule: &&FreezeRule| match self.heap[rule.object].kind {
            ObjectKind::Model(_) => is_of_model(rule),
            _ => is_of_model(rule) || holds_model(rule.object),
        };
        let rules: Vec<&FreezeRule> = self.parameters.rules.iter().filter(concerns).collect();
        let is_partial =
            rules.iter().any(|rule| !rule.part.is_empty() || rule.selection.is_some() || self.is_below_head(rule.object));
        let freezes = rules.iter().any(|rule| !rule.trains);
        if !is_partial || !freezes || !rules.iter().all(|rule| rule.certain && is_of_model(rule)) {
            return None;
        }
        Some(rules.iter().map(|rule| self.written(rule)).collect::<Vec<_>>().join("; "))
    }

    fn is_below_head(&self, id: usize) -> bool {
        self.heap[id].attributes.get(BELOW_HEAD).is_some_and(|val| val.objects().any(|own| own == id))
    }

    fn written(&self, rule: &FreezeRule) -> String {
        let mut text = if rule.trains { "train" } else { "freeze" }.to_owned();
        let part = if rule.part.is_empty() && self.is_below_head(rule.object) { BASE } else { &rule.part };
        for (word, value) in
            [("", part.to_owned()), ("where ", rule.selection.as_ref().map(ToString::to_string).unwrap_or_default())]
        {
            if !value.is_empty() {
                text += &format!(" {word}{value}");
            }
        }
        text
    }
}
