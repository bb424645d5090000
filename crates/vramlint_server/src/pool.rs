//! Worker threads.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// A task. It returns what reports its result: the deterministic test of the scheduler lets other things happen in between.
pub(crate) type Work = Box<dyn FnOnce() -> Completion + Send>;
/// Reports the result of a task.
pub(crate) type Completion = Box<dyn FnOnce() + Send>;

/// A few threads. They end when the pool is dropped and their work is done; the process does not wait for them.
#[derive(Debug)]
pub(crate) struct Pool {
    work: Sender<Work>,
}

/// Stack size, bytes. Parsers recurse as deep as a file is nested.
const STACK: usize = 16 << 20;

impl Pool {
    /// Starts up to `threads` threads. Fails only if none can be started.
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

    /// A pool without threads: the caller runs the tasks.
    #[cfg(test)]
    pub(crate) fn without_threads() -> (Self, Receiver<Work>) {
        let (work, queue) = channel();
        (Self { work }, queue)
    }

    /// Runs `work` on a thread and passes its result to `then`; a panic becomes an error with its message.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(Result<T, String>) + Send + 'static,
    ) {
        let task: Work = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(panic.as_ref()));
            Box::new(move || then(result))
        });
        // The threads receive work as long as the pool exists.
        let _ = self.work.send(task);
    }

    /// Runs `work` on a thread and awaits its result.
    pub(crate) async fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
        let (tell, told) = tokio::sync::oneshot::channel();
        self.run(work, move |out| {
            // The request may be cancelled.
            let _ = tell.send(out);
        });
        told.await.unwrap_or_else(|_| Err("its thread is gone".to_owned()))
    }
}

fn run(queue: &Mutex<Receiver<Work>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(work) => work()(),
            Err(_) => return,
        }
    }
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

/// The pools of a session.
#[derive(Debug)]
pub(crate) struct Pools {
    /// Work that a request waits for.
    pub urgent: Pool,
    /// Whole folders and warm-up.
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
