//! What a file is about, as a set of typed features.
//!
//! A file has a feature if its text contains one of the feature's words: in code, in a string or in a comment. The words of all
//! features are found in one pass over the bytes, before and without parsing. A feature is therefore a hint that something *may* be
//! there; whoever needs to know reads the tree. To add one, add a row to the table below and, if its words are not obvious, a test.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};
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
    /// A call that trains: `trainer.train()`.
    TrainCall: [".train("],
    /// A second branch of an `if`.
    SecondBranch: ["elif", "else"],
    /// A second condition of an `if`.
    SecondCondition: ["elif"],
    /// The version of a package, as its own code gives it.
    PackageVersion: ["__version__"],
    /// A call of setuptools' `setup`.
    SetupCall: ["setup("],
    /// What changes weights, or an object that does: a step of an optimizer, a trainer.
    TrainingStep: [".train(", ".fit(", ".step(", ".backward(", "Trainer", "run_exp(", "_main(", "do_train(", "LightningCLI"],
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
    /// A library that trains, serves or launches models.
    TrainingLibrary: [
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
        "torchtune",
        "torchao",
        "vllm",
    ],
    /// What a training loop of torch alone uses.
    TorchTraining: [
        "cuda",
        "optim",
        "backward",
        "torch.utils",
        "checkpoint",
        "zero_grad",
        "empty_cache",
        "autocast",
        "GradScaler",
        "DataLoader",
    ],
    /// torch's own means to train on several GPUs.
    TorchDistributed: ["distributed", "DataParallel", "fully_shard", "torchrun"],
    /// A library that reads configuration files.
    ConfigLibrary: ["yaml", "omegaconf", "OmegaConf", "hydra"],
    /// A model that is loaded or placed.
    ModelLoading: ["from_pretrained", "device_map"],
    /// The environment of the process.
    EnvironmentAccess: ["environ", "CUDA", "ALLOC_CONF"],
    /// The memory of a GPU.
    GpuMemory: ["cuda", "vram", "VRAM", "gpu", "GPU", "memory", "gb", "GB", "显存"],
    /// A batch, in code or in prose.
    Batch: ["batch", "Batch", "批"],
    /// A comment for vramlint.
    Directive: ["vramlint"],
    /// The variable that selects the GPUs that a process sees.
    CudaVisibleDevices: ["CUDA_VISIBLE_DEVICES"],
    /// Ways to select the GPUs of a process, or to skip accelerate's check of a device map.
    DeviceSelection: ["CUDA_VISIBLE_DEVICES", "ACCELERATE_BYPASS_DEVICE_MAP", "set_visible_devices"],
    /// The variable that skips accelerate's check of a device map.
    DeviceMapBypass: ["ACCELERATE_BYPASS_DEVICE_MAP"],
    /// Interpolations and directives of Hydra and OmegaConf.
    HydraConfig: ["# @package", "_target_:", "${oc.", ": ${"],
    /// A statement of a Jinja template.
    TemplateStatement: ["{%"],
    /// A mark of a Jinja, ERB or similar template.
    TemplateMark: ["{{", "{%", "<%"],
    /// A placeholder of cookiecutter.
    Cookiecutter: ["{{cookiecutter."],
    /// A dollar sign, as in `${NAME}`.
    Dollar: ["$"],
    /// A library or function that reads configuration files.
    ConfigReader: ["yaml", "omegaconf", "OmegaConf", "parse_args_and_config"],
    /// The methods of an argument parser that read a file of arguments.
    ArgumentFileParser: ["parse_yaml_file", "parse_args_and_config"],
    /// 8-bit floating-point training.
    Fp8: ["fp8"],
    /// A library or image that provides fp8.
    Fp8Library:
        ["nvcr.io/nvidia/", "transformer_engine", "transformer-engine", "TransformerEngine", "torchao", "msamp", "MS-AMP"],
    /// Functions and classes that put adapters on a model.
    AdapterCode: ["get_peft_model", "PeftModel", "add_adapter", "load_adapter", "inject_adapter", "get_lora_model"],
    /// Attention functions that a project registers itself.
    CustomAttention: ["AttentionInterface", "ALL_ATTENTION_FUNCTIONS"],
    /// An item of `os.environ`.
    EnvironItem: ["os.environ["],
    /// CUDA, by its name in code.
    Cuda: ["cuda"],
    /// Code that uses a GPU, directly or through a library.
    GpuCode: ["cuda", "accelerate", "deepspeed"],
    /// A program or worker that code starts; it gets the environment of its parent.
    ProcessStart: [
        "subprocess",
        "os.system",
        "os.exec",
        "os.spawn",
        "Popen",
        "Process(",
        "spawn(",
        "ray.init",
        "notebook_launcher",
        "LLM(",
    ],
    /// Processes that code starts with `subprocess` or `multiprocessing`.
    ProcessSpawn: ["spawn", "Process(", "Popen", "subprocess"],
    /// A process group that is told its rank, size or meeting point in code.
    ExplicitRank: ["rank=", "init_method=", "store=", "world_size="],
    /// A call that creates a process group.
    ProcessGroupInit: ["init_process_group(", "deepspeed.init_distributed(", "deepspeed.initialize("],
    /// A command that starts several processes or machines.
    ParallelStart: ["srun", "mpirun", "mpiexec", "ssh ", "pdsh", "SBATCH", "parallel", "xargs"],
    /// A launcher of MPI or Slurm.
    MpiLauncher: ["mpirun", "mpiexec", "srun"],
    /// A directive of a job scheduler, which may pass variables into the environment of a script.
    JobEnvironment: ["#SBATCH", "#PBS", "#BSUB", "--export"],
    /// A shell that exports every variable.
    ExportAll: ["set -a", "allexport"],
    /// A path of a Unix system.
    UnixPath: ["/usr/"],
    /// Processes that share a GPU or use none.
    CpuProcesses: ["gloo", "% torch.cuda.device_count()"],
    /// An import from transformers, TRL or PEFT.
    HuggingFaceImport: ["from transformers", "from trl", "from peft"],
    /// unsloth, which replaces classes of TRL.
    Unsloth: ["unsloth"],
    /// Code that controls gradient accumulation.
    AccumulationControl:
        ["accumulate(", "no_sync", "sync_gradients", "DeepSpeed", "deepspeed", "% accum", "% grad", "% gas"],
    /// A remainder, as in `step % accumulation_steps`.
    Modulo: ["%"],
    /// A call that clears gradients.
    ZeroGradCall: [".zero_grad("],
    /// A library or statement that clears gradients without `zero_grad`.
    GradientsClearedElsewhere: ["Accelerator", "deepspeed", "Fabric", ".grad = None", ".grad.zero_"],
    /// Code that scales the loss or the gradients elsewhere, or whose loss is a sum.
    LossScaledElsewhere: [
        "Accelerator",
        "deepspeed",
        "Fabric",
        "lightning",
        ".grad.",
        "grad /=",
        "reduction=\"sum\"",
        "reduction='sum'",
        "num_items",
    ],
    /// A call that empties the cache of torch's allocator.
    EmptyCache: ["empty_cache"],
    /// A function or class that collates rows.
    Collator: ["ollat", "OLLAT"],
    /// A tokenizer that cuts rows.
    Truncation: ["truncation"],
    /// A module of `torch.utils`.
    TorchUtils: ["torch.utils"],
    /// A call of torch's `checkpoint`, or an import of it under another name.
    CheckpointCall: ["checkpoint(", "checkpoint_sequential(", "utils.checkpoint", "import checkpoint"],
    /// torch.
    Torch: ["torch"],
    /// A backward pass that keeps its graph.
    RetainGraph: ["retain_graph"],
    /// A backward pass that builds a graph of its own.
    CreateGraph: ["create_graph"],
    /// Code that computes without gradients.
    GradientsOff: ["no_grad", "inference_mode", "set_grad_enabled", "requires_grad_(False", "autograd.grad"],
    /// Code that may add adapters to a model.
    Adapters: ["peft", "lora", "Lora", "LoRA", "LORA", "adapter", "Adapter"],
    /// Code that may keep parameters from being trained.
    FrozenParameters: ["requires_grad", "freeze", "frozen"],
    /// Code that may learn from what it computes.
    Learning: ["backward", "step(", "autograd", ".detach", "Trainer", "yield "],
    /// A model that is switched to evaluation.
    EvaluationMode: [".eval()"],
    /// The hidden size of a model.
    HiddenSize: ["hidden_size"],
    /// DeepSpeed's activation checkpointing, under any name that it may be imported by.
    DeepSpeedCheckpointing:
        ["checkpointing.configure", "deepspeed.checkpointing", "import checkpointing", "checkpointing.checkpoint", "megatron"],
    /// Groups of processes that code brings itself: an mpu, a pipeline, a device mesh.
    ModelParallelGroups: ["mpu=", "PipelineModule", "mesh_param="],
    /// A wrap policy of FSDP, or a plugin that may hold one.
    FsdpWrapPolicy: ["wrap_policy", "FullyShardedDataParallelPlugin", "fsdp_config"],
    /// FSDP, switched on outside of the training arguments.
    FsdpUse: ["use_fsdp", "distributed_type: FSDP", "FullyShardedDataParallelPlugin"],
    /// accelerate's `split_batches`, with any value.
    SplitBatchesMention: ["split_batches"],
    /// A data type, in any spelling.
    Dtype: ["dtype"],
    /// Code that may compute in less than 32 bits, or leaves that to a library.
    LowPrecision: [
        "autocast", ".amp", "GradScaler", "float16", "bf16", "fp16", ".half(", "precision", "apex", "deepspeed", "Accelerator", "Fabric",
    ],
    /// What computes in another type than that of the weights.
    Autocast: [
        "autocast", "GradScaler", "MixedPrecision", "mixed_precision=", "amp.initialize", "amp.scale_loss", "apex.fp16", "deepspeed",
        "Accelerator", "Fabric", "float8", "Float8",
    ],
    /// A call that changes the data type in which torch makes parameters.
    DefaultDtype: ["set_default_dtype", "set_default_tensor_type", "default_dtype"],
    /// Code that may complete the DeepSpeed configuration of accelerate's file.
    DeepSpeedConfigAccess: ["deepspeed_config[", "deepspeed_plugin.", "hf_ds_config"],
    /// Code that may complete the DeepSpeed configuration of a plugin.
    PluginConfigAccess: ["deepspeed_config[", "deepspeed_plugin.", "plugin.hf_ds_config"],
    /// A call of `deepspeed.initialize`.
    DeepSpeedInitialize: ["deepspeed.initialize("],
}

