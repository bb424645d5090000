//! `vramlint.toml` and `[tool.vramlint]` of `pyproject.toml`.

/// A configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {}

/// The configuration or the command line is at fault: exit status 2, message on standard error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// What is wrong, with the file and the line.
    pub message: String,
}
