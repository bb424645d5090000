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
mod binary;
mod capabilities;
mod client;
mod convert;
mod documents;
mod handlers;
mod in_order;
mod owner;
mod pages;
mod places;
mod pool;
mod position;
mod settings;

pub use binary::Binary;

use handlers::Handlers;
use in_order::InOrder;
use owner::{Counted, Events, Owner, Pools, Voice};
use pool::Pool;
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
pub fn serve(binary: Arc<dyn Binary>) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let clean = runtime.block_on(session(tokio::io::stdin(), tokio::io::stdout(), binary));
    // A read of standard input cannot be stopped, and an analysis need not be waited for.
    runtime.shutdown_background();
    clean
}

/// Serves over a pipe until the client leaves; whether it left in order: after `shutdown`.
pub async fn session<I, O>(input: I, output: O, binary: Arc<dyn Binary>) -> io::Result<bool>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4));
    let pools = Arc::new(Pools { urgent: Pool::new("answer", threads)?, settling: Pool::new("settle", 1)? });
    let (events, line) = Events::line();
    let leave = Arc::new(Leave::default());
    let mut told = None;
    let (service, socket) = LspService::build(|client| {
        told = Some(client.clone());
        Handlers { client, events: events.clone(), pools: Arc::clone(&pools), binary: Arc::clone(&binary) }
    })
    .custom_method("vramlint/settled", Handlers::settled)
    .finish();
    let (socket, taken) = Counted::new(socket);
    let owner = told.map(|client| {
        let owner = Owner::new(Voice::new(client, taken), binary, pools, events.clone());
        tokio::spawn(owner.run(line))
    });
    let service = InOrder::new(service, events, Arc::clone(&leave));
    let input = Listening { input, leave: Arc::clone(&leave) };
    let serving = Server::new(input, output, socket).concurrency_level(REQUESTS).serve(service);
    let left = async {
        leave.left.notified().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = serving => {}
        () = left => {}
    }
    if let Some(owner) = owner {
        owner.abort();
    }
    Ok(leave.in_order.load(Ordering::Acquire))
}

/// How the client leaves.
#[derive(Debug, Default)]
struct Leave {
    left: Notify,
    in_order: AtomicBool,
}

impl Leave {
    /// It leaves now: `exit`, or the pipe is closed.
    fn now(&self) {
        self.left.notify_one();
    }

    /// It said that it will.
    fn after_shutdown(&self) {
        self.in_order.store(true, Ordering::Release);
    }
}

/// The input, which tells when it ends: the transport itself would wait for requests that are at work.
struct Listening<I> {
    input: I,
    leave: Arc<Leave>,
}

impl<I: AsyncRead + Unpin> AsyncRead for Listening<I> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = matches!(&read, Poll::Ready(Ok(()))) && buffer.filled().len() == before && buffer.capacity() > before;
        if ended || matches!(&read, Poll::Ready(Err(_))) {
            self.leave.now();
        }
        read
    }
}
