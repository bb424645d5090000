//! What frameworks do that differs from the libraries below them.

use super::Mapped;
use super::tests::{candidate, mapped, models, project, refused, run, text};
use vramlint_base::Value;
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Head, QuantizedExperts, Restored, Scheme, Targets};
use vramlint_resolve::{Run, Setting};

#[test]
fn axolotl_computes_in_bf16_where_it_decides() {
    let setup = mapped(&run(Dialect::Axolotl, "", &[(Concept::MixedPrecision, text("auto"))])).setup;
    assert_eq!((setup.autocast, setup.weights), (Some(Dtype::Bf16), Dtype::Bf16));
    // accelerate and transformers know no such word.
    let setup = mapped(&run(Dialect::HfTrainer, "", &[(Concept::MixedPrecision, text("auto"))])).setup;
    assert_eq!(setup.autocast, None);
}

#[test]
fn axolotl_gives_embeddings_their_type_back() {
    let settings = [
        (Concept::MixedPrecision, text("bf16")),
        (Concept::Method, text("qlora")),
        (Concept::LoraR, Value::Int(8)),
        (Concept::Quantization, text("nf4-double")),
    ];
    let setup = mapped(&run(Dialect::Axolotl, "", &settings)).setup;
    assert_eq!((setup.kbit_prepare, setup.kbit_restored), (true, Restored::NormsToo));
    let third = [settings.as_slice(), &[(Concept::ZeroStage, Value::Int(3))]].concat();
    let setup = mapped(&run(Dialect::Axolotl, "", &third)).setup;
    assert_eq!((setup.kbit_prepare, setup.kbit_restored), (false, Restored::Nothing));
}

#[test]
fn axolotl_takes_the_first_fsdp() {
    let sharded = [(Concept::FsdpSharding, text("FULL_SHARD")), (Concept::WorldSize, Value::Int(4))];
    assert_eq!(mapped(&run(Dialect::Axolotl, "", &sharded)).setup.parallel.scheme, Scheme::Fsdp1);
    assert_eq!(mapped(&run(Dialect::LlamaFactoryV1, "", &sharded)).setup.parallel.scheme, Scheme::Fsdp2);
}

#[test]
fn plugins_of_axolotl_write_no_logits() {
    let fused = [(Concept::FusedLoss, text("cut-cross-entropy"))];
    assert_eq!(mapped(&run(Dialect::Axolotl, "", &fused)).setup.head, Head::Liger);
}

#[test]
fn shards_of_the_own_trainer_are_fp32_where_everything_is_trained() {
    let sharded = [
        (Concept::FsdpSharding, text("FULL_SHARD")),
        (Concept::WorldSize, Value::Int(4)),
        (Concept::MixedPrecision, text("bf16")),
    ];
    let setup = mapped(&run(Dialect::LlamaFactoryV1, "", &sharded)).setup;
    assert_eq!((setup.autocast, setup.weights), (Some(Dtype::Bf16), Dtype::Fp32));
    let adapted = [sharded.as_slice(), &[(Concept::Method, text("lora")), (Concept::LoraR, Value::Int(8))]].concat();
    assert_eq!(mapped(&run(Dialect::LlamaFactoryV1, "", &adapted)).setup.weights, Dtype::Bf16);
    let alone = mapped(&run(Dialect::LlamaFactoryV1, "", &sharded[2..])).setup;
    assert_eq!((alone.autocast, alone.weights), (None, Dtype::Fp32));
    let setup = mapped(&run(Dialect::HfTrainer, "", &sharded)).setup;
    assert_eq!((setup.autocast, setup.weights), (Some(Dtype::Bf16), Dtype::Fp32));
}

#[test]
fn checkpoints_may_lie_on_the_host() {
    let with = |raw: &str| {
        let mut found: Run = run(Dialect::Unsloth, "", &[]);
        let mut on = candidate(Value::Bool(true));
        on.raw = raw.to_owned();
        found
            .settings
            .insert(Concept::GradientCheckpointing, Setting { candidates: vec![on], winner: Some(0), precedence: None });
        mapped(&found).setup.checkpointing
    };
    assert_eq!(with("\"unsloth\""), Checkpointing::Offloaded);
    assert_eq!(with("offload"), Checkpointing::Offloaded);
    assert_eq!(with("True"), Checkpointing::NonReentrant);
}

