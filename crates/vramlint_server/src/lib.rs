//! The language server: the answers of `vramlint_ide` over the Language Server Protocol.
//!
//! Invariants:
//!
//! 1. One task owns the state. What the client does is applied strictly in the order of the pipe: it is put in line before the
//!    transport reads the next message, and no handler stands between.
//! 2. A request sees every edit that came before it and none that came after. If the text changes before it is answered, it is told
//!    so (`ContentModified`); nothing is said about a text that is no more.
//! 3. Nothing is analysed or answered on the thread that listens. A newer edit cancels older analyses; what comes of them still is
//!    dropped.
//! 4. A panic is logged and answered empty. The server lives on.
//! 5. Only this crate knows the protocol, and only this crate is asynchronous.

mod analysis;
mod client_capabilities;
mod client_sink;
mod commands;
mod documents;
mod event;
mod handlers;
mod host;
mod pool;
mod position;
mod sequencer;
mod server_capabilities;
mod settings;
mod state;
mod to_proto;
mod uri;

pub use host::Host;

use client_sink::{ClientSink, CountingSocket};
use event::Events;
use handlers::Handlers;
use pool::{Pool, Pools};
use sequencer::Sequencer;
use state::ServerState;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tower_lsp_server::{LspService, Server};

/// How long what is on its way out may take once the client has left.
const GRACE: Duration = Duration::from_millis(200);
/// Requests at work at a time. They wait for analyses and cost nothing meanwhile; a long line would hold up edits behind them.
const REQUESTS: usize = 1024;

/// Serves over standard input and output until the client leaves; whether it left in order.
pub fn serve(host: Arc<dyn Host>) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let clean = runtime.block_on(session(tokio::io::stdin(), tokio::io::stdout(), host));
    // A read of standard input cannot be stopped, and an analysis need not be waited for.
    runtime.shutdown_background();
    clean
}

/// Serves over a pipe until the client leaves; whether it left in order: after `shutdown`.
pub async fn session<I, O>(input: I, output: O, host: Arc<dyn Host>) -> io::Result<bool>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4));
    let pools = Arc::new(Pools { urgent: Pool::new("answer", threads)?, background: Pool::new("background", 1)? });
    let (events, queue) = Events::channel();
    let exit = Arc::new(SessionExit::default());
    let mut client_handle = None;
    let (service, socket) = LspService::build(|client| {
        client_handle = Some(client.clone());
        Handlers { client, events: events.clone(), pools: Arc::clone(&pools), host: Arc::clone(&host) }
    })
    .custom_method("vramlint/settled", Handlers::settled)
    .finish();
    let (socket, delivered) = CountingSocket::new(socket);
    let state = client_handle.map(|client| {
        let state = ServerState::new(ClientSink::new(client, delivered), host, pools, events.clone());
        tokio::spawn(state.run(queue))
    });
    let service = Sequencer::new(service, events, Arc::clone(&exit));
    let input = MonitoredInput { input, exit: Arc::clone(&exit) };
    let serving = Server::new(input, output, socket).concurrency_level(REQUESTS).serve(service);
    let exited = async {
        exit.exited.notified().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = serving => {}
        () = exited => {}
    }
    if let Some(state) = state {
        state.abort();
    }
    Ok(exit.clean.load(Ordering::Acquire))
}

/// How the client leaves.
#[derive(Debug, Default)]
struct SessionExit {
    exited: Notify,
    clean: AtomicBool,
}

impl SessionExit {
    /// It leaves now: `exit`, or the pipe is closed.
    fn exit(&self) {
        self.exited.notify_one();
    }

    /// It said that it will.
    fn shut_down(&self) {
        self.clean.store(true, Ordering::Release);
    }
}

/// The input, which tells when it ends: the transport itself would wait for requests that are at work.
struct MonitoredInput<I> {
    input: I,
    exit: Arc<SessionExit>,
}

impl<I: AsyncRead + Unpin> AsyncRead for MonitoredInput<I> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = matches!(&result, Poll::Ready(Ok(()))) && buffer.filled().len() == before && buffer.capacity() > before;
        if ended || matches!(&result, Poll::Ready(Err(_))) {
            self.exit.exit();
        }
        result
    }
}
