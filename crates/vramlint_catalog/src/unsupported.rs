//! Frameworks that vramlint knows by name only: what gives them away, so that nothing is read from their settings by mistake.
//!
//! A row names what no other framework has. Where two hold, the first of the list counts: a fork stands before what it was made from.

use crate::Concept;
use crate::frameworks::{FileKeys, is_same_option};
use std::ops::Deref;

/// A framework whose settings are not read.
#[derive(Debug)]
pub struct Row {
    /// A short name for files and logs.
    pub id: &'static str,
    /// As it calls itself.
    pub name: &'static str,
    /// Packages and modules that only it has; what is inside of them counts too.
    pub modules: &'static [&'static str],
    /// Keys of its training files, each group for itself: all of a group stand at the root, or in a block of the root (`block.key`).
    pub keys: &'static [&'static [&'static str]],
    /// Options of its training commands, each group for itself; `worker` also stands for `worker.actor`.
    pub options: &'static [&'static [&'static str]],
    /// What its command line sets under names that leave no doubt; this is read all the same.
    pub of_command_line: &'static [Concept],
    /// Whether its training is transformers' Trainer with the Trainer's own arguments, which its code shows where it is at hand.
    pub is_read_from_code: bool,
    /// Where this was read.
    pub source: &'static str,
}

const ROW: Row =
    Row { id: "", name: "", modules: &[], keys: &[], options: &[], of_command_line: &[], is_read_from_code: false, source: "" };

/// Megatron-LM core 0.13 megatron/training/arguments.py. The processes that share tensors, layers or a sequence are no batch.
const MEGATRON_OPTIONS: &[Concept] = &[
    Concept::MicroBatch,
    Concept::EffectiveBatch,
    Concept::SequenceLength,
    Concept::LearningRate,
    Concept::TensorParallelSize,
    Concept::ContextParallelSize,
    Concept::WorldSize,
];

static ROWS: &[Row] = &[
    Row {
        id: "easy-r1",
        name: "EasyR1",
        modules: &["verl.trainer.main"],
        keys: &[&["data", "algorithm", "worker.actor", "trainer"]],
        options: &[&["worker.actor"], &["worker.rollout"]],
        source: "EasyR1 0.3 verl/trainer/config.py, examples/config.yaml",
        ..ROW
    },
    Row {
        id: "verl",
        name: "verl",
        modules: &["verl"],
        keys: &[&["actor_rollout_ref"], &["data", "model.partial_pretrain", "trainer"]],
        options: &[&["actor_rollout_ref"], &["model.partial_pretrain"]],
        source: "verl 0.5 verl/trainer/config/*.yaml",
        ..ROW
    },
    Row {
        id: "slime",
        name: "slime",
        modules: &["slime.utils", "slime.ray", "slime.backends"],
        options: &[&["actor-num-nodes", "rollout-batch-size"], &["actor-num-gpus-per-node", "rollout-batch-size"]],
        source: "slime slime/utils/arguments.py",
        ..ROW
    },
    Row {
        id: "roll",
        name: "ROLL",
        modules: &["roll.pipeline", "roll.distributed", "roll.configs"],
        keys: &[&["actor_train", "actor_infer"], &["exp_name", "actor_train"], &["exp_name", "student_train"]],
        source: "ROLL roll/configs/base_config.py, examples/*/*.yaml",
        ..ROW
    },
    Row {
        id: "nemo-rl",
        name: "NeMo RL",
        modules: &["nemo_rl"],
        keys: &[
            &["policy", "cluster", "grpo"],
            &["policy", "cluster", "dpo"],
            &["policy", "cluster", "sft"],
            &["policy", "cluster", "ppo"],
            &["policy", "cluster", "rm"],
            &["policy", "cluster", "distillation"],
            &["defaults", "policy", "checkpointing"],
            &["defaults", "policy", "cluster"],
            &["defaults", "policy", "grpo"],
        ],
        source: "NeMo RL examples/configs/*.yaml",
        ..ROW
    },
    Row {
        id: "nemo-automodel",
        name: "NeMo Automodel",
        modules: &["nemo_automodel"],
        keys: &[&["step_scheduler", "dist_env"], &["recipe", "dist_env"], &["step_scheduler", "model._target_"]],
        source: "NeMo Automodel examples/*/*.yaml",
        ..ROW
    },
    Row {
        id: "nemo",
        name: "NeMo",
        modules: &["nemo.collections", "nemo.lightning", "nemo.core", "nemo.utils", "nemo_run", "megatron.bridge"],
        keys: &[
            &["trainer", "exp_manager"],
            &["trainer.strategy", "model.micro_batch_size"],
            &["trainer", "model", "init_from_nemo_model"],
        ],
        source: "NeMo 2.3 examples/*/conf/*.yaml",
        ..ROW
    },
    Row {
        id: "mindspeed",
        name: "MindSpeed",
        modules: &["mindspeed_llm", "mindspeed_mm", "mindspeed_rl", "mindspeed"],
        keys: &[&["actor_config", "rl_config"], &["megatron_training"]],
        of_command_line: MEGATRON_OPTIONS,
        source: "MindSpeed-LLM pretrain_gpt.py, configs/rlhf/*.yaml",
        ..ROW
    },
    Row {
        id: "gpt-neox",
        name: "GPT-NeoX",
        modules: &["megatron.neox_arguments"],
        keys: &[
            &["pipe_parallel_size"],
            &["pipe-parallel-size"],
            &["num_layers", "hidden_size", "train_micro_batch_size_per_gpu"],
            &["zero_optimization", "data_impl"],
            &["zero_optimization", "data-impl"],
        ],
        source: "GPT-NeoX 2.0 configs/*.yml, megatron/neox_arguments/neox_args.py",
        ..ROW
    },
    Row {
        id: "megatron-lm",
        name: "Megatron-LM",
        modules: &["megatron.training", "megatron.core", "megatron.legacy", "megatron.arguments", "megatron.initialize"],
        keys: &[&["MODEL_ARGS", "ENV_VARS"]],
        of_command_line: MEGATRON_OPTIONS,
        options: &[
            &["tensor-model-parallel-size", "micro-batch-size"],
            &["num-layers", "hidden-size", "num-attention-heads"],
            &["pipeline-model-parallel-size", "micro-batch-size"],
        ],
        source: "Megatron-LM core 0.13 megatron/training/arguments.py",
        ..ROW
    },
    Row {
        id: "torchtitan",
        name: "torchtitan",
        modules: &["torchtitan"],
        options: &[&["job.config_file"], &["training.local_batch_size"]],
        source: "torchtitan 0.2 torchtitan/config/job_config.py",
        ..ROW
    },
    Row {
        id: "nanotron",
        name: "nanotron",
        modules: &["nanotron"],
        keys: &[&["parallelism.dp", "model.model_config"], &["parallelism.dp", "tokens.micro_batch_size"]],
        source: "nanotron 0.4 src/nanotron/config/config.py",
        ..ROW
    },
    Row { id: "prime-rl", name: "prime-rl", modules: &["prime_rl", "zeroband"], source: "prime-rl src/prime_rl", ..ROW },
    Row {
        id: "llm-foundry",
        name: "LLM Foundry",
        modules: &["llmfoundry", "composer"],
        keys: &[
            &["max_duration", "train_loader"],
            &["max_duration", "global_train_batch_size", "model.name"],
            &["parameters.max_duration"],
        ],
        source: "LLM Foundry 0.22 scripts/train/yamls, Composer 0.31",
        ..ROW
    },
    Row {
        id: "olmo-core",
        name: "OLMo-core",
        modules: &["olmo_core", "olmo"],
        keys: &[&["global_train_batch_size", "device_train_microbatch_size", "model.d_model"]],
        source: "OLMo-core 2.1 src/olmo_core; OLMo 0.6 configs/*.yaml",
        ..ROW
    },
    Row {
        id: "colossalai",
        name: "ColossalAI",
        modules: &["colossalai", "coati"],
        source: "ColossalAI 0.5 colossalai/booster",
        ..ROW
    },
    Row {
        id: "trlx",
        name: "trlX",
        modules: &["trlx"],
        keys: &[&["train.total_steps", "method.name", "model.model_path"]],
        source: "trlX 0.7 trlx/data/configs.py",
        ..ROW
    },
    Row { id: "xtuner", name: "XTuner", modules: &["xtuner"], source: "XTuner 0.2 xtuner/tools/train.py", ..ROW },
    Row {
        id: "lmflow",
        name: "LMFlow",
        modules: &["lmflow"],
        is_read_from_code: true,
        source: "LMFlow 1.0 src/lmflow/args.py",
        ..ROW
    },
    Row {
        id: "flag-embedding",
        name: "FlagEmbedding",
        modules: &["FlagEmbedding"],
        is_read_from_code: true,
        source: "FlagEmbedding 1.3 FlagEmbedding/abc/finetune",
        ..ROW
    },
    Row {
        id: "lerobot",
        name: "LeRobot",
        modules: &["lerobot"],
        options: &[&["policy.type", "dataset.repo_id"], &["policy.path", "dataset.repo_id"]],
        source: "LeRobot 0.4 src/lerobot/configs/train.py",
        ..ROW
    },
    Row {
        id: "ai-toolkit",
        name: "AI Toolkit",
        modules: &["toolkit.job", "extensions_built_in.sd_trainer"],
        keys: &[&["job", "config.process"]],
        source: "AI Toolkit config/examples/*.yaml, run.py",
        ..ROW
    },
    Row {
        id: "musubi-tuner",
        name: "Musubi Tuner",
        modules: &["musubi_tuner"],
        options: &[&["dit", "vae", "network_module"], &["dit", "network_dim"]],
        source: "Musubi Tuner 0.2 src/musubi_tuner",
        ..ROW
    },
    Row {
        id: "one-trainer",
        name: "OneTrainer",
        modules: &["modules.util.config.TrainConfig", "modules.trainer.BaseTrainer"],
        keys: &[&["training_method", "base_model_name"]],
        source: "OneTrainer modules/util/config/TrainConfig.py",
        ..ROW
    },
    Row {
        id: "simpletuner",
        name: "SimpleTuner",
        modules: &["simpletuner", "helpers.configuration.loader", "helpers.training.state_tracker"],
        keys: &[
            &["--model_type", "--pretrained_model_name_or_path"],
            &["--model_family"],
            &["model_family", "data_backend_config"],
        ],
        source: "SimpleTuner 3.0 simpletuner/helpers/configuration",
        ..ROW
    },
    Row {
        id: "autotrain",
        name: "AutoTrain",
        modules: &["autotrain"],
        keys: &[&["task", "base_model", "project_name"]],
        source: "autotrain-advanced 0.8 configs/*.yml",
        ..ROW
    },
    Row {
        id: "ludwig",
        name: "Ludwig",
        modules: &["ludwig"],
        keys: &[&["input_features", "output_features"]],
        source: "Ludwig 0.10 ludwig/schema",
        ..ROW
    },
    Row {
        id: "oumi",
        name: "Oumi",
        modules: &["oumi"],
        keys: &[&["training.trainer_type", "model.model_name"]],
        source: "Oumi 0.4 src/oumi/core/configs",
        ..ROW
    },
    Row {
        id: "fairseq",
        name: "fairseq",
        modules: &["fairseq", "fairseq_cli"],
        source: "fairseq 0.12 fairseq/options.py",
        ..ROW
    },
    Row {
        id: "lightning-cli",
        name: "LightningCLI",
        keys: &[&["trainer", "model.class_path"], &["trainer", "data.class_path"]],
        source: "lightning 2.6 lightning/pytorch/cli.py",
        ..ROW
    },
];

/// A framework whose settings are not read: its number in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnsupportedFramework(usize);

impl Deref for UnsupportedFramework {
    type Target = Row;

    fn deref(&self) -> &Row {
        &ROWS[self.0]
    }
}

impl UnsupportedFramework {
    /// Every framework.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len()).map(Self)
    }

    /// The framework that a module belongs to: `verl.trainer.main_ppo`.
    pub fn of_module(module: &str) -> Option<Self> {
        Self::find(|row| row.modules.iter().any(|own| is_inside(module, own)))
    }

    /// The framework whose training file has these keys.
    pub fn of_keys(keys: &dyn FileKeys) -> Option<Self> {
        let has = |path: &&str| path.split_once('.').map_or_else(|| keys.has(path), |(block, key)| keys.has_inside(block, key));
        Self::find(|row| row.keys.iter().any(|group| group.iter().all(&has)))
    }

    /// The framework whose command has these options, with dashes or underscores inside.
    pub fn of_options(options: &[&str]) -> Option<Self> {
        let is = |given: &str, own: &str| {
            let block = given.get(..own.len()).filter(|_| given[own.len()..].starts_with('.'));
            is_same_option(block.unwrap_or(given), own)
        };
        let has = |own: &&str| options.iter().any(|given| is(given, own));
        Self::find(|row| row.options.iter().any(|group| group.iter().all(&has)))
    }

    fn find(holds: impl Fn(&Row) -> bool) -> Option<Self> {
        ROWS.iter().position(holds).map(Self)
    }
}

fn is_inside(module: &str, package: &str) -> bool {
    module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests;
