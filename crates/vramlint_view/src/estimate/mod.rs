//! Estimates as text, HTML and SVG: one file per format.

mod chart;
pub mod dimensions;
pub mod format;
mod from_runs;
mod html;
mod input;
mod label;
mod lines;
mod machines;
mod markup;
mod report;
pub mod step_time;
mod summary;
mod svg;
mod text;

use crate::Styler;
use vramlint_base::Lang;

pub use from_runs::{run_inputs, run_report};
pub use html::html;
pub use input::{EstimateInput, GpuCapacity};
pub use lines::lines;
pub use machines::{MachineTable, machine_name, machine_tables};
pub use report::{EstimateReport, reports, reports_with_timelines};
pub use summary::{dominant, verdict};
pub use svg::svg;
pub use text::text;

/// Options of text output.
#[derive(Clone, Copy, Debug)]
pub struct RenderOptions {
    /// Language of the messages.
    pub lang: Lang,
    /// Applies styles.
    pub styler: Styler,
    /// Whether every part is broken down into its items.
    pub explain: bool,
}
