//! What holds for every estimate, whatever the model and the setup.

use vramlint_memory::estimate::Part;
use vramlint_memory::setup::{
    Attention, Checkpointing, Dtype, Generation, Head, Lora, Optimizer, Parallel, Quantization, Reference, Resident, Scheme,
    Targets, Task,
};
use vramlint_memory::{Arch, Config, Estimate, Setup, Value, estimate, timeline};

fn config(model_type: &str, numbers: &[(&str, f64)]) -> Config {
    let mut config = Config::default();
    config.set("model_type", Value::Text(model_type.to_owned()));
    for (key, value) in numbers {
        config.set(*key, Value::Number(*value));
    }
    config
}

/// A small decoder of `layers` blocks.
fn model(model_type: &str, layers: u32) -> Arch {
    let layers = f64::from(layers);
    Arch::from_config(&config(
        model_type,
        &[
            ("hidden_size", 512.0),
            ("intermediate_size", 1408.0),
            ("num_hidden_layers", layers),
            ("num_attention_heads", 8.0),
            ("num_key_value_heads", 2.0),
            ("vocab_size", 32000.0),
        ],
    ))
}

fn lora(r: u64) -> Lora {
    Lora { r, targets: Targets::AllLinear, dropout: true, dtype: Some(Dtype::Fp32), ..Lora::default() }
}

/// Setups that differ in one or two things each.
fn setups() -> Vec<Setup> {
    let plain = Setup { micro_batch: 2, sequence_length: 256, cuda_context: false, ..Setup::default() };
    let parallel = |scheme| Parallel { scheme, world: 4, local: 4, reduce_bucket: 5_000_000, ..Parallel::default() };
    let mut all = vec![
        plain.clone(),
        Setup { weights: Dtype::Fp32, autocast: Some(Dtype::Bf16), ..plain.clone() },
        Setup { weights: Dtype::Fp32, ..plain.clone() },
        Setup { checkpointing: Checkpointing::NonReentrant, ..plain.clone() },
        Setup { checkpointing: Checkpointing::Reentrant, ..plain.clone() },
        Setup { attention: Attention::Eager, padding_mask: true, ..plain.clone() },
        Setup { lora: Some(lora(16)), ..plain.clone() },
        Setup { lora: Some(lora(16)), checkpointing: Checkpointing::NonReentrant, ..plain.clone() },
        Setup { lora: Some(lora(8)), quantization: Quantization::FourBit { double: true }, kbit_prepare: true, ..plain.clone() },
        Setup { lora: Some(lora(8)), quantization: Quantization::Int8, ..plain.clone() },
        Setup { task: Task::Reward, ..plain.clone() },
        Setup { task: Task::SequenceClassification, freeze_base: true, ..plain.clone() },
        Setup { task: Task::Dpo, reference: Reference::Copy, prompt_length: 64, ..plain.clone() },
        Setup { task: Task::Dpo, reference: Reference::Adapter, lora: Some(lora(16)), prompt_length: 64, ..plain.clone() },
        Setup { task: Task::Grpo, prompt_length: 64, head: Head::Fused, ..plain.clone() },
        Setup { head: Head::Liger, ..plain.clone() },
        Setup { parallel: Parallel { tensor: 2, ..parallel(Scheme::Megatron) }, accumulation: 4, ..plain.clone() },
        Setup { parallel: parallel(Scheme::Megatron), checkpointing: Checkpointing::Reentrant, ..plain.clone() },
        Setup { head: Head::Unsloth, ..plain.clone() },
        Setup { accumulation: 4, ..plain.clone() },
        Setup {
            generation: Some(Generation { sequences: 4, prompt: 64, completion: 64, vllm_share: None, sleep_mode: false }),
            ..plain.clone()
        },
    ];
    for optimizer in
        [Optimizer::AdamWForeach, Optimizer::AdamW8bit, Optimizer::PagedAdamW32bit, Optimizer::Adafactor, Optimizer::Sgd]
    {
        all.push(Setup { optimizer, ..plain.clone() });
    }
    for scheme in [Scheme::Ddp, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
        all.push(Setup { parallel: parallel(scheme), ..plain.clone() });
        all.push(Setup { parallel: parallel(scheme), checkpointing: Checkpointing::NonReentrant, ..plain.clone() });
    }
    all
}

fn sums(answer: &Estimate, what: &str) {
    assert_eq!(answer.parts.iter().sum::<u64>(), answer.peak, "{what}");
    for part in Part::ALL {
        let items: u64 = answer.items.iter().filter(|item| item.part == part).map(|item| item.bytes).sum();
        assert_eq!(items, answer.parts[part as usize], "{} of {what}", part.name());
    }
    assert!(answer.tensors <= answer.reserved && answer.low <= answer.peak && answer.peak <= answer.high, "{what}");
}

