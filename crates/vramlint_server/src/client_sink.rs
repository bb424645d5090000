//! Notifications to the client, counted so that they can be flushed.

use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::watch;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{Diagnostic, MessageType, Uri};
use tower_lsp_server::{Client, ClientSocket, Loopback};

/// The client handle of [`ServerState`](crate::state::ServerState). It alone sends notifications, so the count is exact.
#[derive(Debug)]
pub(crate) struct ClientSink {
    client: Client,
    sent: u64,
    delivered: watch::Receiver<u64>,
}

impl ClientSink {
    pub(crate) fn new(client: Client, delivered: watch::Receiver<u64>) -> Self {
        Self { client, sent: 0, delivered }
    }

    /// A handle for requests to the client, whose responses a task awaits.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Sends a notification.
    pub(crate) async fn notify<N: Notification>(&mut self, params: N::Params) {
        self.client.send_notification::<N>(params).await;
        self.sent += 1;
    }

    /// Publishes the diagnostics of a file.
    pub(crate) async fn publish_diagnostics(&mut self, uri: Uri, items: Vec<Diagnostic>, version: Option<i32>) {
        self.client.publish_diagnostics(uri, items, version).await;
        self.sent += 1;
    }

    /// Logs a message.
    pub(crate) async fn log(&mut self, text: &str) {
        self.client.log_message(MessageType::WARNING, text).await;
        self.sent += 1;
    }

    /// Shows a message to the user.
    pub(crate) async fn show(&mut self, text: &str) {
        self.client.show_message(MessageType::ERROR, text).await;
        self.sent += 1;
    }

    /// Waits until the transport has taken every notification sent so far, so that a response sent now follows them.
    pub(crate) async fn flushed(&mut self) {
        let sent = self.sent;
        // If the transport is gone, the response is lost too.
        let _ = self.delivered.wait_for(|delivered| *delivered >= sent).await;
    }
}

/// The client socket, counting the notifications that the transport takes.
#[derive(Debug)]
pub(crate) struct CountingSocket {
    socket: ClientSocket,
    delivered: watch::Sender<u64>,
}

impl CountingSocket {
    pub(crate) fn new(socket: ClientSocket) -> (Self, watch::Receiver<u64>) {
        let (delivered, delivered_count) = watch::channel(0);
        (Self { socket, delivered }, delivered_count)
    }
}

impl Loopback for CountingSocket {
    type RequestStream = CountingStream<<ClientSocket as Loopback>::RequestStream>;
    type ResponseSink = <ClientSocket as Loopback>::ResponseSink;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        let (requests, responses) = self.socket.split();
        (CountingStream { requests, delivered: Arc::new(self.delivered) }, responses)
    }
}

/// Counts notifications.
#[derive(Debug)]
pub(crate) struct CountingStream<S> {
    requests: S,
    delivered: Arc<watch::Sender<u64>>,
}

impl<S: Stream<Item = Request> + Unpin> Stream for CountingStream<S> {
    type Item = Request;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Request>> {
        let next = Pin::new(&mut self.requests).poll_next(context);
        // Requests to the client come from other tasks and are not counted.
        if let Poll::Ready(Some(request)) = &next
            && request.id().is_none()
        {
            self.delivered.send_modify(|delivered| *delivered += 1);
        }
        next
    }
}
