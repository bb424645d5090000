//! Request handlers. Each waits for the analysis of its document version and answers on a worker thread.

use crate::analysis::{Analysis, Failure};
use crate::client_capabilities::ClientCapabilities;
use crate::commands;
use crate::event::{Event, Events, FileSnapshot, Snapshot};
use crate::host::Host;
use crate::pool::Pools;
use crate::sequencer::snapshot;
use crate::server_capabilities::server_capabilities;
use crate::settings::Settings;
use crate::to_proto;
use crate::uri;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionList, CompletionParams, CompletionResponse,
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult, DocumentLink, DocumentLinkParams,
    DocumentSymbolParams, DocumentSymbolResponse, ExecuteCommandParams, FullDocumentDiagnosticReport, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverParams, InitializeParams, InitializeResult, InlayHint, InlayHintParams, LSPAny, Location,
    ReferenceParams, RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, ServerInfo,
    ShowDocumentParams, UnchangedDocumentDiagnosticReport, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult,
};
use tower_lsp_server::{Client, LanguageServer};
use vramlint_base::Lang;
use vramlint_resolve::SourceFile;

/// Answers requests.
#[derive(Debug)]
pub(crate) struct Handlers {
    pub client: Client,
    pub events: Events,
    pub pools: Arc<Pools>,
    pub host: Arc<dyn Host>,
    /// Set by `initialize`.
    pub capabilities: OnceLock<ClientCapabilities>,
}

/// The analysis that an answer reads.
struct FileAnalysis {
    analysis: Arc<Analysis>,
    path: PathBuf,
    settings: Arc<Settings>,
}

impl Handlers {
    /// The analysis for the current request; `None` if the file is not analyzed or the configuration is invalid.
    async fn file_analysis(&self) -> Result<Option<FileAnalysis>> {
        let Some(Snapshot::File(snapshot)) = snapshot().await else { return Ok(None) };
        let FileSnapshot { path, job, settings } = *snapshot;
        match job.wait().await {
            Ok(analysis) => Ok(Some(FileAnalysis { analysis, path, settings })),
            // The document has changed: an answer would be about the old text.
            Err(Failure::Cancelled) => {
                Err(Error { code: ErrorCode::ContentModified, message: "content modified".into(), data: None })
            }
            Err(Failure::Absent | Failure::Config(_) | Failure::Panicked(_)) => Ok(None),
        }
    }

    /// Answers on a worker thread; a panic is logged and the answer is empty.
    async fn on_pool<T: Send + 'static>(
        &self,
        method: &'static str,
        work: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let host = Arc::clone(&self.host);
        let answer = self.pools.urgent.ask(move || {
            host.before_answer(method);
            work()
        });
        answer.await.unwrap_or_else(|panic| {
            self.events.send(Event::Log(format!("{method}: {panic}")));
            None
        })
    }

    /// Answers a request about a file.
    async fn answer<T: Send + 'static>(
        &self,
        method: &'static str,
        answer_with: impl FnOnce(&Analysis, &SourceFile, &Settings) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let Some(file_analysis) = self.file_analysis().await? else { return Ok(None) };
        Ok(self
            .on_pool(method, move || {
                let file = file_analysis.analysis.file(&file_analysis.path)?;
                Some(answer_with(&file_analysis.analysis, file, &file_analysis.settings))
            })
            .await)
    }

    /// `vramlint/settled`: responds after everything sent before it is analyzed in full and published.
    pub(crate) async fn settled(&self) -> Result<Value> {
        let settled = matches!(snapshot().await, Some(Snapshot::Settled));
        Ok(json!({ "settled": settled }))
    }

    /// Content about a run: `{"uri": …, "run": …}`.
    async fn run_command(&self, command: &str, argument: &Value) -> Result<Option<Value>> {
        let Some(file_analysis) = self.file_analysis().await? else { return Ok(None) };
        let run = argument.get("run").and_then(Value::as_str).map(str::to_owned);
        let (host, command) = (Arc::clone(&self.host), command.to_owned());
        Ok(self
            .on_pool("workspace/executeCommand", move || {
                let (report, lang) = (&file_analysis.analysis.answer.report, file_analysis.analysis.lang);
                // Without a run id, the first run that uses the file.
                let first = || {
                    let file = file_analysis.analysis.file(&file_analysis.path)?.id;
                    let host_file = |id| report.project.file(id).host.as_ref().map_or(id, |(host, _)| *host);
                    let part =
                        |run: &&vramlint_resolve::Run| run.files.iter().chain([&run.place.file]).any(|id| host_file(*id) == file);
                    report.runs().find(part).map(|run| run.id.clone())
                };
                let run = run.or_else(first)?;
                if command == "vramlint.timeline" {
                    return commands::timeline(report, &run, lang).map(|html| json!({ "run": run, "html": html }));
                }
                let text = commands::run(report, &run, lang)?;
                Some(json!({ "run": run, "text": text, "json": host.run_json(report, &run, lang) }))
            })
            .await)
    }

    /// The page of a rule: `{"rule": …, "lang": …}`. A client without documents for rules shows a file.
    async fn explain_rule(&self, argument: &Value) -> Option<Value> {
        let rule = argument.get("rule").and_then(Value::as_str)?;
        let lang = if argument.get("lang").is_some_and(|lang| lang == "zh") { Lang::Zh } else { Lang::En };
        let text = vramlint_ide::rule_page(rule, lang)?;
        let client = self.capabilities.get().copied().unwrap_or_default();
        if !client.rule_documents {
            self.show_page(&uri::rule_file(rule, lang), &text).await;
        }
        Some(json!({ "rule": rule, "text": text }))
    }

    /// What decided the settings of a file or of a line of it: `{"uri": …, "line": …}`, lines from 1.
    async fn why(&self, argument: &Value) -> Result<Option<Value>> {
        let line = argument.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        let text = self.answer("workspace/executeCommand", move |analysis, file, _| {
            commands::why(&analysis.answer.report, file, line, analysis.lang)
        });
        let Some(text) = text.await? else { return Ok(None) };
        self.show_page("why.txt", &text).await;
        Ok(Some(json!({ "text": text })))
    }

    /// Shows a text as a file, if the client can. A client that cannot, or that rejects the request, still gets the text.
    async fn show_page(&self, name: &str, text: &str) {
        if !self.capabilities.get().copied().unwrap_or_default().show_document {
            return;
        }
        match commands::write_page(name, text) {
            Ok(path) => {
                let Some(uri) = uri::from_path(&path) else { return };
                let params = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
                let _ = self.client.show_document(params).await;
            }
            Err(error) => self.events.send(Event::Log(format!("{name}: {error}"))),
        }
    }
}

