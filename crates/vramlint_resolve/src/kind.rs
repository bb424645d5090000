//! What a file is, by evidence.

use vramlint_base::Message;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
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
pub struct KindGuess {
    /// The kind.
    pub kind: Kind,
    /// From 0 to 100: 100 for a comment that fixes it or a launcher that names the file.
    pub confidence: u8,
    /// What speaks for it.
    pub why: Message,
}
