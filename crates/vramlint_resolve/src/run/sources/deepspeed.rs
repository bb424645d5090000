//! Candidates from DeepSpeed's file, from the launcher's DeepSpeed flags and from accelerate's `deepspeed_config` block.
//!
//! Sources: deepspeed 0.19.8 `runtime/config.py`, transformers 5.23.0 `integrations/deepspeed.py`, accelerate 1.15.0
//! `utils/dataclasses.py` (`DeepSpeedPlugin`).

use super::super::precedence::{CandidateSet, SourceLayer, known};
use crate::launch::Launch;
use crate::setting::{Candidate, Origin};
use crate::{FileKind, SourceFile};
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, flags};
use vramlint_syntax::data::Loader;

/// Keys of DeepSpeed's file and what they mean.
const KEYS: &[(&[&str], Concept)] = &[
    (&["train_micro_batch_size_per_gpu"], Concept::MicroBatch),
    (&["gradient_accumulation_steps"], Concept::GradientAccumulationSteps),
    (&["zero_optimization", "stage"], Concept::ZeroStage),
    (&["zero_optimization", "offload_optimizer", "device"], Concept::OffloadOptimizer),
    (&["zero_optimization", "offload_param", "device"], Concept::OffloadParam),
    (&["optimizer", "type"], Concept::Optimizer),
    (&["optimizer", "params", "lr"], Concept::LearningRate),
];

/// Keys of accelerate's `deepspeed_config` block.
const BLOCK: &[(&str, Concept)] = &[
    ("gradient_accumulation_steps", Concept::GradientAccumulationSteps),
    ("zero_stage", Concept::ZeroStage),
    ("offload_optimizer_device", Concept::OffloadOptimizer),
    ("offload_param_device", Concept::OffloadParam),
];

/// Adds the settings of DeepSpeed's file. `auto` is not a value and is left out, so that whatever fills it wins.
///
/// Under a trainer a number must equal the trainer's argument, so neither beats the other. Without a trainer the engine's number holds,
/// except for the micro-batch, which is that of the data loader.
pub(in crate::run) fn add_file(
    candidates: &mut CandidateSet,
    file: &SourceFile,
    trainer: bool,
    train_batch: &mut Option<Candidate>,
) {
    let loader = if file.is_json() { Loader::Json } else { super::data_file::loader_of(file, FileKind::DeepSpeed) };
    for (path, concept) in KEYS {
        if let Some(candidate) = super::data_file::candidate_at(file, path, loader).filter(|candidate| !is_auto(candidate)) {
            // The optimizer of the file replaces that of the arguments (transformers 5.23.0 `integrations/deepspeed.py`).
            let replaces = is_zero(*concept) || *concept == Concept::Optimizer;
            let matched = trainer && !replaces || *concept == Concept::MicroBatch;
            candidates.add(*concept, if matched { SourceLayer::Decided } else { SourceLayer::Engine }, candidate);
        }
    }
    *train_batch = super::data_file::candidate_at(file, &["train_batch_size"], loader).filter(|candidate| !is_auto(candidate));
    for (block, name) in [("bf16", "bf16"), ("bfloat16", "bf16"), ("fp16", "fp16")] {
        if let Some(mut candidate) = super::data_file::candidate_at(file, &[block, "enabled"], loader)
            && candidate.known() == Some(&Value::Bool(true))
        {
            candidate.value = crate::Resolved::Known(Value::Text(name.to_owned()));
            candidates.add(Concept::MixedPrecision, if trainer { SourceLayer::Decided } else { SourceLayer::Engine }, candidate);
        }
    }
}

/// accelerate sets a missing accumulation to 1, whatever the argument of `Accelerator()` is (accelerate 1.15.0, measured).
pub(in crate::run) fn add_missing_accumulation(candidates: &mut CandidateSet, file: &SourceFile) {
    let written = file.data().and_then(|data| data.root()?.get("gradient_accumulation_steps")).is_some();
    if !written {
        let source = "accelerate 1.15.0 accelerate/utils/dataclasses.py DeepSpeedPlugin".to_owned();
        let origin = Origin::Default { tool: "accelerate", source };
        candidates.add(Concept::GradientAccumulationSteps, SourceLayer::Engine, known(Value::Int(1), "", origin));
    }
}

const fn is_zero(concept: Concept) -> bool {
    matches!(concept, Concept::ZeroStage | Concept::OffloadOptimizer | Concept::OffloadParam)
}

/// Adds the flags of `accelerate launch` that only DeepSpeed reads. Next to a DeepSpeed file they only fill `auto`; the file's own
/// numbers beat them.
pub(in crate::run) fn add_flags(candidates: &mut CandidateSet, launch: &Launch, trainer: bool) {
    for flag in &launch.flags {
        let Some(concept) = flags::flag(launch.launcher, &flag.name).and_then(|known| known.concept) else { continue };
        let accumulation = concept == Concept::GradientAccumulationSteps;
        if let Some(word) = flag.values.first().filter(|_| is_zero(concept) || accumulation) {
            let layer = if accumulation && trainer { SourceLayer::Decided } else { SourceLayer::LauncherFlag };
            candidates.add(concept, layer, super::cli::candidate_from_word(launch, word, &flag.name));
        }
    }
}

/// Adds the keys of accelerate's own `deepspeed_config` block.
pub(in crate::run) fn add_block(candidates: &mut CandidateSet, file: &SourceFile, trainer: bool) {
    for (key, concept) in BLOCK {
        let loader = super::data_file::loader_of(file, FileKind::Accelerate);
        if let Some(candidate) =
            super::data_file::candidate_at(file, &["deepspeed_config", key], loader).filter(|candidate| !is_auto(candidate))
        {
            // The launcher exports it, and the environment beats the argument of Accelerator().
            let matched = trainer && !is_zero(*concept);
            candidates.add(*concept, if matched { SourceLayer::Decided } else { SourceLayer::LauncherFile }, candidate);
        }
    }
}

/// Whether a value is the string `auto`.
fn is_auto(candidate: &Candidate) -> bool {
    candidate.known().and_then(Value::as_str) == Some("auto")
}

/// A missing factor of `train_batch_size`, as the engine computes it (deepspeed 0.19.8 deepspeed/runtime/config.py:588-655).
pub(in crate::run) fn quotient(total: &Candidate, others: &[i64], missing: Concept) -> Option<Candidate> {
    let total = total.known()?.as_int()?;
    let product = others.iter().try_fold(1i64, |product, n| product.checked_mul(*n))?;
    if product <= 0 || total % product != 0 {
        return None;
    }
    let formula = if missing == Concept::MicroBatch {
        message!(
            "train_batch_size / (accumulation steps × processes) = {total} / {product}",
            "train_batch_size /（梯度累积步数 × 进程数）= {total} / {product}"
        )
    } else {
        message!(
            "train_batch_size / (micro-batch × processes) = {total} / {product}",
            "train_batch_size /（微批大小 × 进程数）= {total} / {product}"
        )
    };
    Some(Candidate {
        value: crate::Resolved::Known(Value::Int(total / product)),
        raw: String::new(),
        origin: Origin::Derived { formula, inputs: vec![Concept::WorldSize] },
        condition: None,
        assumptions: vec![message!("DeepSpeed computes it from `train_batch_size`", "DeepSpeed 由 `train_batch_size` 算出")],
    })
}
