//! Setups as data: one JSON object, a list of them, or one a line.
//!
//! The form is that of traced training steps: `{"id", "model": {"id", "arch": {keys of a config.json, "cls"}}, "setup": {…}}`.

mod arch;
mod fields;
mod setup;
pub mod words;

use crate::models::Models;
use fields::{Fields, Text};
use serde_json::value::RawValue;
use vramlint_base::{Message, message};
use vramlint_memory::{Arch, Setup};

/// A setup that was given as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its `id` as given: a text or a number, null where there is none.
    pub id: serde_json::Value,
    /// Id of the model, empty where it has none.
    pub model: String,
    /// The architecture.
    pub arch: Arch,
    /// The setup.
    pub setup: Setup,
    /// What it leaves to defaults.
    pub assumptions: Vec<Message>,
    /// Fields that mean nothing here, by their path.
    pub unused: Vec<String>,
}

/// The records of a text, in its order. Models without an architecture of their own are looked up in `models`.
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
        return Err(message!("there is no setup in it", "其中没有任何训练配置"));
    }
    Ok(records)
}

fn record(text: &Text<'_>, value: &RawValue, models: &Models) -> Result<Record, Message> {
    let mut top = Fields::new(*text, value, "")?;
    let id = top.id()?;
    let mut unused = Vec::new();
    let (model, mut config) = arch::of(&mut top, models, &mut unused)?;
    let Some(mut fields) = top.object(&["setup"])? else { return Err(top.missing("setup")) };
    if let (arch::Shape::Config(config), Some(over)) = (&mut config, fields.object(&["config_over"])?) {
        arch::merge(config, &over)?;
    }
    let setup = setup::of(&mut fields)?;
    let assumptions = setup::assumptions(&fields, &setup);
    unused.extend(fields.rest());
    // What was measured is no part of the question.
    top.pass_over(&["oracle", "how", "measured", "source", "note"]);
    unused.extend(top.rest());
    let arch = match config {
        arch::Shape::Config(config) => Arch::from_config(&config),
        arch::Shape::Known(arch) => *arch,
    };
    Ok(Record { id, model, arch, setup, assumptions, unused })
}

#[cfg(test)]
mod tests;
