//! Arguments of `rule`.

use crate::language;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Name or code of the rule
    #[arg(required_unless_present = "all")]
    pub(crate) rule: Option<String>,
    /// Print every rule
    #[arg(long, conflicts_with = "rule")]
    pub(crate) all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RuleFormat,
    /// Language of the page [default: from the locale]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

/// `--output-format` of `rule`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleFormat {
    /// For a terminal
    #[default]
    Text,
    /// One JSON object or list
    Json,
    /// Markdown
    Markdown,
}
