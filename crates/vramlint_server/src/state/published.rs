//! What the client knows of the findings.

use crate::analysis::FileDiagnostics;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tower_lsp_server::ls_types::Uri;

/// What the client knows of the findings of a file.
#[derive(Clone, Debug)]
pub(crate) struct PublishedDiagnostics {
    /// The folder that answers for it.
    pub(super) folder: u32,
    /// The address under which they were told.
    pub(super) uri: Option<Uri>,
    /// The findings.
    pub(super) diagnostics: Arc<FileDiagnostics>,
    /// The text that they were told for, where it was open.
    pub(super) version: Option<i32>,
}

/// What a client knows: names of results by address.
pub(super) fn result_ids(previous: &Value) -> HashMap<String, String> {
    let pair = |one: &Value| Some((one.get("uri")?.as_str()?.to_owned(), one.get("value")?.as_str()?.to_owned()));
    previous.as_array().into_iter().flatten().filter_map(pair).collect()
}
