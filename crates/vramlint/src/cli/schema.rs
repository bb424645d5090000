//! Arguments of `schema`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// What the schema describes
    pub(crate) what: SchemaKind,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    /// accelerate's configuration
    Accelerate,
    /// DeepSpeed's JSON
    Deepspeed,
    /// vramlint.toml
    Vramlint,
    /// `vramlint gpu --output-format json`
    Gpu,
}
