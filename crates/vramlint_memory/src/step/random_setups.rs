//! Models and setups that look random and are the same in every run.

use crate::arch::Arch;
use crate::config::{Config, Value};
use crate::setup::{
    AdapterKind, Attention, Checkpointing, Dtype, Generation, Head, KeptOutputs, Lora, Offload, Optimizer, Parallel,
    Quantization, QuantizedExperts, Reference, Scheme, Setup, Targets, Task, TrainedParts,
};

/// Numbers that look random and are the same in every run.
pub(super) struct Numbers(u64);

impl Numbers {
    /// Numbers that follow from a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub(super) fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    pub(super) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.next(all.len())].clone()
    }

    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.next(times) == 0
    }
}

const KINDS: &[&str] = &[
    "llama",
    "mistral",
    "mixtral",
    "qwen3",
    "qwen3_moe",
    "gemma2",
    "gemma3_text",
    "gemma3n_text",
    "gemma4_text",
    "phi",
    "gpt2",
    "gpt_neox",
    "gptj",
    "falcon",
    "bloom",
    "opt",
    "bert",
    "deberta-v2",
    "modernbert",
    "deepseek_v3",
    "gpt_oss",
    "cohere2",
    "olmo2",
    "t5",
    "lfm2",
    "granitemoehybrid",
    "unheard-of",
];

fn arch(numbers: &mut Numbers, layers: u32) -> Arch {
    let mut config = Config::default();
    let kind = numbers.pick(KINDS);
    config.set("model_type", Value::Text(kind.to_owned()));
    let heads = numbers.pick(&[4, 8]);
    let hidden = heads * numbers.pick(&[32, 64]);
    for (key, value) in [
        ("hidden_size", hidden),
        ("d_model", hidden),
        ("n_embd", hidden),
        ("intermediate_size", 3 * hidden),
        ("num_hidden_layers", layers),
        ("n_layer", layers),
        ("num_layers", layers),
        ("num_attention_heads", heads),
        ("n_head", heads),
        ("num_heads", heads),
        ("num_key_value_heads", numbers.pick(&[2, heads])),
        ("vocab_size", 4000),
        ("num_experts", 8),
        ("num_local_experts", 8),
        ("n_routed_experts", 8),
        ("num_experts_per_tok", 2),
        ("moe_intermediate_size", hidden / 2),
        ("kv_lora_rank", 64),
        ("qk_rope_head_dim", 16),
        ("qk_nope_head_dim", 32),
        ("v_head_dim", 32),
        ("sliding_window", 100),
        ("sliding_window_pattern", 3),
    ] {
        config.set(key, Value::Number(f64::from(value)));
    }
    if numbers.once_in(2) {
        config.set("partial_rotary_factor", Value::Number(0.5));
    }
    Arch::from_config(&config)
}

