//! Methods of texts.

use super::call_arguments::CallArguments;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// `text.endswith(".yaml")`, also with a tuple.
pub(super) fn compare_ends(val: &AbstractValue, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
    let unknown = AbstractValue::located(ValueKind::Unknown, place);
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
