//! What a client can do, and how it counts.

use crate::position::Encoding;
use serde_json::Value;
use tower_lsp_server::ls_types::PositionEncodingKind;

/// The abilities of a client that change what we send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Abilities {
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

impl Abilities {
    /// Of the parameters of `initialize`.
    pub(crate) fn read(params: &Value) -> Self {
        let can = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let yes = |path: &str| can(path).and_then(Value::as_bool).unwrap_or(false);
        let offered: Vec<PositionEncodingKind> = can("general/positionEncodings")
            .and_then(Value::as_array)
            .map(|kinds| kinds.iter().filter_map(Value::as_str).map(|kind| kind.to_owned().into()).collect())
            .unwrap_or_default();
        let pull = can("textDocument/diagnostic").is_some_and(Value::is_object);
        // What a client shows of a finding it says where it says how it gets them.
        let shows = |what: &str| {
            let way = if pull && can(&format!("textDocument/diagnostic/{what}")).is_some() {
                "diagnostic"
            } else {
                "publishDiagnostics"
            };
            can(&format!("textDocument/{way}/{what}")).is_some_and(|able| able.is_object() || able.as_bool().unwrap_or(false))
        };
        Self {
            encoding: Encoding::choose(&offered),
            status: params.pointer("/initializationOptions/status").and_then(Value::as_bool).unwrap_or(false),
            pull,
            refresh_diagnostics: yes("workspace/diagnostics/refreshSupport"),
            refresh_hints: yes("workspace/inlayHint/refreshSupport"),
            refresh_lenses: yes("workspace/codeLens/refreshSupport"),
            related: shows("relatedInformation"),
            tags: shows("tagSupport"),
            code_description: shows("codeDescriptionSupport"),
            data: shows("dataSupport"),
            document_changes: yes("workspace/workspaceEdit/documentChanges"),
            configuration: yes("workspace/configuration"),
            watch_configuration: yes("workspace/didChangeConfiguration/dynamicRegistration"),
            watch_files: yes("workspace/didChangeWatchedFiles/dynamicRegistration"),
            show_document: yes("window/showDocument/support"),
            action_literals: can("textDocument/codeAction/codeActionLiteralSupport").is_some_and(Value::is_object),
            nested_symbols: yes("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_client_that_says_nothing_gets_the_least() {
        let abilities = Abilities::read(&json!({"capabilities": {}}));
        assert_eq!(abilities, Abilities::default());
        assert_eq!(abilities.encoding, Encoding::Utf16);
    }

    #[test]
    fn abilities_are_read_where_the_protocol_puts_them() {
        let abilities = Abilities::read(&json!({"capabilities": {
            "general": {"positionEncodings": ["utf-16", "utf-8"]},
            "workspace": {"diagnostics": {"refreshSupport": true}, "configuration": true},
            "textDocument": {
                "publishDiagnostics": {"relatedInformation": true, "tagSupport": {"valueSet": [1, 2]}},
                "diagnostic": {"dynamicRegistration": false},
            },
        }}));
        assert!(
            abilities.pull && abilities.refresh_diagnostics && abilities.configuration && abilities.related && abilities.tags
        );
        assert!(!abilities.data && !abilities.document_changes);
        assert_eq!(abilities.encoding, Encoding::Utf8);
    }
}
