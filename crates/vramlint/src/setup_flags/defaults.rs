//! Library defaults for values that a setup does not specify, reported as assumptions.
//!
//! Versions: transformers 5.23 (`TrainingArguments`), TRL 1.16 (`SFTConfig`, `RewardConfig`, `DPOConfig`, `GRPOConfig`), PEFT 0.21
//! (`LoraConfig`).

use crate::cli::TaskName;
use vramlint_base::{Message, message};
use vramlint_estimate::models::Model;
use vramlint_estimate::record::vocabulary;
use vramlint_memory::setup::{Checkpointing, Dtype, Head, Optimizer, Quantization, Reference, Targets, Task};

/// A default value and the reason for it.
pub(super) struct Assumed<T> {
    pub(super) value: T,
    pub(super) why: Message,
}

/// The defaults of one task.
pub(super) struct Defaults {
    pub(super) weights: Assumed<Dtype>,
    pub(super) autocast: Assumed<Option<Dtype>>,
    pub(super) checkpointing: Assumed<Checkpointing>,
    pub(super) optimizer: Assumed<Optimizer>,
    pub(super) micro_batch: Assumed<u64>,
    pub(super) accumulation: Assumed<u64>,
    /// Length of a sequence; with GRPO, of the prompt.
    pub(super) tokens: Assumed<u64>,
    pub(super) completion: Assumed<u64>,
    pub(super) num_generations: Assumed<u64>,
    pub(super) lora_r: Assumed<u64>,
    pub(super) lora_targets: Assumed<Targets>,
    pub(super) quantization: Assumed<Quantization>,
}

/// Whether TRL trains this task.
const fn is_trl(task: TaskName) -> bool {
    matches!(task, TaskName::Sft | TaskName::Reward | TaskName::Dpo | TaskName::Grpo)
}

/// The task for the simulator.
pub(super) const fn task(name: TaskName) -> Task {
    match name {
        TaskName::CausalLm | TaskName::Sft => Task::CausalLm,
        TaskName::MaskedLm => Task::MaskedLm,
        TaskName::SeqCls => Task::SequenceClassification,
        TaskName::Reward => Task::Reward,
        TaskName::Dpo => Task::Dpo,
        TaskName::Grpo => Task::Grpo,
    }
}

/// The name of the task.
pub(super) const fn task_name(name: TaskName) -> &'static str {
    match name {
        TaskName::Sft => "sft",
        other => task(other).name(),
    }
}

/// The head of a task: TRL 1.16 computes the log-probabilities of SFT, DPO and GRPO in tiles (`trl/kernels/chunked_logprob.py`).
pub(super) const fn head(name: TaskName) -> Head {
    match name {
        TaskName::Sft | TaskName::Dpo | TaskName::Grpo => Head::Fused,
        _ => Head::FullLogits,
    }
}

/// The reference model of a task. DPO has one: a copy, or the base model without its adapter. GRPO has none, because `beta` is 0.
pub(super) const fn reference(task: Task, adapters: bool) -> Reference {
    match task {
        Task::Dpo | Task::Kto | Task::Bco if adapters => Reference::Adapter,
        Task::Dpo | Task::Kto | Task::Bco => Reference::Copy,
        _ => Reference::None,
    }
}

