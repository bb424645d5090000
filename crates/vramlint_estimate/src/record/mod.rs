//! Setups as data: one JSON object, a list of objects, or one per line.
//!
//! The format is that of traced training steps: `{"id", "model": {"id", "arch": {keys of a config.json, "cls"}}, "setup": {…}}`.

mod arch;
mod fields;
mod setup;
pub mod vocabulary;

use crate::models::Models;
use fields::{Fields, Text};
use serde_json::value::RawValue;
use vramlint_base::{Message, message};
use vramlint_memory::{Arch, Setup};

/// A setup that was read from data.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its `id` as written: a string or a number, null if absent.
    pub id: serde_json::Value,
    /// Id of the model, empty if absent.
    pub model: String,
    /// The architecture.
    pub arch: Arch,
    /// The setup.
    pub setup: Setup,
    /// Defaults that it relies on.
    pub assumptions: Vec<Message>,
    /// Paths of fields that have no meaning here.
    pub unused: Vec<String>,
}

/// The records of a document, in order. Models without their own architecture are looked up in `models`.
///
/// The error names the line and the field.
pub fn parse(text: &str, models: &Models) -> Result<Vec<Record>, Message> {
    let text = Text::new(text);
    let mut records = Vec::new();
    for value in text.values()? {
        if value.get().starts_with('[') {
            for item in text.items(value)? {
                records.push(record(&text, item, models)?);
            }
        } else {
            records.push(record(&text, value, models)?);
        }
    }
    if records.is_empty() {
        return Err(message!("no setup found", "没有找到训练配置"));
    }
    Ok(records)
}

fn record(text: &Text<'_>, value: &RawValue, models: &Models) -> Result<Record, Message> {
    let mut top = Fields::new(*text, value, "")?;
    let id = top.id()?;
    let mut unused = Vec::new();
    let (model, mut config) = arch::read_model(&mut top, models, &mut unused)?;
    let Some(mut fields) = top.object(&["setup"])? else { return Err(top.missing("setup")) };
    if let (arch::Shape::Config(config), Some(over)) = (&mut config, fields.object(&["config_over"])?) {
        arch::merge(config, &over)?;
    }
    let setup = setup::read_setup(&mut fields)?;
    let assumptions = setup::assumptions(&fields, &setup);
    unused.extend(fields.unread());
    // Measurements are not part of the setup.
    top.ignore(&["oracle", "how", "measured", "source", "note"]);
    unused.extend(top.unread());
    let arch = match config {
        arch::Shape::Config(config) => Arch::from_config(&config),
        arch::Shape::Known(arch) => *arch,
    };
    Ok(Record { id, model, arch, setup, assumptions, unused })
}

#[cfg(test)]
mod tests;
