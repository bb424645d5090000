//! Methods of texts.

use super::call_arguments::CallArguments;
use super::selection::Selection;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// `text.endswith(".yaml")`, also with a tuple.
pub(super) fn compare_ends(val: &AbstractValue, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
    let unknown = AbstractValue::located(ValueKind::Unknown, place);
    if let (Some(ValueKind::ParameterName), Some(words)) = (val.single().map(|alt| &alt.kind), args.positional.first()) {
        let selection = Selection::any_of(if name == "endswith" { "ends" } else { "starts" }, words);
        let kind = selection.map_or(ValueKind::Unknown, |selection| ValueKind::Selection(Rc::new(selection)));
        return AbstractValue::located(kind, place);
    }
    let (Some(alt), Some(ends)) = (val.single(), args.positional.first().and_then(AbstractValue::single)) else {
        return unknown;
    };
    let Some(Value::Text(text)) = alt.scalar() else { return unknown };
    let ends: Option<Vec<&str>> = match &ends.kind {
        ValueKind::Items(items) => items.iter().map(|item| item.constant().and_then(Value::as_str)).collect(),
        kind => {
            if let ValueKind::Scalar(Value::Text(end)) = kind {
                Some(vec![end.as_str()])
            } else {
                None
            }
        }
    };
    let Some(ends) = ends else { return unknown };
    let fits = ends.iter().any(|end| if name == "endswith" { text.ends_with(end) } else { text.starts_with(end) });
    let may_be_overridden = alt.source.may_be_overridden || alt.condition.is_some();
    let source = ValueSource { place: Some(place), may_be_overridden, ..ValueSource::default() };
    AbstractValue::new(ValueKind::Scalar(Value::Bool(fits)), source)
}

/// `text.lower()`, `text.upper()`.
pub(super) fn change_case(val: &AbstractValue, name: &str, place: FileRange) -> AbstractValue {
    match val.single().map(|alt| (alt.scalar(), &alt.source)) {
        Some((Some(Value::Text(text)), source)) => {
            let text = if name == "lower" { text.to_lowercase() } else { text.to_uppercase() };
            AbstractValue::new(ValueKind::Scalar(Value::Text(text)), (**source).clone())
        }
        _ => AbstractValue::located(ValueKind::Unknown, place),
    }
}

/// `text.split(",")`: the parts of a known text, with the source of the text.
pub(super) fn split(val: &AbstractValue, args: &CallArguments, place: FileRange) -> AbstractValue {
    let parts = || {
        let alt = val.single()?;
        let text = alt.scalar()?.as_str()?;
        let parts: Vec<&str> = match args.positional.as_slice() {
            [] if args.keyword.is_empty() => text.split_whitespace().collect(),
            [separator] => {
                let separator = separator.constant()?.as_str().filter(|separator| !separator.is_empty())?;
                text.split(separator).collect()
            }
            _ => return None,
        };
        let item = |part: &str| AbstractValue::located(ValueKind::Scalar(Value::Text(part.to_string())), place);
        let items = parts.into_iter().map(item).collect();
        Some(AbstractValue::new(ValueKind::Items(Rc::new(items)), (*alt.source).clone()))
    };
    parts().unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, place))
}

/// `text.strip()`, `text.rstrip("_config")`: the argument is a set of characters.
pub(super) fn strip(val: &AbstractValue, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
    let stripped = || {
        let alt = val.single()?;
        let text = alt.scalar()?.as_str()?;
        let taken = match args.positional.as_slice() {
            [] => None,
            [taken] => Some(taken.constant()?.as_str()?),
            _ => return None,
        };
        let is_taken = |c: char| taken.map_or_else(|| c.is_whitespace(), |taken| taken.contains(c));
        let text = match name {
            "lstrip" => text.trim_start_matches(is_taken),
            "rstrip" => text.trim_end_matches(is_taken),
            _ => text.trim_matches(is_taken),
        };
        Some(AbstractValue::new(ValueKind::Scalar(Value::Text(text.to_owned())), (*alt.source).clone()))
    };
    // What a file holds is stripped somewhere: the handle stands for its content.
    let is_text = val.single().is_some_and(|alt| matches!(alt.scalar(), Some(Value::Text(_))));
    stripped().unwrap_or_else(|| if is_text { AbstractValue::located(ValueKind::Unknown, place) } else { val.clone() })
}

/// `list.index(value)`, where every item is known.
pub(super) fn index(val: &AbstractValue, args: &CallArguments, place: FileRange) -> AbstractValue {
    let found = || {
        let ValueKind::Items(items) = &val.single()?.kind else { return None };
        let [wanted] = args.positional.as_slice() else { return None };
        let wanted = wanted.constant()?;
        let known: Option<Vec<&Value>> = items.iter().map(AbstractValue::constant).collect();
        known?.iter().position(|item| *item == wanted)
    };
    let kind = found().and_then(|at| i64::try_from(at).ok()).map_or(ValueKind::Unknown, |at| ValueKind::Scalar(Value::Int(at)));
    AbstractValue::located(kind, place)
}
