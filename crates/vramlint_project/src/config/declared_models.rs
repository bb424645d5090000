//! Loads the architectures that `[[model]]` declares.

use super::{Config, ConfigError};
use crate::discovery::paths::shown;
use crate::models::read_config;
use crate::overlay_fs::OverlayFs;
use std::path::Path;
use vramlint_base::message;
use vramlint_estimate::{Model, Source};

/// Reads the `config.json` of every declared model. An unreadable one is a configuration error, because the declaration has no
/// effect without it.
pub(super) fn declared(files: &OverlayFs, config: &Config, name: &str, cwd: &Path) -> Result<Vec<Model>, ConfigError> {
    let read = |model: &super::DeclaredModel| {
        let path = shown(&model.config, cwd);
        read_config(files, &model.config, &model.id, Source::Declared(path.clone())).map_err(|why| {
            let (id, en, zh) = (&model.id, &why.en, &why.zh);
            let what = message!("`config` of model `{id}`: {path}: {en}", "模型 `{id}` 的 `config`：{path}：{zh}");
            ConfigError::at(name, &config.text, model.at, &what)
        })
    };
    config.models.iter().map(read).collect()
}
