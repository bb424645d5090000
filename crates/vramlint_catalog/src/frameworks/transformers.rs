//! transformers: `TrainingArguments`, and what loading a model takes. Most frameworks take these over.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{ArgumentClasses, BatchArithmetic, COMMON, ConfigFiles, EstimateTraits, FILES, FixKeys, FixValue, Framework};
use super::evidence::{Evidence, KeyTest::Has};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};
use crate::flag::Flag;

/// transformers' Trainer.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "hf-trainer",
    name: "transformers",
    package: "transformers",
    keys: &[ARGUMENTS, LOADING, ARGUMENTS_OF_MEMORY, LOADING_OF_MEMORY],
    second: FSDP_WORDS,
    // transformers 5.23.0 utils/quantization_config.py.
    four_bits: ("fp4", false),
    files: Some(ConfigFiles {
        evidence: &[
            Evidence {
                is_certain: false,
                key: Some("per_device_train_batch_size"),
                all: &[Has("per_device_train_batch_size")],
                any: &[],
            },
            Evidence { is_certain: false, key: Some("per_device_train_batch_size"), all: USUAL_THREE, any: &[] },
        ],
        ..FILES
    }),
    classes: ArgumentClasses { usual: Some("transformers.TrainingArguments"), ..COMMON.classes },
    batch: HF_BATCH,
    is_hf_trainer: true,
    spreads_rows: true,
    fixes: FixKeys { liger: Some("use_liger_kernel"), ..HF_FIXES },
    estimate: EstimateTraits { is_language_modelling: true, ..COMMON.estimate },
    ..COMMON
};

/// What `TrainingArguments` has in nearly every file.
pub(super) const USUAL_THREE: &[super::KeyTest] = &[Has("output_dir"), Has("num_train_epochs"), Has("learning_rate")];

/// The Trainer's arithmetic. Where a trainer generates, a row is a completion.
pub(super) const HF_BATCH: BatchArithmetic = BatchArithmetic {
    counts_completions: true,
    source: "transformers 5.23.0 transformers/training_args.py:1653",
    ..COMMON.batch
};

/// The Trainer's own keys.
pub(super) const HF_FIXES: FixKeys = FixKeys {
    accumulation: Some("gradient_accumulation_steps"),
    checkpointing: Some("gradient_checkpointing"),
    liger: None,
    optimizer: Some("optim"),
    // Flags of TRL's `ModelConfig` (trl 1.16.0 trainer/model_config.py), which many scripts take.
    four_bit: &[
        (C::Quantization, "load_in_4bit", FixValue::True),
        (C::Quantization, "use_bnb_nested_quant", FixValue::True),
    ],
    adapters: &[
        (C::Method, "use_peft", FixValue::True),
        (C::LoraR, "lora_r", FixValue::Number(16)),
        (C::LoraDropout, "lora_dropout", FixValue::Number(0)),
        (C::LoraTargets, "lora_target_modules", FixValue::Word("all-linear")),
    ],
};

