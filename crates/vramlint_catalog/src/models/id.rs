//! Names of models that say by themselves that they are built like a known one.

use super::Model;

/// How a name says that the weights are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// As the model of the catalogue.
    Plain,
    /// bitsandbytes NF4 with nested constants, as unsloth publishes (`-bnb-4bit`).
    Nf4,
    /// Four bits of another method: AWQ, GPTQ.
    FourBit,
    /// Eight bits: `-GPTQ-Int8`.
    EightBit,
}

/// A model of the catalogue under a name that may be that of a variant.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The model.
    pub model: &'static Model,
    /// How the name says that the weights are stored.
    pub stored: Stored,
}

/// Organisations that publish copies of others' models under the same or nearly the same names.
/// unsloth 2026.8.19 `models/mapper.py`; the model cards of `NousResearch`; ModelScope's mirrors, which LLaMA-Factory's
/// `extras/constants.py` lists beside the originals.
const MIRRORS: [&str; 4] = ["unsloth", "NousResearch", "LLM-Research", "AI-ModelScope"];

/// Endings that name how weights are stored; the architecture stays.
const STORED: [(&str, Stored); 8] = [
    ("-unsloth-bnb-4bit", Stored::Nf4),
    ("-bnb-4bit", Stored::Nf4),
    ("-awq-int4", Stored::FourBit),
    ("-gptq-int4", Stored::FourBit),
    ("-gptq-int8", Stored::EightBit),
    ("-awq", Stored::FourBit),
    ("-gptq", Stored::FourBit),
    ("-bf16", Stored::Plain),
];

/// Endings that name a fine-tuned state; the architecture stays.
const TUNED: [&str; 5] = ["-instruct", "-chat", "-base", "-it", "-pt"];

/// Resolves a name with the names that are known exactly.
pub(super) fn variant(id: &str, exact: impl Fn(&str) -> Option<&'static Model>) -> Option<Variant> {
    let lower = id.to_lowercase();
    let plain = |model| Variant { model, stored: Stored::Plain };
    if let Some(model) = exact(&lower) {
        return Some(plain(model));
    }
    let (organisation, name) = lower.split_once('/')?;
    let (name, stored) =
        STORED.iter().find_map(|(ending, stored)| Some((name.strip_suffix(ending)?, *stored))).unwrap_or((name, Stored::Plain));
    let tuned = TUNED.iter().find_map(|ending| name.strip_suffix(ending));
    let names = std::iter::once(name).chain(tuned);
    let mirror = MIRRORS.iter().any(|mirror| mirror.eq_ignore_ascii_case(organisation));
    let found = names.into_iter().find_map(|name| {
        let own = exact(&format!("{organisation}/{name}"));
        own.or_else(|| mirror.then(|| mirrored(name)).flatten())
    });
    found.map(|model| Variant { model, stored })
}

/// The one model of any organisation that has this name, by its id or an alias. `llama-3-8b` is `Meta-Llama-3-8B`.
fn mirrored(name: &str) -> Option<&'static Model> {
    let bare = |name: &str| name.strip_prefix("meta-").unwrap_or(name).to_owned();
    let (name, mut found) = (bare(name), None);
    for model in super::all() {
        let ids = std::iter::once(&model.id).chain(model.aliases);
        let same = |id: &&'static str| id.to_lowercase().rsplit('/').next().is_some_and(|other| bare(other) == name);
        if ids.into_iter().any(same) && found.replace(model).is_some() {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::variant;

    #[test]
    fn a_name_says_how_weights_are_stored() {
        for (id, model, stored) in [
            ("Qwen/Qwen3-14B-AWQ", "Qwen/Qwen3-14B", Stored::FourBit),
            ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen/Qwen2.5-7B", Stored::EightBit),
            ("unsloth/Qwen3-4B-unsloth-bnb-4bit", "Qwen/Qwen3-4B", Stored::Nf4),
            ("unsloth/llama-3-8b-bnb-4bit", "meta-llama/Meta-Llama-3-8B", Stored::Nf4),
            ("unsloth/llama-3-8b-Instruct-bnb-4bit", "meta-llama/Meta-Llama-3-8B", Stored::Nf4),
            ("unsloth/Meta-Llama-3.1-8B", "meta-llama/Llama-3.1-8B", Stored::Plain),
            ("LLM-Research/Meta-Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B", Stored::Plain),
            ("Qwen/Qwen2.5-Coder-7B-Instruct", "Qwen/Qwen2.5-7B", Stored::Plain),
            ("google/gemma-2-2b-it", "google/gemma-2-2b", Stored::Plain),
        ] {
            let found = variant(id).unwrap_or_else(|| panic!("{id}"));
            assert_eq!((found.model.id, found.stored), (model, stored), "{id}");
        }
    }

    #[test]
    fn a_name_that_says_less_is_not_guessed() {
        for id in [
            "acme/Qwen3-4B",
            "acme/Qwen3-4B-AWQ",
            "Qwen/Qwen3-4B-GGUF",
            "Qwen/Qwen3-Coder-30B",
            "unsloth/some-model-bnb-4bit",
            "unsloth/",
            "/Qwen3-4B",
            "Qwen3-4B-AWQ",
            "Qwen/-AWQ",
        ] {
            assert!(variant(id).is_none(), "{id}");
        }
    }
}
