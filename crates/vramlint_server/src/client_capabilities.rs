//! What a client can do, and how it counts.

use crate::position::Encoding;
use serde_json::Value;
use tower_lsp_server::ls_types::PositionEncodingKind;

/// The abilities of a client that change what we send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientCapabilities {
    /// How it counts columns.
    pub encoding: Encoding,
    /// It asks for findings; we do not send them.
    pub pull: bool,
    /// It can be told to ask again.
    pub refresh_diagnostics: bool,
    /// The same for inlay hints.
    pub refresh_hints: bool,
    /// The same for code lenses.
    pub refresh_lenses: bool,
    /// It shows other places with a finding.
    pub related: bool,
    /// It shows what is unnecessary and what is deprecated.
    pub tags: bool,
    /// It links a code to its page.
    pub code_description: bool,
    /// It keeps our own data with a finding.
    pub data: bool,
    /// It takes edits with versions.
    pub document_changes: bool,
    /// It answers questions about its settings.
    pub configuration: bool,
    /// Its settings can be watched by asking.
    pub watch_configuration: bool,
    /// Files can be watched by asking.
    pub watch_files: bool,
    /// It opens pages.
    pub show_document: bool,
    /// It takes actions, not commands alone.
    pub action_literals: bool,
    /// It nests the outline.
    pub nested_symbols: bool,
    /// It wants to be told of the runs of open texts, which no other client knows what to do with: `initializationOptions.status`.
    pub status: bool,
}

impl ClientCapabilities {
    /// Of the parameters of `initialize`.
    pub(crate) fn read(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let has = |path: &str| capability(path).and_then(Value::as_bool).unwrap_or(false);
        let offered: Vec<PositionEncodingKind> = capability("general/positionEncodings")
            .and_then(Value::as_array)
            .map(|kinds| kinds.iter().filter_map(Value::as_str).map(|kind| kind.to_owned().into()).collect())
            .unwrap_or_default();
        let pull = capability("textDocument/diagnostic").is_some_and(Value::is_object);
        // What a client shows of a finding it says where it says how it gets them.
        let shows = |what: &str| {
            let way = if pull && capability(&format!("textDocument/diagnostic/{what}")).is_some() {
                "diagnostic"
            } else {
                "publishDiagnostics"
            };
            capability(&format!("textDocument/{way}/{what}"))
                .is_some_and(|value| value.is_object() || value.as_bool().unwrap_or(false))
        };
        Self {
            encoding: Encoding::negotiate(&offered),
            status: params.pointer("/initializationOptions/status").and_then(Value::as_bool).unwrap_or(false),
            pull,
            refresh_diagnostics: has("workspace/diagnostics/refreshSupport"),
            refresh_hints: has("workspace/inlayHint/refreshSupport"),
            refresh_lenses: has("workspace/codeLens/refreshSupport"),
            related: shows("relatedInformation"),
            tags: shows("tagSupport"),
            code_description: shows("codeDescriptionSupport"),
            data: shows("dataSupport"),
            document_changes: has("workspace/workspaceEdit/documentChanges"),
            configuration: has("workspace/configuration"),
            watch_configuration: has("workspace/didChangeConfiguration/dynamicRegistration"),
            watch_files: has("workspace/didChangeWatchedFiles/dynamicRegistration"),
            show_document: has("window/showDocument/support"),
            action_literals: capability("textDocument/codeAction/codeActionLiteralSupport").is_some_and(Value::is_object),
            nested_symbols: has("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_client_that_says_nothing_gets_the_least() {
        let capabilities = ClientCapabilities::read(&json!({"capabilities": {}}));
        assert_eq!(capabilities, ClientCapabilities::default());
        assert_eq!(capabilities.encoding, Encoding::Utf16);
    }

    #[test]
    fn abilities_are_read_where_the_protocol_puts_them() {
        let capabilities = ClientCapabilities::read(&json!({"capabilities": {
            "general": {"positionEncodings": ["utf-16", "utf-8"]},
            "workspace": {"diagnostics": {"refreshSupport": true}, "configuration": true},
            "textDocument": {
                "publishDiagnostics": {"relatedInformation": true, "tagSupport": {"valueSet": [1, 2]}},
                "diagnostic": {"dynamicRegistration": false},
            },
        }}));
        assert!(
            capabilities.pull
                && capabilities.refresh_diagnostics
                && capabilities.configuration
                && capabilities.related
                && capabilities.tags
        );
        assert!(!capabilities.data && !capabilities.document_changes);
        assert_eq!(capabilities.encoding, Encoding::Utf8);
    }
}
