//! Dicts: reading and writing entries.

use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource, declare, place_of_value};
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

/// Entries of one dict that are followed; with more, it may hold anything else. Settings have fewer, data has more.
const MOST_ENTRIES: usize = 1_000;

impl<'a> Interpreter<'a> {
    /// `base[index] = val`.
    pub(super) fn set_item(&mut self, base: &AbstractValue, index: &AbstractValue, val: &AbstractValue, place: FileRange) {
        let key = index.single().and_then(Alternative::scalar).cloned();
        let single = base.alternatives.len() == 1;
        for alt in &base.alternatives {
            match (&alt.kind, &key) {
                (ValueKind::Object(id), Some(key)) => self.set_entry(*id, key.clone(), val.clone(), single),
                (ValueKind::Object(id), None) => {
                    if let ObjectKind::Dict { open, .. } = &mut self.heap[*id].kind {
                        *open = true;
                    }
                }
                (ValueKind::Loaded(load, route), Some(Value::Text(name))) => {
                    self.overlay_key(*load, &route.clone(), name, val.clone());
                }
                (ValueKind::External(path), Some(Value::Text(name))) if &**path == "os.environ" => {
                    self.facts.environment.push((name.clone(), self.heap.as_data(val), place_of_value(val).unwrap_or(place)));
                }
                _ => {}
            }
        }
    }

    pub(super) fn set_entry(&mut self, id: usize, key: Value, val: AbstractValue, certain: bool) {
        if let (ObjectKind::Namespace(_) | ObjectKind::Instance { .. }, Value::Text(name)) = (&self.heap[id].kind, &key) {
            let name = name.clone();
            self.set_attribute(&AbstractValue::new(ValueKind::Object(id), ValueSource::default()), &name, &val);
            return;
        }
        let ObjectKind::Dict { entries, .. } = &self.heap[id].kind else { return };
        let old = entries.iter().find(|(k, _)| *k == key).map(|(_, val)| val.clone());
        if old.is_none() && entries.len() >= MOST_ENTRIES {
            self.heap.open_dict(id);
            return;
        }
        let val = if let Value::Text(name) = &key { declare(val, name, None) } else { val };
        let val = self.after_write(id, old, val, certain);
        if let ObjectKind::Dict { entries, .. } = &mut self.heap[id].kind {
            match entries.iter_mut().find(|(k, _)| *k == key) {
                Some(entry) => entry.1 = val,
                None => entries.push((key, val)),
            }
        }
    }

    /// `{…}`.
    pub(super) fn dict(&mut self, entries: &'a [(Option<Expr>, Expr)], place: FileRange, scope: usize) -> AbstractValue {
        let id = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: false });
        let whole = AbstractValue::located(ValueKind::Object(id), place);
        for (key, value) in entries {
            let Some(key) = key else {
                let other = self.eval(value, scope);
                self.update_dict(&whole, &other);
                continue;
            };
            let key_place = FileRange::new(place.file, key.range);
            let key = self.eval(key, scope);
            let val = self.eval(value, scope).map_source(|source| source.key = Some(key_place));
            match key.single().and_then(Alternative::scalar).cloned() {
                Some(key) => {
                    let val =
                        if matches!(value.kind, ExprKind::Dict(_)) { self.heap.prefix_nested_names(val, &key) } else { val };
                    self.set_entry(id, key, val, true);
                }
                None => self.heap.open_dict(id),
            }
        }
        whole
    }

    /// `base.update(other)`.
    pub(super) fn update_dict(&mut self, base: &AbstractValue, other: &AbstractValue) {
        let single = base.alternatives.len() == 1;
        for id in base.objects().collect::<Vec<_>>() {
            let mut known = false;
            for from in other.objects().collect::<Vec<_>>() {
                if let ObjectKind::Dict { entries, open } = self.heap[from].kind.clone() {
                    known = true;
                    for (key, val) in entries {
                        self.set_entry(id, key, val, single && other.alternatives.len() == 1);
                    }
                    if open {
                        self.heap.open_dict(id);
                    }
                }
            }
            let loaded = other.single().is_some_and(|alt| matches!(alt.kind, ValueKind::Loaded(..)));
            let place = place_of_value(other).unwrap_or_else(|| self.sources.entry_start());
            if loaded && let Some(entries) = self.known_entries(other, place) {
                known = true;
                for (key, val) in entries {
                    self.set_entry(id, Value::Text(key), val, single);
                }
            }
            if !known {
                self.heap.open_dict(id);
            }
        }
    }

    /// A dict with the same entries.
    pub(super) fn copy_dict(&mut self, val: &AbstractValue) -> AbstractValue {
        let source = val.alternatives.first().map(|alt| (*alt.source).clone()).unwrap_or_default();
        let kind = val.objects().next().map(|id| self.heap[id].kind.clone());
        match kind {
            Some(kind @ ObjectKind::Dict { .. }) => AbstractValue::new(ValueKind::Object(self.new_object(kind)), source),
            _ => val.clone(),
        }
    }
}
