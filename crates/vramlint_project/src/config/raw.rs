//! The keys of the configuration as serde and the JSON Schema see them. The doc comments are the schema's descriptions.

use super::size::Size;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Configuration of vramlint: `vramlint.toml`, or `[tool.vramlint]` in `pyproject.toml`. The nearest one above a file governs it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[schemars(title = "vramlint")]
pub(crate) struct RawConfig {
    /// Globs of files and folders that are not read, relative to the folder of this file, instead of the built-in list
    /// (`node_modules`, `site-packages`, `.venv`, `venv`, `__pycache__`, …).
    pub exclude: Option<Vec<String>>,
    /// Globs on top of `exclude`.
    pub extend_exclude: Vec<String>,
    /// The machine that the project trains on. All keys are optional.
    pub target: RawTarget,
    /// What was agreed about the batch.
    pub batch: RawBatch,
    /// Versions of libraries that the project runs with, over what its files say: `transformers = "5.23"` (any of that line),
    /// `"4.44.2"`, or a specifier such as `">=4.40,<5"`.
    pub versions: BTreeMap<String, String>,
    /// Which rules run, and how grave they are.
    pub lint: RawLint,
    /// Architectures that the catalogue does not know.
    pub model: Vec<RawModel>,
}

/// The machine that the project trains on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawTarget {
    /// Name of the card: `A100-SXM4-80GB`, `RTX 4090`. A card that vramlint does not know needs `memory`.
    pub gpu: Option<String>,
    /// Memory of one card, where the name does not say it: `24GiB`, `80GB`, or bytes.
    pub memory: Option<Size>,
    /// Cards per node; 0 for none.
    pub count: Option<u32>,
    /// Nodes.
    #[schemars(range(min = 1))]
    pub nodes: Option<u32>,
    /// Memory of the host, of one node: `256GiB`, or bytes.
    pub host_memory: Option<Size>,
    /// Operating system of the machine.
    pub os: Option<Os>,
}

/// An operating system.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Os {
    Linux,
    Windows,
    Macos,
}

/// What was agreed about the batch.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawBatch {
    /// Samples per optimizer step over all processes; any run that differs is a finding.
    #[schemars(range(min = 1))]
    pub effective: Option<u64>,
}

/// Which rules run, and how grave they are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawLint {
    /// Which findings are told before anything else is chosen: `recommended`, `strict` (advice counts as warning), `errors`
    /// (nothing but errors).
    pub preset: Option<Preset>,
    /// Rules that run: names, codes, prefixes of codes (`VL6`), `all` or `default`.
    pub select: Option<Vec<String>>,
    /// Rules on top of `select`.
    pub extend_select: Vec<String>,
    /// Rules that do not run; the more exact of `select` and `ignore` wins.
    pub ignore: Vec<String>,
    /// The least severity that makes `vramlint check` exit with 1.
    pub fail_on: Option<FailOn>,
    /// Language of the messages.
    pub lang: Option<RawLang>,
    /// Rules that do not run in some files: from a glob, relative to the folder of this file, to rules. A leading `!` turns
    /// the glob around.
    pub per_file_ignores: BTreeMap<String, Vec<String>>,
    /// Other severities than the rules' own: from a name, code or prefix to a severity, or `off`.
    pub severity: BTreeMap<String, Level>,
}

/// A set of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Preset {
    /// Every rule with its own severity.
    #[default]
    Recommended,
    /// Every rule; advice counts as warning.
    Strict,
    /// Errors alone, and the rules that `extend-select` names.
    Errors,
}

/// A severity to fail on.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum FailOn {
    Error,
    Warning,
    Info,
}

/// A language.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum RawLang {
    En,
    Zh,
}

/// A severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Level {
    Off,
    Info,
    Warning,
    Error,
}

/// An architecture that the catalogue does not know.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RawModel {
    /// Name of the model as the project writes it: `acme/acme-7b`.
    pub id: String,
    /// Its Hugging Face `config.json`, or the folder of it, relative to the folder of this file.
    pub config: String,
}
