//! Code actions.

use crate::analysis::Analysis;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use vramlint_base::{Edit, FileId, Lang};
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

/// `source.fixAll.vramlint`: editors run it on save.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.vramlint");

/// The code actions in a range, of the requested kinds.
pub(crate) fn actions(
    analysis: &Analysis,
    file: &SourceFile,
    range: Range,
    only: Option<&[CodeActionKind]>,
) -> Vec<CodeActionOrCommand> {
    let bytes = analysis.context.lines(file).bytes(range);
    let actions = ide::actions(&analysis.answer.report, file.id, bytes, analysis.lang);
    actions.into_iter().filter_map(|action| code_action(analysis, file, action, only)).collect()
}

fn kind(kind: ide::ActionKind) -> CodeActionKind {
    match kind {
        ide::ActionKind::FixAll => FIX_ALL,
        _ => CodeActionKind::QUICKFIX,
    }
}

/// Whether a kind is requested: by prefix; `source` kinds only explicitly.
fn is_requested(kind: &CodeActionKind, only: Option<&[CodeActionKind]>) -> bool {
    let kind = kind.as_str();
    match only {
        None => !kind.starts_with("source."),
        Some(only) => only.iter().map(CodeActionKind::as_str).any(|requested| {
            requested.is_empty() || kind == requested || kind.strip_prefix(requested).is_some_and(|rest| rest.starts_with('.'))
        }),
    }
}

fn code_action(
    analysis: &Analysis,
    file: &SourceFile,
    action: ide::Action,
    only: Option<&[CodeActionKind]>,
) -> Option<CodeActionOrCommand> {
    let kind = kind(action.kind);
    if !is_requested(&kind, only) {
        return None;
    }
    let capabilities = analysis.context.capabilities;
    let command = match action.page {
        // Only for clients that can show the page.
        Some(ide::Page::Rule(_)) if !capabilities.show_document && !capabilities.rule_documents => return None,
        Some(ide::Page::Line(_)) if !capabilities.show_document => return None,
        Some(page) => Some(show_page(analysis, file, &action.title, page)?),
        None => None,
    };
    let edit = if action.edits.is_empty() { None } else { Some(workspace_edit(analysis, &action.edits)?) };
    if edit.is_none() && command.is_none() {
        return None;
    }
    if !capabilities.action_literals {
        return command.map(CodeActionOrCommand::Command);
    }
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: action.title,
        kind: Some(kind),
        diagnostics: action.finding.and_then(|number| published_diagnostic(analysis, number)).map(|diagnostic| vec![diagnostic]),
        edit,
        command,
        is_preferred: action.preferred.then_some(true),
        disabled: None,
        data: None,
    }))
}

/// The command that shows a page. `None` if the file has no URI.
fn show_page(analysis: &Analysis, file: &SourceFile, title: &str, page: ide::Page) -> Option<Command> {
    let (command, argument) = match page {
        ide::Page::Rule(rule) => {
            let lang = if analysis.lang == Lang::Zh { "zh" } else { "en" };
            ("vramlint.explainRule", json!({ "rule": rule, "lang": lang }))
        }
        ide::Page::Line(line) => {
            let uri = analysis.context.uri(&analysis.context.path(file))?;
            ("vramlint.why", json!({ "uri": uri, "line": line }))
        }
    };
    Some(Command { title: title.to_owned(), command: command.to_owned(), arguments: Some(vec![argument]) })
}

/// The published diagnostic of a finding.
fn published_diagnostic(analysis: &Analysis, number: usize) -> Option<Diagnostic> {
    let findings = &analysis.answer.report.findings;
    let file = findings.get(number)?.place.file;
    let index = findings[..number].iter().filter(|finding| finding.place.file == file).count();
    let path = analysis.context.path(analysis.source(file));
    analysis.diagnostics.get(&path)?.items.get(index).cloned()
}

/// The edits of an action; `None` if a file has no URI.
fn workspace_edit(analysis: &Analysis, edits: &[Edit]) -> Option<WorkspaceEdit> {
    let mut by_file: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
    for edit in edits {
        let lines = analysis.context.lines(analysis.source(edit.place.file));
        let text_edit = TextEdit { range: lines.range(edit.place.range), new_text: edit.text.clone() };
        by_file.entry(edit.place.file).or_default().push(text_edit);
    }
    let edits_by_uri = by_file.into_iter().map(|(file, edits)| {
        let path = analysis.context.path(analysis.source(file));
        let version = analysis.context.open.get(&path).map(|open| open.version);
        Some((analysis.context.uri(&path)?, version, edits))
    });
    let edits_by_uri: Vec<(Uri, Option<i32>, Vec<TextEdit>)> = edits_by_uri.collect::<Option<_>>()?;
    if !analysis.context.capabilities.document_changes {
        #[allow(clippy::mutable_key_type)] // the type of the protocol's library; its text never changes
        let changes: HashMap<Uri, Vec<TextEdit>> = edits_by_uri.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        return Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
    }
    let edit = |(uri, version, edits): (Uri, Option<i32>, Vec<TextEdit>)| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    };
    let changes = DocumentChanges::Edits(edits_by_uri.into_iter().map(edit).collect());
    Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_asked_for_by_their_beginning() {
        let only = |kinds: &[&'static str]| kinds.iter().map(|kind| CodeActionKind::new(kind)).collect::<Vec<_>>();
        assert!(is_requested(&CodeActionKind::QUICKFIX, None) && !is_requested(&FIX_ALL, None));
        for requested in ["source", "source.fixAll", "source.fixAll.vramlint"] {
            assert!(is_requested(&FIX_ALL, Some(&only(&[requested]))), "{requested}");
        }
        assert!(!is_requested(&FIX_ALL, Some(&only(&["source.organizeImports", "source.fix"]))));
        assert!(!is_requested(&CodeActionKind::QUICKFIX, Some(&only(&["source"]))));
    }
}
