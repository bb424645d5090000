//! Reads what a training really took: PyTorch's memory snapshots, states and logs of trainers, folders of Weights & Biases, logs of
//! `nvidia-smi`, recordings of `vramlint gpu`.
//!
//! Invariant: bytes in, numbers out. Nothing of a file is executed; a pickle is read as data.

mod block_replay;
mod logged_keys;
mod nvidia_smi;
mod pickle_depth;
mod recording;
mod snapshot;
mod text_log;
mod trainer_state;
mod wandb;
mod watch;

use serde_json::Value;

/// Where the numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `torch.cuda.memory._dump_snapshot`.
    Snapshot,
    /// `trainer_state.json` or a file of results of transformers' Trainer.
    TrainerState,
    /// A folder of Weights & Biases.
    Wandb,
    /// A log of `nvidia-smi`.
    NvidiaSmi,
    /// `vramlint gpu --record`.
    Recording,
    /// The output of a training.
    Log,
    /// `vramlint.watch()` of the Python package.
    Watch,
}

impl Source {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::TrainerState => "trainer_state",
            Self::Wandb => "wandb",
            Self::NvidiaSmi => "nvidia_smi",
            Self::Recording => "recording",
            Self::Log => "log",
            Self::Watch => "watch",
        }
    }
}

/// What a source tells of one GPU, in bytes; `None` where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The source.
    pub source: Source,
    /// Highest `torch.cuda.memory_allocated`.
    pub tensors: Option<u64>,
    /// Highest `torch.cuda.memory_reserved`.
    pub reserved: Option<u64>,
    /// Highest memory of the process, or of the GPU, as the driver reports it.
    pub process: Option<u64>,
}

impl Measured {
    const fn none(source: Source) -> Self {
        Self { source, tensors: None, reserved: None, process: None }
    }

    /// Whether the source tells nothing.
    pub const fn is_empty(&self) -> bool {
        self.tensors.is_none() && self.reserved.is_none() && self.process.is_none()
    }

    /// Takes what is higher.
    fn raise(&mut self, other: Self) {
        self.tensors = self.tensors.max(other.tensors);
        self.reserved = self.reserved.max(other.reserved);
        self.process = self.process.max(other.process);
    }
}

/// Reads a file by what its bytes are. `None` if they hold no measured memory.
pub fn read(bytes: &[u8]) -> Option<Measured> {
    // Pickles of protocol 2 and later begin with their version.
    if bytes.first() == Some(&0x80) {
        return snapshot::read(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    let found = recording::read(&text).or_else(|| match serde_json::from_str::<Value>(&text) {
        Ok(json) => Some(watch::read(&json).unwrap_or_else(|| trainer_state::read(&json))),
        Err(_) => nvidia_smi::read(&text).or_else(|| Some(text_log::read(&text))),
    });
    found.filter(|found| !found.is_empty())
}

/// Reads the files of a folder of Weights & Biases: names, relative to it, and their bytes.
pub fn read_wandb<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Option<Measured> {
    Some(wandb::read(files)).filter(|found| !found.is_empty())
}

/// Names of the files of a folder of Weights & Biases that tell anything.
pub fn is_wandb_file(name: &str) -> bool {
    wandb::is_read(name)
}
