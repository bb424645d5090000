//! The language server: `vramlint_ide` over the Language Server Protocol.
//!
//! Invariants:
//!
//! 1. One task owns the state. Messages are sequenced before the transport reads the next one, so edits apply strictly in the order
//!    in which they arrive; no handler is involved.
//! 2. A request sees every edit sent before it and none sent after it. If the document changes before the response, the request
//!    fails with `ContentModified`: no response is produced for an outdated document version.
//! 3. The thread that reads messages neither analyzes nor answers. A newer edit cancels running analyses; results of an older
//!    revision are dropped.
//! 4. A panic is logged, the request gets an empty response, and the server keeps running.
//! 5. Only this crate knows the protocol, and only this crate is asynchronous.

mod analysis;
mod client_capabilities;
mod client_sink;
mod commands;
mod documents;
mod event;
mod handlers;
mod host;
mod message_reader;
mod pool;
mod position;
#[cfg(test)]
mod schedule_tests;
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
use message_reader::copy_messages;
use pool::{Pool, Pools};
use sequencer::Sequencer;
use state::ServerState;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tower_lsp_server::{LspService, Server};

/// Time for outgoing messages after the client has exited.
const GRACE: Duration = Duration::from_millis(200);
/// Time between two looks at the process that started the server.
const PARENT_CHECK: Duration = Duration::from_secs(3);
/// Concurrent requests. Waiting for an analysis costs nothing; a lower limit would block the edits queued after them.
const REQUESTS: usize = 1024;

/// Serves standard input and output until the client exits. Returns whether it exited cleanly.
pub fn serve(host: Arc<dyn Host>) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let clean = runtime.block_on(session(tokio::io::stdin(), tokio::io::stdout(), host));
    // A pending read of standard input cannot be cancelled, and running analyses do not matter any more.
    runtime.shutdown_background();
    clean
}

/// Serves a pipe until the client exits. Returns whether it exited cleanly, after `shutdown`.
pub async fn session<I, O>(input: I, output: O, host: Arc<dyn Host>) -> io::Result<bool>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4));
    let pools = Pools { urgent: Pool::new("answer", threads)?, background: Pool::new("background", 1)? };
    let exit = Arc::new(SessionExit::default());
    let host_of_parent = Arc::clone(&host);
    let Parts { service, socket, state } = assemble(pools, host, &exit);
    let (messages, to_transport) = tokio::io::duplex(1 << 16);
    // The transport itself would wait for requests in progress when the input ends.
    let reading = copy_messages(input, to_transport, || exit.exit());
    let serving = Server::new(messages, output, socket).concurrency_level(REQUESTS).serve(service);
    let serving = async { tokio::join!(reading, serving) };
    let exited = async {
        tokio::select! {
            () = exit.exited.notified() => {}
            () = exit.parent_ended(host_of_parent.as_ref()) => {}
        }
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        _ = serving => {}
        () = exited => {}
    }
    if let Some(state) = state {
        state.abort();
    }
    Ok(exit.clean.load(Ordering::Acquire))
}

/// A session without its transport.
struct Parts {
    /// Takes messages in order.
    service: Sequencer<Handlers>,
    /// What the server sends.
    socket: CountingSocket,
    /// The main loop.
    state: Option<JoinHandle<()>>,
}

/// Starts the main loop and connects it with the handlers of requests.
fn assemble(pools: Pools, host: Arc<dyn Host>, exit: &Arc<SessionExit>) -> Parts {
    let pools = Arc::new(pools);
    let (events, queue) = Events::channel();
    let mut client_handle = None;
    let (service, socket) = LspService::build(|client| {
        client_handle = Some(client.clone());
        Handlers {
            client,
            events: events.clone(),
            pools: Arc::clone(&pools),
            host: Arc::clone(&host),
            capabilities: OnceLock::new(),
        }
    })
    .custom_method("vramlint/settled", Handlers::settled)
    .finish();
    let (socket, delivered) = CountingSocket::new(socket);
    let state = client_handle.map(|client| {
        let state = ServerState::new(ClientSink::new(client, delivered), host, pools, events.clone());
        tokio::spawn(state.run(queue))
    });
    Parts { service: Sequencer::new(service, events, Arc::clone(exit)), socket, state }
}

/// How the client ends the session.
#[derive(Debug, Default)]
struct SessionExit {
    exited: Notify,
    clean: AtomicBool,
    /// The process that started the server, as `initialize` names it.
    parent: OnceLock<u32>,
}

impl SessionExit {
    /// The client exits: `exit`, or the pipe is closed.
    fn exit(&self) {
        self.exited.notify_one();
    }

    /// Returns when the process that started the server has ended (Language Server Protocol, `InitializeParams.processId`).
    async fn parent_ended(&self, host: &dyn Host) {
        loop {
            tokio::time::sleep(PARENT_CHECK).await;
            if self.parent.get().is_some_and(|parent| !host.is_running(*parent)) {
                return;
            }
        }
    }

    /// The client sent `shutdown`.
    fn shut_down(&self) {
        self.clean.store(true, Ordering::Release);
    }
}
