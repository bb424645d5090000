//! Abstract values as the arguments of recorded calls.

use super::call_arguments::{ArgumentRanges, CallArguments};
use super::heap::{Heap, ObjectKind};
use super::recorded_call::{ArgValue, CallArgument, DictEntry, PossibleValue};
use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::HashMap;
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange, Value};

/// Maximum nesting of dicts and lists.
pub(super) const DEPTH: u32 = 6;
/// Maximum number of items of a list or dict.
const MAX_ITEMS: usize = 200;

/// Reads values of the interpretation into values of recorded calls.
#[derive(Clone, Copy)]
pub(super) struct ValueReader<'s> {
    pub(super) heap: &'s Heap,
    /// The call that made each object.
    pub(super) producers: &'s HashMap<usize, usize>,
    /// Whether keys of loaded files may be named; otherwise they are unknown.
    pub(super) with_loads: bool,
}

impl ValueReader<'_> {
    /// The arguments of a call at `call`.
    pub(super) fn arguments(self, args: &CallArguments, ranges: &ArgumentRanges, call: FileRange) -> Vec<CallArgument> {
        let argument = |name: Option<&String>, position, range: Option<TextRange>, val: &AbstractValue| {
            let values = self.alternatives(val, call, DEPTH);
            let place = range.map_or(values[0].place, |range| FileRange::new(call.file, range));
            CallArgument { name: name.cloned(), position, place, is_explicit: range.is_some(), values }
        };
        let range_of = |ranges: &[Option<TextRange>], i: usize| ranges.get(i).copied().flatten();
        let positional = args.positional.iter().enumerate();
        let positional = positional.map(|(i, val)| argument(None, Some(i), range_of(&ranges.positional, i), val));
        // Entries of an unpacked block of a file are read from the file.
        let is_in_block = |val: &AbstractValue| match (args.unpacked_block.as_ref(), val.single()) {
            (Some((load, block)), Some(alt)) => alt
                .source
                .loaded
                .as_ref()
                .is_some_and(|of| of.0 == *load && of.1.len() == block.len() + 1 && of.1.starts_with(block)),
            _ => false,
        };
        let keyword = args.keyword.iter().enumerate();
        let keyword = keyword.filter(|(i, (_, val))| range_of(&ranges.keyword, *i).is_some() || !is_in_block(val));
        let keyword = keyword.map(|(i, (name, val))| argument(Some(name), None, range_of(&ranges.keyword, i), val));
        positional.chain(keyword).collect()
    }

    /// The alternatives of a value; `place` stands for those without a place of their own.
    pub(super) fn alternatives(self, val: &AbstractValue, place: FileRange, depth: u32) -> Vec<PossibleValue> {
        val.alternatives.iter().map(|alt| self.alternative(alt, place, depth)).collect()
    }

    fn alternative(self, alt: &Alternative, place: FileRange, depth: u32) -> PossibleValue {
        let place = alt.source.place.unwrap_or(place);
        let condition = match (&alt.condition, alt.fallback) {
            (Some(condition), _) => Some(condition.to_string()),
            (None, true) => Some("…".to_string()),
            (None, false) => None,
        };
        let loaded = alt.source.loaded.as_deref();
        PossibleValue {
            value: match loaded {
                Some((load, route)) => self.value(&ValueKind::Loaded(*load, Rc::new(route.clone())), place, depth),
                None => self.value(&alt.kind, place, depth),
            },
            place,
            condition,
            may_be_overridden: alt.source.may_be_overridden
                || alt.source.option.is_some()
                || alt.source.env.is_some()
                || loaded.is_some(),
            option: alt.source.option.clone(),
        }
    }

    fn value(self, kind: &ValueKind, place: FileRange, depth: u32) -> ArgValue {
        match kind {
            ValueKind::Scalar(value) => ArgValue::Known(value.clone()),
            ValueKind::Items(items) if depth > 0 && items.len() <= MAX_ITEMS => self.list(items, place, depth),
            ValueKind::Object(id) => self.object(*id, place, depth),
            ValueKind::External(path) if !path.starts_with("sys.argv") && !path.starts_with("os.environ") => {
                ArgValue::Name(path.to_string())
            }
            ValueKind::Loaded(load, route) if self.with_loads => ArgValue::Loaded(*load, (**route).clone()),
            _ => ArgValue::Unknown,
        }
    }

    fn list(self, items: &[AbstractValue], place: FileRange, depth: u32) -> ArgValue {
        let mut found = Vec::new();
        for item in items {
            let Some(alt) = item.single() else { return ArgValue::Unknown };
            found.push(self.alternative(alt, place, depth - 1));
        }
        let constant = |item: &PossibleValue| match &item.value {
            ArgValue::Known(value) if !item.may_be_overridden && item.condition.is_none() => Some(value.clone()),
            _ => None,
        };
        match found.iter().map(constant).collect::<Option<Vec<Value>>>() {
            Some(values) => ArgValue::Known(Value::List(values)),
            None => ArgValue::List(found),
        }
    }

    fn object(self, id: usize, place: FileRange, depth: u32) -> ArgValue {
        match &self.heap[id].kind {
            ObjectKind::Model(load) => ArgValue::Model(*load),
            ObjectKind::Dict { entries, open } if depth > 0 && entries.len() <= MAX_ITEMS => {
                let entries = entries.iter().map(|(key, val)| {
                    let key_place = val.alternatives.first().and_then(|alt| alt.source.key);
                    DictEntry { key: key.clone(), key_place, values: self.alternatives(val, place, depth - 1) }
                });
                ArgValue::Dict { entries: entries.collect(), open: *open }
            }
            _ => self.producers.get(&id).map_or(ArgValue::Unknown, |index| ArgValue::ResultOf(*index)),
        }
    }
}
