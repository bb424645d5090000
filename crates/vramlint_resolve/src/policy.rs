//! What the governing `vramlint.toml` says about the target machine and the agreed batch.

use crate::versions::VersionEvidence;
use std::collections::BTreeMap;
use vramlint_base::{FileRange, TextRange};

/// The machine that the project trains on, as declared. All optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Name of the card.
    pub gpu: Option<String>,
    /// Memory of one card, bytes.
    pub memory: Option<u64>,
    /// Cards per node; 0 says that there is none.
    pub count: Option<u32>,
    /// Nodes.
    pub nodes: Option<u32>,
    /// Memory of the host, bytes.
    pub host_memory: Option<u64>,
    /// `linux`, `windows`, `macos`.
    pub os: Option<String>,
}

/// The part of a configuration file that runs depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Folder that it governs, as in [`crate::SourceFile::path`]; empty for the working directory.
    pub root: String,
    /// Path of the configuration file as shown to people, if there is one.
    pub file: Option<String>,
    /// The target.
    pub target: Target,
    /// Where `count` is written, in the configuration file itself (line and column from 1), for `runs`.
    pub count_at: Option<TextRange>,
    /// `[batch] effective`, and its place if the configuration file is one of the project's files.
    pub effective_batch: Option<(u64, Option<FileRange>)>,
    /// `[versions]`, by normalized name: what it says wins over all files.
    pub versions: BTreeMap<String, VersionEvidence>,
}
