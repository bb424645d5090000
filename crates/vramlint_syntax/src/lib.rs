//! Readers: text in, located tree and errors out.
//!
//! Invariants:
//!
//! 1. A reader returns a tree *and* errors, never a `Result`; it never panics, whatever the text.
//! 2. Pure: the same text gives the same answer. No disk, clock, environment or network.
//! 3. Offsets are UTF-8 bytes as `u32`, at character boundaries, inside the text. A byte order mark counts (3 bytes).
//! 4. The types of the parser libraries stay inside one module each; the trees are ours.
//! 5. No reader knows what a key means. Values are typed only where the consumer, and so its loader, is known.

pub mod data;
pub mod decode;
pub mod embedded;
pub mod json;
pub mod python;
pub mod shell;
pub mod yaml;

use vramlint_base::{Message, TextRange};

/// A comment, in any of the languages that have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// With the marker (`#`, `//`, `/*`…), without the line break.
    pub range: TextRange,
    /// Without the marker, trimmed.
    pub text: String,
    /// Whether something other than blanks is before it on its line.
    pub trailing: bool,
}

/// Which readers of the same text reject it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusedBy {
    /// Every reader of this language.
    All,
    /// Only strict JSON readers, as Hugging Face's and accelerate's; Hjson passes.
    StrictJson,
    /// Only Hjson, as DeepSpeed reads its file; strict JSON passes.
    Hjson,
    /// Only PyYAML; the YAML 1.2 standard passes.
    PyYaml,
    /// Loaders that reject duplicate keys (OmegaConf, ruamel); PyYAML passes.
    UniqueKeys,
    /// Nobody: it is beyond what our reader takes (depth, size), and was left out.
    Nobody,
}

/// What a reader stumbled over. Reading went on as well as it could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where; never empty unless at the end of the text.
    pub range: TextRange,
    /// What is wrong.
    pub message: Message,
    /// Who rejects the text because of it.
    pub refused_by: RefusedBy,
}
