//! The keys of accelerate's configuration and of DeepSpeed's JSON.
//!
//! The facts lie in `data/*.json`, one key a line, each with the version and the file that prove it.

use crate::data;
use crate::versions::LibraryVersions;
use serde::Deserialize;
use std::sync::LazyLock;

#[cfg(test)]
mod suggestion_tests;

pub use vramlint_base::suggest as nearest;

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyType {
    /// A truth value.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Text.
    Text,
    /// A list.
    List,
    /// A mapping.
    Map,
    /// Several of these, or not known.
    Any,
}

/// What the newest version that was measured does with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Reads it.
    #[default]
    Current,
    /// Reads it as the key named in [`Key::instead`].
    Converted,
    /// Accepts it and does nothing with it.
    Ignored,
    /// Refuses the file, or the run that uses it.
    Refused,
}

/// Who replaces the text `auto` in DeepSpeed's JSON. DeepSpeed itself never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutoFiller {
    /// transformers' Trainer.
    HfTrainer,
    /// A plain accelerate loop.
    Accelerate,
}

/// A key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Key {
    /// From the root, with dots: `zero_optimization.offload_optimizer.device`. `<metric>` stands for any name, `[]` for any item.
    pub path: String,
    /// What it holds.
    pub kind: KeyType,
    /// The values that are accepted, where they are a set; of a list, those of its items.
    #[serde(default)]
    pub values: Vec<String>,
    /// The default, as the tool would print it.
    #[serde(default)]
    pub default: Option<String>,
    /// Where it moved: each default with the first version that has it, oldest first.
    #[serde(default)]
    pub defaults: Vec<(Option<String>, String)>,
    /// First version that knows it, where older ones were looked at.
    #[serde(default)]
    pub since: Option<String>,
    /// First version that refuses it again (or, where [`Standing::Ignored`], no longer reads it), where it was removed.
    #[serde(default)]
    pub until: Option<String>,
    /// Spans between these in which nothing read it: from the first, up to the second.
    #[serde(default)]
    pub absent: Vec<(String, String)>,
    /// What it does, in a few words, if the path does not say it.
    #[serde(default)]
    pub about: String,
    /// File and line of the fact.
    pub source: String,
    /// Whether null is accepted and means the same as leaving it out, where that was looked at.
    #[serde(default)]
    pub nullable: bool,
    /// Whether the file is refused without it.
    #[serde(default)]
    pub required: bool,
    /// Whether the case of the letters in the values does not matter.
    #[serde(default)]
    pub case_insensitive: bool,
    /// What the measured version does with it.
    #[serde(default)]
    pub standing: Standing,
    /// What to write instead of a key that is not current: a path, or a flag with its dashes.
    #[serde(default)]
    pub instead: Option<String>,
    /// Other paths that are accepted for the same setting.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The environment variable that the launcher sets from it.
    #[serde(default)]
    pub env: Option<String>,
    /// Least value, itself allowed.
    #[serde(default)]
    pub min: Option<f64>,
    /// Lower bound, itself refused.
    #[serde(default)]
    pub above: Option<f64>,
    /// Greatest value, itself allowed.
    #[serde(default)]
    pub max: Option<f64>,
    /// Upper bound, itself refused.
    #[serde(default)]
    pub below: Option<f64>,
    /// The ZeRO stages in which the key has an effect; empty where it does not depend on the stage.
    #[serde(default)]
    pub stages: Vec<u8>,
    /// Who replaces `auto` here; empty where nobody does.
    #[serde(default)]
    pub auto: Vec<AutoFiller>,
    /// accelerate: refused in the file beside `deepspeed_config_file` (utils/dataclasses.py:1526).
    #[serde(default)]
    pub refused_beside_file: bool,
}

