//! JSON objects that keep insertion order, so that the most important fields come first.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

/// A value.
#[derive(Debug)]
pub(super) enum Node {
    /// Any JSON.
    Plain(Json),
    /// An object in order.
    Object(Object),
    /// A list.
    List(Vec<Node>),
}

/// An object in order.
#[derive(Debug, Default)]
pub(super) struct Object(Vec<(String, Node)>);

impl Object {
    /// Appends a field. The caller must not add a name twice.
    pub(super) fn put(&mut self, name: &str, value: impl Into<Node>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// Whether the object has a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }
}

impl<T: Into<Json>> From<T> for Node {
    fn from(value: T) -> Self {
        Self::Plain(value.into())
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl FromIterator<Node> for Node {
    fn from_iter<I: IntoIterator<Item = Node>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(value) => value.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
