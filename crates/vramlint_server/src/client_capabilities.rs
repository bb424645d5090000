//! What the client supports.

use crate::position::Encoding;
use serde_json::Value;
use tower_lsp_server::ls_types::PositionEncodingKind;

/// The client capabilities that change what the server sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientCapabilities {
    /// Unit of columns.
    pub encoding: Encoding,
    /// Pulls diagnostics; the server does not publish them.
    pub pull: bool,
    /// Supports `workspace/diagnostic/refresh`.
    pub refresh_diagnostics: bool,
    /// Supports `workspace/inlayHint/refresh`.
    pub refresh_hints: bool,
    /// Supports `workspace/codeLens/refresh`.
    pub refresh_lenses: bool,
    /// Shows related information of a diagnostic.
    pub related: bool,
    /// Shows the tags `Unnecessary` and `Deprecated`.
    pub tags: bool,
    /// Links the code of a diagnostic to its `codeDescription`.
    pub code_description: bool,
    /// Keeps the `data` of a diagnostic.
    pub data: bool,
    /// Applies versioned edits (`documentChanges`).
    pub document_changes: bool,
    /// Answers `workspace/configuration`.
    pub configuration: bool,
    /// Registers `workspace/didChangeConfiguration` dynamically.
    pub watch_configuration: bool,
    /// Registers `workspace/didChangeWatchedFiles` dynamically.
    pub watch_files: bool,
    /// Opens documents on `window/showDocument`.
    pub show_document: bool,
    /// Accepts code action literals, not only commands.
    pub action_literals: bool,
    /// Shows nested symbols.
    pub nested_symbols: bool,
    /// Opens `vramlint-rule:` URIs (`initializationOptions.ruleDocuments`).
    pub rule_documents: bool,
    /// Handles `vramlint/status` (`initializationOptions.status`).
    pub status: bool,
}

impl ClientCapabilities {
    /// Reads the params of `initialize`.
    pub(crate) fn read(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let has = |path: &str| capability(path).and_then(Value::as_bool).unwrap_or(false);
        let offered: Vec<PositionEncodingKind> = capability("general/positionEncodings")
            .and_then(Value::as_array)
            .map(|kinds| kinds.iter().filter_map(Value::as_str).map(|kind| kind.to_owned().into()).collect())
            .unwrap_or_default();
        let pull = capability("textDocument/diagnostic").is_some_and(Value::is_object);
        // A client that pulls declares what it shows under `diagnostic`, others under `publishDiagnostics`.
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
            rule_documents: params.pointer("/initializationOptions/ruleDocuments").and_then(Value::as_bool).unwrap_or(false),
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