impl Key {
    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit_once('.').map_or(self.path.as_str(), |(_, name)| name)
    }

    /// The package that reads it, as pip names it.
    pub fn library(&self) -> &str {
        self.source.split(' ').next().unwrap_or_default()
    }

    /// The default in the release in use, as [`Key::default`].
    pub fn default_in(&self, versions: &LibraryVersions) -> Option<&str> {
        default_in(versions, self.library(), self.default.as_deref(), &self.defaults)
    }

    /// Whether the measured version reads it, as itself or as its successor.
    pub fn is_read(&self) -> bool {
        matches!(self.standing, Standing::Current | Standing::Converted)
    }
}

/// The default in the release in use: the newest, or one of its history. None where it is required or computed.
pub(crate) fn default_in<'a>(
    versions: &LibraryVersions,
    library: &str,
    newest: Option<&'a str>,
    history: &'a [(Option<String>, String)],
) -> Option<&'a str> {
    if versions.get(library).is_none() || history.is_empty() {
        return newest;
    }
    versions.state(library, history).map(String::as_str).filter(|text| !matches!(*text, "required" | "computed"))
}

/// A value that a key accepted in earlier versions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemovedValue {
    /// The key.
    pub path: String,
    /// The value, as it was written.
    pub value: String,
    /// First minor version that knew it.
    pub since: String,
    /// First minor version that refuses it.
    pub until: String,
    /// What to write instead, where there is one answer.
    #[serde(default)]
    pub instead: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccelerateFile {
    keys: Vec<Key>,
    sagemaker: Vec<Key>,
    removed_values: Vec<RemovedValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeepSpeedFile {
    keys: Vec<Key>,
    blocks: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    path: String,
    unknown: UnknownKeys,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UnknownKeys {
    Rejects,
    Ignores,
    /// On the optimizer or schedule that gets them as keyword arguments.
    Depends,
}

static ACCELERATE: LazyLock<AccelerateFile> = LazyLock::new(|| data::read(data!("accelerate")));

static DEEPSPEED: LazyLock<DeepSpeedFile> = LazyLock::new(|| data::read(data!("deepspeed")));

/// Top-level keys and blocks of accelerate's YAML for `LOCAL_MACHINE`, with those that were removed: see [`Key::standing`].
pub fn accelerate() -> &'static [Key] {
    &ACCELERATE.keys
}

/// The top-level keys that accelerate 1.15 accepts for `LOCAL_MACHINE`; any other is refused (config_args.py:154-159).
pub fn accelerate_top_level() -> impl Iterator<Item = &'static Key> {
    accelerate().iter().filter(|key| !key.path.contains('.') && key.standing != Standing::Refused)
}

/// The keys that accelerate accepts for `AMAZON_SAGEMAKER`.
pub fn accelerate_sagemaker() -> &'static [Key] {
    &ACCELERATE.sagemaker
}

/// Values of accelerate's keys that were removed: `distributed_type: TPU`.
pub fn accelerate_removed_values() -> &'static [RemovedValue] {
    &ACCELERATE.removed_values
}

/// Keys of DeepSpeed's JSON, with those that were removed: see [`Key::standing`].
pub fn deepspeed() -> &'static [Key] {
    &DEEPSPEED.keys
}

/// What DeepSpeed does with an unknown key in the block at `path` (empty for the root): refuse the file (`true`) or ignore the
/// key (`false`). `None` where it depends on the optimizer or schedule that is named, or where the block is not known.
pub fn deepspeed_block_rejects_unknown(path: &str) -> Option<bool> {
    let block = DEEPSPEED.blocks.iter().find(|block| block.path == path)?;
    match block.unknown {
        UnknownKeys::Rejects => Some(true),
        UnknownKeys::Ignores => Some(false),
        UnknownKeys::Depends => None,
    }
}

/// The key in `keys` at exactly this path, or that has it as an alias. It may be a removed one.
pub fn find<'a>(keys: &'a [Key], path: &str) -> Option<&'a Key> {
    keys.iter().find(|key| key.path == path).or_else(|| keys.iter().find(|key| key.aliases.iter().any(|alias| alias == path)))
}

