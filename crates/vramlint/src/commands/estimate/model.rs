//! The model that `--model` or `--params` names.

use crate::cli::SetupArgs;
use crate::exit::fault;
use anyhow::Result;
use std::path::{Path, PathBuf};
use vramlint_base::{Message, message};
use vramlint_estimate::models::{Model, Models, Source, config_from_json};
use vramlint_estimate::record::words;
use vramlint_memory::Arch;

/// The model, or `None` where no flag names one.
pub(super) fn of(flags: &SetupArgs, models: &Models) -> Result<Option<Model>> {
    if let Some(count) = flags.params {
        return Ok(Some(model(String::new(), Arch::from_parameters(count))));
    }
    let Some(name) = &flags.model else { return Ok(None) };
    if let Some(file) = file(name) {
        return read(name, &file).map(Some);
    }
    models.find(name).map(Some).ok_or_else(|| fault(unknown(name, models)))
}

/// A folder with a `config.json`, or such a file. An id is no path, whatever it looks like.
fn file(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_dir() {
        return Some(path.join("config.json"));
    }
    path.is_file().then(|| path.to_path_buf())
}

/// Reads a `config.json`.
pub(super) fn read(name: &str, file: &Path) -> Result<Model> {
    let shown = file.display();
    let bytes =
        std::fs::read(file).map_err(|error| fault(message!("{shown} cannot be read: {error}", "无法读取 {shown}：{error}")))?;
    let config = config_from_json(&String::from_utf8_lossy(&bytes)).map_err(|why| {
        let (en, zh) = (why.en, why.zh);
        fault(message!("{shown}: {en}", "{shown}：{zh}"))
    })?;
    let dtype = config.text("dtype").or_else(|| config.text("torch_dtype")).and_then(|word| words::find(words::DTYPES, word));
    Ok(Model { dtype, ..model(name.to_owned(), Arch::from_config(&config)) })
}

fn model(id: String, arch: Arch) -> Model {
    Model { id, arch, source: Source::Given, exact_parameters: None, dtype: None, prequantized: None }
}

fn unknown(name: &str, models: &Models) -> Message {
    match models.nearest(name) {
        Some(near) => message!(
            "no architecture of `{name}` is known; did you mean `{near}`? Else give the path of its config.json, or --params",
            "不认识 `{name}` 的结构；是否指 `{near}`？否则请给出其 config.json 的路径，或用 --params 给出参数量"
        ),
        None => message!(
            "no architecture of `{name}` is known: give the path of its config.json, or --params",
            "不认识 `{name}` 的结构：请给出其 config.json 的路径，或用 --params 给出参数量"
        ),
    }
}
