//! What `auto` means as the value of a setting.

use crate::setting::{Candidate, Resolved};
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;

/// Sizes and switches of DeepSpeed that have a default in DeepSpeed itself.
pub(super) const ENGINE: &[Concept] = &[
    Concept::ReduceBucketSize,
    Concept::AllgatherBucketSize,
    Concept::Stage3PrefetchBucketSize,
    Concept::Stage3MaxLiveParameters,
    Concept::Stage3ParamPersistenceThreshold,
    Concept::SubGroupSize,
    Concept::OverlapComm,
    Concept::ContiguousGradients,
    Concept::ZeroHpzPartitionSize,
    Concept::ZeroQuantizedWeights,
    Concept::Gather16bitOnSave,
];

/// The candidate with `auto` replaced by what it means. For the norm of gradients `auto` is no value at all: whoever fills it sets it.
/// For DeepSpeed's buckets it is a number that depends on the model (transformers 5.23.0 integrations/deepspeed.py, `hidden_size`).
pub(super) fn without_auto(concept: Concept, mut candidate: Candidate) -> Option<Candidate> {
    if candidate.known().and_then(Value::as_str) != Some("auto") {
        return Some(candidate);
    }
    if concept == Concept::MaxGradNorm {
        return None;
    }
    if ENGINE.contains(&concept) {
        let why = match concept {
            Concept::ReduceBucketSize => {
                message!("auto: the square of the model's hidden size", "auto：取模型 hidden_size 的平方")
            }
            Concept::Stage3PrefetchBucketSize => {
                message!("auto: 0.9 times the square of the model's hidden size", "auto：取模型 hidden_size 平方的 0.9 倍")
            }
            Concept::Stage3ParamPersistenceThreshold => {
                message!("auto: 10 times the model's hidden size", "auto：取模型 hidden_size 的 10 倍")
            }
            _ => message!("auto is not filled in here", "此处的 auto 无人填入"),
        };
        candidate.value = Resolved::Unknown(why);
    }
    Some(candidate)
}
