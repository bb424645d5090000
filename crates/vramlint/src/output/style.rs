//! How text output is styled.

use owo_colors::Style as TextStyle;
use std::time::Duration;
use vramlint_base::{Lang, Severity};

/// Options of the text formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Language of the messages.
    pub(crate) lang: Lang,
    /// Whether to use color.
    pub(crate) color: bool,
    /// The elapsed time, if it is to be printed.
    pub(crate) elapsed: Option<Duration>,
}

/// The color of a severity.
pub(super) fn severity_style(severity: Severity) -> TextStyle {
    match severity {
        Severity::Error => TextStyle::new().red().bold(),
        Severity::Warning => TextStyle::new().yellow().bold(),
        Severity::Info => TextStyle::new().blue().bold(),
    }
}
