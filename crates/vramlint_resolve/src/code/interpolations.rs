//! `${a.b}` in values that OmegaConf reads.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// Maximum nesting of interpolations.
const MAX_DEPTH: u32 = 8;

/// A part of a text with interpolations.
enum Part<'t> {
    Text(&'t str),
    /// What stands between `${` and `}`.
    Interpolation(&'t str),
}

impl Interpreter<'_> {
    /// The value of a text with interpolations at a route of a loaded file; `None` if it is not known.
    pub(super) fn interpolated(&mut self, load: usize, route: &[String], text: &str, place: FileRange) -> Option<AbstractValue> {
        if self.facts.interpolations >= MAX_DEPTH {
            return None;
        }
        self.facts.interpolations += 1;
        let found = self.interpolated_parts(load, route, text, place);
        self.facts.interpolations -= 1;
        found
    }

    fn interpolated_parts(&mut self, load: usize, route: &[String], text: &str, place: FileRange) -> Option<AbstractValue> {
        let parts = parts(text)?;
        if let [Part::Interpolation(inner)] = parts.as_slice() {
            return self.interpolation(load, route, inner, place);
        }
        let mut whole = String::new();
        for part in parts {
            match part {
                Part::Text(text) => whole.push_str(text),
                Part::Interpolation(inner) => {
                    let val = self.interpolation(load, route, inner, place)?;
                    if val.single()?.condition.is_some() {
                        return None;
                    }
                    match val.constant()? {
                        Value::Text(text) => whole.push_str(text),
                        Value::Int(number) => whole.push_str(&number.to_string()),
                        _ => return None,
                    }
                }
            }
        }
        let source = ValueSource {
            place: Some(place),
            name: route.join("."),
            path: route.to_vec(),
            loaded: Some(Rc::new((load, route.to_vec()))),
            ..ValueSource::default()
        };
        Some(AbstractValue::new(ValueKind::Scalar(Value::Text(whole)), source))
    }

    fn interpolation(&mut self, load: usize, route: &[String], inner: &str, place: FileRange) -> Option<AbstractValue> {
        if let Some(variable) = inner.strip_prefix("oc.env:") {
            let (name, default) = variable.split_once(',').map_or((variable, None), |(name, text)| (name, Some(text.trim())));
            if variable.contains("${") {
                return None;
            }
            let words = [Some(name.trim()), default].into_iter().flatten().map(|text| {
                let value = if text == "null" { Value::Null } else { Value::Text(text.trim_matches(['"', '\'']).to_owned()) };
                AbstractValue::located(ValueKind::Scalar(value), place)
            });
            let args = CallArguments { positional: words.collect(), ..CallArguments::default() };
            return Some(self.library(&"os.getenv".into(), &args, place));
        }
        // `${.a}` is the neighbour, `${..a}` that of the block around it.
        let name = inner.trim_start_matches('.');
        let dots = inner.len() - name.len();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)) {
            return None;
        }
        let start = if dots == 0 { 0 } else { route.len().checked_sub(dots)? };
        let mut keys: Vec<String> = route[..start].to_vec();
        let mut found = None;
        for name in name.split('.') {
            found = Some(match found {
                None => self.loaded_key(load, &Rc::new(keys.clone()), name, place),
                Some(block) => self.attribute(&block, name, place),
            });
            keys.push(name.to_owned());
        }
        found
    }
}

/// The parts of a text; `None` if a brace is not closed.
fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if rest[..start].ends_with('\\') {
            return None;
        }
        if start > 0 {
            parts.push(Part::Text(&rest[..start]));
        }
        let inner = &rest[start + 2..];
        let mut depth = 1;
        let end = inner.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            (depth == 0).then_some(at)
        })?;
        parts.push(Part::Interpolation(inner[..end].trim()));
        rest = &inner[end + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Some(parts)
}