/// The features of a file, or of several files together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFeatures(u128);

impl FileFeatures {
    /// Finds the features of a text, in one pass.
    pub fn scan(text: &str) -> Self {
        Self(SCANNER.scan(text.as_bytes()))
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

/// Parts of a text that are read side by side: each step in a part waits for the step before it, but not for the other parts.
const PARTS: usize = 4;
/// Shorter texts are read in one part, bytes.
const MIN_SPLIT: usize = 512;

/// The words of all features, each once, and the features that each of them shows.
struct Scanner {
    words: DFA,
    features: Vec<u128>,
    start: StateID,
    /// Bytes that a part reads of the next one: the longest word may begin in its last byte.
    overlap: usize,
}

impl Scanner {
    fn scan(&self, text: &[u8]) -> u128 {
        let mut found = 0;
        if text.len() < MIN_SPLIT {
            self.read(self.start, text, &mut found);
            return found;
        }
        let length = text.len().div_ceil(PARTS);
        let part = |index: usize| &text[index * length..((index + 1) * length + self.overlap).min(text.len())];
        let parts: [&[u8]; PARTS] = std::array::from_fn(part);
        let shared = parts.iter().map(|part| part.len()).min().unwrap_or(0);
        let heads = parts.map(|part| &part[..shared]);
        let mut states = [self.start; PARTS];
        for at in 0..shared {
            for (state, head) in states.iter_mut().zip(&heads) {
                *state = self.step(*state, head[at], &mut found);
            }
        }
        for (state, part) in states.into_iter().zip(&parts) {
            self.read(state, &part[shared..], &mut found);
        }
        found
    }

    fn read(&self, mut state: StateID, bytes: &[u8], found: &mut u128) {
        for byte in bytes {
            state = self.step(state, *byte, found);
        }
    }

    /// The state after a byte; adds the features of the words that end there.
    #[expect(clippy::inline_always, reason = "it is most of the work in a large repository")]
    #[inline(always)]
    fn step(&self, state: StateID, byte: u8, found: &mut u128) -> StateID {
        let next = self.words.next_state(Anchored::No, state, byte);
        if self.words.is_special(next) && self.words.is_match(next) {
            for index in 0..self.words.match_len(next) {
                *found |= self.features[self.words.match_pattern(next, index).as_usize()];
            }
        }
        next
    }
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let (mut words, mut features): (Vec<&'static str>, Vec<u128>) = (Vec::new(), Vec::new());
    for feature in Feature::ALL {
        for word in feature.words() {
            if let Some(index) = words.iter().position(|known| known == word) {
                features[index] |= bit(*feature);
            } else {
                words.push(word);
                features.push(bit(*feature));
            }
        }
    }
    let overlap = words.iter().map(|word| word.len()).max().unwrap_or(1) - 1;
    // One table lookup for each byte; most of a large repository is only ever scanned.
    let words = DFA::builder().start_kind(StartKind::Unanchored).prefilter(false).build(words);
    let words = words.expect("the words are few and short");
    let start = words.start_state(Anchored::No).expect("the automaton is unanchored");
    Scanner { words, features, start, overlap }
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
                let source = format!("前 x{word}y\n");
                let found = FileFeatures::scan(&source);
                for other in Feature::ALL {
                    let contains = other.words().iter().any(|word| source.contains(word));
                    assert_eq!(found.has(*other), contains, "{other:?} in {source:?}");
                }
                assert!(found.has(*feature), "{feature:?} in {source:?}");
            }
        }
        assert_eq!(FileFeatures::scan("import json\n"), FileFeatures::default());
    }