#[test]
fn ranks_of_a_sequence_share_the_gpus_of_an_assumed_machine() {
    let settings =
        [(Concept::ZeroStage, Value::Int(3)), (Concept::ContextParallelSize, Value::Int(4)), (Concept::WorldSize, text("?"))];
    let mut found = run(Dialect::Axolotl, "", &settings);
    found.settings.remove(&Concept::WorldSize);
    let parallel = mapped(&found).setup.parallel;
    assert_eq!((parallel.context, parallel.world), (4, 8));
}

#[test]
fn adapters_of_unsloth_are_fp32_on_a_quantized_base() {
    let settings = [
        (Concept::Method, text("lora")),
        (Concept::LoraR, Value::Int(8)),
        (Concept::LoraTargets, text("all-linear")),
        (Concept::Quantization, text("nf4-double")),
    ];
    let setup = mapped(&run(Dialect::Unsloth, "sft", &settings)).setup;
    assert_eq!((setup.head, setup.lora.and_then(|lora| lora.dtype)), (Head::Unsloth, Some(Dtype::Fp32)));
    let setup = mapped(&run(Dialect::Trl, "sft", &settings)).setup;
    assert_eq!((setup.head, setup.lora.and_then(|lora| lora.dtype)), (Head::Fused, Some(Dtype::Bf16)));
}

#[test]
fn unsloth_quantizes_experts_too() {
    let settings = [
        (Concept::Model, text("Qwen/Qwen3-30B-A3B")),
        (Concept::Method, text("lora")),
        (Concept::LoraR, Value::Int(8)),
        (Concept::Quantization, text("nf4-double")),
    ];
    let mapped_by = |dialect: Dialect| mapped(&run(dialect, "sft", &settings));
    let experts = |dialect: Dialect| {
        let Mapped { setup, lower, .. } = mapped_by(dialect);
        [setup.quantized_experts, lower.quantized_experts]
    };
    assert_eq!(experts(Dialect::Unsloth), [QuantizedExperts::Together, QuantizedExperts::OneByOne]);
    assert_eq!(experts(Dialect::Trl), [QuantizedExperts::Left; 2]);
    assert!(mapped_by(Dialect::Unsloth).assumptions.iter().any(|why| why.en.starts_with("experts in 4 bits: ")));
}

#[test]
fn experts_that_are_layers_are_quantized_by_everyone() {
    let settings = [
        (Concept::Model, text("moonshotai/Kimi-VL-A3B-Instruct")),
        (Concept::Method, text("lora")),
        (Concept::LoraR, Value::Int(8)),
        (Concept::Quantization, text("nf4-double")),
    ];
    let Mapped { setup, lower, .. } = mapped(&run(Dialect::Trl, "sft", &settings));
    assert_eq!([setup.quantized_experts, lower.quantized_experts], [QuantizedExperts::OneByOne; 2]);
}

#[test]
fn parameters_of_experts_are_adapted_by_their_paths() {
    let paths = || Value::List(vec![text("mlp.experts.gate_up_proj"), text("mlp.experts.down_proj")]);
    let settings = |model: &str| {
        [
            (Concept::Model, text(model)),
            (Concept::Method, text("lora")),
            (Concept::LoraR, Value::Int(8)),
            (Concept::LoraTargetParameters, paths()),
        ]
    };
    let targets =
        |dialect: Dialect| mapped(&run(dialect, "sft", &settings("Qwen/Qwen3-30B-A3B"))).setup.lora.expect("adapters").targets;
    let names = |names: &[&str]| Targets::Named(names.iter().map(|name| (*name).to_owned()).collect());
    let experts = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"];
    // Axolotl hands PEFT an empty list of modules, which PEFT does not fill.
    assert_eq!(targets(Dialect::Axolotl), names(&experts));
    assert_eq!(targets(Dialect::Trl), names(&[&["q_proj", "v_proj"], experts.as_slice()].concat()));
    let dense = run(Dialect::Axolotl, "sft", &settings("Qwen/Qwen3-8B"));
    // What a notebook of unsloth prints of rank 32 (Qwen3_MoE.ipynb).
    let modules = Value::List(["q_proj", "k_proj", "v_proj", "o_proj"].map(text).to_vec());
    let adapted = [
        (Concept::Model, text("Qwen/Qwen3-30B-A3B")),
        (Concept::Method, text("lora")),
        (Concept::LoraR, Value::Int(32)),
        (Concept::LoraTargets, modules),
        (Concept::LoraTargetParameters, paths()),
    ];
    let one = crate::estimate_run(&project(), &run(Dialect::Trl, "sft", &adapted), &models()).expect("it is known");
    assert_eq!(one.estimate.trainable, 1_285_029_888);
    let why = "estimates do not support lora_target_parameters of qwen3";
    assert_eq!(refused(&dense), why);
}

