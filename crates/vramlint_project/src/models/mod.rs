//! Reads the models that a project names from its folders and from the Hugging Face cache of the user; never from the network.

mod add;
mod collect;
mod hub_cache;
mod model_folder;
mod model_names;

pub use add::{AddedModel, add_model};
pub(crate) use collect::collect_models;
pub use hub_cache::hub_caches;
pub(crate) use model_folder::read_config;

use crate::discovery::paths::{absolute, shown};
use crate::overlay_fs::OverlayFs;
use std::path::{Path, PathBuf};
use vramlint_base::{Message, message};
use vramlint_estimate::{Model, Models, Source};

/// The model that `name` refers to on the command line: a `config.json` or its folder (relative to `cwd`), a hub model in one of
/// `caches`, or a model in the catalog.
pub fn find_model(name: &str, cwd: &Path, caches: &[PathBuf]) -> Result<Model, Message> {
    let (files, path) = (OverlayFs::default(), absolute(cwd, Path::new(name)));
    if !name.is_empty() && path.exists() {
        let place = shown(&path, cwd);
        let model = read_config(&files, &path, name, Source::Project(place.clone())).map_err(|why| broken(&place, &why))?;
        return model.undescribed().map_or(Ok(model), Err);
    }
    let mut models = Models::catalogue();
    if let Some(cached) = hub_cache::find(caches, name) {
        let place = cached.shown;
        match read_config(&files, &cached.config, name, Source::Cache(place.clone())) {
            Ok(model) => models.insert(model),
            Err(why) => return Err(broken(&place, &why)),
        }
    }
    let found = models.find_or_infer(name);
    if let Some(why) = found.as_ref().and_then(Model::undescribed) {
        return Err(why);
    }
    found.ok_or_else(|| match models.nearest(name) {
        Some(meant) => message!(
            "unknown model `{name}`; did you mean `{meant}`? For any other model, specify its folder or config.json",
            "未知的模型 `{name}`；是否想写 `{meant}`？其他模型请指定其文件夹或 config.json"
        ),
        None => message!(
            "unknown model `{name}`; specify its folder or config.json",
            "未知的模型 `{name}`；请指定其文件夹或 config.json"
        ),
    })
}

/// Why a configuration cannot be read.
fn broken(place: &str, why: &Message) -> Message {
    let Message { en, zh } = why;
    message!("{place}: {en}", "{place}：{zh}")
}

#[cfg(test)]
mod tests;
