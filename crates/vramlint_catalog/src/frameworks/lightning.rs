//! Lightning: its Trainer in Python, and the YAML of LightningCLI.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework, Loss, Processes};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// Lightning. Its Trainer starts a process for each device (pytorch-lightning 2.6.6 trainer/trainer.py: `devices="auto"`).
pub(super) static FRAMEWORK: Framework = Framework {
    id: "lightning",
    name: "Lightning",
    package: "pytorch-lightning",
    keys: &[KEYS, KEYS_OF_MEMORY],
    batch: BatchArithmetic { source: "pytorch-lightning 2.6.6 trainer/trainer.py", ..COMMON.batch },
    processes: Processes::Devices,
    estimate: EstimateTraits { loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

/// pytorch-lightning 2.6.6 trainer/trainer.py, and how LightningCLI nests it.
const KEYS: &[Row] = &[
    ("accumulate_grad_batches", C::GradientAccumulationSteps, Given),
    ("trainer.accumulate_grad_batches", C::GradientAccumulationSteps, Given),
    ("precision", C::MixedPrecision, Precision),
    ("trainer.precision", C::MixedPrecision, Precision),
    ("devices", C::NumProcesses, Devices),
    ("trainer.devices", C::NumProcesses, Devices),
    ("num_nodes", C::NumMachines, Given),
    ("trainer.num_nodes", C::NumMachines, Given),
    ("max_epochs", C::Epochs, Positive),
    ("trainer.max_epochs", C::Epochs, Positive),
    ("max_steps", C::MaxSteps, Positive),
    ("trainer.max_steps", C::MaxSteps, Positive),
    ("strategy", C::ZeroStage, PresetStage),
    ("trainer.strategy", C::ZeroStage, PresetStage),
    ("data.batch_size", C::MicroBatch, Given),
    ("data.init_args.batch_size", C::MicroBatch, Given),
    ("data.num_workers", C::DataloaderWorkers, Given),
    ("data.init_args.num_workers", C::DataloaderWorkers, Given),
    ("DataLoader.batch_size", C::MicroBatch, Given),
    ("DataLoader.num_workers", C::DataloaderWorkers, Given),
];

/// pytorch-lightning 2.6.6 trainer/trainer.py.
const KEYS_OF_MEMORY: &[Row] = &[("gradient_clip_val", C::MaxGradNorm, Given), ("trainer.gradient_clip_val", C::MaxGradNorm, Given)];