#[test]
fn targets_of_every_branch_count() {
    let mut found = run(Dialect::HfTrainer, "sft", &[(Concept::Method, text("lora")), (Concept::LoraR, Value::Int(8))]);
    let list = |names: &[&str]| candidate(Value::List(names.iter().map(|name| text(name)).collect()));
    let candidates = vec![list(&["wqkv"]), list(&["q_proj", "v_proj"])];
    found.settings.insert(Concept::LoraTargets, Setting { candidates, winner: None, precedence: None });
    let names = ["wqkv", "q_proj", "v_proj"].map(str::to_owned).to_vec();
    assert_eq!(mapped(&found).setup.lora.map(|lora| lora.targets), Some(Targets::Named(names)));
}

#[test]
fn a_frozen_vision_part_leaves_the_language_model_trained() {
    let settings = [(Concept::Method, text("freeze")), (Concept::Freeze, text("vision"))];
    assert!(!mapped(&run(Dialect::HfTrainer, "sft", &settings)).setup.freeze_base);
}

#[test]
fn a_projector_alone_is_trained_through_a_frozen_model() {
    let settings = [(Concept::Method, text("freeze")), (Concept::Freeze, text("all-but-projector"))];
    let found = mapped(&run(Dialect::HfTrainer, "sft", &settings));
    let parts = found.setup.trained.expect("a part is trained");
    assert!(parts.beside > 0 && !parts.head && parts.blocks.is_empty() && found.unverified.is_some());
}

#[test]
fn a_frozen_language_model_leaves_the_tower_trained() {
    let settings = [
        (Concept::Model, text("OpenGVLab/InternVL2_5-1B")),
        (Concept::Method, text("freeze")),
        (Concept::Freeze, text("language")),
    ];
    let parts = mapped(&run(Dialect::HfTrainer, "sft", &settings)).setup.trained.expect("a part is trained");
    assert!(parts.tower && parts.beside > 0 && !parts.embedding && parts.blocks.is_empty());
}

#[test]
fn scores_written_out_in_a_branch_are_a_fallback() {
    let asked = |condition: Option<&str>| {
        let mut found = run(Dialect::HfTrainer, "sft", &[]);
        let mut eager = candidate(text("eager"));
        eager.condition = condition.map(str::to_owned);
        let candidates = vec![candidate(text("flash_attention_2")), eager];
        let winner = condition.map(|_| 0);
        found.settings.insert(Concept::Attention, Setting { candidates, winner, precedence: None });
        mapped(&found).setup.attention
    };
    assert_eq!(asked(Some("not has_flash_attn")), Attention::Flash);
    assert_eq!(asked(None), Attention::Eager);
}

#[test]
fn rerankers_of_swift_score_several_documents_per_query() {
    let found = mapped(&run(Dialect::MsSwift, "reranker", &[]));
    let rows = found.fewest_rows.expect("the data decide");
    assert_eq!(found.setup.micro_batch, 4 * rows);
}

#[test]
fn fp8_next_to_bf16_counts_as_bf16() {
    let mut found = run(Dialect::HfTrainer, "sft", &[(Concept::Method, text("full"))]);
    let candidates = vec![candidate(text("bf16")), candidate(text("fp8"))];
    found.settings.insert(Concept::MixedPrecision, Setting { candidates, winner: None, precedence: None });
    assert_eq!(mapped(&found).setup.autocast, Some(Dtype::Bf16));
}

#[test]
fn swift_computes_in_the_type_of_the_checkpoint() {
    assert_eq!(mapped(&run(Dialect::MsSwift, "sft", &[])).setup.autocast, Some(Dtype::Bf16));
    assert_eq!(mapped(&run(Dialect::HfTrainer, "sft", &[])).setup.autocast, None);
}

#[test]
fn the_plugin_of_fsdp_checkpoints_where_the_trainer_does_not() {
    let settings = [
        (Concept::FsdpSharding, text("FULL_SHARD")),
        (Concept::WorldSize, Value::Int(4)),
        (Concept::GradientCheckpointing, Value::Bool(false)),
        (Concept::FsdpActivationCheckpointing, Value::Bool(true)),
    ];
    assert_eq!(mapped(&run(Dialect::Axolotl, "", &settings)).setup.checkpointing, Checkpointing::NonReentrant);
    let alone = [(Concept::GradientCheckpointing, Value::Bool(false)), (Concept::FsdpActivationCheckpointing, Value::Bool(true))];
    assert_eq!(mapped(&run(Dialect::Axolotl, "", &alone)).setup.checkpointing, Checkpointing::None);
}