impl Defaults {
    pub(super) fn of(task: TaskName, model: &Model) -> Self {
        Self {
            weights: weights(task, model.dtype),
            autocast: if is_trl(task) {
                let why = message!("autocast in bf16: the default of TRL 1.16", "使用 bf16 autocast：TRL 1.16 的默认值");
                Assumed { value: Some(Dtype::Bf16), why }
            } else {
                let why =
                    message!("no autocast: the default of transformers 5.23", "不使用 autocast：transformers 5.23 的默认值");
                Assumed { value: None, why }
            },
            checkpointing: if is_trl(task) {
                let why = message!("activation checkpointing: on by default in TRL 1.16", "开启激活检查点：TRL 1.16 的默认值");
                Assumed { value: Checkpointing::NonReentrant, why }
            } else {
                let why = message!(
                    "no activation checkpointing: the default of transformers 5.23",
                    "不开启激活检查点：transformers 5.23 的默认值"
                );
                Assumed { value: Checkpointing::None, why }
            },
            optimizer: Assumed {
                value: Optimizer::AdamWFused,
                why: message!(
                    "optimizer adamw_torch_fused: the default of transformers 5.23",
                    "优化器 adamw_torch_fused：transformers 5.23 的默认值"
                ),
            },
            micro_batch: Assumed {
                value: 8,
                why: message!("micro-batch of 8: the default of transformers 5.23", "微批大小 8：transformers 5.23 的默认值"),
            },
            accumulation: Assumed {
                value: 1,
                why: message!(
                    "no gradient accumulation: the default of transformers 5.23",
                    "不做梯度累积：transformers 5.23 的默认值"
                ),
            },
            tokens: tokens(task),
            completion: Assumed {
                value: 512,
                why: message!("completions of 512 tokens: the default of TRL 1.16", "每条回复 512 个 token：TRL 1.16 的默认值"),
            },
            num_generations: Assumed {
                value: 8,
                why: message!("8 completions per prompt: the default of TRL 1.16", "每个提示生成 8 条回复：TRL 1.16 的默认值"),
            },
            lora_r: Assumed {
                value: 8,
                why: message!("LoRA rank 8: the default of PEFT 0.21", "LoRA 的秩为 8：PEFT 0.21 的默认值"),
            },
            lora_targets: lora_targets(&model.arch.model_type),
            quantization: Assumed {
                value: Quantization::FourBit { double: false },
                why: message!(
                    "NF4 without double quantization: the default of TRL's ModelConfig",
                    "NF4，不做二次量化：TRL ModelConfig 的默认值"
                ),
            },
        }
    }
}

fn weights(task: TaskName, checkpoint: Option<Dtype>) -> Assumed<Dtype> {
    if is_trl(task) {
        let why = message!(
            "weights in fp32: TRL 1.16 loads models by name in fp32, whatever the dtype of the checkpoint",
            "权重为 fp32：按名称加载模型时，TRL 1.16 使用 fp32，与检查点的类型无关"
        );
        return Assumed { value: Dtype::Fp32, why };
    }
    match checkpoint {
        Some(dtype) => {
            let name = vocabulary::name(vocabulary::DTYPES, dtype);
            let why = message!(
                "weights in {name}, the dtype of the checkpoint: transformers 5 keeps it",
                "权重为 {name}，与检查点相同：transformers 5 保持检查点的类型"
            );
            Assumed { value: dtype, why }
        }
        None => Assumed {
            value: Dtype::Bf16,
            why: message!(
                "weights in bf16, like most checkpoints: the dtype of this one is unknown",
                "权重按 bf16 计（多数检查点如此）：此检查点的类型未知"
            ),
        },
    }
}

fn tokens(task: TaskName) -> Assumed<u64> {
    if task == TaskName::Grpo {
        let why =
            message!("prompts of 512 tokens: TRL 1.16 does not truncate them", "提示按 512 个 token 计：TRL 1.16 不截断提示");
        Assumed { value: 512, why }
    } else if is_trl(task) {
        Assumed {
            value: 1024,
            why: message!("sequences of 1024 tokens: the default of TRL 1.16", "每个序列 1024 个 token：TRL 1.16 的默认值"),
        }
    } else {
        let why =
            message!("sequences of 1024 tokens: no library defines a default", "每个序列按 1024 个 token 计：各库均无默认值");
        Assumed { value: 1024, why }
    }
}

/// PEFT 0.21 `utils/constants.py`, `TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING`.
fn lora_targets(model_type: &str) -> Assumed<Targets> {
    let names: &[&str] = match model_type {
        "gpt2" | "gpt_bigcode" => &["c_attn"],
        "gpt_neox" | "bloom" | "falcon" => &["query_key_value"],
        "bert" | "roberta" | "xlm-roberta" | "electra" => &["query", "value"],
        "t5" | "mt5" => &["q", "v"],
        "deberta-v2" => &["query_proj", "value_proj"],
        "mpt" => &["Wqkv"],
        "codegen" | "phi3" => &["qkv_proj"],
        _ => &["q_proj", "v_proj"],
    };
    let list = names.join(", ");
    Assumed {
        value: Targets::Named(names.iter().map(|name| (*name).to_owned()).collect()),
        why: message!("adapters on {list}: the default of PEFT 0.21", "适配器加在 {list} 上：PEFT 0.21 的默认值"),
    }
}
