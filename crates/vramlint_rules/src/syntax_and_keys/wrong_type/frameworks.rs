//! Values of another type than a framework takes.

use crate::syntax_and_keys::wrong_type::RULE;
use crate::{Context, Sink, frameworks};
use vramlint_base::value_readers::pydantic_bool;
use vramlint_base::{Applicability, Finding, Fix, Message, Severity, Value, message};
use vramlint_catalog::classes::Field;
use vramlint_catalog::frameworks::FileTypes;
use vramlint_catalog::frameworks::Unknown;
use vramlint_catalog::keys::KeyType;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::{FrameworkConfig, FrameworkSetting};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for keys in cx.framework_configs() {
        for (name, setting) in keys.top_level() {
            if let Some(found) = judge(cx, keys, name, setting).filter(|_| out.mark_reported(setting.key)) {
                out.push(found);
            }
        }
    }
}

fn judge(cx: &Context<'_>, keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting) -> Option<Finding> {
    let value = setting.value.as_ref()?;
    let class = keys.class();
    if let (None, FileTypes::Computed(names)) = (class, keys.dialect.file_types) {
        let text = value.as_str().filter(|text| names.contains(&name) && text.parse::<f64>().is_err())?;
        let what = message!("{name} is `{text}`; expected an integer", "{name} 为 `{text}`，应为整数");
        return (!keys.dialect.classes.complete).then(|| RULE.finding(setting.place, what).with_severity(RULE.severity));
    }
    let field = class?.field(name).filter(|field| field.library == keys.tool() || setting.by_flag)?;
    let by = keys.name();
    if setting.by_flag {
        let judged = keys.dialect.unknown_keys.on_command_line != Unknown::NotJudged;
        let wanted = argparse(field, value).filter(|_| judged)?;
        return Some(finding(keys, name, setting, &wanted, by));
    }
    match keys.dialect.file_types {
        FileTypes::NotJudged => None,
        FileTypes::Pydantic => {
            let wanted = pydantic(field, value)?;
            Some(finding(keys, name, setting, &wanted, by).with_severity(frameworks::of_one_key(cx, keys)))
        }
        FileTypes::Declared => {
            let wanted = declared(field, value)?;
            Some(finding(keys, name, setting, &wanted, by).with_severity(frameworks::of_one_key(cx, keys)))
        }
        FileTypes::Computed(names) => {
            let text = value.as_str().filter(|_| names.contains(&name))?;
            let number = matches!(field.kind, KeyType::Int | KeyType::Float);
            let what = message!(
                "{name} is the string `{text}`, but the run computes with it and raises an error",
                "{name} 是字符串 `{text}`，而运行时要用它计算，会报错"
            );
            number.then(|| RULE.finding(setting.place, what).with_severity(RULE.severity))
        }
    }
}

/// What jsonargparse wants where it rejects a value (jsonargparse 4.41 typehints.py): a number for a number, a boolean for a
/// boolean; null only where the type says so.
fn declared(field: &Field, value: &Value) -> Option<Message> {
    match (field.kind, value) {
        (_, Value::Null) => None,
        (KeyType::Int, Value::Int(_)) | (KeyType::Float, Value::Int(_) | Value::Float(_)) | (KeyType::Bool, Value::Bool(_)) => {
            None
        }
        (KeyType::Int, _) => Some(message!("an integer", "整数")),
        (KeyType::Float, _) => Some(message!("a number", "数字")),
        (KeyType::Bool, _) => Some(message!("a boolean", "布尔值")),
        _ => None,
    }
}

