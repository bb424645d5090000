//! What the program around the server lends it: its JSON, the cards, the language of the system.

use std::fmt::Debug;
use vramlint_base::{Lang, Message};
use vramlint_project::Report;
use vramlint_resolve::Target;

/// The program around the server. The server knows the protocol, the program knows how things are printed.
pub trait Host: Debug + Send + Sync + 'static {
    /// A run as JSON, as `vramlint runs --output-format json` has it; `None` where there is no such run.
    fn run_json(&self, report: &Report, run: &str, lang: Lang) -> Option<serde_json::Value>;

    /// Puts the cards of this machine in the place of `auto`.
    fn target(&self, target: Target) -> Result<Target, Message>;

    /// The language of the system.
    fn language(&self) -> Lang;

    /// Is called on the working thread before each analysis. Tests make it slow.
    fn before_analysis(&self) {}

    /// Is called on the working thread before each answer, with the name of the request. Tests make it fail.
    fn before_answer(&self, method: &str) {
        let _ = method;
    }
}
