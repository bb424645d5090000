//! Validates a TOML table against the JSON Schema of the configuration: unknown keys, wrong types, values outside a set. The
//! schema is the only list of keys, so the two cannot diverge.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use vramlint_base::{Message, TextRange, message, suggest};

/// An error and its range.
pub(crate) type Problem = (TextRange, Message);

/// The first error, by position, of `table` against `schema`.
pub(crate) fn validate(table: &DeTable<'_>, schema: &Value) -> Option<Problem> {
    let mut problems = Vec::new();
    check_table(table, schema, "", &mut problems);
    problems.into_iter().min_by_key(|(range, _)| *range)
}

fn check_table(table: &DeTable<'_>, schema: &Value, path: &str, problems: &mut Vec<Problem>) {
    let properties = schema["properties"].as_object();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
            check_value(value, schema, &inner, problems);
        } else if schema["additionalProperties"].is_object() {
            check_value(value, &schema["additionalProperties"], &inner, problems);
        } else {
            let known = properties.into_iter().flat_map(serde_json::Map::keys).map(String::as_str);
            problems.push((TextRange::of(key.span()), unknown_key(name, path, known)));
        }
    }
}

fn unknown_key<'a>(name: &str, path: &str, known: impl Iterator<Item = &'a str> + Clone) -> Message {
    let (en, zh) = if path.is_empty() {
        (String::new(), String::new())
    } else {
        (format!(" in `[{path}]`"), format!("（在 `[{path}]` 中）"))
    };
    if let Some(meant) = suggest(name, known.clone()) {
        return message!("unknown key `{name}`{en}; did you mean `{meant}`?", "未知的键 `{name}`{zh}；是否想写 `{meant}`？");
    }
    let list: Vec<String> = known.map(|key| format!("`{key}`")).collect();
    let list_en = list.join(", ");
    let list_zh = list.join("、");
    message!("unknown key `{name}`{en}; expected one of: {list_en}", "未知的键 `{name}`{zh}；应为以下之一：{list_zh}")
}

fn check_value(value: &Spanned<DeValue<'_>>, schema: &Value, path: &str, problems: &mut Vec<Problem>) {
    let types = allowed_types(schema);
    let actual = type_of(value.get_ref());
    let range = TextRange::of(value.span());
    if !types.is_empty() && !types.contains(&actual) {
        let (wanted_en, wanted_zh) = describe_all(&types);
        let (actual_en, actual_zh) = describe(actual);
        problems.push((
            range,
            message!("`{path}` must be {wanted_en}, not {actual_en}", "`{path}` 必须是{wanted_zh}，而不是{actual_zh}"),
        ));
        return;
    }
    match value.get_ref() {
        DeValue::Table(table) => check_table(table, schema, path, problems),
        DeValue::Array(items) => {
            for item in items {
                check_value(item, &schema["items"], path, problems);
            }
        }
        DeValue::String(text) => check_set(text, schema, path, range, problems),
        DeValue::Integer(number) => check_least(number.as_str(), number.radix(), schema, path, range, problems),
        _ => {}
    }
}

fn check_set(text: &str, schema: &Value, path: &str, range: TextRange, problems: &mut Vec<Problem>) {
    let Some(set) = schema["enum"].as_array() else { return };
    let set: Vec<&str> = set.iter().filter_map(Value::as_str).collect();
    if set.contains(&text) {
        return;
    }
    let list: Vec<String> = set.iter().map(|value| format!("`{value}`")).collect();
    let (en, zh) = (list.join(", "), list.join("、"));
    problems.push((
        range,
        message!("`{path}` cannot be `{text}`; expected one of: {en}", "`{path}` 不能是 `{text}`；应为以下之一：{zh}"),
    ));
}

fn check_least(digits: &str, radix: u32, schema: &Value, path: &str, range: TextRange, problems: &mut Vec<Problem>) {
    let Some(least) = schema["minimum"].as_i64() else { return };
    let most = if schema["format"] == "uint32" { i64::from(u32::MAX) } else { i64::MAX };
    let number = i64::from_str_radix(&digits.replace('_', ""), radix).ok();
    if number.is_none_or(|number| number < least || number > most) {
        problems.push((
            range,
            message!(
                "`{path}` must be between {least} and {most}, not {digits}",
                "`{path}` 必须在 {least} 到 {most} 之间，而不是 {digits}"
            ),
        ));
    }
}

/// The types that a schema allows, without `null`, which TOML does not have.
fn allowed_types(schema: &Value) -> Vec<&str> {
    let types = &schema["type"];
    let list = types
        .as_array()
        .map_or_else(|| types.as_str().into_iter().collect(), |list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    list.into_iter().filter(|name| *name != "null").collect()
}

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "string",
        DeValue::Integer(_) => "integer",
        DeValue::Float(_) => "number",
        DeValue::Boolean(_) => "boolean",
        DeValue::Datetime(_) => "date",
        DeValue::Array(_) => "array",
        DeValue::Table(_) => "object",
    }
}

fn describe(name: &str) -> (&'static str, &'static str) {
    match name {
        "string" => ("a string", "字符串"),
        "integer" => ("an integer", "整数"),
        "number" => ("a float", "浮点数"),
        "boolean" => ("a boolean", "布尔值"),
        "date" => ("a date", "日期"),
        "array" => ("a list", "列表"),
        _ => ("a table", "表"),
    }
}

fn describe_all(names: &[&str]) -> (String, String) {
    let (en, zh): (Vec<_>, Vec<_>) = names.iter().map(|name| describe(name)).unzip();
    (en.join(" or "), zh.join("或"))
}
