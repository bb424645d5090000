//! DeepSpeed: which file the run uses, what it says, and what `auto` leaves to others.
//!
//! Facts: `deepspeed.md` sections 2 and 3, `accelerate.md` sections 3b to 3d and 4.

use super::settle::{Layer, Offers, known};
use crate::setting::{Candidate, Origin};
use crate::{Kind, SourceFile};
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
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

/// Offers what DeepSpeed's file says. `auto` is nobody's value: it is left out, so that who fills it wins.
pub(super) fn offer_file(offers: &mut Offers, file: &SourceFile, train_batch: &mut Option<Candidate>) {
    let loader =
        if file.data().is_some_and(|data| data.json) { Loader::Json } else { super::data::loader_of(file, Kind::DeepSpeed) };
    for (path, concept) in KEYS {
        if let Some(candidate) = super::data::lookup(file, path, loader).filter(|candidate| !is_auto(candidate)) {
            offers.offer(*concept, Layer::Decided, candidate);
        }
    }
    *train_batch = super::data::lookup(file, &["train_batch_size"], loader).filter(|candidate| !is_auto(candidate));
    for (block, name) in [("bf16", "bf16"), ("bfloat16", "bf16"), ("fp16", "fp16")] {
        if let Some(mut candidate) = super::data::lookup(file, &[block, "enabled"], loader)
            && candidate.known() == Some(&Value::Bool(true))
        {
            candidate.value = crate::Resolved::Known(Value::Text(name.to_owned()));
            offers.offer(Concept::MixedPrecision, Layer::Decided, candidate);
        }
    }
}

/// Offers the keys of accelerate's own `deepspeed_config` block.
pub(super) fn offer_block(offers: &mut Offers, file: &SourceFile) {
    for (key, concept) in BLOCK {
        let loader = super::data::loader_of(file, Kind::Accelerate);
        if let Some(candidate) =
            super::data::lookup(file, &["deepspeed_config", key], loader).filter(|candidate| !is_auto(candidate))
        {
            // The launcher exports it, and the environment beats the argument of Accelerator().
            offers.offer(*concept, Layer::Decided, candidate);
        }
    }
}

/// The stage that accelerate takes where neither file, flag nor code names one.
pub(super) fn default_stage() -> Candidate {
    let source = "accelerate 1.15.0 utils/dataclasses.py DeepSpeedPlugin.zero_stage".to_owned();
    known(Value::Int(2), "", Origin::Default { tool: "accelerate", source })
}

/// Whether a value is the text `auto`.
fn is_auto(candidate: &Candidate) -> bool {
    candidate.known().and_then(Value::as_str) == Some("auto")
}

/// A missing factor from `train_batch_size`: the engine computes it (config.py, section 3 of the reference).
pub(super) fn quotient(total: &Candidate, others: &[i64], missing: Concept) -> Option<Candidate> {
    let total = total.known()?.as_int()?;
    let product = others.iter().try_fold(1i64, |product, n| product.checked_mul(*n))?;
    if product <= 0 || total % product != 0 {
        return None;
    }
    let formula = format!(
        "train_batch_size / {} = {total} / {product}",
        if missing == Concept::MicroBatch { "(steps x processes)" } else { "(rows x processes)" }
    );
    Some(Candidate {
        value: crate::Resolved::Known(Value::Int(total / product)),
        raw: String::new(),
        origin: Origin::Derived { formula, inputs: vec![Concept::WorldSize] },
        condition: None,
        assumptions: vec![message!("DeepSpeed divides train_batch_size", "DeepSpeed 由 train_batch_size 推算")],
    })
}
