//! The machine at hand: its cards through NVML, and the memory of the host.
//!
//! Invariants:
//!
//! 1. The driver's library is loaded when it is asked for, never at start: without one, nothing else is affected.
//! 2. What the driver does not tell is `None`. One call that fails, on an old driver or without permission, takes nothing else
//!    along.
//! 3. Plain data come out; no type of NVML leaves [`driver`].

pub mod advice;
pub mod driver;
mod facts;
pub mod host;
mod process;
pub mod visible;

pub use driver::{Driver, NoDriver};
pub use facts::{Card, Kind, Machine, Memory, Mig, Power, Process, Slice, Utilization};
