//! Threads that analyse, so that the thread that listens never waits.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

/// A few threads. They end when the pool is dropped and their work is done; a process that ends does not wait for them.
#[derive(Debug)]
pub(crate) struct Pool {
    work: Sender<Work>,
}

/// Readers go down as deep as a text is nested, bytes.
const STACK: usize = 16 << 20;

impl Pool {
    /// Starts `threads` threads. Those that the machine refuses are missing; at least one must be there.
    pub(crate) fn new(name: &str, threads: usize) -> std::io::Result<Self> {
        let (work, queue) = channel::<Work>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(move || run(&queue))
        };
        let mut started = (0..threads.max(1)).map(start).collect::<Vec<_>>();
        let first = started.swap_remove(0);
        if first.is_err() && started.iter().all(Result::is_err) {
            first?;
        }
        Ok(Self { work })
    }

    /// Does this on one of the threads, and hands over what it gives; a panic is given as its message.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(Result<T, String>) + Send + 'static,
    ) {
        let task: Work = Box::new(move || {
            then(catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(panic.as_ref())));
        });
        // The threads take work as long as the pool is there.
        let _ = self.work.send(task);
    }

    /// Does this on one of the threads and waits without holding one up.
    pub(crate) async fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
        let (tell, told) = tokio::sync::oneshot::channel();
        self.run(work, move |out| {
            // Who asked may be gone: the request was cancelled.
            let _ = tell.send(out);
        });
        told.await.unwrap_or_else(|_| Err("its thread is gone".to_owned()))
    }
}

fn run(queue: &Mutex<Receiver<Work>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(work) => work(),
            Err(_) => return,
        }
    }
}

/// What a panic said.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

/// Threads that answer, and one that settles.
#[derive(Debug)]
pub(crate) struct Pools {
    /// For what somebody waits for.
    pub urgent: Pool,
    /// For whole folders.
    pub background: Pool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer_and_the_thread_lives_on() {
        let pool = Pool::new("test", 1).expect("a thread");
        assert_eq!(pool.ask(|| -> u8 { panic!("of {}", "no interest") }).await, Err("of no interest".to_owned()));
        assert_eq!(pool.ask(|| 7).await, Ok(7));
    }
}
