use super::estimate;
use crate::estimate::{Estimate, Part, Phase};
use crate::setup::{Lora, Megatron, Parallel, Recompute, RecomputedParts, Scheme, Setup};
use crate::{Arch, Config, Value};

const HIDDEN: u64 = 64;
const INNER: u64 = 256;
const VOCABULARY: u64 = 1024;
const LAYERS: u64 = 4;

fn decoder(extra: &[(&str, f64)]) -> Arch {
    let mut config = Config::default();
    let kind = if extra.is_empty() { "llama" } else { "qwen3_moe" };
    config.set("model_type", Value::Text(kind.to_owned()));
    let usual = [
        ("hidden_size", 64.0),
        ("intermediate_size", 256.0),
        ("num_hidden_layers", 4.0),
        ("num_attention_heads", 4.0),
        ("num_key_value_heads", 2.0),
        ("head_dim", 16.0),
        ("vocab_size", 1024.0),
    ];
    for (key, value) in usual.iter().chain(extra) {
        config.set(*key, Value::Number(*value));
    }
    Arch::from_config(&config)
}

fn experts() -> Arch {
    decoder(&[("num_experts", 8.0), ("num_experts_per_tok", 2.0), ("moe_intermediate_size", 32.0), ("decoder_sparse_step", 1.0)])
}

fn setup(parallel: &Parallel, megatron: Megatron) -> Setup {
    Setup {
        sequence_length: 128,
        micro_batch: 2,
        accumulation: 8,
        cuda_context: false,
        parallel: Parallel { scheme: Scheme::Megatron, megatron, ..parallel.clone() },
        ..Setup::default()
    }
}

fn part(found: &Estimate, part: Part) -> u64 {
    found.parts[part as usize]
}

/// Parameters of a block of the dense model: queries, keys and values, their output, a gated MLP, two norms.
const MATRICES: u64 = HIDDEN * (64 + 32 + 32) + 64 * HIDDEN + 3 * HIDDEN * INNER;
const NORMS: u64 = 2 * HIDDEN;

#[test]
fn one_rank_holds_weights_gradients_and_states() {
    let arch = decoder(&[]);
    let found = estimate(&arch, &setup(&Parallel::default(), Megatron::default()));
    let numbers = LAYERS * (MATRICES + NORMS) + 2 * VOCABULARY * HIDDEN + HIDDEN;
    assert_eq!(arch.parameters(), numbers);
    assert_eq!(part(&found, Part::Weights), 2 * numbers);
    assert_eq!(part(&found, Part::Gradients), 4 * numbers);
    assert_eq!(part(&found, Part::Optimizer), 12 * numbers);
}

#[test]
fn tensor_ranks_divide_matrices_and_not_norms() {
    let arch = decoder(&[]);
    let found = estimate(&arch, &setup(&Parallel { tensor: 2, ..Parallel::default() }, Megatron::default()));
    let numbers = LAYERS * (MATRICES / 2 + NORMS) + 2 * (VOCABULARY / 2) * HIDDEN + HIDDEN;
    assert_eq!(part(&found, Part::Weights), 2 * numbers);
}

#[test]
fn data_parallel_ranks_share_the_states_alone() {
    let arch = decoder(&[]);
    let alone = estimate(&arch, &setup(&Parallel::default(), Megatron::default()));
    let four = Parallel { world: 4, ..Parallel::default() };
    let shared = estimate(&arch, &setup(&four, Megatron::default()));
    assert_eq!(part(&shared, Part::Gradients), part(&alone, Part::Gradients));
    assert_eq!(part(&shared, Part::Optimizer), part(&alone, Part::Optimizer) / 4);
    let whole = estimate(&arch, &setup(&four, Megatron { distributed_optimizer: false, ..Megatron::default() }));
    assert_eq!(part(&whole, Part::Optimizer), part(&alone, Part::Optimizer));
}

#[test]
fn states_of_experts_are_shared_by_the_ranks_that_have_them_all() {
    let arch = experts();
    let four = Parallel { world: 4, ..Parallel::default() };
    let found = estimate(&arch, &setup(&four, Megatron { expert: 4, ..Megatron::default() }));
    let of_experts = LAYERS * 8 * 3 * HIDDEN * 32;
    let others = arch.parameters() - of_experts;
    assert_eq!(part(&found, Part::Weights), 2 * (others + of_experts / 4));
    // Each of the four ranks has other experts, so that nobody shares their states.
    assert_eq!(part(&found, Part::Optimizer), 12 * (others / 4 + of_experts / 4));
}