#[test]
fn parts_sum_to_the_peak_and_items_to_their_part() {
    for kind in ["llama", "gpt2", "gemma2", "unheard-of"] {
        for layers in [1, 3, 66] {
            for setup in setups() {
                for context in [false, true] {
                    let setup = Setup { cuda_context: context, ..setup.clone() };
                    sums(&estimate(&model(kind, layers), &setup), &format!("{kind} {layers} {setup:?}"));
                }
            }
        }
    }
}

#[test]
fn a_frozen_model_may_be_deeper_than_the_trained_one() {
    for task in [Task::Gkd, Task::Distillation] {
        for scheme in [Scheme::None, Scheme::Ddp, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
            let teacher = Resident {
                label: "teacher".to_owned(),
                arch: model("llama", 9),
                weights: Dtype::Bf16,
                quantization: Quantization::None,
                scores: false,
                trained: false,
            };
            let world = if scheme == Scheme::None { 1 } else { 4 };
            let setup = Setup {
                task,
                micro_batch: 2,
                sequence_length: 256,
                teacher: Some(Box::new(teacher)),
                parallel: Parallel { scheme, world, local: world, ..Parallel::default() },
                ..Setup::default()
            };
            sums(&estimate(&model("llama", 3), &setup), &format!("{task:?} {scheme:?}"));
        }
    }
}

/// Bytes that the allocator's rounding may give or take: an unsplit block keeps up to 1 MiB that nobody asked for.
const ROUNDING: u64 = 24 << 20;

fn never_less(arch: &[Arch], setups: &[Setup], what: &str) {
    let mut before = 0;
    for arch in arch {
        for setup in setups {
            let now = estimate(arch, setup).tensors;
            assert!(now + ROUNDING >= before, "{what}: {before} then {now} {} {setup:?}", arch.layers());
            before = before.max(now);
        }
    }
}

#[test]
fn more_rows_never_need_less() {
    for setup in setups() {
        let more = [1, 2, 3, 4, 8, 16, 33].map(|micro_batch| Setup { micro_batch, ..setup.clone() });
        never_less(&[model("llama", 4)], &more, "rows");
    }
}

#[test]
fn longer_rows_never_need_less() {
    for setup in setups() {
        let more = [128, 256, 257, 512, 1000, 1024, 2048].map(|sequence_length| Setup { sequence_length, ..setup.clone() });
        never_less(&[model("llama", 4)], &more, "length");
    }
}

/// A kernel keeps no scores, whatever joins them; written out they grow with the square of the length.
#[test]
fn a_kernel_writes_no_scores_with_sinks() {
    let arch = model("gpt_oss", 2);
    let activations = |attention, sequence_length| {
        let setup = Setup { attention, sequence_length, cuda_context: false, ..Setup::default() };
        let found = estimate(&arch, &setup);
        found.parts[Part::Activations as usize]
    };
    // Tenths of what half the length needs.
    let grows = |attention| 10 * activations(attention, 32768) / activations(attention, 16384);
    assert!(grows(Attention::Flash) < 21, "{}", grows(Attention::Flash));
    assert!(grows(Attention::Eager) > 30 && grows(Attention::Sdpa) > 30);
}

#[test]
fn a_higher_rank_never_needs_less() {
    for setup in setups().into_iter().filter(|setup| setup.lora.is_some()) {
        let more = [1, 4, 8, 16, 32, 64, 256].map(|r| Setup { lora: Some(lora(r)), ..setup.clone() });
        never_less(&[model("llama", 4)], &more, "rank");
    }
}

/// Across 64 blocks too, where models begin to be run in part only.
#[test]
fn more_blocks_never_need_less() {
    for setup in setups() {
        let more = [1, 2, 3, 4, 8, 16, 32, 63, 64, 65, 66, 80, 126].map(|layers| model("llama", layers));
        never_less(&more, &[setup], "blocks");
    }
}

/// A block more is recomputed at its end than is kept: with a few blocks the whole is smaller, with one it is the same.
#[test]
fn checkpointing_never_needs_more() {
    for setup in setups() {
        for layers in [2, 4, 24, 80] {
            let of = |checkpointing| estimate(&model("llama", layers), &Setup { checkpointing, ..setup.clone() }).tensors;
            let none = of(Checkpointing::None);
            for kind in [Checkpointing::NonReentrant, Checkpointing::Reentrant] {
                let with = of(kind);
                assert!(with <= none + ROUNDING, "{layers} blocks: {with} instead of {none}: {setup:?}");
            }
        }
    }
}

