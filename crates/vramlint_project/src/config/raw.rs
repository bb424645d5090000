//! The keys of the configuration, for serde and the JSON Schema. The doc comments become the descriptions of the schema.

use super::size::Size;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Configuration of vramlint: `vramlint.toml`, or `[tool.vramlint]` in `pyproject.toml`. The nearest one in the parent folders of a
/// file applies to it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[schemars(title = "vramlint")]
pub(crate) struct RawConfig {
    /// Globs of files and folders to exclude, relative to the folder of this file; replaces the built-in list
    /// (`node_modules`, `site-packages`, `.venv`, `venv`, `__pycache__`, …).
    pub exclude: Option<Vec<String>>,
    /// Globs to exclude in addition to `exclude`.
    pub extend_exclude: Vec<String>,
    /// The machine that the project trains on. All keys are optional.
    pub target: RawTarget,
    /// The agreed batch size.
    pub batch: RawBatch,
    /// Library versions that the project runs with; overrides its requirements and lock files: `transformers = "5.23"` (any 5.23.x),
    /// `"4.44.2"`, or a specifier such as `">=4.40,<5"`.
    pub versions: BTreeMap<String, String>,
    /// Settings that the project does not show, for the runs with this id, or whose path or id matches this glob:
    /// `[runs."train.sh#1"]` with `model = "Qwen/Qwen3-8B"`. Keys are the settings that `vramlint runs` prints. A value that the
    /// project writes takes precedence.
    pub runs: BTreeMap<String, BTreeMap<String, RawSetting>>,
    /// Enabled rules and their severity.
    pub lint: RawLint,
    /// Architectures that are not in the catalog.
    pub model: Vec<RawModel>,
    /// What runs took when they ran, as `vramlint compare --save` writes it; bounds of estimates follow it.
    pub measured: Vec<RawMeasured>,
}

/// The value of a setting of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum RawSetting {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<String>),
}

/// The machine that the project trains on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawTarget {
    /// Name of the GPU: `A100-SXM4-80GB`, `RTX 4090`. A GPU that is not in the catalog needs `memory`.
    pub gpu: Option<String>,
    /// Memory of one GPU, if the name does not determine it: `24GiB`, `80GB`, or bytes.
    pub memory: Option<Size>,
    /// GPUs per node; 0 for none.
    pub count: Option<u32>,
    /// Number of nodes.
    #[schemars(range(min = 1))]
    pub nodes: Option<u32>,
    /// Host memory of one node: `256GiB`, or bytes.
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

/// The agreed batch size.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawBatch {
    /// Samples per optimizer step over all processes; runs that differ are reported.
    #[schemars(range(min = 1))]
    pub effective: Option<u64>,
}

/// Enabled rules and their severity.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct RawLint {
    /// Rule preset: `recommended`, `strict` (advice becomes a warning), `errors` (errors only).
    pub preset: Option<Preset>,
    /// Rules to enable: names, codes, prefixes of codes (`VL6`), `all` or `default`.
    pub select: Option<Vec<String>>,
    /// Rules to enable in addition to `select`.
    pub extend_select: Vec<String>,
    /// Rules to disable; the more specific of `select` and `ignore` takes precedence.
    pub ignore: Vec<String>,
    /// Lowest severity that makes `vramlint check` exit with 1.
    pub fail_on: Option<FailOn>,
    /// Language of the messages.
    pub lang: Option<RawLang>,
    /// Rules to disable for some files: maps a glob, relative to the folder of this file, to rules. A leading `!` negates the
    /// glob.
    pub per_file_ignores: BTreeMap<String, Vec<String>>,
    /// Severities that override the defaults: maps a name, code or prefix to a severity, or `off`.
    pub severity: BTreeMap<String, Level>,
}

/// A rule preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Preset {
    /// Every rule with its default severity.
    #[default]
    Recommended,
    /// Every rule; advice becomes a warning.
    Strict,
    /// Errors only, and the rules in `extend-select`.
    Errors,
}

/// Lowest severity to fail on.
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

/// A severity, or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Level {
    Off,
    Info,
    Warning,
    Error,
}

/// An architecture that is not in the catalog.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RawModel {
    /// Model name as the project writes it: `acme/acme-7b`.
    pub id: String,
    /// Its Hugging Face `config.json`, or the folder that contains it, relative to the folder of this file.
    pub config: String,
}

/// What a run took when it ran.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RawMeasured {
    /// Id of the run, as `vramlint runs` prints it.
    pub run: String,
    /// Highest memory of tensors on one GPU, as `torch.cuda.max_memory_allocated` gives it.
    pub tensors: Option<Size>,
    /// Highest memory that the allocator held on one GPU, as `torch.cuda.max_memory_reserved` gives it.
    pub reserved: Option<Size>,
    /// Highest memory of the process on one GPU, or of the GPU, as `nvidia-smi` shows it.
    pub process: Option<Size>,
    /// What it was measured by.
    #[serde(default)]
    pub source: String,
    /// The setup that ran, as JSON.
    pub setup: String,
}