/// What Axolotl's schema wants where it rejects a value: pydantic 2 turns text that holds a number, and integers that are
/// written as fractions. Every key was tried with axolotl 0.8.1, 0.12.2 and 0.18.0.
fn pydantic(field: &Field, value: &Value) -> Option<Message> {
    let number = |text: &str| text.trim().replace('_', "").parse::<f64>().is_ok();
    // The two that say the batch may be missing in a way that other rules know.
    if *value == Value::Null {
        let never = matches!(field.name.as_str(), "output_dir" | "base_model");
        return never.then(|| message!("a string", "字符串"));
    }
    match (field.kind, value) {
        (KeyType::Int, Value::Float(number)) if number.fract() != 0.0 => Some(message!("an integer", "整数")),
        (KeyType::Int, Value::Text(text)) if !number(text) => Some(message!("an integer", "整数")),
        (KeyType::Int, Value::List(_) | Value::Map(_) | Value::Timestamp(_)) => Some(message!("an integer", "整数")),
        (KeyType::Float, Value::Text(text)) if !number(text) => Some(message!("a number", "数字")),
        (KeyType::Float, Value::List(_) | Value::Map(_) | Value::Timestamp(_)) => Some(message!("a number", "数字")),
        (KeyType::Bool, Value::Text(_) | Value::Int(_) | Value::List(_) | Value::Map(_)) if pydantic_bool(value).is_none() => {
            Some(message!("a boolean", "布尔值"))
        }
        (
            KeyType::Text,
            Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::List(_) | Value::Map(_) | Value::Timestamp(_),
        ) if !field.closed => Some(message!("a string", "字符串")),
        (KeyType::List, Value::Map(_) | Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(message!("a list", "列表"))
        }
        (KeyType::Map, Value::List(_) | Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(message!("a mapping", "映射"))
        }
        (KeyType::Any, Value::Text(text)) if field.name == "learning_rate" && !number(text) => Some(message!("a number", "数字")),
        _ => None,
    }
}

/// What argparse wants where it rejects a word.
fn argparse(field: &Field, value: &Value) -> Option<Message> {
    match (field.kind, value) {
        (KeyType::Int, Value::Text(_) | Value::Float(_) | Value::Bool(_)) => Some(message!("an integer", "整数")),
        (KeyType::Float, Value::Text(text)) if text.parse::<f64>().is_err() => Some(message!("a number", "数字")),
        (KeyType::Float, Value::Bool(_)) => Some(message!("a number", "数字")),
        _ => None,
    }
}

fn finding(keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting, wanted: &Message, by: &str) -> Finding {
    let file = keys.project.file(setting.place.file);
    let text = setting.place.range.slice(&file.text);
    let short = text.lines().next().filter(|line| line.len() == text.trim_end().len() && line.len() <= 40 && *line != name);
    let (en, zh) = (&wanted.en, &wanted.zh);
    let what = match short.filter(|_| setting.place != setting.key) {
        Some(text) => message!("{by} rejects `{text}` for {name}: expected {en}", "{by} 拒绝 {name} 的值 `{text}`：应为{zh}"),
        None => message!("{by} rejects this value for {name}: expected {en}", "{by} 拒绝 {name} 的这个值：应为{zh}"),
    };
    let found = RULE.finding(setting.key, what).with_severity(Severity::Error);
    match fix(setting, name) {
        Some(fix) => found.with_fix(fix),
        None => found,
    }
}

/// A share of all steps has a key of its own in Axolotl; `None` is no null; a number may hold marks between its digits.
fn fix(setting: &FrameworkSetting, name: &str) -> Option<Fix> {
    if setting.by_flag {
        return None;
    }
    match setting.value.as_ref()? {
        Value::Float(share) if name == "warmup_steps" && (0.0..1.0).contains(share) => Some(Fix {
            title: message!("rename it to `warmup_ratio`", "改名为 `warmup_ratio`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(setting.key, "warmup_ratio")],
        }),
        Value::Text(text) if text.eq_ignore_ascii_case("none") => Some(Fix {
            title: message!("write `null`", "改为 `null`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(setting.place, "null")],
        }),
        Value::Text(word) => {
            let digits = word.replace(',', "");
            let marked = word.contains(',') && digits.parse::<i64>().is_ok();
            marked.then(|| Fix {
                title: message!("write {digits}", "改为 {digits}"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(setting.place, digits)],
            })
        }
        _ => None,
    }
}