/// An optimizer that steps inside backward never needs more, and less where the step after backward is the peak.
#[test]
fn steps_in_backward_hold_one_gradient() {
    let mut less = 0;
    for setup in setups().into_iter().filter(|setup| setup.parallel.scheme == Scheme::None) {
        let setup = Setup { clip: false, accumulation: 1, ..setup };
        let arch = model("llama", 8);
        let (after, inside) = (estimate(&arch, &setup), estimate(&arch, &Setup { optimizer_in_backward: true, ..setup.clone() }));
        assert!(inside.tensors <= after.tensors + ROUNDING, "{} instead of {}: {setup:?}", inside.tensors, after.tensors);
        less += usize::from(inside.tensors < after.tensors);
    }
    assert!(less > 0);
}

#[test]
fn more_ranks_never_need_more() {
    for setup in setups() {
        for scheme in [Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
            let mut before = u64::MAX;
            for world in [2, 3, 4, 8, 16, 64, 512] {
                let parallel = Parallel { scheme, world, local: world.min(8), reduce_bucket: 5_000_000, ..Parallel::default() };
                let now = estimate(&model("llama", 4), &Setup { parallel, ..setup.clone() }).tensors;
                assert!(now <= before.saturating_add(ROUNDING), "{scheme:?} {world} ranks: {before} then {now}: {setup:?}");
                before = before.min(now);
            }
        }
    }
}

#[test]
fn a_trillion_parameters_and_a_million_tokens() {
    let shape = [
        ("hidden_size", 25600.0),
        ("intermediate_size", 102_400.0),
        ("num_hidden_layers", 96.0),
        ("num_attention_heads", 200.0),
        ("num_key_value_heads", 200.0),
        ("vocab_size", 256_000.0),
    ];
    for kind in ["llama", "gemma2", "unheard-of"] {
        let arch = Arch::from_config(&config(kind, &shape));
        assert!(arch.parameters() > 900_000_000_000, "{}", arch.parameters());
        for setup in setups() {
            for (micro_batch, sequence_length) in [(1, 1 << 20), (1 << 10, 1 << 10)] {
                let setup = Setup { micro_batch, sequence_length, ..setup.clone() };
                let answer = estimate(&arch, &setup);
                sums(&answer, "a trillion");
            }
        }
    }
    let count = Arch::from_parameters(1_000_000_000_000);
    assert_eq!(count.parameters(), 1_000_000_000_000);
    sums(&estimate(&count, &Setup { sequence_length: 1 << 20, ..Setup::default() }), "a count");
}

const KEYS: &[&str] = &[
    "hidden_size",
    "n_embd",
    "d_model",
    "intermediate_size",
    "n_inner",
    "num_hidden_layers",
    "n_layer",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
    "max_position_embeddings",
    "n_positions",
    "type_vocab_size",
    "embedding_size",
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "sliding_window",
    "kv_lora_rank",
    "q_lora_rank",
    "qk_rope_head_dim",
    "rope_theta",
    "partial_rotary_factor",
    "num_labels",
];

const KINDS: &[&str] = &[
    "llama",
    "mistral",
    "mixtral",
    "qwen3",
    "qwen3_moe",
    "gemma",
    "gemma2",
    "gemma3_text",
    "phi",
    "phi3",
    "gpt2",
    "gpt_neox",
    "gptj",
    "falcon",
    "bloom",
    "opt",
    "mpt",
    "bert",
    "roberta",
    "deepseek_v3",
    "gpt_oss",
    "cohere2",
    "olmo2",
    "gpt_bigcode",
    "t5",
    "",
    "x",
];

/// A `config.json` may say anything.
#[test]
fn no_config_breaks_anything() {
    let values = [0.0, 1.0, -1.0, 7.0, 0.5, 1e9, 9e15, 1e300, f64::NAN, f64::INFINITY];
    let setup = Setup { sequence_length: 64, ..Setup::default() };
    let adapters = Setup { lora: Some(lora(8)), checkpointing: Checkpointing::NonReentrant, ..setup.clone() };
    for kind in KINDS {
        for value in values {
            let all: Vec<(&str, f64)> = KEYS.iter().map(|key| (*key, value)).collect();
            let arch = Arch::from_config(&config(kind, &all));
            sums(&estimate(&arch, &setup), kind);
            for key in KEYS {
                let arch = Arch::from_config(&config(kind, &[(key, value)]));
                // Whole models of usual size take a while each: only what is odd is run.
                if arch.layers() <= 2 || ((1e12..1e18).contains(&value) && arch.layers() <= 32) {
                    sums(&estimate(&arch, &adapters), kind);
                }
            }
        }
    }
}

