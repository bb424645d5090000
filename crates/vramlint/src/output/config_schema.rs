//! JSON Schemas of the accelerate and DeepSpeed configurations, generated from the catalog, for completion and basic checks in
//! editors. They allow everything that the tools accept, including quoted numbers and `auto`; rules report what depends on context.

use serde_json::{Map, Value, json};
use vramlint_catalog::keys::{self, Key, KeyType, Standing};

/// The schema of the accelerate configuration, as pretty JSON with a final newline, as committed in `schemas/accelerate.json`.
pub(crate) fn accelerate() -> String {
    let mut root = Block { closed: true, ..Block::default() };
    for key in keys::accelerate().iter().chain(keys::accelerate_sagemaker()) {
        root.put(key, &[], &|_| false);
        // The launcher adds the prefix of a block if it is missing.
        key.aliases.iter().for_each(|alias| root.put_at(alias, key, &[], &|_| false));
    }
    text("accelerate's configuration", "accelerate 1.15.0", root)
}

/// The schema of the DeepSpeed configuration, as committed in `schemas/deepspeed.json`.
pub(crate) fn deepspeed() -> String {
    let mut root = Block::default();
    let closed = |path: &str| keys::deepspeed_block_rejects_unknown(path) == Some(true);
    for key in keys::deepspeed() {
        root.put(key, &["auto"], &closed);
        key.aliases.iter().for_each(|alias| root.put_at(alias, key, &["auto"], &closed));
    }
    text("DeepSpeed's configuration", "deepspeed 0.19.8", root)
}

/// A mapping: its keys, and whether other keys are rejected.
#[derive(Default)]
struct Block {
    keys: Map<String, Value>,
    blocks: std::collections::BTreeMap<String, Block>,
    closed: bool,
}

impl Block {
    fn put(&mut self, key: &Key, words: &[&str], closed: &dyn Fn(&str) -> bool) {
        self.put_at(&key.path, key, words, closed);
    }

    fn put_at(&mut self, path: &str, key: &Key, words: &[&str], closed: &dyn Fn(&str) -> bool) {
        // Keys chosen by the user and list items are not constrained.
        let rejected = key.standing == Standing::Refused;
        if rejected || path.contains(['<', '[']) {
            if let Some((parent, _)) = path.split_once(['<', '[']) {
                self.open(parent.trim_end_matches('.'));
            }
            return;
        }
        let mut block = self;
        let mut names = path.split('.').peekable();
        let mut walked = String::new();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                block.keys.insert(name.to_owned(), form(key, words));
                return;
            }
            walked = if walked.is_empty() { name.to_owned() } else { format!("{walked}.{name}") };
            block = block.blocks.entry(name.to_owned()).or_default();
            block.closed = closed(&walked);
        }
    }

    /// Allows any key in a block.
    fn open(&mut self, path: &str) {
        let mut block = self;
        for name in path.split('.') {
            block = block.blocks.entry(name.to_owned()).or_default();
        }
        block.closed = false;
    }

    fn schema(self) -> Map<String, Value> {
        let mut properties = self.keys;
        for (name, block) in self.blocks {
            let about = properties.get(&name).and_then(|form| form.get("description")).cloned();
            let mut form = block.schema();
            // Some blocks have a short form, or may be null.
            form.insert("type".to_owned(), json!(["object", "string", "boolean", "number", "null"]));
            if let Some(about) = about {
                form.insert("description".to_owned(), about);
            }
            properties.insert(name, Value::Object(form));
        }
        let mut form = Map::new();
        form.insert("type".to_owned(), json!("object"));
        form.insert("properties".to_owned(), Value::Object(properties));
        if self.closed {
            form.insert("additionalProperties".to_owned(), json!(false));
        }
        form
    }
}

/// The schema of one value.
fn form(key: &Key, words: &[&str]) -> Value {
    let mut form = Map::new();
    let mut facts: Vec<String> = Vec::new();
    if !key.about.is_empty() {
        facts.push(key.about.clone());
    }
    facts.extend(key.since.as_ref().map(|since| format!("since {since}")));
    if key.standing == Standing::Ignored {
        facts.push("accepted and not read".to_owned());
    }
    if !key.values.is_empty() {
        facts.push(format!("one of: {}", key.values.join(", ")));
    }
    if !facts.is_empty() {
        form.insert("description".to_owned(), json!(facts.join("; ")));
    }
    if let Some(default) = &key.default {
        form.insert("default".to_owned(), json!(default));
    }
    if key.standing != Standing::Current {
        form.insert("deprecated".to_owned(), json!(true));
    }
    let examples: Vec<&str> = key.values.iter().map(String::as_str).chain(words.iter().copied()).collect();
    if !key.values.is_empty() {
        form.insert("examples".to_owned(), json!(examples));
    }
    let types: &[&str] = match key.kind {
        KeyType::Bool => &["boolean", "string", "integer", "null"],
        KeyType::Int | KeyType::Float => &["number", "string", "boolean", "null"],
        KeyType::Text => &["string", "boolean", "number", "null"],
        KeyType::List => &["array", "string", "null"],
        KeyType::Map => &["object", "string", "boolean", "number", "null"],
        KeyType::Any => &["string", "number", "boolean", "array", "object", "null"],
    };
    form.insert("type".to_owned(), json!(types));
    Value::Object(form)
}

fn text(title: &str, version: &str, root: Block) -> String {
    let mut form = root.schema();
    form.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    form.insert("title".to_owned(), json!(title));
    form.insert("description".to_owned(), json!(format!("Keys as {version} reads them")));
    let mut text = format!("{:#}", Value::Object(form));
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_schemas_are_those_of_the_repository() {
        for (name, text) in [("accelerate", super::accelerate()), ("deepspeed", super::deepspeed())] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.json"));
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::write(&path, &text).expect("schemas/ is writable");
            }
            let committed = std::fs::read_to_string(&path).expect("it is committed").replace("\r\n", "\n");
            assert_eq!(committed, text, "run the tests with UPDATE_SCHEMAS=1 to regenerate it");
        }
    }
}
