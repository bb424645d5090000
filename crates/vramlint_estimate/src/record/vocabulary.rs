//! Names of setup values, as records, flags and libraries write them. The first name of a value is canonical.

use vramlint_memory::setup::{
    Attention, Checkpointing, Dtype, Head, KeptOutputs, Offload, Optimizer, Platform, Quantization, QuantizedExperts, Reference,
    SavedModules, Scheme, Targets, Task,
};

/// The value with this name, ignoring case and separators.
pub fn parse<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let plain = |text: &str| text.trim().to_ascii_lowercase().replace('-', "_");
    let word = plain(word);
    table.iter().find(|(known, _)| plain(known) == word).map(|(_, value)| *value)
}

/// The canonical name of a value.
pub fn name<'a, T: Copy + PartialEq>(table: &[(&'a str, T)], value: T) -> &'a str {
    table.iter().find(|(_, own)| *own == value).map_or("", |(word, _)| word)
}

/// Every name, for messages.
pub fn list<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
}

/// `all-linear`, `linear-layers`, or comma-separated module names.
pub fn parse_targets(text: &str) -> Targets {
    match text.trim() {
        "all-linear" | "all_linear" | "all" => Targets::AllLinear,
        "linear-layers" => Targets::LinearLayers,
        names => Targets::Named(names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()),
    }
}

/// Tasks.
pub const TASKS: &[(&str, Task)] = &[
    ("causal-lm", Task::CausalLm),
    ("masked-lm", Task::MaskedLm),
    ("seq-cls", Task::SequenceClassification),
    ("image-classification", Task::ImageClassification),
    ("multiple-choice", Task::MultipleChoice),
    ("reward", Task::Reward),
    ("value-reward", Task::ValueReward),
    ("ppo", Task::Ppo),
    ("reranker", Task::Reranker),
    ("dpo", Task::Dpo),
    ("kto", Task::Kto),
    ("bco", Task::Bco),
    ("orpo", Task::Orpo),
    ("simpo", Task::Simpo),
    ("tpo", Task::Tpo),
    ("gkd", Task::Gkd),
    ("distillation", Task::Distillation),
    ("online-dpo", Task::OnlineDpo),
    ("embedding-pairs", Task::EmbeddingPairs),
    ("embedding-triplets", Task::EmbeddingTriplets),
    ("grpo", Task::Grpo),
    ("seq2seq", Task::Seq2Seq),
    ("token-classification", Task::TokenClassification),
    ("question-answering", Task::QuestionAnswering),
    ("cpo", Task::Orpo),
    ("sft", Task::CausalLm),
    ("clm", Task::CausalLm),
    ("mlm", Task::MaskedLm),
    ("seqcls", Task::SequenceClassification),
    ("rm", Task::Reward),
];

/// Floating-point types.
pub const DTYPES: &[(&str, Dtype)] = &[
    ("fp32", Dtype::Fp32),
    ("bf16", Dtype::Bf16),
    ("fp16", Dtype::Fp16),
    ("float32", Dtype::Fp32),
    ("bfloat16", Dtype::Bf16),
    ("float16", Dtype::Fp16),
];

/// `dtype` of a record: the weights, and whether autocast runs over fp32 weights.
pub(super) const PRECISIONS: &[(&str, (Dtype, Option<Dtype>))] = &[
    ("fp32", (Dtype::Fp32, None)),
    ("bf16", (Dtype::Bf16, None)),
    ("fp16", (Dtype::Fp16, None)),
    ("bf16_amp", (Dtype::Fp32, Some(Dtype::Bf16))),
    ("fp16_amp", (Dtype::Fp32, Some(Dtype::Fp16))),
];

/// Experts of a base in 4 bits.
pub const QUANTIZED_EXPERTS: &[(&str, QuantizedExperts)] =
    &[("left", QuantizedExperts::Left), ("together", QuantizedExperts::Together), ("one-by-one", QuantizedExperts::OneByOne)];

/// Checkpointing. transformers 5 defaults to the non-reentrant implementation.
pub const CHECKPOINTING: &[(&str, Checkpointing)] = &[
    ("none", Checkpointing::None),
    ("nonreentrant", Checkpointing::NonReentrant),
    ("reentrant", Checkpointing::Reentrant),
    ("offloaded", Checkpointing::Offloaded),
    ("full", Checkpointing::NonReentrant),
];

/// Attention.
pub const ATTENTION: &[(&str, Attention)] = &[
    ("eager", Attention::Eager),
    ("sdpa", Attention::Sdpa),
    ("flash", Attention::Flash),
    ("flash_attention_2", Attention::Flash),
    ("flash_attention_3", Attention::Flash),
];

