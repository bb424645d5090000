//! Edits of arguments of Python calls and of entries of dicts.
//!
//! Calls and dicts are identified by their range: [`call_at`] finds the call of a finding. New values are source text.

use crate::list::{Items, List};
use crate::replace_range;
use vramlint_base::{Edit, TextRange, Value};
use vramlint_resolve::SourceFile;
use vramlint_syntax::python::{Call, Expr, ExprKind};

/// The call with exactly this range.
pub fn call_at(file: &SourceFile, place: TextRange) -> Option<&Call> {
    file.python()?.calls().find(|site| site.expr.range == place).map(|site| site.call)
}

/// Adds a keyword argument after the others. `None` if the call passes it, or may pass it with `**`.
pub fn add(file: &SourceFile, place: TextRange, name: &str, source: &str) -> Option<Edit> {
    let call = call_at(file, place)?;
    let free = call.keyword(name).is_none() && !call.has_unpacking();
    free.then(|| list(file, place, call)?.append(&format!("{name}={source}"))).flatten()
}

/// Removes a keyword argument with its comma.
pub fn remove(file: &SourceFile, place: TextRange, name: &str) -> Option<Edit> {
    let call = call_at(file, place)?;
    let index = call.args.iter().position(|argument| argument.name().is_some_and(|(own, _)| own == name))?;
    list(file, place, call)?.remove(index)
}

/// Adds an entry after the others. `None` if the dict has the key, or may have it through `**`.
pub fn add_item(file: &SourceFile, dict: &Expr, key: &str, source: &str) -> Option<Edit> {
    let ExprKind::Dict(entries) = &dict.kind else { return None };
    let free = entries.iter().all(|(own, _)| own.is_some()) && position(entries, key).is_none();
    let name = super::spell::python(&Value::Text(key.to_owned()))?;
    free.then(|| items(file, dict, entries)?.append(&format!("{name}: {source}"))).flatten()
}

/// All dict displays of a file.
fn dicts(file: &SourceFile) -> Option<impl Iterator<Item = &Expr>> {
    let expressions = file.python()?.statements().flat_map(|located| located.stmt.expressions());
    Some(expressions.flat_map(Expr::walk).filter(|expr| matches!(expr.kind, ExprKind::Dict(_))))
}

/// The dict with exactly this range.
pub(super) fn dict_at(file: &SourceFile, place: TextRange) -> Option<&Expr> {
    dicts(file)?.find(|expr| expr.range == place)
}

/// The entries of a dict: key and value.
type Entries = [(Option<Expr>, Expr)];

/// The dict entry whose key has exactly this range: the dict, its entries and the index of the entry.
fn entry_at(file: &SourceFile, key: TextRange) -> Option<(&Expr, &Entries, usize)> {
    dicts(file)?.find_map(|expr| {
        let ExprKind::Dict(entries) = &expr.kind else { return None };
        let index = entries.iter().position(|(own, _)| own.as_ref().is_some_and(|own| own.range == key))?;
        Some((expr, entries.as_slice(), index))
    })
}

/// Removes the entry whose key has this range.
pub(super) fn remove_entry(file: &SourceFile, key: TextRange) -> Option<Edit> {
    let (dict, entries, index) = entry_at(file, key)?;
    items(file, dict, entries)?.remove(index)
}

/// Renames the key with this range and keeps its quotes.
pub(super) fn rename_item(file: &SourceFile, key: TextRange, new: &str) -> Option<Edit> {
    entry_at(file, key)?;
    let quote = key.slice(&file.text).chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(replace_range(file, key, format!("{quote}{new}{quote}")))
}

/// Replaces the value with this range. Parentheses around the old value stay.
pub(super) fn set_value(file: &SourceFile, value: TextRange, new: &Value) -> Option<Edit> {
    let matches = |(_, own): &(Option<Expr>, Expr)| own.range == value;
    let mut entries = dicts(file)?.filter_map(|expr| if let ExprKind::Dict(entries) = &expr.kind { Some(entries) } else { None });
    entries.any(|entries| entries.iter().any(matches)).then_some(())?;
    Some(replace_range(file, value, super::spell::python(new)?))
}

/// The index of the entry with this key; `None` if there are several.
fn position(entries: &[(Option<Expr>, Expr)], key: &str) -> Option<usize> {
    let has_key = |(own, _): &(Option<Expr>, Expr)| own.as_ref().and_then(Expr::as_str) == Some(key);
    let mut matching = entries.iter().enumerate().filter(|(_, entry)| has_key(entry));
    matching.next().filter(|_| matching.next().is_none()).map(|(index, _)| index)
}

/// The arguments of a call as a list.
fn list<'a>(file: &'a SourceFile, place: TextRange, call: &Call) -> Option<List<'a>> {
    let rest = TextRange::new(call.callee.range.end, place.end).slice(&file.text);
    let open = rest.find('(').filter(|at| rest[..*at].trim_matches([' ', ')']).is_empty())?;
    let inside = TextRange::new(call.callee.range.end + open as u32 + 1, place.end.checked_sub(1)?);
    let items = Items::Listed(call.args.iter().map(|argument| argument.range).collect());
    rest.ends_with(')').then_some(List { file, comments: &file.python()?.comments, inside, items })
}

/// The entries of a dict as a list.
fn items<'a>(file: &'a SourceFile, dict: &Expr, entries: &[(Option<Expr>, Expr)]) -> Option<List<'a>> {
    let written = dict.range.slice(&file.text);
    let inside = TextRange::new(dict.range.start + 1, dict.range.end.checked_sub(1)?);
    // A `**` entry starts before its value.
    let items = entries.iter().map(|(key, value)| key.as_ref().map(|key| key.range.cover(value.range))).collect::<Option<_>>()?;
    let items = Items::Listed(items);
    let braces = written.starts_with('{') && written.ends_with('}');
    braces.then_some(List { file, comments: &file.python()?.comments, inside, items })
}
