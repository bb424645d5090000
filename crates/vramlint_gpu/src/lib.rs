//! The local machine: its GPUs, through NVML, and the memory of the host.
//!
//! Invariants:
//!
//! 1. The driver library is loaded on demand, so everything else works without one.
//! 2. A value that the driver does not report is `None`. A failing call, on an old driver or without permission, affects no other
//!    value.
//! 3. No NVML type leaves [`driver`]; the results are plain data.

pub mod driver;
pub mod host;
pub mod insights;
mod machine;
mod process_table;
pub mod visible_devices;

pub use driver::{Driver, DriverError};
pub use machine::{Gpu, Kind, Machine, Memory, Mig, MigInstance, Power, Process, Utilization};
pub use process_table::{CommandLine, command_lines, is_running};
