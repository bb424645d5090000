//! Values of a closed set.

use crate::Context;
use crate::syntax_and_keys::invalid_value::arguments::{letters, report};
use vramlint_base::{Finding, Severity, Value, may_be_templated, message};
use vramlint_catalog::classes::{self, Field};
use vramlint_catalog::keys;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentSet, PassedBy};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(super) fn check(cx: &Context<'_>, set: &ArgumentSet) -> Vec<Finding> {
    // Of several arguments for one key the first one wins.
    let mut found: Vec<Finding> = set.effective().filter_map(|given| value(cx, set, given)).collect();
    found.extend(fsdp(cx, set));
    found
}

/// The declaration of a key that lists all its values, in any class of the set.
fn closed_field(set: &ArgumentSet, key: &str) -> Option<&'static Field> {
    let classes = set.classes.iter().filter_map(|name| classes::find(name));
    classes.flat_map(|class| class.declarations(key)).find(|field| field.is_closed())
}

fn value(cx: &Context<'_>, set: &ArgumentSet, given: &ArgumentEntry) -> Option<Finding> {
    let key = given.key.as_str();
    let field = closed_field(set, key)?;
    // Read only if what it belongs to is on.
    let needs = match key {
        "vllm_mode" => Some("use_vllm"),
        "packing_strategy" => Some("packing"),
        _ => None,
    };
    if needs.is_some_and(|key| set.bool(key, false) != Some(true)) {
        return None;
    }
    let taken = field.all_values();
    let word = match given.value.as_ref()? {
        Value::Text(word) => word.as_str(),
        // YAML's `no` has a rule of its own; in code it is written so.
        Value::Bool(false) if given.by == PassedBy::Keyword && taken.contains(&"no") => {
            let why = message!("expected a string", "应为字符串");
            return Some(report(cx, set, given, Severity::Error, &why, Some(&Value::Text("no".to_owned()))));
        }
        _ => return None,
    };
    let past = field.past_values.iter().find(|past| past.value == word && past.until.is_some());
    let known = taken.contains(&word) && past.is_none() || word.is_empty() && field.default.as_deref() == Some(word);
    if known || may_be_templated(word) || word.contains(['/', '|', ',']) {
        return None;
    }
    let mut severity = Severity::Error;
    if let Some(past) = past {
        let gone = VersionRange { library: &field.library, since: past.until.as_deref(), until: None };
        severity = version_gate::severity(cx.project, set.file(), &gone, Severity::Error)?;
    }
    // What is gone is never meant.
    let gone = |value: &&str| field.past_values.iter().any(|past| past.value == **value && past.until.is_some());
    let taken: Vec<&'static str> = taken.into_iter().filter(|value| !gone(value)).collect();
    let near = taken.iter().copied().find(|value| letters(value) == letters(word));
    let near = near.or_else(|| alias(word)).or_else(|| keys::nearest(word, taken.iter().copied()));
    let why = if taken.len() <= 8 {
        let list = taken.join(", ");
        message!("{key} expects one of: {list}", "{key} 应为 {list} 之一")
    } else {
        message!("not a valid value for {key}", "{key} 没有这个值")
    };
    let meant = near.map(|near| Value::Text(near.to_owned()));
    Some(report(cx, set, given, severity, &why, meant.as_ref()))
}

fn alias(text: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == text).map(|(_, value)| *value)
}

/// Values that people carry over from elsewhere.
const ALIASES: &[(&str, &str)] = &[
    ("adamw_hf", "adamw_torch"),
    ("adamw", "adamw_torch"),
    ("adam", "adamw_torch"),
    ("AdamW", "adamw_torch"),
    ("adamw8bit", "adamw_8bit"),
    ("AdamW8bit", "adamw_8bit"),
    ("paged_adamw", "paged_adamw_32bit"),
    ("epochs", "epoch"),
    ("step", "steps"),
    ("colocated", "colocate"),
    ("cosine_annealing", "cosine"),
    ("flash_attn_2", "flash_attention_2"),
    ("flash_attn_3", "flash_attention_3"),
    ("spda", "sdpa"),
];

/// The text form of `fsdp` (transformers 5.23.0 training_args.py:2888).
fn fsdp(cx: &Context<'_>, set: &ArgumentSet) -> Option<Finding> {
    let given = set.get("fsdp")?;
    let items: Vec<&str> = match given.value.as_ref()? {
        // A boolean on a command line.
        Value::Text(text) if matches!(text.to_lowercase().as_str(), "" | "true" | "false") => return None,
        Value::Text(text) => text.split_whitespace().collect(),
        Value::List(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let classes = set.classes.iter().filter_map(|name| classes::find(name));
    let words = classes.filter_map(|class| class.field("fsdp")).find(|field| !field.values.is_empty())?.all_values();
    let wrong = items.iter().find(|item| !words.contains(&item.to_lowercase().as_str()))?;
    let near = words
        .iter()
        .copied()
        .find(|word| letters(word) == letters(wrong))
        .or_else(|| keys::nearest(wrong, words.iter().copied()));
    let meant = match (&given.value, near) {
        (Some(Value::Text(text)), Some(near)) => Some(Value::Text(text.replace(wrong, near))),
        _ => None,
    };
    let list = words.join(", ");
    let why = message!(
        "`{wrong}` is not a valid fsdp option; expected one of: {list}",
        "`{wrong}` 不是有效的 fsdp 选项；应为 {list} 之一"
    );
    Some(report(cx, set, given, Severity::Error, &why, meant.as_ref()))
}
