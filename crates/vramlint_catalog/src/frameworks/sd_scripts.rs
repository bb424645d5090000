//! sd-scripts: the options that its training scripts share.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework, UnreadFile};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// sd-scripts.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "sd-scripts",
    name: "sd-scripts",
    package: "sd-scripts",
    keys: &[KEYS],
    options: &[
        &["pretrained_model_name_or_path", "network_module"],
        &["pretrained_model_name_or_path", "network_dim"],
        &["pretrained_model_name_or_path", "dataset_config"],
        &["dataset_config", "network_module"],
        &["config_file", "network_module"],
    ],
    unread_files: &[
        UnreadFile { option: "config_file", sets: None },
        UnreadFile { option: "dataset_config", sets: Some(&[C::MicroBatch]) },
    ],
    batch: BatchArithmetic { source: "sd-scripts 0.9 library/train_util.py:3960", ..COMMON.batch },
    estimate: EstimateTraits { is_played: false, ..COMMON.estimate },
    ..COMMON
};

/// sd-scripts 0.9 library/train_util.py.
const KEYS: &[Row] = &[
    ("pretrained_model_name_or_path", C::Model, Name),
    ("network_module", C::Method, AdapterModule),
    ("network_dim", C::LoraR, Given),
    ("network_alpha", C::LoraAlpha, Given),
    ("network_dropout", C::LoraDropout, Given),
    ("learning_rate", C::LearningRate, Given),
    ("max_train_epochs", C::Epochs, Given),
    ("max_train_steps", C::MaxSteps, Positive),
    ("train_batch_size", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("mixed_precision", C::MixedPrecision, Precision),
    ("optimizer_type", C::Optimizer, Name),
    ("use_8bit_adam", C::Optimizer, Switch("AdamW8bit")),
    ("max_data_loader_n_workers", C::DataloaderWorkers, Given),
];
