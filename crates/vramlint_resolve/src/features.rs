//! What a file is about, as a set of typed features.
//!
//! A file has a feature if its text contains one of the feature's words: in code, in a string or in a comment. The words of all
//! features are found in one pass over the bytes, before and without parsing. A feature is therefore a hint that something *may* be
//! there; whoever needs to know reads the tree. To add one, add a row to the table below and, if its words are not obvious, a test.

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Declares [`Feature`] and the words of each variant.
macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident: [$($word:literal),+ $(,)?],)+) => {
        /// Something that the text of a file mentions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[$doc])+ $name,)+
        }

        impl Feature {
            /// Every feature.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The words of which a text contains at least one.
            pub const fn words(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($word),+],)+
                }
            }
        }
    };
}

features! {
    /// Code that runs only if the file is started as a program: `if __name__ == "__main__"`.
    MainGuard: ["__main__"],
    /// A backward pass: `loss.backward()`.
    BackwardCall: [".backward("],
    /// Anything named after YAML: the library, a file, a function that reads one.
    Yaml: ["yaml"],
    /// A library that trains, loads or feeds a model; of torch alone only its optimizers, data loaders and mixed precision.
    TrainingCode: [
        "transformers",
        "trl",
        "peft",
        "accelerate",
        "bitsandbytes",
        "deepspeed",
        "unsloth",
        "lightning",
        "DataLoader(",
        "torch.optim",
        ".backward(",
        "autocast",
        "GradScaler",
        "yaml",
        "omegaconf",
        "OmegaConf",
        "parse_args_and_config",
        "device_map",
        "from_pretrained",
    ],
    /// A library or a variable that may spread a training over several processes. A loop without any of them is one process.
    DistributedTraining: [
        "accelerat",
        "torch.distributed",
        "DistributedDataParallel",
        "deepspeed",
        "Trainer",
        "lightning",
        "trl",
        "horovod",
        "fairscale",
        "colossalai",
        "init_process_group",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "import ray",
        "FullyShardedDataParallel",
        "fully_shard",
        "DataParallel",
    ],
    /// `torch.multiprocessing.spawn`, imported as `mp`.
    MpSpawn: ["mp.spawn"],
    /// `torch.multiprocessing.spawn`.
    MultiprocessingSpawn: ["multiprocessing.spawn"],
    /// accelerate's launcher for notebooks.
    NotebookLauncher: ["notebook_launcher"],
    /// torchelastic's launcher.
    ElasticLaunch: ["elastic_launch"],
    /// The rank that Slurm gives a process.
    SlurmProcessId: ["SLURM_PROCID"],
    /// The number of processes that Slurm starts.
    SlurmTaskCount: ["SLURM_NTASKS"],
    /// The rank or the number of processes under Open MPI.
    OpenMpiWorld: ["OMPI_COMM_WORLD"],
    /// The number of processes under a process management interface.
    PmiSize: ["PMI_SIZE"],
    /// A Ray cluster that code starts or joins.
    RayInit: ["ray.init"],
    /// Ray Train.
    RayTrain: ["ray.train"],
    /// Ray's trainer of torch models.
    TorchTrainer: ["TorchTrainer"],
    /// accelerate divides the batch of the data loader among the processes.
    SplitBatches: ["split_batches=True", "split_batches = True"],
    /// accelerate's `ParallelismConfig(…)`.
    ParallelismConfig: ["ParallelismConfig("],
    /// A key that only a DeepSpeed configuration has.
    DeepSpeedConfigKey: ["zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"],
    /// A call that may take a DeepSpeed configuration, whatever its keys are.
    DeepSpeedConfigCall: ["deepspeed.initialize", "DeepSpeedPlugin", "deepspeed="],
    /// Code that changes the configuration which a plugin of accelerate holds.
    DeepSpeedConfigChange: [
        "deepspeed_plugin.deepspeed_config",
        "deepspeed_plugin.hf_ds_config",
        ".deepspeed_config[",
        "hf_ds_config.config",
    ],
    /// An environment variable that rules follow.
    TrackedVariable: ["_ALLOC_CONF", "_VISIBLE_DEVICES", "WORLD_SIZE", "RANK", "MASTER_ADDR", "ACCELERATE_"],
    /// python-dotenv's `load_dotenv`.
    LoadDotenv: ["load_dotenv"],
    /// The key of a compose file or of an editor's configuration that names a file of variables.
    EnvFileKey: ["env_file", "envFile"],
}

/// The features of a file, or of several files together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFeatures(u128);

impl FileFeatures {
    /// Finds the features of a text, in one pass.
    pub fn scan(text: &str) -> Self {
        let scanner = &*SCANNER;
        let found = scanner.words.find_overlapping_iter(text.as_bytes());
        Self(found.fold(0, |bits, hit| bits | scanner.features[hit.pattern().as_usize()]))
    }

    /// Whether the text has a feature.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & bit(feature) != 0
    }

    /// Whether the text has at least one of several features.
    pub fn has_any(self, features: &[Feature]) -> bool {
        features.iter().any(|feature| self.has(*feature))
    }

    /// The features of this text and of another one.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<Feature> for FileFeatures {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        Self(features.into_iter().fold(0, |bits, feature| bits | bit(feature)))
    }
}

const fn bit(feature: Feature) -> u128 {
    1 << feature as u32
}

/// The words of all features, each once, and the features that each of them shows.
struct Scanner {
    words: AhoCorasick,
    features: Vec<u128>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let (mut words, mut features): (Vec<&'static str>, Vec<u128>) = (Vec::new(), Vec::new());
    for feature in Feature::ALL {
        for word in feature.words() {
            match words.iter().position(|known| known == word) {
                Some(index) => features[index] |= bit(*feature),
                None => {
                    words.push(word);
                    features.push(bit(*feature));
                }
            }
        }
    }
    let words = AhoCorasick::new(words).expect("the words are few and short");
    Scanner { words, features }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_fits_into_the_set() {
        assert!(Feature::ALL.len() <= 128);
        assert!(Feature::ALL.iter().enumerate().all(|(index, feature)| *feature as usize == index));
    }

    #[test]
    fn a_text_has_a_feature_exactly_if_it_contains_one_of_its_words() {
        for feature in Feature::ALL {
            for word in feature.words() {
                let text = format!("前 x{word}y\n");
                let found = FileFeatures::scan(&text);
                for other in Feature::ALL {
                    let contains = other.words().iter().any(|word| text.contains(word));
                    assert_eq!(found.has(*other), contains, "{other:?} in {text:?}");
                }
                assert!(found.has(*feature), "{feature:?} in {text:?}");
            }
        }
        assert_eq!(FileFeatures::scan("import json\n"), FileFeatures::default());
    }

    #[test]
    fn words_inside_of_other_words_count() {
        let found = FileFeatures::scan("from torch.nn.parallel import DistributedDataParallel");
        assert!(found.has(Feature::DistributedTraining));
        // `trl` is in `control`: a feature says what may be there, not what is.
        assert!(FileFeatures::scan("control").has(Feature::TrainingCode));
    }

    #[test]
    fn sets_join() {
        let both = FileFeatures::scan("yaml").union(FileFeatures::scan("__main__"));
        assert!(both.has(Feature::Yaml) && both.has(Feature::MainGuard) && both.has_any(&[Feature::RayInit, Feature::Yaml]));
        assert!(!both.has(Feature::RayInit));
        let expected: FileFeatures = [Feature::Yaml, Feature::MainGuard, Feature::TrainingCode].into_iter().collect();
        assert_eq!(both, expected);
    }
}
