//! What remains of Python files that no rule has anything to say of: their imports, so that others are seen to be imported.

use crate::source_loader::{ParsedSource, ParsedText};
use std::sync::Arc;
use vramlint_base::{FileId, LineIndex};
use vramlint_resolve::{SourceFile, Syntax};

/// Words without one of which no rule looks into a Python file. More than are needed rather than fewer.
const WORDS: &[&str] = &[
    "cuda",
    "optim",
    "backward",
    "distributed",
    "DataParallel",
    "fully_shard",
    "torch.utils",
    "torchrun",
    "torchtune",
    "torchao",
    "checkpoint",
    "transformers",
    "trl",
    "peft",
    "accelerat",
    "deepspeed",
    "DeepSpeed",
    "lightning",
    "unsloth",
    "swift",
    "llamafactory",
    "axolotl",
    "openrlhf",
    "verl",
    "bitsandbytes",
    "colossalai",
    "fairscale",
    "yaml",
    "omegaconf",
    "OmegaConf",
    "hydra",
    "environ",
    "CUDA",
    "ALLOC_CONF",
    "vramlint",
    "batch",
    "Batch",
    "批",
    "zero_grad",
    "empty_cache",
    "autocast",
    "GradScaler",
    "from_pretrained",
    "device_map",
    "DataLoader",
    "vllm",
];

/// What is kept of a Python file.
#[derive(Debug)]
pub(super) struct FileSummary {
    /// Whether a rule may say something of it, or of others because of it.
    pub relevant: bool,
    /// The file without everything but its imports.
    pub skeleton: Arc<ParsedSource>,
}

impl FileSummary {
    /// Of a file that was read.
    pub(super) fn of(loaded: &ParsedSource) -> Self {
        let Syntax::Python(module) = &loaded.read.syntax else {
            return Self { relevant: true, skeleton: Arc::new(ParsedSource::untexted(Syntax::Unreadable)) };
        };
        let relevant = loaded.has_errors()
            || !module.errors.is_empty()
            || WORDS.iter().any(|word| loaded.text.contains(word))
            || vramlint_rules::speaks_alone(&loaded.as_file());
        Self { relevant, skeleton: Arc::new(ParsedSource::untexted(Syntax::Python(module.imports_alone().into()))) }
    }
}

impl ParsedSource {
    fn untexted(syntax: Syntax) -> Self {
        Self::new("".into(), ParsedText { syntax, embedded: Vec::new(), failed: false })
    }

    fn as_file(&self) -> SourceFile {
        SourceFile {
            id: FileId(0),
            path: String::new(),
            text: Arc::clone(&self.text),
            lines: LineIndex::new(""),
            syntax: self.read.syntax.clone(),
            decode_errors: Vec::new(),
            host: None,
            policy: 0,
            reported: true,
        }
    }
}
