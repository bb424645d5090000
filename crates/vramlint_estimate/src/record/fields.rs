//! JSON objects that know the line of their fields and which of them were read.

use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{Message, message};

/// The document that all values borrow from.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The top-level values: one for a single object or list, many for JSON lines.
    pub(super) fn values(&self) -> Result<Vec<&'a RawValue>, Message> {
        let stream = serde_json::Deserializer::from_str(self.0).into_iter::<&RawValue>();
        stream.collect::<Result<_, _>>().map_err(|error| not_json(&error, 0))
    }

    /// The items of a list.
    pub(super) fn items(&self, list: &'a RawValue) -> Result<Vec<&'a RawValue>, Message> {
        serde_json::from_str(list.get()).map_err(|error| not_json(&error, self.line(list) - 1))
    }

    /// The line on which a value begins, from 1. The value must belong to this document.
    fn line(&self, value: &RawValue) -> usize {
        let offset = (value.get().as_ptr() as usize).saturating_sub(self.0.as_ptr() as usize);
        self.0.get(..offset).unwrap_or_default().matches('\n').count() + 1
    }
}

fn not_json(error: &serde_json::Error, before: usize) -> Message {
    let (line, column) = (error.line() + before, error.column());
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or_default();
    message!("line {line}, column {column}: invalid JSON: {what}", "第 {line} 行第 {column} 列：不是有效的 JSON：{what}")
}

/// An object.
pub(super) struct Fields<'a> {
    text: Text<'a>,
    value: &'a RawValue,
    /// Path of the object with a trailing dot; empty at the top level.
    path: String,
    entries: BTreeMap<String, &'a RawValue>,
    read: BTreeSet<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(text: Text<'a>, value: &'a RawValue, path: &str) -> Result<Self, Message> {
        let Ok(entries) = serde_json::from_str(value.get()) else {
            return Err(type_error(text, value, path, &message!("an object", "一个对象")));
        };
        let path = if path.is_empty() { String::new() } else { format!("{path}.") };
        Ok(Self { text, value, path, entries, read: BTreeSet::new() })
    }

    /// Takes the first of these fields that has a value; null counts as absent.
    fn take_value(&mut self, names: &[&str]) -> Option<(String, &'a RawValue)> {
        self.ignore(names);
        let found = names.iter().find_map(|name| Some((name, *self.entries.get(*name)?)).filter(|(_, v)| v.get() != "null"))?;
        Some((format!("{}{}", self.path, found.0), found.1))
    }

    /// Whether the field is written, even as null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Marks these fields as read.
    pub(super) fn ignore(&mut self, names: &[&str]) {
        self.read.extend(names.iter().map(|name| (*name).to_owned()));
    }

    fn typed<T: serde::de::DeserializeOwned>(&mut self, names: &[&str], kind: &Message) -> Result<Option<T>, Message> {
        let Some((path, value)) = self.take_value(names) else { return Ok(None) };
        serde_json::from_str(value.get()).map(Some).map_err(|_| type_error(self.text, value, &path, kind))
    }

    /// An integer within bounds. `5e8` is one.
    pub(super) fn count(&mut self, names: &[&str], least: u64, most: u64) -> Result<Option<u64>, Message> {
        let Some((path, value)) = self.take_value(names) else { return Ok(None) };
        let number = serde_json::from_str::<f64>(value.get()).ok();
        #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // bounds are far below 2^53; not negative: just compared
        let whole = number.filter(|n| n.fract() == 0.0 && *n >= least as f64 && *n <= most as f64).map(|n| n as u64);
        let kind = message!("an integer from {least} to {most}", "{least} 到 {most} 之间的整数");
        whole.map(Some).ok_or_else(|| type_error(self.text, value, &path, &kind))
    }

    pub(super) fn number(&mut self, names: &[&str]) -> Result<Option<f64>, Message> {
        self.typed(names, &message!("a number", "一个数字"))
    }

    pub(super) fn flag(&mut self, names: &[&str]) -> Result<Option<bool>, Message> {
        self.typed(names, &message!("a boolean", "布尔值"))
    }

    pub(super) fn text(&mut self, names: &[&str]) -> Result<Option<String>, Message> {
        self.typed(names, &message!("a string", "字符串"))
    }

    pub(super) fn texts(&mut self, names: &[&str]) -> Result<Option<Vec<String>>, Message> {
        self.typed(names, &message!("a list of strings", "字符串列表"))
    }

    /// Whether the value of a field is a string (and not, say, an object).
    pub(super) fn is_text(&self, name: &str) -> bool {
        self.entries.get(name).is_some_and(|value| value.get().starts_with('"'))
    }

    /// A value of a vocabulary table.
    pub(super) fn word<T: Copy>(&mut self, names: &[&str], table: &[(&str, T)]) -> Result<Option<T>, Message> {
        let Some((path, value)) = self.take_value(names) else { return Ok(None) };
        let word: Option<String> = serde_json::from_str(value.get()).ok();
        let found = word.and_then(|word| super::vocabulary::parse(table, &word));
        let list = super::vocabulary::list(table);
        found.map(Some).ok_or_else(|| type_error(self.text, value, &path, &message!("one of {list}", "以下之一：{list}")))
    }

    pub(super) fn object(&mut self, names: &[&str]) -> Result<Option<Self>, Message> {
        let Some((path, value)) = self.take_value(names) else { return Ok(None) };
        Self::new(self.text, value, &path).map(Some)
    }

    /// The `id`: a string or a number.
    pub(super) fn id(&mut self) -> Result<serde_json::Value, Message> {
        let Some((path, value)) = self.take_value(&["id"]) else { return Ok(serde_json::Value::Null) };
        let read: Option<serde_json::Value> = serde_json::from_str(value.get()).ok();
        let kind = message!("a string or a number", "字符串或数字");
        read.filter(|id| id.is_string() || id.is_number()).ok_or_else(|| type_error(self.text, value, &path, &kind))
    }

    /// The JSON text of the object.
    pub(super) fn raw(&self) -> &'a str {
        self.value.get()
    }

    /// Paths of the fields that were not read.
    pub(super) fn unread(&self) -> Vec<String> {
        self.entries.keys().filter(|key| !self.read.contains(*key)).map(|key| format!("{}{key}", self.path)).collect()
    }

    /// The error for a required field that is missing.
    pub(super) fn missing(&self, name: &str) -> Message {
        let (line, path) = (self.text.line(self.value), &self.path);
        message!("line {line}: `{path}{name}` is missing", "第 {line} 行：缺少 `{path}{name}`")
    }

    /// An error at a field of this object, or at the object if the field is absent.
    pub(super) fn error_at(&self, name: &str, why: &Message) -> Message {
        let line = self.text.line(self.entries.get(name).copied().unwrap_or(self.value));
        let (path, en, zh) = (&self.path, &why.en, &why.zh);
        message!("line {line}: `{path}{name}`: {en}", "第 {line} 行：`{path}{name}`：{zh}")
    }
}

/// The error for a value of the wrong type.
fn type_error(text: Text<'_>, value: &RawValue, path: &str, expected: &Message) -> Message {
    let line = text.line(value);
    let mut shown: String = value.get().chars().take(40).filter(|c| !c.is_control()).collect();
    if shown.len() < value.get().len() {
        shown.push('…');
    }
    let (en, zh) = (&expected.en, &expected.zh);
    if path.is_empty() {
        return message!("line {line}: expected {en}, got {shown}", "第 {line} 行：应为{zh}，而不是 {shown}");
    }
    message!("line {line}: `{path}`: expected {en}, got {shown}", "第 {line} 行：`{path}` 应为{zh}，而不是 {shown}")
}