#[test]
fn no_setup_breaks_anything() {
    let arch = model("llama", 2);
    for number in [0, 1, u64::MAX] {
        for setup in setups() {
            sums(&estimate(&arch, &Setup { micro_batch: number, ..setup.clone() }), "rows");
            sums(&estimate(&arch, &Setup { sequence_length: number, ..setup.clone() }), "length");
            sums(&estimate(&arch, &Setup { prompt_length: number, ..setup.clone() }), "prompt");
            sums(&estimate(&arch, &Setup { accumulation: number, ..setup.clone() }), "accumulation");
            sums(&estimate(&arch, &Setup { evaluation_batch: Some(number), ..setup.clone() }), "rows of an evaluation");
            sums(&estimate(&arch, &Setup { forward_calls: number, ..setup.clone() }), "calls");
            sums(&estimate(&arch, &Setup { target_length: number, task: Task::Seq2Seq, ..setup.clone() }), "target");
            sums(&estimate(&arch, &Setup { optimizer: Optimizer::Galore, gradient_rank: number, ..setup.clone() }), "projection");
            sums(&estimate(&arch, &Setup { lora: Some(lora(number)), ..setup.clone() }), "rank");
            let ranks = Parallel { world: number, local: number, ..setup.parallel.clone() };
            sums(&estimate(&arch, &Setup { parallel: ranks, ..setup.clone() }), "ranks");
            for ranks in [
                Parallel { hpz: number, ..setup.parallel.clone() },
                Parallel { tensor: number, ..setup.parallel.clone() },
                Parallel { context: number, ..setup.parallel.clone() },
            ] {
                sums(&estimate(&arch, &Setup { parallel: ranks, ..setup.clone() }), "other ranks");
            }
            let buckets = Parallel {
                reduce_bucket: number,
                allgather_bucket: number,
                prefetch_bucket: number,
                max_live: number,
                persistence: number,
                sub_group: number,
                ddp_bucket: number,
                ..setup.parallel.clone()
            };
            sums(&estimate(&arch, &Setup { parallel: buckets, ..setup }), "buckets");
        }
    }
}

/// What is drawn is what is said.
#[test]
fn the_timeline_reaches_the_tensors() {
    for setup in setups() {
        let arch = model("llama", 6);
        let drawn = timeline(&arch, &setup).iter().map(|moment| moment.bytes).max();
        let said = estimate(&arch, &setup).phases.iter().map(|(_, bytes)| *bytes).max();
        assert!(drawn <= said, "{drawn:?} {said:?} {setup:?}");
    }
}

/// Liger's head writes all logits out in an evaluation: liger-kernel 0.8.5 skips them only in training.
#[test]
fn an_evaluation_with_liger_has_all_logits() {
    let arch = model("qwen2", 2);
    let setup = Setup { micro_batch: 1, sequence_length: 4096, head: Head::Liger, cuda_context: false, ..Setup::default() };
    let logits = |evaluation_batch| {
        let setup = Setup { evaluation_batch, ..setup.clone() };
        estimate(&arch, &setup).tensors
    };
    let full = Setup { head: Head::FullLogits, evaluation_batch: Some(8), ..setup.clone() };
    assert!(logits(Some(8)) > logits(None));
    let of_evaluation = |setup: &Setup| {
        let all = timeline(&arch, setup);
        all.iter().filter(|moment| moment.label.contains("evaluat")).map(|moment| moment.bytes).max()
    };
    let (liger, full) = (of_evaluation(&Setup { evaluation_batch: Some(8), ..setup.clone() }), of_evaluation(&full));
    let (liger, full) = (liger.expect("an evaluation"), full.expect("an evaluation"));
    assert!(liger.abs_diff(full) < full / 100, "{liger} and {full}");
}

/// `unsloth_zoo` 2026.10.9 counts 16 bytes for a logit and lets a chunk take 4 GiB of them; compiled, a logit takes two.
#[test]
fn the_chunk_of_unsloth_follows_its_budget() {
    let arch = model("qwen2", 2);
    let of_loss = |head, rows| {
        let setup = Setup { micro_batch: 1, sequence_length: rows, head, weights: Dtype::Bf16, ..Setup::default() };
        let moments = timeline(&arch, &setup);
        moments.iter().filter(|moment| moment.label.contains("loss")).map(|moment| moment.bytes).max().expect("a loss")
    };
    let is_beyond_liger = |rows, expected: u64| {
        let seen = of_loss(Head::Unsloth, rows) - of_loss(Head::Liger, rows);
        // Liger's loss peaks a little outside its logits.
        assert!(seen.abs_diff(expected) < expected / 20, "{seen} and {expected}");
    };
    // 4096 rows × 32000 × 16 bytes are within the budget: one chunk, where Liger makes 64.
    is_beyond_liger(4096, (4096 - 64) * 32_000 * 2);
    // 16384 rows need twice the budget: four chunks.
    is_beyond_liger(16_384, (4096 - 256) * 32_000 * 2);
}
