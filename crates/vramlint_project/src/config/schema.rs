//! The JSON Schema of the configuration.

use super::raw::RawConfig;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    tidy(settings.into_generator().into_root_schema_for::<RawConfig>().to_value())
});

/// The schema of `vramlint.toml`, as committed in `schemas/vramlint.json`.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// The schema as pretty JSON with a final newline.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// Removes `null`, which TOML does not have, and trivial defaults, joins the lines of descriptions, and sorts the keys, so that
/// the text does not depend on the features of `serde_json`.
fn tidy(schema: Value) -> Value {
    match schema {
        Value::Object(mut object) => {
            object.remove("default");
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            for key in ["type", "enum"] {
                if let Some(Value::Array(items)) = object.get_mut(key) {
                    items.retain(|item| !item.is_null() && item != "null");
                }
            }
            if let Some(Value::Array(types)) = object.get("type")
                && let [single] = types.as_slice()
            {
                let single = single.clone();
                object.insert("type".to_owned(), single);
            }
            let sorted: BTreeMap<String, Value> = object.into_iter().map(|(key, value)| (key, tidy(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(tidy).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_committed_schema_is_the_one_of_the_code() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/vramlint.json");
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, schema_text()).expect("schemas/ is writable");
        }
        let committed = std::fs::read_to_string(&path).expect("schemas/vramlint.json is committed").replace("\r\n", "\n");
        assert_eq!(committed, schema_text(), "run the tests with UPDATE_SCHEMAS=1 and look at the change");
    }

    #[test]
    fn every_key_is_described() {
        fn visit(schema: &Value, path: &str) {
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (key, value) in properties {
                let path = format!("{path}.{key}");
                assert!(value["description"].as_str().is_some_and(|text| text.len() > 5), "{path}");
                visit(value, &path);
                visit(&value["items"], &path);
            }
        }
        assert!(schema()["properties"]["lint"]["properties"]["select"].is_object());
        visit(schema(), "");
    }
}