#[test]
fn checkpointed_blocks_keep_their_input() {
    let arch = decoder(&[]);
    let kept = |recompute| {
        let found = estimate(&arch, &setup(&Parallel::default(), Megatron { recompute, ..Megatron::default() }));
        let forward = found.phases.iter().find(|(phase, _)| *phase == Phase::Forward).expect("a forward").1;
        forward - part(&found, Part::Weights) - part(&found, Part::Gradients) - part(&found, Part::Optimizer)
    };
    let input = 2 * 128 * HIDDEN * 2;
    assert_eq!(kept(Recompute::Groups(1)), LAYERS * input);
    assert_eq!(kept(Recompute::Groups(2)), 2 * input);
    let whole = kept(Recompute::Nothing);
    assert_eq!(kept(Recompute::First(3)), 3 * input + whole / LAYERS);
    let parts = RecomputedParts { mlp: true, ..RecomputedParts::default() };
    // What the MLP keeps besides its input: gate and up, and their product.
    assert_eq!(kept(Recompute::Parts(parts)), whole - LAYERS * 2 * 128 * 3 * INNER * 2);
}

#[test]
fn the_first_stage_keeps_a_micro_batch_for_each_stage() {
    let arch = decoder(&[]);
    let own = Megatron { pipeline: 4, recompute: Recompute::Groups(1), ..Megatron::default() };
    let kept = |accumulation| {
        let setup = Setup { accumulation, ..setup(&Parallel::default(), own) };
        let (stage, found) = (&super::stages::stages(&arch, &own, accumulation)[0], estimate(&arch, &setup));
        assert_eq!(stage.parts[0].len(), 1);
        (stage.in_flight, found.peak)
    };
    assert_eq!(kept(8).0, 4);
    assert_eq!(kept(2).0, 2);
    assert!(kept(8).1 >= kept(2).1);
}

#[test]
fn parts_that_take_turns_keep_more_in_flight() {
    let arch = decoder(&[]);
    let own = Megatron { pipeline: 2, chunks: 2, ..Megatron::default() };
    let all = super::stages::stages(&arch, &own, 8);
    assert_eq!(all.iter().map(|stage| stage.in_flight).collect::<Vec<_>>(), [5, 3]);
    assert!(all.iter().all(|stage| stage.parts.iter().all(|part| part.len() == 1)));
}

#[test]
fn a_first_stage_may_have_blocks_of_its_own_number() {
    let own = Megatron { pipeline: 2, first_stage: Some(1), ..Megatron::default() };
    let lengths: Vec<usize> = super::stages::stages(&decoder(&[]), &own, 8).iter().map(|stage| stage.parts[0].len()).collect();
    assert_eq!(lengths, [1, 3]);
}

#[test]
fn adapters_are_all_that_is_trained() {
    let lora = Lora { r: 8, ..Lora::default() };
    let setup = Setup { lora: Some(lora), ..setup(&Parallel { tensor: 2, ..Parallel::default() }, Megatron::default()) };
    let found = estimate(&decoder(&[]), &setup);
    // The side in the residual stream is whole, the other one is divided.
    let (qkv, proj, up, down) = (HIDDEN + 128 / 2, 64 / 2 + HIDDEN, HIDDEN + 2 * INNER / 2, INNER / 2 + HIDDEN);
    assert_eq!(found.trainable, LAYERS * 8 * (qkv + proj + up + down));
    assert_eq!(part(&found, Part::Gradients), 4 * found.trainable);
}

#[test]
fn moving_parameters_to_their_buffer_is_the_peak_of_an_offloaded_optimizer() {
    let arch = decoder(&[]);
    let own = Megatron { on_host: 1000, recompute: Recompute::Groups(1), ..Megatron::default() };
    let setup = Setup { sequence_length: 1, micro_batch: 1, ..setup(&Parallel::default(), own) };
    let found = estimate(&arch, &setup);
    assert_eq!(found.peak_phase, Phase::Load);
    assert_eq!(found.peak, (2 + 2 + 4) * arch.parameters());
    assert_eq!(found.host.peak, 12 * arch.parameters());
}

#[test]
fn uneven_routing_widens_the_upper_bound_alone() {
    let arch = experts();
    let own = Megatron { expert: 2, ..Megatron::default() };
    let at =
        |most_routed| estimate(&arch, &setup(&Parallel { world: 2, ..Parallel::default() }, Megatron { most_routed, ..own }));
    let (even, uneven) = (at(100), at(200));
    assert_eq!((even.peak, even.low), (uneven.peak, uneven.low));
    assert!(uneven.high > even.high);
}
