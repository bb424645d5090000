//! Dicts: what they hold, and what is put into them.

use super::interpreter::Interpreter;
use super::member_access::place_of;
use super::stmt::declare;
use super::value::{AbstractValue, Alternative, ObjectKind, ValueKind, ValueSource};
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

impl<'a> Interpreter<'a> {
    /// `base[index] = val`.
    pub(super) fn set_item(&mut self, base: &AbstractValue, index: &AbstractValue, val: &AbstractValue, place: FileRange) {
        let key = index.only().and_then(Alternative::scalar).cloned();
        let single = base.alternatives.len() == 1;
        for alt in &base.alternatives {
            match (&alt.kind, &key) {
                (ValueKind::Object(id), Some(key)) => self.set_entry(*id, key.clone(), val.clone(), single),
                (ValueKind::Object(id), None) => {
                    if let ObjectKind::Dict { open, .. } = &mut self.objects[*id].kind {
                        *open = true;
                    }
                }
                (ValueKind::Loaded(load, route), Some(Value::Text(name))) => {
                    self.overlay(*load, &route.clone(), name, val.clone())
                }
                (ValueKind::External(path), Some(Value::Text(name))) if &**path == "os.environ" => {
                    self.record.environment.push((name.clone(), self.plain_value(val), place_of(val).unwrap_or(place)));
                }
                _ => {}
            }
        }
    }

    fn set_entry(&mut self, id: usize, key: Value, val: AbstractValue, certain: bool) {
        if let (ObjectKind::Namespace(_) | ObjectKind::Instance { .. }, Value::Text(name)) = (&self.objects[id].kind, &key) {
            let name = name.clone();
            self.set_attribute(&AbstractValue::one(ValueKind::Object(id), ValueSource::default()), &name, &val);
            return;
        }
        let ObjectKind::Dict { entries, .. } = &self.objects[id].kind else { return };
        let old = entries.iter().find(|(k, _)| *k == key).map(|(_, val)| val.clone());
        let val = if let Value::Text(name) = &key { declare(val, name, None) } else { val };
        let val = self.written(id, old, val, certain);
        if let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind {
            match entries.iter_mut().find(|(k, _)| *k == key) {
                Some(entry) => entry.1 = val,
                None => entries.push((key, val)),
            }
        }
    }

    /// `{…}`.
    pub(super) fn dict(&mut self, entries: &'a [(Option<Expr>, Expr)], place: FileRange, scope: usize) -> AbstractValue {
        let id = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: false });
        let whole = AbstractValue::at(ValueKind::Object(id), place);
        for (key, value) in entries {
            let Some(key) = key else {
                let other = self.eval(value, scope);
                self.update_dict(&whole, &other);
                continue;
            };
            let key_place = FileRange::new(place.file, key.range);
            let key = self.eval(key, scope);
            let val = self.eval(value, scope).map_source(|source| source.key = Some(key_place));
            match key.only().and_then(Alternative::scalar).cloned() {
                Some(key) => {
                    let val = if matches!(value.kind, ExprKind::Dict(_)) { self.name_inner(val, &key) } else { val };
                    self.set_entry(id, key, val, true);
                }
                None => self.open_dict(id),
            }
        }
        whole
    }

    /// Puts the key of a nested dict before the names of what it holds: `training` before `batch_size`.
    fn name_inner(&mut self, val: AbstractValue, key: &Value) -> AbstractValue {
        let Value::Text(key) = key else { return val };
        for id in val.objects().collect::<Vec<_>>() {
            if let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind {
                for (_, inner) in entries.iter_mut() {
                    let named = std::mem::replace(inner, AbstractValue::unknown()).map_source(|source| {
                        if source.declared && !source.path.is_empty() {
                            source.path.insert(0, key.clone());
                        }
                    });
                    *inner = named;
                }
            }
        }
        val
    }

    fn open_dict(&mut self, id: usize) {
        if let ObjectKind::Dict { open, .. } = &mut self.objects[id].kind {
            *open = true;
        }
    }

    /// `base.update(other)`.
    pub(super) fn update_dict(&mut self, base: &AbstractValue, other: &AbstractValue) {
        let single = base.alternatives.len() == 1;
        for id in base.objects().collect::<Vec<_>>() {
            let mut known = false;
            for from in other.objects().collect::<Vec<_>>() {
                if let ObjectKind::Dict { entries, open } = self.objects[from].kind.clone() {
                    known = true;
                    for (key, val) in entries {
                        self.set_entry(id, key, val, single && other.alternatives.len() == 1);
                    }
                    if open {
                        self.open_dict(id);
                    }
                }
            }
            if !known {
                self.open_dict(id);
            }
        }
    }

    /// After `pop`, what stood there may be gone. It is not certain to be: a function is run once for several callers.
    pub(super) fn taken(&mut self, id: usize, key: &AbstractValue) {
        let key = key.only().and_then(Alternative::scalar).cloned();
        let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind else { return };
        for (name, val) in entries.iter_mut().filter(|(name, _)| key.as_ref().is_none_or(|key| key == name)) {
            let condition = format!("{} is not taken out", name.as_str().unwrap_or("it"));
            *val = std::mem::replace(val, AbstractValue::unknown()).under(Some(&condition.into()));
        }
    }

    /// A dict with the same entries.
    pub(super) fn copy_dict(&mut self, val: &AbstractValue) -> AbstractValue {
        let source = val.alternatives.first().map(|alt| (*alt.source).clone()).unwrap_or_default();
        let kind = val.objects().next().map(|id| self.objects[id].kind.clone());
        match kind {
            Some(kind @ ObjectKind::Dict { .. }) => AbstractValue::one(ValueKind::Object(self.new_object(kind)), source),
            _ => val.clone(),
        }
    }
}
