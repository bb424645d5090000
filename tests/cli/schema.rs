//! As much of JSON Schema as the schemas of our output use. An unknown keyword fails, so that nothing is passed over in silence.

use serde_json::Value;
use std::path::Path;

/// A schema.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn read(path: &Path) -> Self {
        Self(serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON"))
    }

    /// Fails unless `value` has the form that is defined under `name`; without a name, the form of the whole.
    pub(crate) fn check(&self, name: &str, value: &Value) {
        let form = if name.is_empty() { &self.0 } else { &self.0["$defs"][name] };
        if let Err(why) = self.fits(form, value) {
            panic!("{name}{why}\n{value:#}");
        }
    }

    fn fits(&self, form: &Value, value: &Value) -> Result<(), String> {
        for (keyword, rule) in form.as_object().ok_or("the form is no object")? {
            let holds = match keyword.as_str() {
                // The last three are hints for editors.
                "$defs" | "$schema" | "description" | "format" | "title" | "default" | "deprecated" | "examples" => true,
                "$ref" => {
                    let name = rule.as_str().and_then(|path| path.strip_prefix("#/$defs/")).ok_or("a foreign $ref")?;
                    self.fits(&self.0["$defs"][name], value)?;
                    true
                }
                "type" => match rule {
                    Value::Array(types) => types.iter().any(|name| is(name, value)),
                    name => is(name, value),
                },
                "const" => rule == value,
                "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
                "minimum" => value.as_i64().is_none_or(|number| Some(number) >= rule.as_i64()),
                "required" => rule.as_array().is_some_and(|names| {
                    names.iter().all(|name| value.get(name.as_str().unwrap_or_default()).is_some() || !value.is_object())
                }),
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.fits(rule, item).map_err(|why| format!("[{i}]{why}"))?;
                    }
                    true
                }
                "properties" => {
                    for (name, form) in rule.as_object().into_iter().flatten() {
                        if let Some(part) = value.get(name) {
                            self.fits(form, part).map_err(|why| format!(".{name}{why}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    let known = form["properties"].as_object();
                    for (name, part) in value.as_object().into_iter().flatten() {
                        let stray = known.is_none_or(|known| !known.contains_key(name));
                        match rule {
                            Value::Bool(false) if stray => return Err(format!(".{name} is not documented")),
                            Value::Object(_) if stray => self.fits(rule, part).map_err(|why| format!(".{name}{why}"))?,
                            _ => {}
                        }
                    }
                    true
                }
                other => return Err(format!(": the keyword {other} is not understood")),
            };
            if !holds {
                return Err(format!(": {keyword} {rule} does not hold for {value}"));
            }
        }
        Ok(())
    }
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

#[test]
fn the_validator_refuses_what_does_not_fit() {
    let schema = Schema::read(&crate::run::root().join("schemas/output.json"));
    let fits = |text: &str| schema.fits(&schema.0["$defs"]["position"], &serde_json::from_str(text).expect("JSON")).is_ok();
    assert!(fits(r#"{"line": 1, "column": 1, "offset": 0}"#));
    for wrong in [
        r#"{"line": 0, "column": 1, "offset": 0}"#,
        r#"{"line": 1, "column": 1}"#,
        r#"{"line": 1, "column": "1", "offset": 0}"#,
        r#"{"line": 1, "column": 1, "offset": 0, "x": 0}"#,
        "[]",
    ] {
        assert!(!fits(wrong), "{wrong}");
    }
}
