//! Whether one process gives samples to several GPUs.
//!
//! Started by plain `python`, transformers' Trainer wraps the model in `nn.DataParallel` over every visible GPU and multiplies the batch
//! by their number (transformers 5.23.0 `trainer.py:2667`, `training_args.py:1824`), unless `device_map` has spread the model: the GPUs then
//! share each sample (`trainer.py:459-508`). TRL raises an error for several visible GPUs since 1.15 (`sft_trainer.py:1117`).

use super::precedence::CandidateSet;
use super::world_size::{WorldSizeInput, visible_gpus};
use crate::code::ModelLoad;
use crate::versions::{RangeMatch, VersionRange};
use vramlint_base::{Message, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};

/// The releases of TRL that train on one GPU or not at all.
const REFUSES: VersionRange = VersionRange::since("trl", "1.15");

/// The GPUs to which one process gives samples of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowSpreading {
    /// One.
    One,
    /// Several of a known number.
    Several,
    /// All that are visible, and their number is not known.
    Unknown,
}

impl WorldSizeInput<'_> {
    /// The GPUs to which the only process gives samples of their own.
    pub(super) fn row_spreading(&self, candidates: &CandidateSet) -> RowSpreading {
        let by_python = self.launch.is_none_or(|launch| launch.launcher == Launcher::Python);
        let trl = self.dialect == Dialect::Trl && self.graph.version_matches(self.file, &REFUSES) != RangeMatch::Always;
        if !by_python || !(self.dialect.spreads_rows || trl) || self.model_is_spread() || self.slurm_tasks().is_some() {
            return RowSpreading::One;
        }
        let gpus = match candidates.current_value(Concept::VisibleDevices) {
            Some(Value::Text(text)) => Some(visible_gpus(text)),
            Some(_) => Some(1),
            None if candidates.has_explicit(Concept::VisibleDevices) => None,
            None => self.gpus(),
        };
        match gpus {
            None => RowSpreading::Unknown,
            Some(n) if n > 1 => RowSpreading::Several,
            Some(_) => RowSpreading::One,
        }
    }

    /// Whether the GPUs share each sample: the trained model is loaded across them, or by Unsloth, which trains on one.
    fn model_is_spread(&self) -> bool {
        let mut trained =
            self.code.into_iter().flat_map(|code| &code.models).filter(|model| model.trained == Some(true)).peekable();
        trained.peek().is_some() && trained.all(|model| model.class.starts_with("unsloth.") || has_spreading_map(model))
    }

    /// Why the samples of a step are not known although the processes are.
    pub(super) fn nn_data_parallel_reason(&self, candidates: &CandidateSet) -> Option<Message> {
        (self.row_spreading(candidates) != RowSpreading::One).then(|| {
            message!(
                "one process spreads the samples over several GPUs (nn.DataParallel)",
                "单进程会把样本分到多张 GPU（nn.DataParallel）"
            )
        })
    }
}

/// Whether every value that `device_map` may have places layers on all GPUs.
fn has_spreading_map(model: &ModelLoad) -> bool {
    let spreads = |value: Option<&Value>| {
        value.and_then(Value::as_str).is_some_and(|text| matches!(text, "auto" | "balanced" | "balanced_low_0"))
    };
    !model.device_map.is_empty() && model.device_map.iter().all(|map| spreads(map.candidate.known()))
}