    #[test]
    fn a_word_is_found_wherever_it_stands_in_a_long_text() {
        let word = "ACCELERATE_BYPASS_DEVICE_MAP";
        for length in [MIN_SPLIT - 1, MIN_SPLIT, MIN_SPLIT + 1, 2 * MIN_SPLIT + 3] {
            for at in 0..=length - word.len() {
                let mut text = " ".repeat(length);
                text.replace_range(at..at + word.len(), word);
                assert!(FileFeatures::scan(&text).has(Feature::DeviceMapBypass), "at {at} of {length}");
                assert!(!FileFeatures::scan(&text[..at + word.len() - 1]).has(Feature::DeviceMapBypass));
            }
        }
    }

    #[test]
    fn words_inside_of_other_words_count() {
        let found = FileFeatures::scan("from torch.nn.parallel import DistributedDataParallel");
        assert!(found.has(Feature::DistributedTraining));
        // `trl` is in `ctrl_c`: a feature says what may be there, not what is.
        assert!(FileFeatures::scan("def on_ctrl_c(): pass").has(Feature::TrainingCode));
    }

    #[test]
    fn sets_join() {
        let both = FileFeatures::scan("yaml").union(FileFeatures::scan("__main__"));
        assert!(both.has(Feature::Yaml) && both.has(Feature::MainGuard) && both.has_any(&[Feature::RayInit, Feature::Yaml]));
        assert!(!both.has(Feature::RayInit));
        assert_eq!(both, FileFeatures::scan("yaml\n__main__"));
        let collected: FileFeatures = [Feature::Yaml, Feature::MainGuard].into_iter().collect();
        assert!(collected.has(Feature::Yaml) && collected.has(Feature::MainGuard) && !collected.has(Feature::RayInit));
    }
}
