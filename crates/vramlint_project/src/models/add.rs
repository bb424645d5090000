//! Declares a model in the configuration: `vramlint model add`.

use super::{hub_cache, read_config};
use crate::atomic_file::write_file;
use crate::bounded_file::{MAX_READ, read_file};
use crate::config::{Entry, write_entry};
use crate::discovery::paths::{absolute, shown};
use crate::overlay_fs::OverlayFs;
use std::path::{Path, PathBuf};
use vramlint_base::{Message, message};
use vramlint_estimate::{Model, Source};

/// The folder for copies of configs from outside of the project.
const COPIES: &str = ".vramlint/models";

/// A declared model.
#[derive(Debug)]
pub struct AddedModel {
    /// The model.
    pub model: Model,
    /// The configuration that declares it, as shown to the user.
    pub configuration: String,
    /// Its `config.json`, as shown to the user.
    pub config: String,
    /// Whether the configuration declared it before.
    pub was_there: bool,
}

/// Declares the model at a path, or with an id in the Hugging Face cache, in the configuration of `project`. A `config.json` outside of
/// `project` is copied, so that others who check the project have it too.
///
/// # Errors
///
/// The model cannot be found or read, or the configuration cannot be written.
pub fn add_model(named: &str, id: Option<&str>, project: &Path, cwd: &Path, caches: &[PathBuf]) -> Result<AddedModel, Message> {
    let files = OverlayFs::default();
    let project = absolute(cwd, project);
    let path = absolute(cwd, Path::new(named));
    let (given, id) = if path.exists() {
        let given = if path.is_dir() { path.join("config.json") } else { path };
        let id = id.map_or_else(|| name_of(&given), str::to_owned);
        (given, id)
    } else if let Some(cached) = hub_cache::find(caches, named) {
        (cached.config, id.unwrap_or(named).to_owned())
    } else {
        return Err(message!(
            "`{named}` is neither a path nor in the Hugging Face cache; get its config.json (`hf download {named} config.json`) and \
             try again",
            "`{named}` 既不是路径，也不在 Hugging Face 缓存中；请先下载它的 config.json（`hf download {named} config.json`）再试"
        ));
    };
    let model = read_config(&files, &given, &id, Source::Declared(shown(&given, cwd))).map_err(|why| {
        let (path, en, zh) = (shown(&given, cwd), why.en, why.zh);
        message!("{path}: {en}", "{path}：{zh}")
    })?;
    let failed = |path: &Path, error: &std::io::Error| {
        let path = shown(path, cwd);
        message!("cannot write {path}: {error}", "无法写入 {path}：{error}")
    };
    let kept = if let Ok(inside) = given.strip_prefix(&project) {
        inside.to_path_buf()
    } else {
        let copy = Path::new(COPIES).join(format!("{}.json", id.replace(['/', '\\'], "--")));
        let target = project.join(&copy);
        let bytes = read_file(&given, MAX_READ).map_err(|error| failed(&given, &error))?;
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        write_file(&target, &bytes).map_err(|error| failed(&target, &error))?;
        copy
    };
    let kept = kept.to_string_lossy().replace('\\', "/");
    let written = write_entry(&project, cwd, &entry(&id, &kept))?;
    Ok(AddedModel { model, configuration: written.configuration, config: kept, was_there: written.was_there })
}

/// The name of a model by the folder of its `config.json`, or by the name of the file.
fn name_of(config: &Path) -> String {
    let text = |name: Option<&std::ffi::OsStr>| name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if config.file_name().is_some_and(|name| name == "config.json") {
        text(config.parent().and_then(Path::file_name))
    } else {
        text(config.file_stem()).replace("--", "/")
    }
}

fn entry<'a>(id: &'a str, config: &'a str) -> Entry<'a> {
    Entry { list: "model", name: ("id", id), values: vec![("config", config.into())] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::with_entry;
    use crate::testing::Folder;

    const LLAMA: &str = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"vocab_size\": 100}";

    fn with_model(text: &str, is_pyproject: bool, id: &str, config: &str) -> Option<String> {
        with_entry(text, is_pyproject, &entry(id, config))
    }

    #[test]
    fn a_declaration_keeps_what_is_there() {
        let text = "# ours\r\n[target]\r\ncount = 1 # one\r\n";
        let once = with_model(text, false, "acme/a", "models/a.json").expect("taken");
        assert_eq!(once, format!("{text}\r\n[[model]]\r\nid = \"acme/a\"\r\nconfig = \"models/a.json\"\r\n"));
        assert_eq!(with_model(&once, false, "acme/a", "models/a.json").as_deref(), Some(once.as_str()));
        let moved = with_model(&once, false, "acme/a", "b.json").expect("taken");
        assert!(moved.contains("config = \"b.json\"") && !moved.contains("models/a.json"), "{moved}");
        let project = with_model("[tool.vramlint]\n", true, "acme/a", "a.json").expect("taken");
        assert_eq!(project, "[tool.vramlint]\n\n[[tool.vramlint.model]]\nid = \"acme/a\"\nconfig = \"a.json\"\n");
        for broken in ["model = 3\n", "[model\n", "[model]\nid = 1\n"] {
            assert_eq!(with_model(broken, false, "a", "b"), None, "{broken}");
        }
    }

    #[test]
    fn a_config_inside_the_project_is_named_and_one_outside_is_copied() {
        let folder = Folder::new(&[("project/weights/acme-tiny/config.json", LLAMA), ("outside/config.json", LLAMA)]);
        let project = folder.path().join("project");
        let add = |named: &str, id: Option<&str>| add_model(named, id, &project, folder.path(), &[]).expect("added");
        let inside = add("project/weights/acme-tiny", None);
        assert_eq!((inside.model.id.as_str(), inside.config.as_str()), ("acme-tiny", "weights/acme-tiny/config.json"));
        let outside = add("outside/config.json", Some("acme/other"));
        assert_eq!(outside.config, ".vramlint/models/acme--other.json");
        assert_eq!(folder.read("project/.vramlint/models/acme--other.json"), LLAMA);
        assert!(!outside.was_there && add("outside/config.json", Some("acme/other")).was_there);
        assert_eq!(folder.read("project/vramlint.toml").matches("[[model]]").count(), 2);
    }

    #[test]
    fn what_is_nowhere_is_told_with_the_way_to_get_it() {
        let folder = Folder::new(&[("bad.json", "[]")]);
        let add = |named: &str| add_model(named, None, folder.path(), folder.path(), &[]).expect_err("refused").en;
        assert!(add("acme/nowhere").contains("hf download acme/nowhere config.json"));
        assert!(add("bad.json").starts_with("bad.json: config.json must be an object"), "{}", add("bad.json"));
        assert!(!folder.path().join("vramlint.toml").exists());
    }
}
