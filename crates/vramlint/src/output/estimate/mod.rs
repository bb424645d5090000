//! What `estimate` prints: one file a format.

mod answer;
mod chart;
mod dimensions;
mod figures;
mod html;
mod json;
mod label;
mod lines;
mod markup;
mod sentence;
mod svg;
mod text;

use vramlint_base::Lang;

pub(crate) use answer::{Answer, of_report, with_timelines};
pub(crate) use html::html;
pub(crate) use json::{OfRun, json, jsonl};
pub(crate) use lines::lines;
pub(crate) use svg::svg;
pub(crate) use text::text;

/// How text is dressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Language of the messages.
    pub(crate) lang: Lang,
    /// Whether there is colour.
    pub(crate) colour: bool,
    /// Whether every part is unfolded into its items.
    pub(crate) explain: bool,
}
