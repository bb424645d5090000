//! Arguments of transformers and TRL with a value of another type than they need. The classes check almost none: what happens is
//! decided where the value is used.

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::syntax_and_keys::wrong_type::RULE;
use crate::{Context, Sink};
use vramlint_base::value_readers::argparse_number;
use vramlint_base::{Applicability, Finding, Fix, Severity, Value, may_be_templated, message};
use vramlint_catalog::classes::{Class, Field};
use vramlint_catalog::keys::KeyType;
use vramlint_edit as edit;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy};
use vramlint_semantic::arguments::written;
use vramlint_semantic::class_fields;
use vramlint_syntax::data::Style;

/// Numbers that every training computes with: text in their place is a `TypeError` or `ValueError`, some steps later (transformers
/// 5.23.0, run: the optimizer, the data loader, the schedule, the comparisons of `_validate_args`).
const COMPUTED: &[&str] = &[
    "learning_rate",
    "weight_decay",
    "adam_beta1",
    "adam_beta2",
    "adam_epsilon",
    "max_grad_norm",
    "num_train_epochs",
    "max_steps",
    "warmup_steps",
    "warmup_ratio",
    "per_device_train_batch_size",
    "gradient_accumulation_steps",
    "logging_steps",
    "save_steps",
    "dataloader_num_workers",
    "seed",
    "num_generations",
    "max_completion_length",
];
/// Batches that torch's loader takes as integers only.
const WHOLE: &[&str] = &["per_device_train_batch_size", "per_device_eval_batch_size"];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in cx.project.arguments() {
        let reader = set.reader != ArgumentReader::Unknown;
        let tables: Vec<&'static Class> =
            if reader { class_fields::tables(&set.classes).unwrap_or_default() } else { Vec::new() };
        for given in set.arguments.iter().filter(|_| !tables.is_empty()) {
            let (Some(field), Some(value)) = (class_fields::field(&tables, &given.key), &given.value) else { continue };
            let found = match set.reader {
                ArgumentReader::Parser => parsed(cx, set, given, field, value),
                _ => as_is(cx, set, given, field, value),
            };
            if let Some(found) = found.filter(|_| reported.insert(given.place, "")) {
                out.push(found);
            }
        }
    }
}

/// Values that stay as they are written.
fn as_is(cx: &Context<'_>, set: &ArgumentSet, given: &ArgumentEntry, field: &Field, value: &Value) -> Option<Finding> {
    let name = &given.key;
    let shown = written(cx.project, given);
    match (field.kind, value) {
        (KeyType::Bool, Value::Text(text)) => {
            let off = matches!(text.to_lowercase().as_str(), "false" | "no" | "off" | "0" | "n" | "f" | "none" | "");
            // Any other text is taken for true, which is meant as a rule.
            let meant = off.then_some(false).filter(|_| !text.is_empty())?;
            let message = message!(
                "{shown} is a string, and any string counts as true: {name} is enabled",
                "{shown} 是字符串，而非空字符串视为真：{name} 会被启用"
            );
            let found = finding_of(cx, set, &RULE, Severity::Warning, given.place, message)
                .with_help(message!("remove the quotes", "去掉引号"));
            Some(with_value(cx, found, given, &Value::Bool(meant), Applicability::Unsafe))
        }
        (KeyType::Int | KeyType::Float, Value::Text(word)) => {
            let number = argparse_number(word);
            if set.reader == ArgumentReader::File && given.by == PassedBy::File && is_plain_yaml(cx, given) && number.is_some() {
                // The trap of YAML's numbers has a rule of its own.
                return None;
            }
            let Some(number) = number else {
                // `1,000`, `1-4`, `None`: no number at all. What something else fills in is left alone.
                let filled = word.is_empty() || may_be_templated(word) || word.contains("auto");
                let read =
                    matches!(set.reader, ArgumentReader::File | ArgumentReader::LlamaFactory) && given.by == PassedBy::File;
                if !read || filled || !COMPUTED.contains(&name.as_str()) {
                    return None;
                }
                let message = message!(
                    "{shown} is a string, but training computes with it and raises an error",
                    "{shown} 是字符串，而训练要用它计算，会报错"
                );
                let found = finding_of(cx, set, &RULE, RULE.severity, given.place, message);
                let digits = word.replace(',', "").parse::<i64>().ok().filter(|_| word.contains(','));
                return Some(match digits {
                    Some(number) => with_value(cx, found, given, &Value::Int(number), Applicability::Unsafe),
                    None => found.with_help(message!("write a single number", "改为一个数字")),
                });
            };
            let severity = if COMPUTED.contains(&name.as_str()) { RULE.severity } else { Severity::Warning };
            let message = message!(
                "{shown} is a string, but training computes with it and raises an error",
                "{shown} 是字符串，而训练要用它计算，会报错"
            );
            let found = finding_of(cx, set, &RULE, severity, given.place, message)
                .with_help(message!("remove the quotes around the number", "去掉数字的引号"));
            Some(with_value(cx, found, given, &number, Applicability::Safe))
        }
        (KeyType::Int, Value::Float(number)) if WHOLE.contains(&name.as_str()) => {
            let message = message!("{shown}: the data loader accepts only integers", "{shown}：数据加载器只接受整数");
            let found = finding_of(cx, set, &RULE, RULE.severity, given.place, message);
            #[allow(clippy::cast_possible_truncation)] // checked to be whole and small
            let whole = (number.fract() == 0.0 && number.abs() < 1e9).then_some(Value::Int(*number as i64));
            Some(match whole {
                Some(whole) => with_value(cx, found, given, &whole, Applicability::Safe),
                None => found,
            })
        }
        _ => None,
    }
}

