//! The `model` of a record.

use super::fields::Fields;
use crate::models::{Models, config_from_json};
use vramlint_base::{Message, message};
use vramlint_memory::{Arch, Config, Value};

/// The architecture of a record.
pub(super) enum Shape {
    /// The keys of its `config.json`.
    Config(Config),
    /// A model known by name.
    Known(Box<Arch>),
}

impl Shape {
    pub(super) fn into_arch(self) -> Arch {
        match self {
            Self::Config(config) => Arch::from_config(&config),
            Self::Known(arch) => *arch,
        }
    }
}

/// Reads the id and the architecture of the model under `field`. It is an object, or its id alone.
pub(super) fn read_model(
    top: &mut Fields<'_>,
    field: &'static str,
    models: &Models,
    unused: &mut Vec<String>,
) -> Result<(String, Shape), Message> {
    if top.is_text(field) {
        let id = top.text(&[field])?.unwrap_or_default();
        let arch = known(top, field, &id, models)?;
        return Ok((id, arch));
    }
    let Some(mut model) = top.object(&[field])? else { return Err(top.missing(field)) };
    let id = model.text(&["id"])?.unwrap_or_default();
    // Parameter counts are results, and the family is derived from the architecture.
    model.ignore(&["family", "n_params", "n_trainable"]);
    let shape = match model.object(&["arch", "config"])? {
        Some(arch) => Shape::Config(read_config(&arch)?),
        None if id.is_empty() => return Err(model.missing("arch")),
        None => known(&model, "arch", &id, models)?,
    };
    unused.extend(model.unread());
    Ok((id, shape))
}

fn known(fields: &Fields<'_>, name: &str, id: &str, models: &Models) -> Result<Shape, Message> {
    if let Some(model) = models.find(id) {
        return Ok(Shape::Known(Box::new(model.arch)));
    }
    let why = match models.nearest(id) {
        Some(near) => {
            message!("unknown model `{id}`; did you mean `{near}`?", "未知模型 `{id}`；是否指 `{near}`？")
        }
        None => message!("unknown model `{id}`", "未知模型 `{id}`"),
    };
    Err(fields.error_at(name, &why))
}

/// Overrides keys of a config.
pub(super) fn merge(config: &mut Config, over: &Fields<'_>) -> Result<(), Message> {
    let over = read_config(over)?;
    for key in over.keys() {
        config.set(key, over.get(key).cloned().unwrap_or(Value::Null));
    }
    Ok(())
}

fn read_config(arch: &Fields<'_>) -> Result<Config, Message> {
    config_from_json(arch.raw()).map_err(|why| arch.error_at("", &why))
}
