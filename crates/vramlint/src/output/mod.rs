//! Output formats: one file each.

mod concise;
pub(crate) mod config_schema;
pub(crate) mod estimate;
mod excerpt;
mod fingerprint;
mod fix_preview;
mod full;
mod github;
mod gitlab;
pub(crate) mod gpu_json;
pub(crate) mod gpu_text;
mod json;
mod junit;
mod ordered_json;
mod rdjson;
pub(crate) mod runs_json;
mod sarif;
mod sarif_schema;
pub(crate) mod styler;
mod summary;
mod terminal_line;
mod uri;

use crate::cli::Format;
use owo_colors::Style as Paint;
use std::time::Duration;
use vramlint_base::{Lang, Severity};
use vramlint_project::Report;

pub(crate) use summary::{fix_summary, statistics, statistics_json, summary};

/// How text is dressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Language of the messages.
    pub(crate) lang: Lang,
    /// Whether there is colour.
    pub(crate) color: bool,
    /// The time it took, where it is to be told.
    pub(crate) elapsed: Option<Duration>,
}

/// Every finding in a format.
pub(crate) fn findings(report: &Report, format: Format, style: Style) -> String {
    match format {
        Format::Full => full::render(report, style),
        Format::Concise => concise::render(report, style),
        Format::Json => json::object(report, style.lang),
        Format::Jsonl => json::lines(report, style.lang),
        Format::Github => github::render(report, style.lang),
        Format::Gitlab => gitlab::render(report, style.lang),
        Format::Sarif => sarif::render(report, style.lang),
        Format::Junit => junit::render(report, style.lang),
        Format::Rdjson => rdjson::render(report, style.lang),
    }
}

/// The colour of a severity.
pub(crate) fn paint(severity: Severity) -> Paint {
    match severity {
        Severity::Error => Paint::new().red().bold(),
        Severity::Warning => Paint::new().yellow().bold(),
        Severity::Info => Paint::new().blue().bold(),
    }
}
