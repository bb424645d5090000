//! `vramlint.toml` and `[tool.vramlint]` of `pyproject.toml`.

mod declared_models;
mod entry;
mod error;
mod find;
pub(crate) mod glob;
mod gpu;
mod load;
pub(crate) mod raw;
mod run_settings;
mod schema;
mod size;
mod validate;
mod versions;

#[cfg(test)]
pub(crate) use entry::with_entry;
pub(crate) use entry::{Entry, write_entry};
pub use error::{ConfigError, ConfigPlace};
pub use find::configuration_in;
pub(crate) use find::{Configs, has_config};
pub(crate) use gpu::unknown_gpu;
pub use raw::Preset;
pub use run_settings::{RunSetting, parse_assignment};
pub use schema::{schema, schema_text};
pub use size::Size;

use crate::rule_selection::{SelectionLayer, Selector};
use glob::Globs;
use raw::Level;
use std::path::PathBuf;
use std::sync::Arc;
use vramlint_base::{Lang, Severity, TextRange};
use vramlint_estimate::Model;
use vramlint_resolve::versions::VersionSpec;
use vramlint_resolve::{MeasuredRun, Target};

/// A configuration, checked.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file, absolute; `None` if there is no file.
    pub file: Option<PathBuf>,
    /// Its text; empty without a file.
    pub text: Arc<str>,
    /// The folder that its globs are relative to.
    pub root: PathBuf,
    /// `[target]`.
    pub target: Target,
    /// The range of `target.count`.
    pub count_at: Option<TextRange>,
    /// `[batch] effective` and its range.
    pub effective_batch: Option<(u64, TextRange)>,
    /// `[versions]`: library, version and range.
    pub versions: Vec<(&'static str, VersionSpec, TextRange)>,
    /// `[runs."…"]`, ids before globs.
    pub run_settings: Vec<RunSetting>,
    /// `[lint] preset`.
    pub preset: Option<Preset>,
    /// `[lint] fail-on`.
    pub fail_on: Option<Severity>,
    /// `[lint] lang`.
    pub lang: Option<Lang>,
    /// `[[model]]`, as written.
    pub models: Vec<DeclaredModel>,
    /// `[[model]]`, loaded.
    pub declared: Vec<Model>,
    /// `[[measured]]`.
    pub measured: Vec<MeasuredRun>,
    pub(crate) exclude: Option<Globs>,
    pub(crate) extend_exclude: Globs,
    pub(crate) choice: SelectionLayer,
    pub(crate) per_file_ignores: Vec<PerFileIgnore>,
    pub(crate) levels: Vec<(Selector, Level)>,
}

/// An architecture that is not in the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredModel {
    /// Model name as the project writes it.
    pub id: String,
    /// Its `config.json`.
    pub config: PathBuf,
    /// The range of that path.
    pub(crate) at: TextRange,
}

/// Rules that are disabled for some files.
#[derive(Clone, Debug)]
pub(crate) struct PerFileIgnore {
    /// The files, relative to [`Config::root`].
    pub globs: Globs,
    /// Whether the entry applies to all other files instead.
    pub negated: bool,
    /// The rules.
    pub rules: Vec<Selector>,
}

impl PerFileIgnore {
    /// Whether the rule with this code is disabled for the file at `relative`, a path from the root.
    pub(crate) fn holds(&self, relative: &str, code: &str) -> bool {
        self.globs.hold(relative) != self.negated && self.rules.iter().any(|rule| rule.matches(code))
    }
}
