//! What vramlint knows: canonical concepts, how each tool spells them, the keys and flags of each tool, and who wins.
//!
//! Data, not behaviour: tables with the library version and file that prove each row. Nothing here sees a file of the user.

#![allow(clippy::doc_markdown)] // the names of the tools are no code: DeepSpeed, OpenRLHF, ZeRO

#[macro_use]
mod data;

pub mod classes;
pub mod concept;
pub mod datasets;
pub mod dialect;
pub mod families;
pub mod files;
mod flag;
pub mod flags;
pub mod frameworks;
pub mod gpus;
pub mod keys;
pub mod launchers;
pub mod libraries;
pub mod model_configs;
pub mod models;
pub mod precedence;
pub mod releases;
mod unsupported;
pub mod versions;

pub use concept::Concept;
pub use frameworks::{Dialect, Framework};
pub use launchers::Launcher;
pub use unsupported::UnsupportedFramework;
pub use versions::LibraryVersions;
