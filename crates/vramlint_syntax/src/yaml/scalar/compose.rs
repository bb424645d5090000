//! The value of a whole node: lists, mappings, merge keys, aliases.

use super::{Tag, resolve};
use crate::data::{Loader, NodeId, NodeKind, NodeRef, Style};
use std::collections::HashMap;
use vramlint_base::Value;

/// Depth to which values are built: block and flow nesting of the parser (255 each) and some aliases. A node that contains
/// itself ends here.
const DEEPEST: usize = 600;

/// The value that `loader` makes of `node`; `budget` is the number of nodes that may still be made, aliased ones counted each
/// time. `None` where that does not suffice, or where the node contains itself.
pub fn value(node: NodeRef<'_>, loader: Loader, budget: &mut usize) -> Option<Value> {
    build(node, loader, budget, DEEPEST)
}

fn build(node: NodeRef<'_>, loader: Loader, budget: &mut usize, depth: usize) -> Option<Value> {
    if depth == 0 || *budget == 0 {
        return None;
    }
    *budget -= 1;
    let raw = node.raw();
    let tag = raw.tag.as_deref();
    match &raw.kind {
        NodeKind::Missing | NodeKind::Alias { target: None, .. } => Some(Value::Null),
        NodeKind::Scalar(scalar) => Some(resolve(scalar, tag, loader)),
        NodeKind::Alias { target: Some(target), .. } => build(at(node, *target), loader, budget, depth - 1),
        NodeKind::Sequence(items) => {
            let mut list = Vec::with_capacity(items.len().min(*budget));
            for item in items {
                list.push(build(at(node, *item), loader, budget, depth - 1)?);
            }
            if matches!(Tag::of(tag), Tag::Core("omap" | "pairs")) {
                list = list.into_iter().flat_map(pairs).collect();
            }
            Some(Value::List(list))
        }
        NodeKind::Mapping(_) => {
            let mut map = MapBuilder::default();
            fill(node, loader, budget, depth, &mut map)?;
            Some(if Tag::of(tag) == Tag::Core("set") { map.into_set() } else { Value::Map(map.entries) })
        }
    }
}

/// `!!omap` and `!!pairs` are lists of one-entry mappings that become pairs.
fn pairs(item: Value) -> Vec<Value> {
    match item {
        Value::Map(entries) => entries.into_iter().map(|(key, value)| Value::List(vec![key, value])).collect(),
        other => vec![other],
    }
}

/// Puts the entries of a mapping into `map`: first what merge keys bring, then its own, as PyYAML's `flatten_mapping` does. Of
/// several merge keys the last wins; of a list after one merge key the first.
fn fill(node: NodeRef<'_>, loader: Loader, budget: &mut usize, depth: usize, map: &mut MapBuilder) -> Option<()> {
    if depth == 0 || *budget == 0 {
        return None;
    }
    let merges = |key: NodeRef<'_>| loader != Loader::Json && is_merge_key(key);
    for (_, source) in node.entries().filter(|(key, _)| merges(*key)) {
        *budget = budget.checked_sub(1)?;
        if source.is_mapping() {
            fill(source.follow(), loader, budget, depth - 1, map)?;
            continue;
        }
        let listed: Vec<NodeRef<'_>> = source.items().collect();
        for each in listed.into_iter().rev() {
            fill(each.follow(), loader, budget, depth - 1, map)?;
        }
    }
    for (key, value) in node.entries().filter(|(key, _)| !merges(*key)) {
        let key = build(key, loader, budget, depth - 1)?;
        map.insert(key, build(value, loader, budget, depth - 1)?);
    }
    Some(())
}

/// Whether PyYAML merges the value of this key: a plain `<<`, or anything tagged `!!merge`.
pub(crate) fn is_merge_key(key: NodeRef<'_>) -> bool {
    let key = key.follow();
    let Some(scalar) = key.scalar() else { return false };
    match Tag::of(key.raw().tag.as_deref()) {
        Tag::None => scalar.style == Style::Plain && scalar.text == "<<",
        Tag::NonSpecific => scalar.text == "<<",
        Tag::Core(name) => name == "merge",
        Tag::Other => false,
    }
}

fn at(node: NodeRef<'_>, id: NodeId) -> NodeRef<'_> {
    NodeRef { file: node.file, id }
}

/// A mapping as Python's `dict` keeps it: the place of the first of equal keys, the value of the last.
#[derive(Default)]
struct MapBuilder {
    entries: Vec<(Value, Value)>,
    places: HashMap<Hashed, usize>,
}

impl MapBuilder {
    fn insert(&mut self, key: Value, value: Value) {
        let Some(hashed) = Hashed::of(&key) else {
            self.entries.push((key, value));
            return;
        };
        if let Some(place) = self.places.get(&hashed) {
            self.entries[*place].1 = value;
        } else {
            self.places.insert(hashed, self.entries.len());
            self.entries.push((key, value));
        }
    }

    fn into_set(self) -> Value {
        Value::List(self.entries.into_iter().map(|(key, _)| key).collect())
    }
}

/// What makes two keys equal to Python: `1`, `1.0` and `True` are.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Hashed {
    Null,
    Whole(i64),
    Large(String),
    Bits(u64),
    Text(String),
    Time(String),
}

impl Hashed {
    /// `None` for what equals nothing or cannot be a key: NaN, lists, mappings.
    pub(crate) fn of(key: &Value) -> Option<Self> {
        Some(match key {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Whole(i64::from(*truth)),
            Value::Int(number) => Self::Whole(*number),
            Value::BigInt(digits) => Self::Large(digits.clone()),
            Value::Float(number) if number.is_nan() => return None,
            #[allow(clippy::cast_possible_truncation)] // guarded: whole and far inside the range
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Self::Whole(*number as i64),
            Value::Float(number) => Self::Bits(number.to_bits()),
            Value::Text(text) => Self::Text(text.clone()),
            Value::Timestamp(text) => Self::Time(text.clone()),
            Value::List(_) | Value::Map(_) => return None,
        })
    }
}