impl LanguageServer for Handlers {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        // The main loop reads the same params.
        let params = serde_json::to_value(&params).unwrap_or_default();
        let capabilities = *self.capabilities.get_or_init(|| ClientCapabilities::read(&params));
        Ok(InitializeResult {
            capabilities: server_capabilities(capabilities),
            server_info: Some(ServerInfo { name: "vramlint".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
            offset_encoding: None,
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let position = params.text_document_position_params.position;
        let hover = self.answer("textDocument/hover", move |analysis, file, _| to_proto::hover(analysis, file, position)).await?;
        Ok(hover.flatten())
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let position = params.text_document_position.position;
        let items = self
            .answer("textDocument/completion", move |analysis, file, _| to_proto::completions(analysis, file, position))
            .await?;
        Ok(items.map(|items| CompletionResponse::List(CompletionList { is_incomplete: false, items })))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let range = params.range;
        self.answer("textDocument/inlayHint", move |analysis, file, settings| to_proto::hints(analysis, file, range, settings))
            .await
    }

    async fn code_lens(&self, _: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let lenses =
            self.answer(
                "textDocument/codeLens",
                |analysis, file, settings| {
                    if settings.code_lens { to_proto::lenses(analysis, file) } else { Vec::new() }
                },
            );
        lenses.await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let (range, only) = (params.range, params.context.only);
        self.answer("textDocument/codeAction", move |analysis, file, _| to_proto::actions(analysis, file, range, only.as_deref()))
            .await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let position = params.text_document_position_params.position;
        let locations =
            self.answer("textDocument/definition", move |analysis, file, _| to_proto::definition(analysis, file, position));
        Ok(locations.await?.filter(|locations| !locations.is_empty()).map(GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let position = params.text_document_position.position;
        self.answer("textDocument/references", move |analysis, file, _| to_proto::references(analysis, file, position)).await
    }

    async fn document_link(&self, _: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.answer("textDocument/documentLink", |analysis, file, _| to_proto::links(analysis, file)).await
    }

    async fn document_symbol(&self, _: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let symbols = self.answer("textDocument/documentSymbol", |analysis, file, _| to_proto::symbols(analysis, file)).await?;
        Ok(symbols.flatten())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let argument = params.arguments.into_iter().next().unwrap_or(Value::Null);
        match params.command.as_str() {
            "vramlint.timeline" | "vramlint.run" => self.run_command(&params.command, &argument).await,
            "vramlint.explainRule" => Ok(self.explain_rule(&argument).await),
            "vramlint.why" => self.why(&argument).await,
            other => Err(Error::invalid_params(format!("no command {other}"))),
        }
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let file_analysis = self.file_analysis().await.map_err(|error| Error {
            // `ServerCancelled`: the client asks again.
            code: ErrorCode::ServerError(-32802),
            data: Some(json!({ "retriggerRequest": true })),
            ..error
        })?;
        let diagnostics = file_analysis.map(|file_analysis| file_analysis.analysis.file_diagnostics(&file_analysis.path));
        let id = diagnostics.as_ref().map(|diagnostics| diagnostics.result_id());
        let report = if id.is_some() && id == params.previous_result_id {
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id: id.unwrap_or_default() },
            })
        } else {
            DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: id,
                    items: diagnostics.map(|diagnostics| diagnostics.items.clone()).unwrap_or_default(),
                },
            })
        };
        Ok(report.into())
    }

    async fn workspace_diagnostic(&self, _: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
        let items = match snapshot().await {
            Some(Snapshot::Workspace(items)) => items,
            _ => Vec::new(),
        };
        Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport { items }))
    }
}
