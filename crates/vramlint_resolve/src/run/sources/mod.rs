//! Where the candidates of a run come from, one module per source.

pub(crate) mod cli;
pub(crate) mod data_file;
pub(super) mod deepspeed;
pub(super) mod defaults;
pub(super) mod launcher;
pub(super) mod python;
pub(super) mod sharding;
