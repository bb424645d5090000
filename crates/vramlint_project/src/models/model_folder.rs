//! Reads a model folder: its `config.json`, and the parameter count from its weight files.

use crate::bounded_file::open_regular;
use crate::overlay_fs::OverlayFs;
use std::fs::File;
use std::io::{Read, Take};
use std::path::Path;
use vramlint_base::{Message, message};
use vramlint_estimate::models::{config_from_json, parameters_of_header, parameters_of_index};
use vramlint_estimate::{Model, Source};
use vramlint_memory::Config;

/// Maximum size of a `config.json`, bytes; on the hub, they have a few KiB.
const MAX_CONFIG_SIZE: u64 = 4 << 20;
/// Maximum size of a safetensors header or index, bytes; 256 experts in 61 layers need 9 MiB.
const MAX_HEADER_SIZE: u64 = 32 << 20;

/// Reads a model from its `config.json`, or from the folder that contains one.
pub(crate) fn read_config(files: &OverlayFs, path: &Path, id: &str, source: Source) -> Result<Model, Message> {
    let inside = path.join("config.json");
    let path = if files.is_file(path) { path } else { &inside };
    if !files.is_file(path) {
        return Err(message!("no such file", "文件不存在"));
    }
    let config = config_from_json(&text(files, path, MAX_CONFIG_SIZE)?)?;
    let mut model = Model::from_config(id, &config, source);
    if model.prequantized.is_none() && !config.has("quantization_config") {
        model.exact_parameters = path.parent().and_then(|folder| count(files, folder, &config, &model));
    }
    Ok(model.agreeing_with_its_weights())
}

/// The base model that the adapters in a folder were trained on.
pub(super) fn base_of_adapters(files: &OverlayFs, folder: &Path) -> Option<String> {
    let path = folder.join("adapter_config.json");
    let config = files.is_file(&path).then(|| text(files, &path, MAX_CONFIG_SIZE).ok()).flatten()?;
    config_from_json(&config).ok()?.text("base_model_name_or_path").filter(|base| !base.is_empty()).map(str::to_owned)
}

/// The text of a file of at most `most` bytes.
fn text(files: &OverlayFs, path: &Path, most: u64) -> Result<String, Message> {
    let unreadable = |error: std::io::Error| message!("cannot be read: {error}", "无法读取：{error}");
    let size = files.size(path).map_err(unreadable)?;
    if size > most {
        let mib = size >> 20;
        return Err(message!("has {mib} MiB, too large for a config.json", "大小为 {mib} MiB，超出 config.json 的上限"));
    }
    String::from_utf8(files.read(path).map_err(unreadable)?).map_err(|_| message!("is not UTF-8", "不是 UTF-8 编码"))
}

/// The parameter count in the weight files next to a `config.json`.
fn count(files: &OverlayFs, folder: &Path, config: &Config, model: &Model) -> Option<u64> {
    let single = folder.join("model.safetensors");
    if single.is_file() {
        let tied = config.flag("tie_word_embeddings") == Some(true);
        return parameters_of_header(&header(&single)?, tied);
    }
    let index = folder.join("model.safetensors.index.json");
    files
        .is_file(&index)
        .then(|| text(files, &index, MAX_HEADER_SIZE).ok())
        .flatten()
        .and_then(|text| parameters_of_index(&text, model.dtype))
}

/// The header of a safetensors file; the weights are not read.
fn header(path: &Path) -> Option<String> {
    let (mut file, all) = open_regular(path).ok()?;
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER_SIZE || length > all.saturating_sub(8) {
        return None;
    }
    let mut header = String::new();
    let mut rest: Take<File> = file.take(length);
    rest.read_to_string(&mut header).ok()?;
    Some(header)
}