fn setup(numbers: &mut Numbers, layers: u32) -> Setup {
    let some = |numbers: &mut Numbers| numbers.once_in(2);
    let lora = Lora {
        r: 8,
        targets: numbers.pick(&[Targets::AllLinear, Targets::Named(vec!["q_proj".into(), "v_proj".into(), "query".into()])]),
        dropout: some(numbers),
        dtype: numbers.pick(&[None, Some(Dtype::Fp32)]),
        dora: numbers.once_in(8),
        kind: if numbers.once_in(8) {
            AdapterKind::Scaling { feedforward: vec!["down_proj".into()] }
        } else {
            AdapterKind::LowRank
        },
        ..Lora::default()
    };
    let first = numbers.next(layers as usize) as u64;
    let parts = TrainedParts {
        blocks: vec![(first, first + 1 + numbers.next(layers as usize) as u64)],
        head: some(numbers),
        starts_at_block: some(numbers),
        ..TrainedParts::default()
    };
    let adapted = some(numbers);
    let elements = numbers.pick(&[100_000, 1_000_000, 500_000_000]);
    let schemes =
        [Scheme::None, Scheme::None, Scheme::Ddp, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2];
    let scheme = numbers.pick(&schemes);
    let task = numbers.pick(&[
        Task::CausalLm,
        Task::CausalLm,
        Task::MaskedLm,
        Task::SequenceClassification,
        Task::Reward,
        Task::ValueReward,
        Task::Ppo,
        Task::Dpo,
        Task::Kto,
        Task::Bco,
        Task::Orpo,
        Task::Tpo,
        Task::Gkd,
        Task::Grpo,
        Task::OnlineDpo,
        Task::EmbeddingPairs,
        Task::Seq2Seq,
    ]);
    Setup {
        task,
        weights: numbers.pick(&[Dtype::Bf16, Dtype::Fp16, Dtype::Fp32]),
        autocast: numbers.pick(&[None, Some(Dtype::Bf16)]),
        micro_batch: 1 + numbers.next(3) as u64,
        sequence_length: numbers.pick(&[17, 128, 300]),
        prompt_length: numbers.pick(&[0, 8]),
        accumulation: numbers.pick(&[1, 2, 4]),
        evaluation_batch: numbers.pick(&[None, None, Some(2)]),
        evaluation_keeps_graph: numbers.once_in(4),
        checkpointing: numbers.pick(&[
            Checkpointing::None,
            Checkpointing::NonReentrant,
            Checkpointing::Reentrant,
            Checkpointing::Offloaded,
        ]),
        attention: numbers.pick(&[Attention::Eager, Attention::Sdpa, Attention::Flash]),
        padding_mask: numbers.once_in(3),
        optimizer: numbers.pick(&[Optimizer::AdamWFused, Optimizer::AdamWForeach, Optimizer::Adafactor]),
        use_cache: numbers.once_in(6),
        optimizer_in_backward: numbers.once_in(8),
        zeroes_after_forward: numbers.once_in(6),
        kept_outputs: numbers.pick(&[KeptOutputs::None, KeptOutputs::Backward, KeptOutputs::NextForward]),
        lora: adapted.then_some(lora),
        trained: (!adapted && numbers.once_in(4)).then_some(parts),
        freeze_base: !adapted && numbers.once_in(12),
        trains_prompt: !adapted && numbers.once_in(12),
        quantization: if adapted {
            numbers.pick(&[Quantization::None, Quantization::FourBit { double: true }, Quantization::Int8])
        } else {
            Quantization::None
        },
        quantized_experts: numbers.pick(&[QuantizedExperts::Left, QuantizedExperts::Together, QuantizedExperts::OneByOne]),
        kbit_prepare: adapted && numbers.once_in(3),
        head: numbers.pick(&[Head::FullLogits, Head::FullLogits, Head::Fused, Head::Liger]),
        reference: match task {
            Task::Dpo | Task::Kto | Task::Bco | Task::Grpo if adapted => Reference::Adapter,
            Task::Dpo | Task::Kto | Task::Bco | Task::Grpo => numbers.pick(&[Reference::Copy, Reference::None]),
            _ => Reference::None,
        },
        generation: numbers.once_in(8).then_some(Generation {
            sequences: 2,
            prompt: 8,
            completion: 5,
            vllm_share: None,
            sleep_mode: false,
        }),
        model_gpus: if scheme == Scheme::None { numbers.pick(&[1, 1, 1, 2]) } else { 1 },
        parallel: Parallel {
            scheme,
            world: if scheme == Scheme::None { 1 } else { 4 },
            local: 4,
            reduce_bucket: elements,
            prefetch_bucket: elements / 10,
            max_live: numbers.pick(&[1_000_000, 1_000_000_000]),
            persistence: numbers.pick(&[100, 100_000]),
            overlap: some(numbers),
            contiguous: some(numbers),
            bucket_view: some(numbers),
            ddp_bucket: numbers.pick(&[1 << 18, 25 << 20]),
            reshard: !numbers.once_in(4),
            reduce_fp32: some(numbers),
            defer_reduction: some(numbers),
            wrap_blocks: !numbers.once_in(4),
            offload_optimizer: numbers.pick(&[Offload::None, Offload::None, Offload::Cpu]),
            offload_param: numbers.pick(&[Offload::None, Offload::None, Offload::Cpu]),
            hpz: numbers.pick(&[1, 1, 2]),
            ..Parallel::default()
        },
        ..Setup::default()
    }
}

/// A model with at most so many blocks, and a setup.
pub(super) fn model_and_setup(numbers: &mut Numbers, most_layers: usize) -> (Arch, Setup) {
    let layers = 1 + numbers.next(most_layers) as u32;
    (arch(numbers, layers), setup(numbers, layers))
}
