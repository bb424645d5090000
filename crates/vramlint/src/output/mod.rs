//! Output formats: one file each.

mod concise;
pub(crate) mod estimate;
mod excerpt;
mod fingerprint;
mod full;
mod github;
mod gitlab;
pub(crate) mod gpu_json;
pub(crate) mod gpu_text;
pub(crate) mod ink;
mod json;
mod junit;
pub(crate) mod key_schema;
mod line;
mod ordered;
mod rdjson;
pub(crate) mod runs_json;
mod sarif;
mod sarif_form;
mod suggestion;
mod tally;
mod uri;

use crate::cli::Format;
use owo_colors::Style as Paint;
use std::time::Duration;
use vramlint_base::{Lang, Severity};
use vramlint_project::Report;

pub(crate) use tally::{fixes, statistics, statistics_json, summary};

/// How text is dressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Language of the messages.
    pub(crate) lang: Lang,
    /// Whether there is colour.
    pub(crate) colour: bool,
    /// The time it took, where it is to be told.
    pub(crate) elapsed: Option<Duration>,
}

/// Every finding in a format.
pub(crate) fn findings(report: &Report, format: Format, style: Style) -> String {
    match format {
        Format::Full => full::all(report, style),
        Format::Concise => concise::all(report, style),
        Format::Json => json::object(report, style.lang),
        Format::Jsonl => json::lines(report, style.lang),
        Format::Github => github::all(report, style.lang),
        Format::Gitlab => gitlab::all(report, style.lang),
        Format::Sarif => sarif::all(report, style.lang),
        Format::Junit => junit::all(report, style.lang),
        Format::Rdjson => rdjson::all(report, style.lang),
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
