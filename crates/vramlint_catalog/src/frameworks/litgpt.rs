//! litgpt: the YAML files of its `config_hub`, and `litgpt finetune_lora`. Read in 0.3.1 to 0.5.13.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    Accumulation, ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, ConfigLoader, EstimateTraits, FILES, FileTypes,
    Framework, Loss, Processes, Unknown, UnknownKeys,
};
use super::evidence::{
    Evidence,
    KeyTest::{Has, HasInside},
};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::spec::{ConfigArgument, FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// litgpt.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "litgpt",
    name: "litgpt",
    package: "litgpt",
    keys: &[KEYS],
    second: SECOND,
    four_bits: ("nf4", false),
    table: Some(("litgpt", || crate::classes::load!("litgpt"))),
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: true,
            key: Some("global_batch_size"),
            all: &[HasInside("train", "global_batch_size"), HasInside("train", "micro_batch_size")],
            any: &[Has("checkpoint_dir"), Has("model_name"), Has("logger_name"), Has("lora_query")],
        }],
        loader: ConfigLoader::JsonArgparse,
        refuses_tags: true,
        ..FILES
    }),
    classes: ArgumentClasses {
        by_command: &[
            (&["finetune", "finetune_lora", "lora"], "litgpt.finetune_lora"),
            (&["finetune_full", "full"], "litgpt.finetune_full"),
            (&["finetune_adapter", "adapter"], "litgpt.finetune_adapter"),
            (&["finetune_adapter_v2", "adapter_v2"], "litgpt.finetune_adapter_v2"),
            (&["pretrain"], "litgpt.pretrain"),
        ],
        by_key: &[
            ("lora_r", "litgpt.finetune_lora"),
            ("lora_query", "litgpt.finetune_lora"),
            ("model_name", "litgpt.pretrain"),
        ],
        complete: true,
        ..COMMON.classes
    },
    tasks: &[
        (&["finetune", "finetune_lora", "lora"], "sft"),
        (&["finetune_full", "full", "finetune_adapter", "adapter", "finetune_adapter_v2", "adapter_v2"], "sft"),
        (&["pretrain"], "pretrain"),
    ],
    // jsonargparse refuses what the signature lacks, in the file as on the command line.
    unknown_keys: UnknownKeys {
        in_file: Unknown::StopsUnlessNew,
        on_command_line: Unknown::StopsUnlessNew,
        ..COMMON.unknown_keys
    },
    file_types: FileTypes::Declared,
    // It floors twice: the rows of a process, and the micro-batches of these.
    batch: BatchArithmetic {
        accumulation: Accumulation::OfWhole,
        whole: &["train.global_batch_size"],
        source: "litgpt 0.5.13 litgpt/args.py:52-63",
        ..COMMON.batch
    },
    is_standalone: true,
    // litgpt 0.5.13 utils.py:555 `parse_devices`: `auto` and -1 are every GPU.
    processes: Processes::Devices,
    estimate: EstimateTraits { is_played: false, loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

/// `litgpt finetune_lora CHECKPOINT --config FILE`; up to 0.3 `litgpt finetune lora`.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "litgpt",
    commands: &[
        command(&["litgpt"]).starting(&[&["finetune"], &["lora", "full", "adapter", "adapter_v2"]]),
        command(&["litgpt"]).starting(&[&[
            "finetune",
            "finetune_lora",
            "finetune_full",
            "finetune_adapter",
            "finetune_adapter_v2",
            "pretrain",
        ]]),
    ],
    flags: FLAGS,
    dialect: Some(Dialect::Litgpt),
    config: ConfigArgument { option: Some("config"), positional: Some("checkpoint_dir"), ..COMMAND.config },
    is_enough: true,
    processes: ProcessCount::Devices,
    ..COMMAND
};

/// Signatures of `setup` in litgpt 0.5.13 finetune/*.py and pretrain.py, and litgpt/args.py.
const KEYS: &[Row] = &[
    ("checkpoint_dir", C::Model, Name),
    ("model_name", C::Model, Name),
    ("precision", C::MixedPrecision, Precision),
    ("quantize", C::Quantization, Quantization),
    ("devices", C::NumProcesses, Devices),
    ("num_nodes", C::NumMachines, Given),
    ("lora_r", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("lora_dropout", C::LoraDropout, Given),
    ("train.global_batch_size", C::EffectiveBatch, Given),
    ("train.micro_batch_size", C::MicroBatch, Given),
    ("train.epochs", C::Epochs, Given),
    ("train.max_steps", C::MaxSteps, Positive),
    ("train.max_seq_length", C::SequenceLength, Given),
    ("train.max_norm", C::MaxGradNorm, Given),
    ("train.learning_rate", C::LearningRate, Given),
    ("optimizer", C::Optimizer, Name),
    ("optimizer.class_path", C::Optimizer, Name),
    ("optimizer.init_args.lr", C::LearningRate, Given),
    ("data.num_workers", C::DataloaderWorkers, Given),
    ("data.init_args.num_workers", C::DataloaderWorkers, Given),
];

const SECOND: &[Row] = &[("lora_r", C::Method, Fixed("lora")), ("precision", C::WeightsDtype, TruePrecision)];

/// What every command of jsonargparse has.
static FLAGS: &[Flag] = &[Flag::switch(&["-h", "--help"]), Flag::with_value(&["--config", "-c"]), Flag::switch(&["--print_config"])];
