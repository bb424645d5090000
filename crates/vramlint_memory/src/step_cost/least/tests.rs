use super::*;
use crate::config::{Config, Value};
use crate::setup::{Attention, Parallel, Targets, Task};

fn model(kind: &str, numbers: &[(&str, f64)]) -> Arch {
    let mut config = Config::default();
    config.set("model_type", Value::Text(kind.to_owned()));
    for (key, value) in numbers {
        config.set(*key, Value::Number(*value));
    }
    Arch::from_config(&config)
}

/// The models whose operations were counted with `torch.utils.flop_counter`, torch 2.15.0, transformers 5.23.0.
fn qwen3() -> Arch {
    model(
        "qwen3",
        &[
            ("hidden_size", 64.0),
            ("intermediate_size", 160.0),
            ("num_hidden_layers", 3.0),
            ("num_attention_heads", 4.0),
            ("num_key_value_heads", 2.0),
            ("head_dim", 24.0),
            ("vocab_size", 512.0),
        ],
    )
}

fn gpt2() -> Arch {
    model("gpt2", &[("n_embd", 64.0), ("n_layer", 3.0), ("n_head", 4.0), ("vocab_size", 512.0), ("n_positions", 256.0)])
}

/// Two rows of 32 tokens in fp32, scores written out.
fn counted() -> Setup {
    Setup { micro_batch: 2, sequence_length: 32, attention: Attention::Eager, weights: Dtype::Fp32, ..Setup::default() }
}

fn lora() -> Lora {
    Lora { r: 8, targets: Targets::AllLinear, ..Lora::default() }
}

/// Operations of forward, and of backward with what it computes again.
#[allow(clippy::cast_sign_loss)] // operations of tiny models
fn operations(arch: &Arch, setup: &Setup) -> (u64, u64) {
    let least = StepCost::at_least(arch, setup).expect("not Megatron");
    (least.forward_flops as u64, (least.backward_flops + least.recompute_flops) as u64)
}

#[test]
fn operations_are_those_that_torch_counts() {
    let with = |checkpointing| Setup { checkpointing, ..counted() };
    assert_eq!(operations(&qwen3(), &counted()), (25_427_968, 50_855_936));
    assert_eq!(operations(&qwen3(), &with(Checkpointing::NonReentrant)), (25_427_968, 68_157_440));
    assert_eq!(operations(&qwen3(), &with(Checkpointing::Reentrant)), (25_427_968, 72_089_600));
    assert_eq!(operations(&gpt2(), &counted()), (24_641_536, 49_283_072));
    // Dropout after the last product saves a mask, so nothing is left out.
    assert_eq!(operations(&gpt2(), &with(Checkpointing::NonReentrant)), (24_641_536, 69_730_304));
}

#[test]
fn operations_of_adapters_are_those_that_torch_counts() {
    let adapted = Setup { lora: Some(lora()), ..counted() };
    // Of the inputs of the first block, torch leaves out those of the adapters too: a product each of q, k and v.
    let (forward, backward) = operations(&qwen3(), &adapted);
    assert_eq!(forward, 29_163_520);
    assert!((32_000_000..=33_488_896).contains(&backward), "{backward}");
    let reentrant = Setup { checkpointing: Checkpointing::Reentrant, ..adapted.clone() };
    // The adapters of what is computed again are left out here.
    let counted = 60_227_584;
    assert_eq!(operations(&qwen3(), &reentrant), (29_163_520, counted - 3_735_552));
}

/// Six operations per parameter of a product and token, and of attention 12 per layer, width, token and token seen, half of them with
/// causality: 7 billion parameters over 4 × 2 × 512 tokens.
#[test]
fn a_full_step_takes_six_operations_per_parameter_and_token() {
    let llama = model(
        "llama",
        &[
            ("hidden_size", 4096.0),
            ("intermediate_size", 11008.0),
            ("num_hidden_layers", 32.0),
            ("num_attention_heads", 32.0),
            ("num_key_value_heads", 32.0),
            ("vocab_size", 32000.0),
        ],
    );
    let setup = Setup { micro_batch: 2, sequence_length: 512, accumulation: 4, ..Setup::default() };
    let products = 32.0 * (4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11008.0) + 4096.0 * 32000.0;
    let tokens = 4.0 * 2.0 * 512.0;
    let attention = 12.0 * 32.0 * 4096.0 * tokens * 512.0 / 2.0;
    let least = StepCost::at_least(&llama, &setup).expect("not Megatron");
    assert!((least.flops() / (6.0 * products * tokens + attention) - 1.0).abs() < 1e-9, "{}", least.flops());
}

#[test]
fn the_least_is_at_most_what_is_usual() {
    let llama = Arch::from_parameters(7_000_000_000);
    for scheme in [Scheme::None, Scheme::Ddp, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
        for (lora, checkpointing) in
            [(None, Checkpointing::None), (Some(lora()), Checkpointing::NonReentrant), (None, Checkpointing::Offloaded)]
        {
            let parallel = Parallel { scheme, world: 8, local: 8, ..Parallel::default() };
            let setup = Setup { parallel, accumulation: 4, lora, checkpointing, ..Setup::default() };
            let (least, usual) = (StepCost::at_least(&llama, &setup).expect("not Megatron"), StepCost::of(&llama, &setup));
            assert!(least.link_bytes <= usual.link_bytes * 1.001, "{scheme:?}: {} {}", least.link_bytes, usual.link_bytes);
            assert!(least.host_bytes <= usual.host_bytes * 1.001, "{scheme:?}");
            assert!(least.flops() <= usual.flops() * 1.01, "{scheme:?} {checkpointing:?}: {} {}", least.flops(), usual.flops());
            assert!(least.flops() > 0.6 * usual.flops(), "{scheme:?} {checkpointing:?}");
        }
    }
    let megatron = Setup { parallel: Parallel { scheme: Scheme::Megatron, ..Parallel::default() }, ..Setup::default() };
    assert_eq!(StepCost::at_least(&llama, &megatron), None, "its pipelines are not followed");
}

#[test]
fn what_a_cache_holds_needs_no_memory() {
    let small = Setup { weights: Dtype::Bf16, ..counted() };
    assert!(StepCost::at_least(&qwen3(), &small).is_some_and(|least| least.memory_bytes == 0.0));
    let seven = StepCost::at_least(&Arch::from_parameters(7_000_000_000), &Setup::default()).expect("not Megatron");
    // Weights in two passes, gradients, and AdamW in bf16: (2 + 1) × 2 and (2 × 4 + 3 × 2) bytes.
    assert!((110e9..150e9).contains(&seven.memory_bytes), "{}", seven.memory_bytes);
}

#[test]
fn a_frozen_base_has_no_backward() {
    let frozen = Setup { freeze_base: true, task: Task::SequenceClassification, ..counted() };
    let least = StepCost::at_least(&qwen3(), &frozen).expect("not Megatron");
    assert!(least.backward_flops < 0.1 * least.forward_flops, "{least:?}");
}
