//! Output formats, one file each.

pub(crate) mod compare_json;
mod concise;
pub(crate) mod config_schema;
pub(crate) mod diff_json;
pub(crate) mod estimate;
mod excerpt;
mod fingerprint;
pub(crate) mod fit_json;
mod fix_preview;
mod full;
mod github;
mod gitlab;
pub(crate) mod gpu_json;
pub(crate) mod gpu_live;
pub(crate) mod gpu_text;
mod json;
mod junit;
pub(crate) mod oom_json;
mod ordered_json;
mod rdjson;
pub(crate) mod runs_json;
mod sarif;
mod sarif_schema;
mod serialize;
mod style;
pub(crate) mod styler;
mod summary;
mod terminal_line;
mod uri;
pub(crate) mod why_json;

use crate::cli::Format;
use vramlint_project::Report;

pub(crate) use style::Style;
pub(crate) use summary::{fix_summary, statistics, statistics_json, summary};

/// Renders the findings of a report.
pub(crate) fn findings(report: &Report, format: Format, style: Style) -> String {
    match format {
        Format::Full => full::render(report, style),
        Format::Concise => concise::render(report, style),
        Format::Json => json::render(report, style.lang),
        Format::Jsonl => json::render_lines(report, style.lang),
        Format::Github => github::render(report, style.lang),
        Format::Gitlab => gitlab::render(report, style.lang),
        Format::Sarif => sarif::render(report, style.lang),
        Format::Junit => junit::render(report, style.lang),
        Format::Rdjson => rdjson::render(report, style.lang),
    }
}
