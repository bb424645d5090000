//! Which libraries a project's versions matter of, and which releases of them exist.

mod table;

use crate::versions::compare;

/// Libraries that are followed without a list of their releases: a pin of them is known, a range is not decided.
const FOLLOWED: &[&str] = &[
    "apex",
    "colossalai",
    "evaluate",
    "hf-transfer",
    "huggingface-hub",
    "hydra-core",
    "jsonargparse",
    "llmtuner",
    "megatron-core",
    "mlflow",
    "ms-amp",
    "msamp",
    "numpy",
    "omegaconf",
    "optimum",
    "pyyaml",
    "ray",
    "safetensors",
    "sentence-transformers",
    "tensorboard",
    "torchao",
    "torchaudio",
    "torchvision",
    "transformer-engine",
    "transformer-engine-cu11",
    "transformer-engine-cu12",
    "transformer-engine-cu13",
    "transformer-engine-torch",
    "triton",
    "unsloth",
    "unsloth-zoo",
    "wandb",
    "xformers",
];

/// Names under which channels other than the package index have a library.
const ELSEWHERE: &[(&str, &str)] = &[("pytorch", "torch"), ("pytorch-gpu", "torch"), ("huggingface-accelerate", "accelerate")];

/// The releases of one library.
#[derive(Clone, Copy, Debug)]
pub struct Releases {
    /// The oldest version that vramlint speaks of where nothing is known.
    pub oldest: &'static str,
    /// Every final release, oldest first.
    pub versions: &'static str,
}

/// A name as the package index compares it: lower case, one `-` for each run of `-`, `_`, `.`.
pub fn normalize(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            '-' | '_' | '.' if out.ends_with('-') => {}
            '-' | '_' | '.' => out.push('-'),
            other => out.extend(other.to_lowercase()),
        }
    }
    out
}

/// The normalized name of a library that is followed, whatever its channel calls it.
pub fn followed(name: &str) -> Option<&'static str> {
    let name = normalize(name);
    let name = ELSEWHERE.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |(_, own)| own);
    names().find(|known| *known == name)
}

/// All libraries that are followed.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    table::TABLE.iter().map(|(name, ..)| *name).chain(FOLLOWED.iter().copied())
}

/// The releases of a library, by its normalized name.
pub fn releases(name: &str) -> Option<Releases> {
    let found = table::TABLE.iter().find(|(known, ..)| *known == name);
    found.map(|(_, oldest, versions)| Releases { oldest, versions })
}

/// The newest release of a library before `release`.
pub fn newest_before(name: &str, release: &str) -> Option<&'static str> {
    releases(name)?.versions.split(' ').rfind(|own| compare(own, release).is_lt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalized_and_channels_translated() {
        assert_eq!(followed("PyTorch"), Some("torch"));
        assert_eq!(followed("Flash_Attn"), Some("flash-attn"));
        assert_eq!(followed("requests"), None);
        assert!(names().all(|name| normalize(name) == name));
    }

    #[test]
    fn releases_run_from_old_to_new() {
        for (name, oldest, versions) in table::TABLE {
            let number = |version: &str| -> Vec<u64> { version.split(['.', 'p']).map_while(|part| part.parse().ok()).collect() };
            let all: Vec<Vec<u64>> = versions.split(' ').map(number).collect();
            assert!(all.is_sorted(), "{name}");
            assert!(all.iter().any(|version| *version >= number(oldest)), "{name}");
        }
    }
}
