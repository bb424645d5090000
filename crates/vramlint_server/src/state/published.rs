//! The diagnostics that the client has.

use crate::analysis::FileDiagnostics;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tower_lsp_server::ls_types::Uri;

/// The diagnostics of a file that the client has.
#[derive(Clone, Debug)]
pub(crate) struct PublishedDiagnostics {
    /// The folder that they come from.
    pub(super) folder: u32,
    /// The URI that they were published under.
    pub(super) uri: Option<Uri>,
    /// The diagnostics.
    pub(super) diagnostics: Arc<FileDiagnostics>,
    /// The version of the document, if it was open.
    pub(super) version: Option<i32>,
}

/// Result ids by URI, as a client sends them.
pub(super) fn result_ids(previous: &Value) -> HashMap<String, String> {
    let pair = |one: &Value| Some((one.get("uri")?.as_str()?.to_owned(), one.get("value")?.as_str()?.to_owned()));
    previous.as_array().into_iter().flatten().filter_map(pair).collect()
}
