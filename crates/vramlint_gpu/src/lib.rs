//! The machine at hand: its GPUs through NVML, and the memory of the host.
//!
//! Invariants:
//!
//! 1. The driver's library is loaded when it is asked for, never at start: without one, nothing else is affected.
//! 2. What the driver does not tell is `None`. One call that fails, on an old driver or without permission, takes nothing else
//!    along.
//! 3. Plain data come out; no type of NVML leaves [`driver`].

pub mod driver;
pub mod host;
pub mod insights;
mod machine;
mod process_table;
pub mod visible_devices;

pub use driver::{Driver, DriverError};
pub use machine::{Gpu, Kind, Machine, Memory, Mig, MigInstance, Power, Process, Utilization};
