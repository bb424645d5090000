//! Setups as data: one JSON object, a list of objects, or one per line.
//!
//! The format is that of traced training steps: `{"id", "model": {"id", "arch": {keys of a config.json, "cls"}}, "setup": {…}}`.

mod arch;
mod fields;
mod own_loss;
mod printed;
mod setup;
pub mod vocabulary;

use crate::models::Models;
use fields::{Fields, Text};
use serde_json::value::RawValue;
use vramlint_base::{Message, message};
use vramlint_memory::estimate::Assumption;
use vramlint_memory::setup::{OwnLoss, Resident, Task};
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

/// A setup that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordError {
    /// Its `id` as written, null if absent or invalid.
    pub id: serde_json::Value,
    /// The line and the field, and what is wrong.
    pub why: Message,
}

/// The records of a document, in order. Models without their own architecture are looked up in `models`.
///
/// The error names the line and the field.
pub fn parse(text: &str, models: &Models) -> Result<Vec<Record>, Message> {
    parse_each(text, models)?.into_iter().map(|record| record.map_err(|error| error.why)).collect()
}

/// As [`parse`]; a record that cannot be read leaves the others alone. The outer error is that of a document that is no JSON or holds
/// no record.
pub fn parse_each(text: &str, models: &Models) -> Result<Vec<Result<Record, RecordError>>, Message> {
    let text = Text::new(text);
    let mut values = Vec::new();
    for value in text.values()? {
        if value.get().starts_with('[') {
            values.extend(text.items(value)?);
        } else {
            values.push(value);
        }
    }
    if values.is_empty() {
        return Err(message!("no setup found", "没有找到训练配置"));
    }
    let id = |value| Fields::new(text, value, "").ok().and_then(|mut top| top.id().ok()).unwrap_or_default();
    let read = |value| record(&text, value, models).map_err(|why| RecordError { id: id(value), why });
    Ok(values.into_iter().map(read).collect())
}

fn record(text: &Text<'_>, value: &RawValue, models: &Models) -> Result<Record, Message> {
    let mut top = Fields::new(*text, value, "")?;
    let id = top.id()?;
    let mut unused = Vec::new();
    let (model, mut config) = arch::read_model(&mut top, "model", models, &mut unused)?;
    if printed::is_printed(&top) {
        let setup = printed::read_setup(&mut top)?;
        unused.extend(top.unread());
        let arch = config.into_arch();
        if let Some(Assumption { en, zh }) = arch.undescribed().cloned().or_else(|| arch.unfit_for(setup.task)) {
            return Err(top.error_at("model", &Message { en, zh }));
        }
        return Ok(Record { id, model, arch, setup, assumptions: Vec::new(), unused });
    }
    let Some(mut fields) = top.object(&["setup"])? else { return Err(top.missing("setup")) };
    if let (arch::Shape::Config(config), Some(over)) = (&mut config, fields.object(&["config_over"])?) {
        arch::merge(config, &over)?;
    }
    let mut setup = setup::read_setup(&mut fields)?;
    let assumptions = setup::assumptions(&fields, &setup);
    unused.extend(fields.unread());
    let asks_teacher = setup.own_loss.as_ref().is_some_and(OwnLoss::asks_teacher);
    if asks_teacher || matches!(setup.task, Task::Gkd | Task::Distillation) {
        let (label, shape) = arch::read_model(&mut top, "teacher", models, &mut unused)?;
        let (arch, weights, quantization) = (shape.into_arch(), setup.weights, setup.quantization);
        setup.teacher = Some(Box::new(Resident { label, arch, weights, quantization, scores: false, trained: false }));
    }
    if top.has("reward") {
        let (label, shape) = arch::read_model(&mut top, "reward", models, &mut unused)?;
        let (arch, weights, quantization) = (shape.into_arch(), setup.weights, setup.quantization);
        setup.residents.push(Resident { label, arch, weights, quantization, scores: true, trained: false });
    }
    // Measurements are not part of the setup.
    top.ignore(&["oracle", "how", "measured", "source", "note"]);
    unused.extend(top.unread());
    let arch = config.into_arch();
    if let Some(Assumption { en, zh }) = arch.undescribed().cloned().or_else(|| arch.unfit_for(setup.task)) {
        return Err(top.error_at("model", &Message { en, zh }));
    }
    Ok(Record { id, model, arch, setup, assumptions, unused })
}

#[cfg(test)]
mod tests;