/// Optimizers: the names of transformers 5.23 (`training_args.OptimizerNames`), then common short names.
pub const OPTIMIZERS: &[(&str, Optimizer)] = &[
    ("adamw_torch_fused", Optimizer::AdamWFused),
    ("adamw_torch", Optimizer::AdamWForeach),
    ("adamw_forloop", Optimizer::AdamWForLoop),
    ("adamw_bnb_8bit", Optimizer::AdamW8bit),
    ("adamw_8bit", Optimizer::AdamW8bit),
    ("paged_adamw_8bit", Optimizer::PagedAdamW8bit),
    ("paged_adamw_32bit", Optimizer::PagedAdamW32bit),
    ("paged_adamw", Optimizer::PagedAdamW32bit),
    ("lion_8bit", Optimizer::Lion8bit),
    ("paged_lion_8bit", Optimizer::PagedLion8bit),
    ("lion_32bit", Optimizer::Lion),
    ("lion", Optimizer::Lion),
    ("adafactor", Optimizer::Adafactor),
    ("sgd", Optimizer::Sgd),
    ("sgd_momentum", Optimizer::SgdMomentum),
    ("adagrad", Optimizer::Adagrad),
    ("rmsprop", Optimizer::RmsProp),
    ("muon", Optimizer::Muon),
    ("galore", Optimizer::Galore),
    ("apollo", Optimizer::Apollo),
    ("adam_mini", Optimizer::AdamMini),
    ("adamw", Optimizer::AdamWForeach),
];

/// Quantizations.
pub const QUANTIZATIONS: &[(&str, Quantization)] = &[
    ("none", Quantization::None),
    ("int8", Quantization::Int8),
    ("nf4", Quantization::FourBit { double: false }),
    ("nf4-double", Quantization::FourBit { double: true }),
    ("fp4", Quantization::FourBit { double: false }),
    ("fp4-double", Quantization::FourBit { double: true }),
    ("nf4_dq", Quantization::FourBit { double: true }),
    ("fp4_dq", Quantization::FourBit { double: true }),
];

/// Implementations of the loss.
pub const HEADS: &[(&str, Head)] = &[
    ("full_logits", Head::FullLogits),
    ("trl_fused", Head::Fused),
    ("liger", Head::Liger),
    ("unsloth", Head::Unsloth),
    ("label_smoothing", Head::Smoothed),
];

/// How long what the model returns is named.
pub const KEPT_OUTPUTS: &[(&str, KeptOutputs)] =
    &[("none", KeptOutputs::None), ("backward", KeptOutputs::Backward), ("next_forward", KeptOutputs::NextForward)];

/// Reference models.
pub const REFERENCES: &[(&str, Reference)] =
    &[("none", Reference::None), ("same", Reference::Copy), ("adapter", Reference::Adapter), ("copy", Reference::Copy)];

/// Sharding. `fsdp` is version 2, the default of transformers 5.23 and accelerate 1.15.
pub const SCHEMES: &[(&str, Scheme)] = &[
    ("none", Scheme::None),
    ("ddp", Scheme::Ddp),
    ("zero1", Scheme::Zero1),
    ("zero2", Scheme::Zero2),
    ("zero3", Scheme::Zero3),
    ("fsdp1", Scheme::Fsdp1),
    ("fsdp2", Scheme::Fsdp2),
    ("megatron", Scheme::Megatron),
    ("fsdp", Scheme::Fsdp2),
];

/// Offloading.
pub const OFFLOADS: &[(&str, Offload)] = &[("none", Offload::None), ("cpu", Offload::Cpu), ("nvme", Offload::Nvme)];

/// Operating systems.
pub const PLATFORMS: &[(&str, Platform)] = &[("linux", Platform::Linux), ("windows", Platform::Windows)];

/// What PEFT trains as a whole if `modules_to_save` lists these modules, and the modules that nothing here stands for. Classifiers always
/// have a copy.
pub fn saved_modules<'n>(names: impl IntoIterator<Item = &'n str>) -> (SavedModules, Vec<&'n str>) {
    const EMBEDDINGS: [&str; 6] = ["embed_tokens", "wte", "embed_in", "word_embeddings", "tok_embeddings", "shared"];
    const HEADS: [&str; 3] = ["lm_head", "embed_out", "output_layer"];
    const CLASSIFIERS: [&str; 5] = ["score", "classifier", "qa_outputs", "v_head", "summary"];
    let mut saved = SavedModules::default();
    let mut others = Vec::new();
    for name in names {
        match name.rsplit('.').next().unwrap_or(name) {
            last if EMBEDDINGS.contains(&last) => saved.embedding = true,
            last if HEADS.contains(&last) => saved.head = true,
            last if CLASSIFIERS.contains(&last) => {}
            _ => others.push(name),
        }
    }
    (saved, others)
}