/// transformers 5.23.0 training_args.py, with the names that earlier versions had.
pub(super) const ARGUMENTS: &[Row] = &[
    ("per_device_train_batch_size", C::MicroBatch, Given),
    ("per_gpu_train_batch_size", C::MicroBatch, Given),
    ("per_device_eval_batch_size", C::EvaluationBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("num_train_epochs", C::Epochs, Given),
    ("max_steps", C::MaxSteps, Positive),
    ("learning_rate", C::LearningRate, Given),
    ("optim", C::Optimizer, Given),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("gradient_checkpointing", C::GradientCheckpointing, Checkpointing),
    ("activation_checkpointing", C::GradientCheckpointing, Checkpointing),
    ("dataloader_num_workers", C::DataloaderWorkers, Given),
];

/// transformers 5.23.0 training_args.py. `fsdp_config` takes its keys with and without `fsdp_`.
pub(super) const ARGUMENTS_OF_MEMORY: &[Row] = &[
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("use_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("use_cache", C::UseCache, Truth),
    ("gradient_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("activation_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("dataloader_prefetch_factor", C::DataloaderPrefetchFactor, Given),
    ("torch_empty_cache_steps", C::EmptyCacheSteps, Given),
    ("fsdp", C::FsdpSharding, Sharding),
    ("fsdp_config.version", C::FsdpVersion, Given),
    ("fsdp_config.fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.transformer_layer_cls_to_wrap", C::FsdpWrap, Fixed("TRANSFORMER_BASED_WRAP")),
    ("fsdp_config.fsdp_transformer_layer_cls_to_wrap", C::FsdpWrap, Fixed("TRANSFORMER_BASED_WRAP")),
    ("fsdp_config.min_num_params", C::FsdpWrap, Fixed("SIZE_BASED_WRAP")),
    ("fsdp_config.fsdp_min_num_params", C::FsdpWrap, Fixed("SIZE_BASED_WRAP")),
    ("fsdp_config.cpu_offload", C::FsdpOffload, Truth),
    ("fsdp_config.activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.fsdp_activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.state_dict_type", C::FsdpStateDict, Given),
    ("fsdp_config.fsdp_state_dict_type", C::FsdpStateDict, Given),
];

/// `from_pretrained` of transformers 5.23.0, `BitsAndBytesConfig`, peft 0.21.2 `LoraConfig`.
pub(super) const LOADING: &[Row] = &[
    ("pretrained_model_name_or_path", C::Model, Name),
    ("model_name_or_path", C::Model, Name),
    ("dtype", C::WeightsDtype, Dtype),
    ("torch_dtype", C::WeightsDtype, Dtype),
    ("attn_implementation", C::Attention, Attention),
    ("use_flash_attention_2", C::Attention, Switch("flash_attention_2")),
    ("device_map", C::DeviceMap, Given),
    ("load_in_4bit", C::Quantization, Switch("fp4")),
    ("load_in_8bit", C::Quantization, Switch("int8")),
    ("bnb_4bit_compute_dtype", C::QuantizationComputeDtype, Dtype),
    ("quantization_config.bnb_4bit_compute_dtype", C::QuantizationComputeDtype, Dtype),
    ("quantization_config.load_in_4bit", C::Quantization, Switch("fp4")),
    ("quantization_config.load_in_8bit", C::Quantization, Switch("int8")),
    ("r", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("target_modules", C::LoraTargets, Names),
    ("peft_config.r", C::LoraR, Given),
    ("peft_config.lora_alpha", C::LoraAlpha, Given),
    ("peft_config.target_modules", C::LoraTargets, Names),
    ("lora_config.r", C::LoraR, Given),
    ("lora_config.lora_alpha", C::LoraAlpha, Given),
    ("lora_config.target_modules", C::LoraTargets, Names),
];

/// peft 0.21.2 `LoraConfig`, alone and as the block of a file.
pub(super) const LOADING_OF_MEMORY: &[Row] = &[
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("modules_to_save", C::LoraModulesToSave, Names),
    ("target_parameters", C::LoraTargetParameters, Names),
    ("peft_config.lora_dropout", C::LoraDropout, Given),
    ("peft_config.use_dora", C::UseDora, Truth),
    ("peft_config.modules_to_save", C::LoraModulesToSave, Names),
    ("peft_config.target_parameters", C::LoraTargetParameters, Names),
    ("lora_config.lora_dropout", C::LoraDropout, Given),
    ("lora_config.use_dora", C::UseDora, Truth),
    ("lora_config.modules_to_save", C::LoraModulesToSave, Names),
    ("lora_config.target_parameters", C::LoraTargetParameters, Names),
];

/// The words of `fsdp`: transformers 5.23.0 training_args.py `_process_fsdp_args`.
pub(super) const FSDP_WORDS: &[Row] = &[("fsdp", C::FsdpOffload, Word("offload")), ("fsdp", C::FsdpWrap, WordIs("auto_wrap", "TRANSFORMER_BASED_WRAP"))];

/// Truth values and lists that every `HfArgumentParser` command line of `TrainingArguments` has (transformers hf_argparser.py:
/// truth values take one word or none, lists take several).
pub(crate) static TRAINING_FLAGS: &[Flag] = &[
    Flag::many(&["--bf16"]),
    Flag::many(&["--fp16"]),
    Flag::many(&["--tf32"]),
    Flag::many(&["--bf16_full_eval", "--bf16-full-eval"]),
    Flag::many(&["--do_train", "--do-train"]),
    Flag::many(&["--do_eval", "--do-eval"]),
    Flag::many(&["--do_predict", "--do-predict"]),
    Flag::many(&["--gradient_checkpointing", "--gradient-checkpointing"]),
    Flag::many(&["--activation_checkpointing", "--activation-checkpointing"]),
    Flag::many(&["--packing"]),
    Flag::many(&["--group_by_length", "--group-by-length"]),
    Flag::many(&["--remove_unused_columns", "--remove-unused-columns"]),
    Flag::many(&["--overwrite_output_dir", "--overwrite-output-dir"]),
    Flag::many(&["--push_to_hub", "--push-to-hub"]),
    Flag::many(&["--load_best_model_at_end", "--load-best-model-at-end"]),
    Flag::many(&["--load_in_4bit", "--load-in-4bit"]),
    Flag::many(&["--load_in_8bit", "--load-in-8bit"]),
    Flag::many(&["--use_peft", "--use-peft"]),
    Flag::many(&["--lora_target_modules", "--lora-target-modules"]),
    Flag::many(&["--trust_remote_code", "--trust-remote-code"]),
    Flag::many(&["--report_to", "--report-to"]),
    Flag::many(&["--label_names", "--label-names"]),
    Flag::many(&["--dataloader_pin_memory", "--dataloader-pin-memory"]),
    Flag::many(&["--dataloader_drop_last", "--dataloader-drop-last"]),
    Flag::many(&["--dataloader_persistent_workers", "--dataloader-persistent-workers"]),
    Flag::many(&["--ddp_find_unused_parameters", "--ddp-find-unused-parameters"]),
    Flag::many(&["--torch_compile", "--torch-compile"]),
    Flag::many(&["--use_liger_kernel", "--use-liger-kernel"]),
    Flag::many(&["--streaming"]),
];
