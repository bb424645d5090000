//! What the governing `vramlint.toml` says about the target machine and the agreed batch.

use crate::user_settings::UserSetting;
use crate::versions::VersionEvidence;
use std::collections::BTreeMap;
use vramlint_base::{FileRange, TextRange};

/// The machine that the project trains on, as declared. Every field is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Name of the GPU.
    pub gpu: Option<String>,
    /// Memory of one GPU, bytes.
    pub memory: Option<u64>,
    /// GPUs per node; 0 if there are none.
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
    /// The folder that the file governs, as in [`crate::SourceFile::path`]; empty for the working directory.
    pub root: String,
    /// Path of the configuration file as shown to people, if there is one.
    pub file: Option<String>,
    /// The target.
    pub target: Target,
    /// The place of `count` in the configuration file.
    pub count_at: Option<TextRange>,
    /// `[batch] effective`, and its place if the configuration file belongs to the project.
    pub effective_batch: Option<(u64, Option<FileRange>)>,
    /// `[versions]`, by normalized name. It takes precedence over all other files.
    pub versions: BTreeMap<String, VersionEvidence>,
    /// `--set`, `--gpus` and `[runs."…"]`, strongest first.
    pub user_settings: Vec<UserSetting>,
    /// `[[measured]]`, in the order of the file.
    pub measured: Vec<MeasuredRun>,
}

/// What a run took when it ran, in bytes of one GPU; `None` where the source did not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeasuredRun {
    /// Id of the run.
    pub run: String,
    /// Highest `torch.cuda.memory_allocated`.
    pub tensors: Option<u64>,
    /// Highest `torch.cuda.memory_reserved`.
    pub reserved: Option<u64>,
    /// Highest memory of the process, or of the GPU.
    pub process: Option<u64>,
    /// What it was measured by: `snapshot`, `trainer_state`, `watch`.
    pub source: String,
    /// The setup that ran, as JSON: every dimension as `estimate` prints it.
    pub setup: String,
}
