//! What `auto` means as the value of a setting, and a switch that leaves the type open.

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

/// The candidate with `auto` replaced by its meaning. For the gradient norm, `auto` is not a value: the tool that fills it in sets it. For
/// DeepSpeed's buckets it is a number that depends on the model (transformers 5.23.0 integrations/deepspeed.py, `hidden_size`).
pub(super) fn without_auto(concept: Concept, mut candidate: Candidate) -> Option<Candidate> {
    if concept == Concept::MixedPrecision && candidate.known() == Some(&Value::Bool(true)) {
        let why = message!(
            "it is switched on, and the code decides whether it is bf16 or fp16",
            "已开启，由代码决定采用 bf16 还是 fp16"
        );
        candidate.value = Resolved::Unknown(why);
        return Some(candidate);
    }
    if candidate.known().and_then(Value::as_str) != Some("auto") {
        return Some(candidate);
    }
    if concept == Concept::MaxGradNorm {
        return None;
    }
    if ENGINE.contains(&concept) {
        let why = match concept {
            Concept::ReduceBucketSize => {
                message!("`auto`: the square of the model's hidden size", "`auto`：模型 hidden_size 的平方")
            }
            Concept::Stage3PrefetchBucketSize => {
                message!("`auto`: 0.9 × the square of the model's hidden size", "`auto`：0.9 × 模型 hidden_size 的平方")
            }
            Concept::Stage3ParamPersistenceThreshold => {
                message!("`auto`: 10 × the model's hidden size", "`auto`：10 × 模型的 hidden_size")
            }
            _ => message!("nothing fills in `auto` here", "此处没有程序填充 `auto`"),
        };
        candidate.value = Resolved::Unknown(why);
    }
    Some(candidate)
}
