//! Finds the configuration that governs a file: the nearest one in its parent folders.

use super::declared_models::declared;
use super::load::{Source, has_table, load};
use super::{Config, ConfigError};
use crate::discovery::paths::shown;
use crate::overlay_fs::OverlayFs;
use crate::rule_selection::RuleList;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use vramlint_base::message;

/// All configurations of a request; each is read once.
#[derive(Debug)]
pub(crate) struct Configs<'a> {
    files: &'a OverlayFs,
    rules: &'a RuleList,
    cwd: &'a Path,
    /// One configuration for everything: `--config`, or none at all with `--isolated`.
    fixed: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Index 0 is the empty configuration, or the fixed one.
    configs: Vec<Result<Config, ConfigError>>,
    by_file: HashMap<PathBuf, usize>,
    by_folder: HashMap<PathBuf, usize>,
}

impl<'a> Configs<'a> {
    /// Prepares the lookup. `explicit` is `--config`.
    pub(crate) fn new(
        files: &'a OverlayFs,
        rules: &'a RuleList,
        cwd: &'a Path,
        explicit: Option<&Path>,
        isolated: bool,
    ) -> Result<Self, ConfigError> {
        let none = Config { root: cwd.to_path_buf(), ..Config::default() };
        let first = match explicit {
            Some(file) => read(files, file, cwd, cwd, rules)?,
            None => none,
        };
        let state = State { configs: vec![Ok(first)], ..State::default() };
        Ok(Self { files, rules, cwd, fixed: isolated || explicit.is_some(), state: Mutex::new(state) })
    }

    /// The number of the configuration that governs `folder` (absolute).
    pub(crate) fn of_folder(&self, folder: &Path) -> usize {
        if self.fixed {
            return 0;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = Vec::new();
        let mut number = 0;
        for at in folder.ancestors() {
            if let Some(known) = state.by_folder.get(at) {
                number = *known;
                break;
            }
            seen.push(at.to_path_buf());
            if let Some(file) = file_in(self.files, at) {
                number = self.number_of(&mut state, &file);
                break;
            }
        }
        state.by_folder.extend(seen.into_iter().map(|at| (at, number)));
        number
    }

    fn number_of(&self, state: &mut State, file: &Path) -> usize {
        if let Some(known) = state.by_file.get(file) {
            return *known;
        }
        let root = file.parent().unwrap_or(self.cwd);
        state.configs.push(read(self.files, file, root, self.cwd, self.rules));
        state.by_file.insert(file.to_path_buf(), state.configs.len() - 1);
        state.configs.len() - 1
    }

    /// Calls `query` with a configuration; one with errors counts as empty.
    pub(crate) fn with<T>(&self, number: usize, query: impl FnOnce(&Config) -> T) -> T {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.configs.get(number) {
            Some(Ok(config)) => query(config),
            _ => query(&Config { root: self.cwd.to_path_buf(), ..Config::default() }),
        }
    }

    /// All configurations, by number.
    pub(crate) fn into_all(self) -> Vec<Result<Config, ConfigError>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).configs
    }
}

/// The largest configuration file that is read, bytes.
const MAX_CONFIG_SIZE: u64 = 1 << 20;

/// The configuration file directly in this folder. `vramlint.toml` takes precedence over `pyproject.toml`, which needs a
/// `[tool.vramlint]` table.
fn file_in(files: &OverlayFs, folder: &Path) -> Option<PathBuf> {
    let own = folder.join("vramlint.toml");
    if files.is_file(&own) {
        return Some(own);
    }
    let pyproject = folder.join("pyproject.toml");
    let small = files.is_file(&pyproject) && files.size(&pyproject).is_ok_and(|size| size <= MAX_CONFIG_SIZE);
    let text = small.then(|| files.read(&pyproject).ok()).flatten()?;
    has_table(&String::from_utf8_lossy(&text)).then_some(pyproject)
}

/// Whether this folder itself has a configuration.
pub(crate) fn has_config(files: &OverlayFs, folder: &Path) -> bool {
    file_in(files, folder).is_some()
}

/// The configuration file directly in this folder.
pub fn configuration_in(folder: &Path) -> Option<PathBuf> {
    file_in(&OverlayFs::default(), folder)
}

fn read(files: &OverlayFs, file: &Path, root: &Path, cwd: &Path, rules: &RuleList) -> Result<Config, ConfigError> {
    let name = shown(file, cwd);
    let unreadable = |error| ConfigError::new(message!("{name}: cannot be read: {error}", "{name}：无法读取：{error}"));
    let size = files.size(file).map_err(unreadable)?;
    if size > MAX_CONFIG_SIZE {
        return Err(ConfigError::new(message!(
            "{name}: {size} bytes are too many for it",
            "{name}：大小为 {size} 字节，超出上限"
        )));
    }
    let bytes = files.read(file).map_err(unreadable)?;
    let text =
        String::from_utf8(bytes).map_err(|_| ConfigError::new(message!("{name}: not UTF-8", "{name}：不是 UTF-8 编码")))?;
    let mut config = load(&Source { file, shown: &name, text: &text, root }, rules)?;
    config.declared = declared(&files.without_bounds(), &config, &name, cwd)?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, RULES};

    #[test]
    fn the_nearest_configuration_governs() {
        let folder = Folder::new(&[
            ("vramlint.toml", "[target]\ncount = 1\n"),
            ("a/pyproject.toml", "[tool.vramlint.target]\ncount = 2\n"),
            ("a/b/pyproject.toml", "[project]\nname = \"no table\"\n"),
            ("c/pyproject.toml", "[tool.vramlint.target]\ncount = 3\n"),
            ("c/vramlint.toml", "[target]\ncount = 4\n"),
        ]);
        let (files, rules) = (OverlayFs::default(), RuleList::new(RULES));
        let configs = Configs::new(&files, &rules, folder.path(), None, false).expect("fine");
        let count = |at: &str| configs.with(configs.of_folder(&folder.path().join(at)), |config| config.target.count);
        assert_eq!(count(""), Some(1));
        assert_eq!(count("x/y"), Some(1));
        assert_eq!(count("a"), Some(2));
        assert_eq!(count("a/b/c"), Some(2));
        assert_eq!(count("c"), Some(4));

        let isolated = Configs::new(&files, &rules, folder.path(), None, true).expect("fine");
        assert_eq!(isolated.with(isolated.of_folder(folder.path()), |config| config.target.count), None);
        let explicit = folder.path().join("c/vramlint.toml");
        let fixed = Configs::new(&files, &rules, folder.path(), Some(&explicit), false).expect("fine");
        assert_eq!(fixed.with(fixed.of_folder(&folder.path().join("a")), |config| config.target.count), Some(4));
        let missing = Configs::new(&files, &rules, folder.path(), Some(&folder.path().join("no.toml")), false);
        assert!(missing.expect_err("absent").message.en.starts_with("no.toml: "));
    }
}
