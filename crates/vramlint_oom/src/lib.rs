//! Reads failures for want of memory out of logs: of the caching allocators of PyTorch, of drivers and libraries, of the host's kernel
//! and of schedulers, of launchers, of data loaders and of inference engines.
//!
//! [`Scanner`] takes a log in pieces of any size, in constant memory, and gives [`Event`]s. One pass over the bytes finds the few places that
//! may be such a message ([`anchors`]); `forms/` reads each of them; [`collector`] joins what several ranks and several programs say about one
//! failure; [`verdict`] says what kind of failure it is.
//!
//! Invariant: the log alone decides. Nothing here knows a project, a run or an estimate.

#![allow(clippy::doc_markdown)] // names of tools are no code: SGLang

mod amount;
mod anchors;
mod collector;
mod context;
mod event;
mod excerpt;
mod forms;
mod scanner;
mod stream;
mod verdict;

pub use amount::{Amount, Unit};
pub use context::{Context, Stage};
pub use event::{
    CacheShortage, Device, DeviceTemplate, EngineBudget, EngineTemplate, Event, Failure, HostShortage, HostTemplate, Kill,
    KillTemplate, OtherProcess, SharedMemory, SharedMemoryTemplate,
};
pub use scanner::{Log, Scanner};
pub use verdict::{Judgement, Verdict};
