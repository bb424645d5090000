//! Registration of file watchers.

use crate::client_capabilities::ClientCapabilities;
use serde_json::json;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::Registration;
use vramlint_project::watch_globs;

/// Asks the client to report changes of these files and of its settings.
pub(super) fn register(client: &Client, capabilities: ClientCapabilities) {
    let mut wanted = Vec::new();
    if capabilities.watch_files {
        let watchers: Vec<_> = watch_globs().into_iter().map(|glob| json!({ "globPattern": glob })).collect();
        wanted.push(Registration {
            id: "vramlint-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(json!({ "watchers": watchers })),
        });
    }
    if capabilities.watch_configuration {
        wanted.push(Registration {
            id: "vramlint-settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": "vramlint" })),
        });
    }
    if wanted.is_empty() {
        return;
    }
    let client = client.clone();
    tokio::spawn(async move {
        // A client that declines still reports saved files.
        let _ = client.register_capability(wanted).await;
    });
}
