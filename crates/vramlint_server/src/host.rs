//! What the server needs from the program that embeds it.

use std::fmt::Debug;
use vramlint_base::{Lang, Message};
use vramlint_project::Report;
use vramlint_resolve::Target;

/// The program that embeds the server: the server knows the protocol, the host knows output formats and the machine.
pub trait Host: Debug + Send + Sync + 'static {
    /// A run as JSON, as `vramlint runs --output-format json` prints it; `None` if the run does not exist.
    fn run_json(&self, report: &Report, run: &str, lang: Lang) -> Option<serde_json::Value>;

    /// Replaces `auto` with the GPUs of this machine.
    fn target(&self, target: Target) -> Result<Target, Message>;

    /// The system language.
    fn language(&self) -> Lang;

    /// Whether a process of this machine is running.
    fn is_running(&self, process: u32) -> bool;

    /// Called on the worker thread before each analysis. Tests slow it down.
    fn before_analysis(&self) {}

    /// Called on the worker thread before each answer, with the method. Tests make it fail.
    fn before_answer(&self, method: &str) {
        let _ = method;
    }
}