/// Values that argparse turns into the type of the field, or rejects.
fn parsed(cx: &Context<'_>, set: &ArgumentSet, given: &ArgumentEntry, field: &Field, value: &Value) -> Option<Finding> {
    let nothing = |text: &str| field.nullable && matches!(text.to_lowercase().as_str(), "none" | "null");
    let wanted = match (field.kind, value) {
        (KeyType::Bool, Value::Text(text)) if set.bool_of(value).is_none() && !nothing(text) => {
            message!("a boolean", "布尔值")
        }
        (KeyType::Int | KeyType::Float, Value::Text(text)) if !nothing(text) => {
            if field.kind == KeyType::Int {
                message!("an integer", "整数")
            } else {
                message!("a number", "数字")
            }
        }
        // Only text is turned: a number of a YAML file stays what it is.
        (KeyType::Int, Value::Float(_)) if given.by == PassedBy::Flag => message!("an integer", "整数"),
        _ => return None,
    };
    let shown = written(cx.project, given);
    let (en, zh) = (wanted.en, wanted.zh);
    let message = message!("{shown} raises an error: the parser expects {en}", "{shown} 会报错：解析器需要{zh}");
    Some(finding_of(cx, set, &RULE, RULE.severity, given.place, message))
}

fn is_plain_yaml(cx: &Context<'_>, given: &ArgumentEntry) -> bool {
    let file = cx.project.file(given.place.file);
    let node = file
        .data()
        .filter(|data| !data.json)
        .and_then(|data| data.root()?.get(&given.key).filter(|node| node.range() == given.value_place.range));
    node.and_then(vramlint_syntax::data::NodeRef::scalar).is_some_and(|scalar| scalar.style == Style::Plain)
}

/// The same with the value that was meant as its fix.
fn with_value(cx: &Context<'_>, found: Finding, given: &ArgumentEntry, meant: &Value, applicability: Applicability) -> Finding {
    let file = cx.project.file(given.value_place.file);
    let edit = match given.by {
        PassedBy::Keyword => edit::spell::python(meant).map(|text| edit::replace(given.value_place, text)),
        PassedBy::File => {
            let node =
                file.data().and_then(|data| data.root()?.get(&given.key).filter(|node| node.range() == given.value_place.range));
            node.and_then(|node| edit::set(file, node, meant))
        }
        _ => None,
    };
    match edit {
        Some(edit) => {
            let text = edit.text.trim().to_owned();
            found.with_fix(Fix { title: message!("write {text}", "改为 {text}"), applicability, edits: vec![edit] })
        }
        None => found,
    }
}
