//! The frameworks, one file each, and the list of them.
//!
//! A new framework is a file here with a descriptor, a line in the list below, a table in `data/classes` and cases.

use std::ops::Deref;

mod descriptor;
pub mod evidence;

pub use descriptor::{
    Accumulation, ArgumentClasses, BatchArithmetic, ConfigFiles, ConfigLoader, EntryModule, EstimateTraits, FileTypes, FixKeys,
    FixValue, Framework, Loss, MegatronDefaults, OffloadedInstead, Processes, RayActors, RayWorkers, TokenBatches, Unknown,
    UnknownKeys, UnreadFile, VllmShare, Weights,
};
pub use evidence::{Evidence, FileKeys, KeyTest};

macro_rules! frameworks {
    ($($(#[$doc:meta])* $variant:ident in $file:ident;)*) => {
        $(pub(crate) mod $file;)*

        /// The vocabulary of a framework: the name by which its descriptor goes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dialect { $($(#[$doc])* $variant,)* }

        impl Dialect {
            /// Every vocabulary, in the order in which a file is tried for them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// What is known of it.
            pub fn framework(self) -> &'static Framework {
                match self { $(Self::$variant => &$file::FRAMEWORK,)* }
            }
        }
    };
}

// A file is tried for them in this order.
frameworks! {
    /// torchtune recipes.
    Torchtune in torchtune;
    /// Axolotl.
    Axolotl in axolotl;
    /// LLaMA-Factory.
    LlamaFactory in llama_factory;
    /// LLaMA-Factory under `USE_V1=1`.
    LlamaFactoryV1 in llama_factory_v1;
    /// Megatron-SWIFT.
    MegatronSwift in megatron_swift;
    /// ms-swift.
    MsSwift in ms_swift;
    /// OpenRLHF command line.
    OpenRlhf in open_rlhf;
    /// verl command line.
    Verl in verl;
    /// DiffSynth-Studio command line.
    DiffSynth in diffsynth;
    /// sd-scripts command line.
    SdScripts in sd_scripts;
    /// unsloth calls.
    Unsloth in unsloth;
    /// Lightning's Trainer.
    Lightning in lightning;
    /// TRL configs.
    Trl in trl;
    /// transformers `TrainingArguments`.
    HfTrainer in transformers;
    /// litgpt.
    Litgpt in litgpt;
    /// accelerate configuration.
    Accelerate in accelerate;
    /// DeepSpeed JSON.
    DeepSpeed in deepspeed;
    /// Names that people choose in their own YAML and Python.
    Plain in plain;
}

impl Deref for Dialect {
    type Target = Framework;

    fn deref(&self) -> &Framework {
        self.framework()
    }
}

impl Dialect {
    /// The framework that a module trains with.
    pub fn of_module(module: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| dialect.modules.iter().any(|entry| entry.is(module)))
    }

    /// The module of a framework that a file is: `trl/scripts/sft.py` in a checkout is `trl.scripts.sft`.
    pub fn module_of_file(path: &str) -> Option<String> {
        let dotted = format!(".{}", path.strip_suffix(".py")?.trim_start_matches("./").replace('/', "."));
        let packages = Self::ALL.iter().flat_map(|dialect| dialect.modules).filter(|entry| entry.path.ends_with('.'));
        let at = packages.filter_map(|entry| dotted.find(&format!(".{}", entry.path))).min()?;
        Some(dotted[at + 1..].to_owned())
    }

    /// The framework whose scripts have these options, with dashes or underscores inside.
    pub fn of_options(options: &[&str]) -> Option<Self> {
        let has = |own: &&str| options.iter().any(|given| is_same_option(given, own));
        Self::ALL.iter().copied().find(|dialect| dialect.options.iter().any(|group| group.iter().all(&has)))
    }

    /// The framework whose file has these keys, how certain that is, and the key that gives it away.
    pub fn of_keys(keys: &dyn FileKeys) -> Option<(Self, bool, &'static str)> {
        Self::ALL.iter().find_map(|dialect| {
            let evidence = dialect.files.as_ref()?.evidence;
            evidence.iter().find_map(|evidence| Some((*dialect, evidence.is_certain, evidence.holds(keys)?)))
        })
    }
}

/// Whether two options are the same, with dashes or underscores inside.
pub(crate) fn is_same_option(given: &str, own: &str) -> bool {
    let is_dash = |byte: u8| matches!(byte, b'-' | b'_');
    given.len() == own.len() && given.bytes().zip(own.bytes()).all(|(a, b)| a == b || is_dash(a) && is_dash(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_framework_has_a_name_of_its_own() {
        let mut ids = BTreeSet::new();
        for dialect in Dialect::ALL {
            assert!(ids.insert(dialect.id), "{} twice", dialect.id);
            assert!(!dialect.name.is_empty() && !dialect.package.is_empty(), "{}", dialect.id);
            assert!(dialect.batch.source.contains(".py"), "{}", dialect.id);
        }
    }

    #[test]
    fn no_list_holds_a_key_twice() {
        for dialect in Dialect::ALL {
            for list in dialect.keys {
                let mut paths: Vec<_> = list.iter().map(|row| row.0).collect();
                paths.sort_unstable();
                assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{}: {paths:?}", dialect.id);
            }
        }
    }

    #[test]
    fn keys_of_accelerate_and_deepspeed_exist() {
        for (path, ..) in Dialect::Accelerate.keys.iter().copied().flatten() {
            assert!(crate::keys::find(crate::keys::accelerate(), path).is_some(), "{path}");
        }
        for (path, ..) in Dialect::DeepSpeed.keys.iter().copied().flatten() {
            let known = crate::keys::find(crate::keys::deepspeed(), path).is_some();
            assert!(known || path.starts_with("bfloat16."), "{path}");
        }
    }

    #[test]
    fn every_class_of_a_framework_is_in_the_tables() {
        for dialect in Dialect::ALL {
            let classes = &dialect.classes;
            let named = classes.usual.into_iter().chain(classes.by_command.iter().chain(&[]).map(|(_, class)| *class));
            for class in named.chain(classes.by_key.iter().map(|(_, class)| *class)) {
                assert!(crate::classes::find(class).is_some(), "{}: {class}", dialect.id);
            }
        }
    }
}
