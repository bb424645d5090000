//! Where messages come in: each takes its place in line before anything else happens.
//!
//! The transport calls [`Service::call`] once for each message, in the order of the pipe, from one loop; only the futures that it
//! gets run side by side. So what `call` itself does is in order whatever the number of requests at work: texts, files and
//! settings go to the owner there and then, and a request queues its ticket behind every edit that came before it.

use crate::Leave;
use crate::owner::{About, Event, Events, Snapshot};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::Mutex;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::{ExitedError, LanguageServer, LspService};
use tower_service::Service;

/// The place in line of a request: what it may see comes out of here.
type Ticket = Mutex<Option<oneshot::Receiver<Snapshot>>>;

tokio::task_local! {
    static TICKET: Ticket;
}

/// What the request that is at work may see: every edit before it, none after.
pub(crate) async fn snapshot() -> Option<Snapshot> {
    let ticket = TICKET.try_with(|ticket| ticket.lock().ok().and_then(|mut ticket| ticket.take())).ok().flatten()?;
    ticket.await.ok()
}

/// The service, with a line before it.
pub(crate) struct InOrder<S> {
    inner: LspService<S>,
    events: Events,
    leave: Arc<Leave>,
}

impl<S> InOrder<S> {
    pub(crate) const fn new(inner: LspService<S>, events: Events, leave: Arc<Leave>) -> Self {
        Self { inner, events, leave }
    }

    fn hand_over<P: DeserializeOwned>(&self, request: &Request, event: impl FnOnce(P) -> Event) {
        let params = request.params().cloned().unwrap_or(Value::Null);
        match serde_json::from_value(params) {
            Ok(params) => self.events.send(event(params)),
            Err(error) => self.events.send(Event::Log(format!("{}: {error}", request.method()))),
        }
    }

    /// Takes what changes the state; whether it was such a message.
    fn take(&self, request: &Request) -> bool {
        match request.method() {
            "initialized" => self.events.send(Event::Initialized),
            "textDocument/didOpen" => self.hand_over(request, Event::Open),
            "textDocument/didChange" => self.hand_over(request, Event::Change),
            "textDocument/didClose" => self.hand_over(request, Event::Close),
            "textDocument/didSave" => self.hand_over(request, Event::Save),
            "workspace/didChangeWatchedFiles" => self.hand_over(request, Event::Watched),
            "workspace/didChangeWorkspaceFolders" => self.hand_over(request, Event::Folders),
            "workspace/didChangeConfiguration" => self.hand_over(request, Event::Configuration),
            "$/setTrace" => {}
            _ => return false,
        }
        true
    }
}

/// What a request is about, by its name and its parameters.
fn about(request: &Request) -> Option<About> {
    let params = request.params();
    let uri = |path: &str| params?.pointer(path)?.as_str()?.parse().ok();
    match request.method() {
        "vramlint/settled" => Some(About::Settled),
        "workspace/diagnostic" => Some(About::Workspace(params?.get("previousResultIds").cloned().unwrap_or(Value::Null))),
        "workspace/executeCommand" => uri("/arguments/0/uri").or_else(|| uri("/arguments/0")).map(About::File),
        _ => uri("/textDocument/uri").map(About::File),
    }
}

impl<S: LanguageServer> Service<Request> for InOrder<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let method = request.method().to_owned();
        let Some(id) = request.id().cloned() else {
            if self.take(&request) {
                return std::future::ready(Ok(None)).boxed();
            }
            if method == "exit" {
                self.leave.now();
            }
            return self.inner.call(request);
        };
        match method.as_str() {
            "initialize" => self.events.send(Event::Initialize(request.params().cloned().unwrap_or(Value::Null))),
            "shutdown" => self.leave.after_shutdown(),
            _ => {}
        }
        let ticket = about(&request).map(|about| {
            let (tell, told) = oneshot::channel();
            self.events.send(Event::Ask(about, tell));
            told
        });
        let events = self.events.clone();
        // Some clients send an empty object where there are no parameters; the router takes that for a mistake.
        let bare = matches!(method.as_str(), "shutdown" | "vramlint/settled");
        let request = if bare { Request::build(method.clone()).id(id.clone()).finish() } else { request };
        let work = TICKET.scope(Mutex::new(ticket), self.inner.call(request));
        async move {
            AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
                events.send(Event::Log(format!("{method}: {}", crate::pool::message(panic.as_ref()))));
                Ok(Some(Response::from_ok(id, Value::Null)))
            })
        }
        .boxed()
    }
}
