//! What the owner tells the client.

use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::watch;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{Diagnostic, MessageType, Uri};
use tower_lsp_server::{Client, ClientSocket, Loopback};

/// The client, with a count of what was told. Only the owner has it, so the count is exact for notifications.
#[derive(Debug)]
pub(crate) struct Voice {
    client: Client,
    sent: u64,
    taken: watch::Receiver<u64>,
}

impl Voice {
    pub(crate) fn new(client: Client, taken: watch::Receiver<u64>) -> Self {
        Self { client, sent: 0, taken }
    }

    /// For requests to the client, whose answers somebody else awaits.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Tells.
    pub(crate) async fn tell<N: Notification>(&mut self, params: N::Params) {
        self.client.send_notification::<N>(params).await;
        self.sent += 1;
    }

    /// The findings of a file.
    pub(crate) async fn publish(&mut self, uri: Uri, items: Vec<Diagnostic>, version: Option<i32>) {
        self.client.publish_diagnostics(uri, items, version).await;
        self.sent += 1;
    }

    /// A line for the log.
    pub(crate) async fn log(&mut self, text: &str) {
        self.client.log_message(MessageType::WARNING, text).await;
        self.sent += 1;
    }

    /// A line that the user sees.
    pub(crate) async fn show(&mut self, text: &str) {
        self.client.show_message(MessageType::ERROR, text).await;
        self.sent += 1;
    }

    /// Waits until the transport has taken all of it: an answer that is given now goes out behind it.
    pub(crate) async fn flushed(&mut self) {
        let sent = self.sent;
        // Where the transport is gone nobody reads answers either.
        let _ = self.taken.wait_for(|taken| *taken >= sent).await;
    }
}

/// The socket, counting the notifications that the transport takes.
#[derive(Debug)]
pub(crate) struct Counted {
    socket: ClientSocket,
    taken: watch::Sender<u64>,
}

impl Counted {
    pub(crate) fn new(socket: ClientSocket) -> (Self, watch::Receiver<u64>) {
        let (taken, seen) = watch::channel(0);
        (Self { socket, taken }, seen)
    }
}

impl Loopback for Counted {
    type RequestStream = Counting<<ClientSocket as Loopback>::RequestStream>;
    type ResponseSink = <ClientSocket as Loopback>::ResponseSink;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        let (requests, responses) = self.socket.split();
        (Counting { requests, taken: Arc::new(self.taken) }, responses)
    }
}

/// Counts what is taken.
#[derive(Debug)]
pub(crate) struct Counting<S> {
    requests: S,
    taken: Arc<watch::Sender<u64>>,
}

impl<S: Stream<Item = Request> + Unpin> Stream for Counting<S> {
    type Item = Request;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Request>> {
        let next = Pin::new(&mut self.requests).poll_next(context);
        // Requests to the client are sent by others, and not counted.
        if let Poll::Ready(Some(request)) = &next
            && request.id().is_none()
        {
            self.taken.send_modify(|taken| *taken += 1);
        }
        next
    }
}
