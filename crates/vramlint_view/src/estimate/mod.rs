//! An estimate with its question, as text, page and drawing: one file a format.

mod answer;
mod chart;
pub mod dimensions;
pub mod figures;
mod html;
mod label;
mod lines;
mod markup;
mod of_runs;
mod sentence;
mod subject;
mod svg;
mod text;

use crate::Paint;
use vramlint_base::Lang;

pub use answer::{Answer, Verdict, of_report, with_timelines};
pub use html::html;
pub use lines::lines;
pub use of_runs::{of_run, of_runs};
pub use sentence::{dominant, verdict};
pub use subject::{Card, Subject};
pub use svg::svg;
pub use text::text;

/// How text is dressed.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Language of the messages.
    pub lang: Lang,
    /// What gives it colour.
    pub paint: Paint,
    /// Whether every part is unfolded into its items.
    pub explain: bool,
}
