//! Puts messages in order before anything else happens.
//!
//! The transport calls [`Service::call`] once per message, in the order of the pipe, from one loop; only the returned futures run
//! concurrently. So whatever `call` itself does is ordered: edits, files and settings go to the main loop at once, and a request
//! queues its ticket after every edit sent before it.

use crate::SessionExit;
use crate::event::{Event, Events, RequestTarget, Snapshot};
use crate::message_reader::INVALID_MESSAGE;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::Mutex;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_lsp_server::{ExitedError, LanguageServer, LspService};
use tower_service::Service;

/// Delivers the snapshot of a request.
type SnapshotTicket = Mutex<Option<oneshot::Receiver<Snapshot>>>;

tokio::task_local! {
    static SNAPSHOT_TICKET: SnapshotTicket;
}

/// The snapshot of the current request: every edit sent before it, none sent after it.
pub(crate) async fn snapshot() -> Option<Snapshot> {
    let ticket = SNAPSHOT_TICKET.try_with(|ticket| ticket.lock().ok().and_then(|mut ticket| ticket.take())).ok().flatten()?;
    ticket.await.ok()
}

/// The service with ordered input.
pub(crate) struct Sequencer<S> {
    service: LspService<S>,
    events: Events,
    exit: Arc<SessionExit>,
}

impl<S> Sequencer<S> {
    pub(crate) const fn new(service: LspService<S>, events: Events, exit: Arc<SessionExit>) -> Self {
        Self { service, events, exit }
    }

    fn forward<P: DeserializeOwned>(&self, request: &Request, event: impl FnOnce(P) -> Event) {
        let params = request.params().cloned().unwrap_or(Value::Null);
        match serde_json::from_value(params) {
            Ok(params) => self.events.send(event(params)),
            Err(error) => self.events.send(Event::Log(format!("{}: {error}", request.method()))),
        }
    }

    /// Forwards notifications that change the state. Returns whether this was one.
    fn apply_notification(&self, request: &Request) -> bool {
        match request.method() {
            "initialized" => self.events.send(Event::Initialized),
            "textDocument/didOpen" => self.forward(request, Event::Open),
            "textDocument/didChange" => self.forward(request, Event::Change),
            "textDocument/didClose" => self.forward(request, Event::Close),
            "textDocument/didSave" => self.forward(request, Event::Save),
            "workspace/didChangeWatchedFiles" => self.forward(request, Event::Watched),
            "workspace/didChangeWorkspaceFolders" => self.forward(request, Event::Folders),
            "workspace/didChangeConfiguration" => self.forward(request, Event::Configuration),
            "$/setTrace" => {}
            _ => return false,
        }
        true
    }
}

/// What a request needs, by its method and params.
fn request_target(request: &Request) -> Option<RequestTarget> {
    let params = request.params();
    let uri = |path: &str| params?.pointer(path)?.as_str()?.parse().ok();
    match request.method() {
        "vramlint/settled" => Some(RequestTarget::Settled),
        "workspace/diagnostic" => {
            Some(RequestTarget::Workspace(params?.get("previousResultIds").cloned().unwrap_or(Value::Null)))
        }
        "workspace/executeCommand" => uri("/arguments/0/uri").or_else(|| uri("/arguments/0")).map(RequestTarget::File),
        _ => uri("/textDocument/uri").map(RequestTarget::File),
    }
}

impl<S: LanguageServer> Service<Request> for Sequencer<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let method = request.method().to_owned();
        let Some(id) = request.id().cloned() else {
            if method == INVALID_MESSAGE {
                let error = request.params().cloned().and_then(|params| serde_json::from_value(params).ok());
                let response = Response::from_error(Id::Null, error.unwrap_or_else(Error::parse_error));
                return std::future::ready(Ok(Some(response))).boxed();
            }
            if self.apply_notification(&request) {
                return std::future::ready(Ok(None)).boxed();
            }
            if method == "exit" {
                self.exit.exit();
            }
            return self.service.call(request);
        };
        match method.as_str() {
            "initialize" => {
                let process = request.params().and_then(|params| params.get("processId")?.as_u64());
                if let Some(parent) = process.and_then(|id| u32::try_from(id).ok()) {
                    let _ = self.exit.parent.set(parent);
                }
                self.events.send(Event::Initialize(request.params().cloned().unwrap_or(Value::Null)));
            }
            "shutdown" => self.exit.shut_down(),
            _ => {}
        }
        let ticket = request_target(&request).map(|request_target| {
            let (reply, snapshot) = oneshot::channel();
            self.events.send(Event::Request(request_target, reply));
            snapshot
        });
        let events = self.events.clone();
        // Some clients send an empty object instead of no params, which the router rejects.
        let without_params = matches!(method.as_str(), "shutdown" | "vramlint/settled");
        let request = if without_params { Request::build(method.clone()).id(id.clone()).finish() } else { request };
        let response = SNAPSHOT_TICKET.scope(Mutex::new(ticket), self.service.call(request));
        async move {
            AssertUnwindSafe(response).catch_unwind().await.unwrap_or_else(|panic| {
                events.send(Event::Log(format!("{method}: {}", crate::pool::message(panic.as_ref()))));
                Ok(Some(Response::from_ok(id, Value::Null)))
            })
        }
        .boxed()
    }
}
