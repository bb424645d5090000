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
    /// Floats of eight or four bits: `-FP8`, `-NVFP4`. Whether they are widened depends on the kernels of the machine.
    NarrowFloat,
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
const STORED: [(&str, Stored); 16] = [
    ("-unsloth-bnb-4bit", Stored::Nf4),
    ("-bnb-nf4-bf16", Stored::Nf4),
    ("-bnb-nf4", Stored::Nf4),
    ("-bnb-4bit", Stored::Nf4),
    ("-awq-int4", Stored::FourBit),
    ("-gptq-int4", Stored::FourBit),
    ("-gptq-int8", Stored::EightBit),
    ("-int4", Stored::FourBit),
    ("-int8", Stored::EightBit),
    ("-awq", Stored::FourBit),
    ("-gptq", Stored::FourBit),
    ("-bf16", Stored::Plain),
    ("-fp8", Stored::NarrowFloat),
    ("-fp8-block", Stored::NarrowFloat),
    ("-fp8-dynamic", Stored::NarrowFloat),
    ("-nvfp4", Stored::NarrowFloat),
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
    let (names, stored) = without_endings(name);
    let mirror = MIRRORS.iter().any(|mirror| mirror.eq_ignore_ascii_case(organisation));
    let found = names.into_iter().flatten().find_map(|name| {
        let own = exact(&format!("{organisation}/{name}"));
        own.or_else(|| mirror.then(|| mirrored(name)).flatten())
    });
    found.map(|model| Variant { model, stored })
}

/// The model that has the same name as the last part of a path, or of a name on the hub, if only one has it.
pub(super) fn by_name(path: &str) -> Option<Variant> {
    let name = last_part(path)?;
    let (names, stored) = without_endings(&name);
    let model = names.into_iter().flatten().find_map(mirrored)?;
    Some(Variant { model, stored })
}

/// The name at the end of a path or of a name on the hub, in lower case.
pub(super) fn last_part(path: &str) -> Option<String> {
    // ModelScope writes a dot as three lines.
    let lower = path.trim().to_lowercase().replace("___", ".");
    let parts: Vec<&str> = lower.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    // The cache of the hub: models--org--name/snapshots/revision.
    let cached = parts.iter().find_map(|part| part.strip_prefix("models--")?.rsplit("--").next());
    cached.or(parts.last().copied()).map(str::to_owned)
}

/// A name without the ending that tells how weights are stored, then without the one that tells a fine-tuned state.
fn without_endings(name: &str) -> ([Option<&str>; 2], Stored) {
    let ended = STORED.iter().find_map(|(ending, stored)| Some((name.strip_suffix(ending)?, *stored)));
    let (name, stored) = ended.unwrap_or((name, Stored::Plain));
    ([Some(name), TUNED.iter().find_map(|ending| name.strip_suffix(ending))], stored)
}

/// The one model of any organisation that has this name, by its id or an alias. `llama-3-8b` is `Meta-Llama-3-8B`, `Llama-2-7b` is `Llama-2-7b-hf`.
fn mirrored(name: &str) -> Option<&'static Model> {
    let bare = |name: &str| {
        let name = name.strip_prefix("meta-").unwrap_or(name);
        name.strip_suffix("-hf").unwrap_or(name).to_owned()
    };
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
            ("Qwen/Qwen-7B-Chat-Int4", "Qwen/Qwen-7B", Stored::FourBit),
            ("Qwen/Qwen3-4B-bnb-nf4-bf16", "Qwen/Qwen3-4B", Stored::Nf4),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "Qwen/Qwen3-30B-A3B", Stored::NarrowFloat),
        ] {
            let found = variant(id).unwrap_or_else(|| panic!("{id}"));
            assert_eq!((found.model.id, found.stored), (model, stored), "{id}");
        }
    }

    #[test]
    fn the_last_part_of_a_path_is_a_name() {
        for (path, model, stored) in [
            ("/mnt/models/Qwen3-8B", "Qwen/Qwen3-8B", Stored::Plain),
            ("/data/Meta-Llama-3.1-8B-Instruct/", "meta-llama/Llama-3.1-8B", Stored::Plain),
            ("models\\Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B", Stored::FourBit),
            ("hub/models--google--gemma-2-9b/snapshots/0a1b", "google/gemma-2-9b", Stored::Plain),
            ("modelscope/hub/Qwen/Qwen2___5-0___5B-Instruct", "Qwen/Qwen2.5-0.5B", Stored::Plain),
            ("TechxGenus/Meta-Llama-3-8B-Instruct-GPTQ", "meta-llama/Meta-Llama-3-8B", Stored::FourBit),
            ("Qwen3-4B", "Qwen/Qwen3-4B", Stored::Plain),
            ("models/Llama-2-7b", "meta-llama/Llama-2-7b-hf", Stored::Plain),
            ("Llama-2-13b-chat", "meta-llama/Llama-2-13b-hf", Stored::Plain),
        ] {
            let found = by_name(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!((found.model.id, found.stored), (model, stored), "{path}");
        }
        for path in [
            "",
            "/",
            "models",
            "out/Qwen3-4B-sft",
            "models/llama3-8b-pro",
            "checkpoint-500",
            "model-base",
            "-instruct",
            "模型/千问",
        ] {
            assert!(by_name(path).is_none(), "{path}");
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