/// The key at this path, if it was removed: [`Key::until`] and [`Key::about`] say when, [`Key::instead`] what to write now.
pub fn removed<'a>(keys: &'a [Key], path: &str) -> Option<&'a Key> {
    find(keys, path).filter(|key| key.until.is_some() || key.standing == Standing::Refused)
}

/// The keys directly inside the block at `path` (empty for the root) that the measured version reads.
pub fn children<'a>(keys: &'a [Key], path: &str) -> impl Iterator<Item = &'a Key> {
    keys.iter().filter(move |key| {
        let parent = key.path.rsplit_once('.').map_or("", |(parent, _)| parent);
        parent == path && key.is_read()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn check(keys: &[Key]) {
        let mut seen = BTreeSet::new();
        for key in keys {
            assert!(seen.insert(key.path.as_str()), "{} twice", key.path);
            for alias in &key.aliases {
                assert!(seen.insert(alias.as_str()), "{alias} is both a key and an alias");
            }
            let letters = |text: &str| text.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "");
            let repeats = !key.about.is_empty() && letters(&key.path).contains(&letters(&key.about));
            assert!(!repeats && !key.about.ends_with('.'), "{}: {}", key.path, key.about);
            assert!(key.source.contains(".py"), "{}: {}", key.path, key.source);
            assert!(key.source.starts_with("accelerate 1.") || key.source.starts_with("deepspeed 0."), "{}", key.path);
            assert!(key.values.iter().all(|value| !value.is_empty() && !value.contains('<')), "{}", key.path);
            assert_eq!(key.values.iter().collect::<BTreeSet<_>>().len(), key.values.len(), "{}", key.path);
            if let (Some(default), false) = (&key.default, key.values.is_empty() || key.kind == KeyType::List) {
                let fits = |value: &String| value == default || key.case_insensitive && value.eq_ignore_ascii_case(default);
                let per_version = default.contains(" / ");
                assert!(key.values.iter().any(fits) || per_version, "{}: {default}", key.path);
            }
            if matches!(key.kind, KeyType::Bool) {
                assert!(key.values.is_empty(), "{}", key.path);
            }
            assert!(key.stages.iter().all(|stage| *stage <= 3), "{}", key.path);
        }
    }

    #[test]
    fn tables_are_whole() {
        check(accelerate());
        check(accelerate_sagemaker());
        check(deepspeed());
        assert!(accelerate().len() > 120 && deepspeed().len() > 400);
        for removed in accelerate_removed_values() {
            let key = find(accelerate(), &removed.path).expect("of a key");
            assert!(!key.values.contains(&removed.value));
            assert!(removed.instead.as_ref().is_none_or(|value| key.values.contains(value)));
        }
    }

    #[test]
    fn successors_exist() {
        for keys in [accelerate(), deepspeed()] {
            for key in keys {
                let Some(instead) = &key.instead else { continue };
                assert!(key.standing != Standing::Current, "{}", key.path);
                let known = find(keys, instead).is_some_and(Key::is_read) || instead.starts_with("--");
                assert!(known, "{} -> {instead}", key.path);
            }
        }
    }

    #[test]
    fn every_block_is_a_known_key() {
        for block in &DEEPSPEED.blocks {
            let inside = deepspeed().iter().any(|key| key.path.starts_with(&format!("{}.", block.path)));
            assert!(block.path.is_empty() || inside, "{}", block.path);
        }
        for key in deepspeed() {
            if let Some((parent, _)) = key.path.rsplit_once('.')
                && !parent.contains(['<', '['])
            {
                assert!(DEEPSPEED.blocks.iter().any(|block| block.path == parent), "{parent}");
            }
        }
    }

    #[test]
    fn accelerate_knows_its_top_level() {
        let top: BTreeSet<_> = accelerate_top_level().map(|key| key.path.as_str()).collect();
        for key in ["distributed_type", "num_processes", "deepspeed_config", "fp16", "dynamo_backend", "tpu_env"] {
            assert!(top.contains(key), "{key}");
        }
        for key in ["gradient_accumulation_steps", "ipex_config", "use_xpu", "tp_config", "zero_stage", "bf16"] {
            assert!(!top.contains(key), "{key}");
        }
    }

    #[test]
    fn removed_keys_say_when_and_what_instead() {
        let key = removed(accelerate(), "tp_config").expect("was removed");
        assert_eq!((key.until.as_deref(), key.instead.as_deref()), (Some("1.7"), Some("parallelism_config")));
        assert_eq!(key.standing, Standing::Refused);
        assert!(removed(accelerate(), "fp16").is_none(), "still converted");
        assert!(removed(accelerate(), "num_processes").is_none());
        assert_eq!(removed(accelerate(), "mpirun_config.mpirun_ccl").map(|key| key.standing), Some(Standing::Ignored));
        assert_eq!(removed(deepspeed(), "amp").and_then(|key| key.until.as_deref()), Some("0.19.8"));
        assert_eq!(removed(deepspeed(), "sparse_attention").and_then(|key| key.until.as_deref()), Some("0.19.7"));
    }

    #[test]
    fn prefixes_are_optional_where_the_launcher_adds_them() {
        assert!(find(accelerate(), "fsdp_config.offload_params").is_some());
        assert!(find(accelerate(), "dynamo_config.backend").is_some());
        assert!(find(accelerate(), "parallelism_config.tp_size").is_none(), "silently ignored by accelerate");
        assert!(find(deepspeed(), "zero_optimization.gather_16bit_weights_on_model_save").is_some());
    }

    #[test]
    fn sagemaker_is_another_class() {
        assert!(find(accelerate_sagemaker(), "ec2_instance_type").is_some_and(|key| key.required));
        assert!(find(accelerate_sagemaker(), "num_processes").is_none());
        assert!(find(accelerate(), "ec2_instance_type").is_none());
    }

    #[test]
    fn deepspeed_blocks_differ_in_strictness() {
        assert_eq!(deepspeed_block_rejects_unknown(""), Some(false));
        for block in ["zero_optimization", "zero_optimization.offload_param", "fp16", "bf16", "compile", "tensor_parallel.tp"] {
            assert_eq!(deepspeed_block_rejects_unknown(block), Some(true), "{block}");
        }
        for block in ["optimizer", "scheduler", "activation_checkpointing", "aio", "tensor_parallel.partition_config"] {
            assert_eq!(deepspeed_block_rejects_unknown(block), Some(false), "{block}");
        }
        for block in ["optimizer.params", "scheduler.params", "my_block"] {
            assert_eq!(deepspeed_block_rejects_unknown(block), None, "{block}");
        }
    }

    #[test]
    fn deepspeed_keys_carry_bounds_stages_and_fillers() {
        let bucket = find(deepspeed(), "zero_optimization.reduce_bucket_size").expect("known");
        assert_eq!((bucket.above, bucket.kind), (Some(0.0), KeyType::Int));
        assert_eq!(bucket.auto, [AutoFiller::HfTrainer, AutoFiller::Accelerate]);
        assert!(find(deepspeed(), "zero_optimization.sub_group_size").is_some_and(|key| key.auto.is_empty()));
        assert_eq!(find(deepspeed(), "optimizer.params.betas").map(|key| key.auto.clone()), Some(vec![AutoFiller::HfTrainer]));
        assert_eq!(find(deepspeed(), "zero_optimization.offload_param.device").map(|key| key.stages.clone()), Some(vec![3]));
        assert!(find(deepspeed(), "optimizer.type").is_some_and(|key| key.values.is_empty()), "any torch optimizer goes");
    }

    #[test]
    fn children_leave_out_what_is_not_read() {
        let zero: Vec<_> = children(deepspeed(), "zero_optimization").map(Key::name).collect();
        assert!(zero.contains(&"stage") && zero.contains(&"offload_optimizer") && !zero.contains(&"mics_shard_size"));
        assert!(!zero.contains(&"device"));
    }
}
