//! The keys that only decide about memory, with their values in canonical form.

use vramlint_base::Value;
use vramlint_catalog::Concept as C;
use vramlint_catalog::dialect::{Dialect as D, meaning, meanings};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

const ON: Value = Value::Bool(true);
const OFF: Value = Value::Bool(false);

#[track_caller]
fn check(dialect: D, path: &str, value: &Value, concept: C, expected: &Value) {
    let parts: Vec<_> = path.split('/').collect();
    let found = meaning(dialect, &parts, value).unwrap_or_else(|| panic!("{dialect:?} {path} {value:?} says nothing"));
    assert_eq!((found.concept, &found.value), (concept, expected), "{dialect:?} {path} {value:?}");
}

#[test]
fn every_concept_is_found_by_its_name_and_names_differ() {
    for concept in C::ALL {
        assert_eq!(C::from_name(concept.name()), Some(*concept));
    }
}

#[test]
fn fused_losses() {
    for (dialect, key, value, name) in [
        (D::HfTrainer, "use_liger_kernel", ON, "liger"),
        (D::HfTrainer, "use_liger_kernel", OFF, "none"),
        (D::Trl, "use_liger_loss", ON, "liger"),
        (D::Trl, "loss_type", text("chunked_nll"), "chunked"),
        (D::LlamaFactory, "enable_liger_kernel", ON, "liger"),
        (D::Axolotl, "liger_fused_linear_cross_entropy", ON, "liger"),
        (D::Axolotl, "cut_cross_entropy", ON, "cut-cross-entropy"),
        (D::MsSwift, "use_liger_kernel", text("true"), "liger"),
        (D::OpenRlhf, "ds/use_liger_kernel", ON, "liger"),
        (D::Torchtune, "loss/_component_", text("torchtune.modules.loss.LinearCrossEntropyLoss"), "chunked"),
    ] {
        check(dialect, key, &value, C::FusedLoss, &text(name));
    }
    assert_eq!(meaning(D::Trl, &["loss_type"], &text("dapo")), None, "the loss of another trainer");
}

#[test]
fn strategies_of_fsdp_have_words_numbers_and_truth_values() {
    let d = D::HfTrainer;
    check(d, "fsdp", &ON, C::FsdpSharding, &text("FULL_SHARD"));
    check(d, "fsdp", &text("shard_grad_op auto_wrap"), C::FsdpSharding, &text("SHARD_GRAD_OP"));
    check(d, "fsdp", &text("hybrid_shard_zero2"), C::FsdpSharding, &text("HYBRID_SHARD_ZERO2"));
    check(d, "fsdp", &Value::List(vec![text("full_shard"), text("offload")]), C::FsdpSharding, &text("FULL_SHARD"));
    assert_eq!(meaning(d, &["fsdp"], &OFF), None);
    assert_eq!(meaning(d, &["fsdp"], &text("")), None);
    check(D::Accelerate, "fsdp_config/fsdp_sharding_strategy", &Value::Int(2), C::FsdpSharding, &text("SHARD_GRAD_OP"));
    check(D::Accelerate, "fsdp_config/fsdp_sharding_strategy", &text("1"), C::FsdpSharding, &text("FULL_SHARD"));
    assert_eq!(meaning(D::Accelerate, &["fsdp_config", "fsdp_sharding_strategy"], &Value::Int(9)), None);
}

#[test]
fn one_key_may_speak_of_several_things() {
    let concepts = |dialect, path: &[&str], value: &Value| -> Vec<C> {
        meanings(dialect, path, value).into_iter().map(|meaning| meaning.concept).collect()
    };
    assert_eq!(
        concepts(D::Trl, &["fsdp"], &text("full_shard auto_wrap offload")),
        [C::FsdpSharding, C::FsdpOffload, C::FsdpWrap]
    );
    assert_eq!(concepts(D::Trl, &["fsdp"], &text("full_shard")), [C::FsdpSharding]);
    let plugins = Value::List(vec![text("axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin")]);
    assert_eq!(concepts(D::Axolotl, &["plugins"], &plugins), [C::FusedLoss]);
    assert_eq!(concepts(D::Axolotl, &["plugins"], &Value::List(vec![text("axolotl.integrations.liger.LigerPlugin")])), []);
    let dora = text("torchtune.models.llama3.dora_llama3_8b");
    assert_eq!(concepts(D::Torchtune, &["model", "_component_"], &dora), [C::Method, C::UseDora]);
}

#[test]
fn engines_and_generation() {
    check(D::DeepSpeed, "zero_optimization/reduce_bucket_size", &Value::Float(2e8), C::ReduceBucketSize, &Value::Float(2e8));
    check(D::DeepSpeed, "zero_optimization/overlap_comm", &text("true"), C::OverlapComm, &ON);
    check(D::MsSwift, "sleep_level", &Value::Int(1), C::VllmSleep, &ON);
    check(D::MsSwift, "sleep_level", &Value::Int(0), C::VllmSleep, &OFF);
    check(D::Trl, "use_vllm", &OFF, C::VllmMode, &text("none"));
    check(D::Unsloth, "fast_inference", &ON, C::VllmMode, &text("in process"));
    check(D::LlamaFactory, "freeze_trainable_layers", &Value::Int(2), C::Freeze, &text("all-but-layers:2"));
    check(D::OpenRlhf, "ds/ring_attn_size", &Value::Int(2), C::ContextParallelSize, &Value::Int(2));
    assert_eq!(meaning(D::Trl, &["vllm_tensor_parallel_size"], &Value::Int(2)), None, "vLLM's own ranks");
}
