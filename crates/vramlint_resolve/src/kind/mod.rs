//! What a file is, by evidence: a comment that says so, then who refers to it, then its keys, its name last.

mod classify_content;
mod classify_reference;

pub use classify_content::classify;
pub(crate) use classify_content::is_deepspeed;
pub(crate) use classify_content::{visit_scalars, visit_values};
pub(crate) use classify_reference::{by_reference, by_runs};

use crate::SourceFile;
use vramlint_base::{Message, message};
use vramlint_catalog::Dialect;
use vramlint_syntax::Comment;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// accelerate's configuration.
    Accelerate,
    /// DeepSpeed's configuration.
    DeepSpeed,
    /// Arguments of transformers' Trainer.
    HfTrainer,
    /// Arguments of a TRL script.
    Trl,
    /// LLaMA-Factory.
    LlamaFactory,
    /// Axolotl.
    Axolotl,
    /// ms-swift.
    MsSwift,
    /// torchtune.
    Torchtune,
    /// OpenRLHF.
    OpenRlhf,
    /// The project's own training configuration.
    Training,
    /// None of ours: left alone.
    Other,
}

/// A kind and why.
#[derive(Clone, Debug)]
pub struct FileClass {
    /// The kind.
    pub kind: FileKind,
    /// From 0 to 100: 100 for a comment that fixes it or a launcher that names the file.
    pub confidence: u8,
    /// What speaks for it.
    pub why: Message,
}

impl FileKind {
    /// Every kind that a comment may name.
    pub const ALL: &[Self] = &[
        Self::Accelerate,
        Self::DeepSpeed,
        Self::HfTrainer,
        Self::Trl,
        Self::LlamaFactory,
        Self::Axolotl,
        Self::MsSwift,
        Self::Torchtune,
        Self::OpenRlhf,
        Self::Training,
        Self::Other,
    ];

    /// The name in `# vramlint: kind=…`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accelerate => "accelerate",
            Self::DeepSpeed => "deepspeed",
            Self::HfTrainer => "hf-trainer",
            Self::Trl => "trl",
            Self::LlamaFactory => "llamafactory",
            Self::Axolotl => "axolotl",
            Self::MsSwift => "swift",
            Self::Torchtune => "torchtune",
            Self::OpenRlhf => "openrlhf",
            Self::Training => "training",
            Self::Other => "other",
        }
    }

    /// The vocabulary of its keys; `None` for files that are not ours.
    pub const fn dialect(self) -> Option<Dialect> {
        Some(match self {
            Self::Accelerate => Dialect::Accelerate,
            Self::DeepSpeed => Dialect::DeepSpeed,
            Self::HfTrainer => Dialect::HfTrainer,
            Self::Trl => Dialect::Trl,
            Self::LlamaFactory => Dialect::LlamaFactory,
            Self::Axolotl => Dialect::Axolotl,
            Self::MsSwift => Dialect::MsSwift,
            Self::Torchtune => Dialect::Torchtune,
            Self::OpenRlhf => Dialect::OpenRlhf,
            Self::Training => Dialect::Plain,
            Self::Other => return None,
        })
    }

    /// Whether it holds the arguments of a training, rather than of a launcher or an engine.
    pub const fn is_training(self) -> bool {
        !matches!(self, Self::Accelerate | Self::DeepSpeed | Self::Other)
    }
}

impl FileClass {
    /// Not one of ours.
    pub fn other() -> Self {
        Self {
            kind: FileKind::Other, confidence: 0, why: message!("nothing in it speaks of training", "没有与训练有关的内容")
        }
    }
}

/// The kind that a comment `# vramlint: kind=NAME` fixes, in the first ten lines.
pub fn from_directive(file: &SourceFile) -> Option<FileClass> {
    let comments: &[Comment] = &file.data()?.comments;
    comments.iter().take_while(|comment| file.lines.line_of(comment.range.start) < 10).find_map(|comment| {
        let name =
            comment.text.trim().strip_prefix("vramlint:")?.trim().strip_prefix("kind")?.trim_start().strip_prefix('=')?.trim();
        let kind = *FileKind::ALL.iter().find(|kind| kind.name() == name)?;
        Some(FileClass { kind, confidence: 100, why: message!("a comment says so", "注释中已注明") })
    })
}
