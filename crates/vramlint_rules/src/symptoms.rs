//! Which rules explain what somebody sees: the way into the pages for those who know the symptom and not the cause.

use crate::{Group, Rule};

/// What somebody sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symptom {
    /// `CUDA out of memory`.
    OutOfMemory,
    /// The process is killed: exit code -9.
    Killed,
    /// The loss is NaN, or does not go down.
    BadLoss,
    /// Only one GPU is busy, or fewer than there are.
    IdleGpus,
    /// It is slower than expected.
    Slow,
    /// An error when it starts.
    RefusedAtStart,
    /// The effective batch, the number of steps or the learning rate is not what was meant.
    OtherBatch,
    /// A setting has no effect.
    NoEffect,
    /// It hangs.
    Hangs,
    /// Checkpoints are missing, cannot be loaded, or the best one is not kept.
    Checkpoints,
    /// vramlint itself says something unexpected.
    Vramlint,
}

impl Symptom {
    /// All, in the order of an index.
    pub const ALL: [Self; 11] = [
        Self::OutOfMemory,
        Self::Killed,
        Self::BadLoss,
        Self::IdleGpus,
        Self::Slow,
        Self::RefusedAtStart,
        Self::OtherBatch,
        Self::NoEffect,
        Self::Hangs,
        Self::Checkpoints,
        Self::Vramlint,
    ];

    /// As people would say it: English, Chinese.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::OutOfMemory => ("\"CUDA out of memory\", at step 0 or later", "“CUDA out of memory”，无论是第 0 步还是之后"),
            Self::Killed => ("Exit code -9, or the machine runs out of host memory", "退出码 -9，或主机内存耗尽"),
            Self::BadLoss => ("The loss is NaN, or does not go down", "损失为 NaN，或不下降"),
            Self::IdleGpus => ("Only one GPU is busy, or fewer than there are", "只有一张 GPU 在工作，或少于实际数量"),
            Self::Slow => ("Training is slower than expected", "训练比预期慢"),
            Self::RefusedAtStart => {
                ("ValueError, TypeError or another error at the start", "启动时出现 ValueError、TypeError 等错误")
            }
            Self::OtherBatch => {
                ("The effective batch, or the number of steps, is not what I think", "有效批大小或步数与预想不符")
            }
            Self::NoEffect => ("A setting has no effect, or means something else", "某个设置不起作用，或含义与预想不同"),
            Self::Hangs => ("It hangs", "程序卡住"),
            Self::Checkpoints => {
                ("A checkpoint is missing, cannot be loaded, or is not the best one", "检查点缺失、无法加载，或并非最佳")
            }
            Self::Vramlint => ("vramlint says something about itself or its comments", "vramlint 报告自身或其注释的问题"),
        }
    }
}

/// The symptoms of each rule, by its name.
static TABLE: &[(&str, &[Symptom])] = &[
    ("internal-error", &[Symptom::Vramlint]),
    ("syntax-error", &[Symptom::RefusedAtStart]),
    ("unused-suppression", &[Symptom::Vramlint]),
    ("unreadable-file", &[Symptom::RefusedAtStart]),
    ("unknown-key", &[Symptom::RefusedAtStart, Symptom::NoEffect]),
    ("yaml-boolean-trap", &[Symptom::RefusedAtStart, Symptom::NoEffect]),
    ("duplicate-key", &[Symptom::NoEffect]),
    ("yaml-number-is-text", &[Symptom::RefusedAtStart]),
    ("unknown-model", &[Symptom::RefusedAtStart]),
    ("wrong-type", &[Symptom::RefusedAtStart, Symptom::NoEffect]),
    ("invalid-value", &[Symptom::RefusedAtStart]),
    ("removed-key", &[Symptom::RefusedAtStart]),
    ("missing-key", &[Symptom::RefusedAtStart]),
    ("inert-key", &[Symptom::NoEffect]),
    ("file-too-large", &[Symptom::Vramlint]),
    ("invalid-suppression", &[Symptom::Vramlint]),
    ("multi-gpu-one-process", &[Symptom::IdleGpus]),
    ("gpu-ids-not-text", &[Symptom::RefusedAtStart]),
    ("device-map-auto-in-training", &[Symptom::OutOfMemory, Symptom::Slow, Symptom::RefusedAtStart]),
    ("effective-batch-claim", &[Symptom::OtherBatch]),
    ("effective-batch-declared", &[Symptom::OtherBatch]),
    ("does-not-fit", &[Symptom::OutOfMemory]),
    ("little-headroom", &[Symptom::OutOfMemory]),
    ("card-mostly-empty", &[Symptom::Slow]),
    ("host-memory-too-small", &[Symptom::Killed]),
    ("model-loaded-twice", &[Symptom::OutOfMemory, Symptom::Killed]),
    ("logits-dominate", &[Symptom::OutOfMemory]),
    ("weights-in-fp32", &[Symptom::OutOfMemory, Symptom::Slow]),
    ("checkpointing-absent", &[Symptom::OutOfMemory]),
    ("gather-at-save", &[Symptom::Killed, Symptom::OutOfMemory, Symptom::Checkpoints]),
    ("deepspeed-file-and-accelerate-key", &[Symptom::RefusedAtStart]),
    ("identical-branches", &[Symptom::NoEffect]),
    ("accelerate-file-not-read", &[Symptom::NoEffect]),
    ("accumulation-not-positive", &[Symptom::RefusedAtStart]),
    ("accumulation-overruled", &[Symptom::OtherBatch, Symptom::NoEffect]),
    ("accumulation-set-twice", &[Symptom::OtherBatch]),
    ("batch-finder-refused", &[Symptom::RefusedAtStart]),
    ("best-model-out-of-step", &[Symptom::Checkpoints, Symptom::RefusedAtStart]),
    ("checkpointing-keys-disagree", &[Symptom::OutOfMemory, Symptom::NoEffect]),
    ("checkpointing-option-unknown", &[Symptom::RefusedAtStart]),
    ("conflicting-launch-flags", &[Symptom::RefusedAtStart]),
    ("deepspeed-batch-mismatch", &[Symptom::RefusedAtStart, Symptom::OtherBatch]),
    ("deepspeed-clipping-off", &[Symptom::BadLoss, Symptom::NoEffect]),
    ("deepspeed-file-not-found", &[Symptom::RefusedAtStart]),
    ("deepspeed-json-and-prepare", &[Symptom::RefusedAtStart]),
    ("deepspeed-one-process", &[Symptom::IdleGpus, Symptom::OutOfMemory]),
    ("deepspeed-optimizer-params", &[Symptom::RefusedAtStart]),
    ("deepspeed-parallel-sizes", &[Symptom::RefusedAtStart, Symptom::OtherBatch]),
    ("deepspeed-optimizer-unknown", &[Symptom::RefusedAtStart]),
    ("deepspeed-precision-conflict", &[Symptom::RefusedAtStart, Symptom::BadLoss]),
    ("deepspeed-schedule", &[Symptom::BadLoss, Symptom::RefusedAtStart]),
    ("flag-without-its-mode", &[Symptom::NoEffect]),
    ("fp8-not-available", &[Symptom::RefusedAtStart]),
    ("fsdp-and-deepspeed", &[Symptom::RefusedAtStart]),
    ("fsdp-config-without-fsdp", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("fsdp-settings-clash", &[Symptom::RefusedAtStart]),
    ("fsdp-without-gpu", &[Symptom::RefusedAtStart]),
    ("fsdp-without-wrap-policy", &[Symptom::OutOfMemory]),
    ("generation-batch-set-twice", &[Symptom::RefusedAtStart]),
    ("gpu-ids-repeated", &[Symptom::RefusedAtStart]),
    ("group-batch-not-divisible", &[Symptom::RefusedAtStart]),
    ("half-precision-twice", &[Symptom::RefusedAtStart]),
    ("kto-batch-of-one", &[Symptom::RefusedAtStart, Symptom::BadLoss]),
    ("launch-flags-after-script", &[Symptom::NoEffect, Symptom::RefusedAtStart]),
    ("legacy-zero-key", &[Symptom::NoEffect]),
    ("machines-without-address", &[Symptom::Hangs, Symptom::RefusedAtStart]),
    ("megatron-context-parallel-default", &[Symptom::RefusedAtStart]),
    ("micro-batch-differs-from-loader", &[Symptom::OtherBatch]),
    ("mode-flag-replaces-file", &[Symptom::NoEffect]),
    ("needs-evaluation", &[Symptom::RefusedAtStart]),
    ("nvme-without-path", &[Symptom::RefusedAtStart]),
    ("packing-without-length", &[Symptom::RefusedAtStart]),
    ("parallelism-sizes-clash", &[Symptom::RefusedAtStart]),
    ("precision-and-deepspeed-json", &[Symptom::RefusedAtStart]),
    ("prepare-under-fsdp2", &[Symptom::RefusedAtStart]),
    ("processes-and-gpu-ids", &[Symptom::IdleGpus, Symptom::RefusedAtStart]),
    ("processes-not-started", &[Symptom::IdleGpus]),
    ("processes-per-machine", &[Symptom::IdleGpus, Symptom::RefusedAtStart]),
    ("reference-is-the-model", &[Symptom::RefusedAtStart, Symptom::BadLoss]),
    ("reference-model-beside-adapters", &[Symptom::OutOfMemory, Symptom::RefusedAtStart]),
    ("reference-sync-without-reference", &[Symptom::RefusedAtStart]),
    ("sagemaker-cannot-launch", &[Symptom::RefusedAtStart]),
    ("single-generation", &[Symptom::RefusedAtStart, Symptom::BadLoss]),
    ("trainer-loader-without-workers", &[Symptom::Slow]),
    ("trainer-takes-every-gpu", &[Symptom::OtherBatch, Symptom::Slow]),
    ("unknown-launch-flag", &[Symptom::RefusedAtStart]),
    ("use-cpu-not-passed-on", &[Symptom::NoEffect]),
    ("variable-not-expanded", &[Symptom::RefusedAtStart, Symptom::Hangs]),
    ("variable-overwritten-by-launch", &[Symptom::NoEffect]),
    ("vocabulary-size-unaligned", &[Symptom::Slow, Symptom::RefusedAtStart]),
    ("zero-key-without-its-stage", &[Symptom::NoEffect]),
    ("zero-options-conflict", &[Symptom::RefusedAtStart]),
    ("zero-without-stage", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("yaml-number-read-otherwise", &[Symptom::NoEffect, Symptom::OtherBatch]),
    ("device-map-invalid", &[Symptom::RefusedAtStart]),
    ("max-memory-invalid", &[Symptom::RefusedAtStart, Symptom::OutOfMemory]),
    ("max-memory-unused", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("device-map-refused", &[Symptom::RefusedAtStart]),
    ("fewer-visible-devices-than-processes", &[Symptom::RefusedAtStart, Symptom::IdleGpus]),
    ("visible-devices-ignored", &[Symptom::NoEffect, Symptom::IdleGpus]),
    ("setting-overridden", &[Symptom::NoEffect, Symptom::OtherBatch]),
    ("deepspeed-file-unused", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("deepspeed-batch-missing", &[Symptom::RefusedAtStart]),
    ("batch-keys-conflict", &[Symptom::RefusedAtStart]),
    ("optimizer-in-backward-conflict", &[Symptom::RefusedAtStart]),
    ("batch-rounded-down", &[Symptom::OtherBatch, Symptom::RefusedAtStart]),
    ("evaluation-batch-differs", &[Symptom::OutOfMemory]),
    ("precision-from-checkpoint", &[Symptom::BadLoss]),
    ("quantized-by-default", &[Symptom::BadLoss, Symptom::Slow]),
    ("effective-batch-drift", &[Symptom::OtherBatch, Symptom::BadLoss]),
    ("quantized-full-finetune", &[Symptom::RefusedAtStart]),
    ("adapter-on-lm-head", &[Symptom::RefusedAtStart]),
    ("adapters-twice", &[Symptom::RefusedAtStart]),
    ("torch-dtype-overruled", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("model-by-name-in-fp32", &[Symptom::OutOfMemory]),
    ("loading-option-unused", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("unknown-dtype-name", &[Symptom::RefusedAtStart]),
    ("quantization-refused", &[Symptom::RefusedAtStart]),
    ("quantization-key-ignored", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("four-bit-defaults", &[Symptom::Slow, Symptom::OutOfMemory]),
    ("quantized-model-cast", &[Symptom::RefusedAtStart]),
    ("adapter-refused", &[Symptom::RefusedAtStart]),
    ("adapter-target-missing", &[Symptom::RefusedAtStart, Symptom::NoEffect]),
    ("unknown-attention", &[Symptom::RefusedAtStart]),
    ("quantized-without-adapter", &[Symptom::RefusedAtStart]),
    ("qlora-without-4bit", &[Symptom::RefusedAtStart]),
    ("offload-without-checkpointing", &[Symptom::RefusedAtStart]),
    ("refused-with-zero3", &[Symptom::RefusedAtStart]),
    ("optimizer-not-supported-here", &[Symptom::RefusedAtStart]),
    ("half-precision-not-supported", &[Symptom::RefusedAtStart]),
    ("deepspeed-auto-unresolved", &[Symptom::RefusedAtStart, Symptom::NoEffect]),
    ("deepspeed-trainer-mismatch", &[Symptom::RefusedAtStart]),
    ("argument-not-read", &[Symptom::NoEffect]),
    ("zero-optimizer-untested", &[Symptom::RefusedAtStart]),
    ("zero-without-optimizer", &[Symptom::RefusedAtStart]),
    ("offload-with-own-optimizer", &[Symptom::RefusedAtStart]),
    ("bucket-auto-without-hidden-size", &[Symptom::RefusedAtStart]),
    ("activation-checkpointing-block-inert", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("bucket-larger-than-gpu", &[Symptom::OutOfMemory]),
    ("trainer-without-zero-block", &[Symptom::RefusedAtStart]),
    ("fp32-gradients-unsharded", &[Symptom::OutOfMemory]),
    ("loading-keyword-removed", &[Symptom::RefusedAtStart]),
    ("accelerator-refused", &[Symptom::RefusedAtStart]),
    ("accumulation-not-divided", &[Symptom::BadLoss, Symptom::OtherBatch]),
    ("accumulation-divided-twice", &[Symptom::BadLoss, Symptom::OtherBatch]),
    ("accumulate-not-used", &[Symptom::OtherBatch, Symptom::BadLoss]),
    ("graph-kept", &[Symptom::OutOfMemory]),
    ("threshold-never-reached", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("empty-cache-in-loop", &[Symptom::Slow]),
    ("gradients-not-cleared", &[Symptom::BadLoss]),
    ("dataloader-refused", &[Symptom::RefusedAtStart]),
    ("dataloader-without-workers", &[Symptom::Slow]),
    ("packing-not-possible", &[Symptom::RefusedAtStart]),
    ("keys-exclude-each-other", &[Symptom::RefusedAtStart]),
    ("allocator-setting-invalid", &[Symptom::RefusedAtStart]),
    ("allocator-setting-unsupported", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("allocator-setting-shadowed", &[Symptom::NoEffect, Symptom::OutOfMemory]),
    ("visible-devices-misread", &[Symptom::IdleGpus, Symptom::RefusedAtStart]),
    ("environment-set-too-late", &[Symptom::NoEffect]),
    ("environment-value-not-text", &[Symptom::RefusedAtStart]),
    ("variable-not-exported", &[Symptom::NoEffect]),
    ("rank-variables-left-over", &[Symptom::Hangs]),
    ("trl-needs-a-launcher", &[Symptom::RefusedAtStart]),
    ("evaluation-logits-kept", &[Symptom::OutOfMemory]),
    ("import-removed", &[Symptom::RefusedAtStart]),
    ("checkpoint-without-reentrant", &[Symptom::BadLoss]),
    ("card-lacks-precision", &[Symptom::RefusedAtStart]),
    ("adapter-dropout-on-parameters", &[Symptom::RefusedAtStart]),
    ("adapter-trains-embeddings", &[Symptom::OutOfMemory]),
    ("preparation-casts-to-fp32", &[Symptom::OutOfMemory]),
    ("vllm-share-too-large", &[Symptom::OutOfMemory]),
    ("reward-weights-count", &[Symptom::RefusedAtStart]),
];

/// The symptoms of a rule, and whether somebody chose them; else those that its family suggests.
pub fn symptoms(rule: &Rule) -> (&'static [Symptom], bool) {
    if let Some((_, symptoms)) = TABLE.iter().find(|(name, _)| *name == rule.name) {
        return (symptoms, true);
    }
    let usual: &[Symptom] = match (rule.severity, rule.group) {
        (vramlint_base::Severity::Error, _) => &[Symptom::RefusedAtStart],
        (_, Group::Batch) => &[Symptom::OtherBatch],
        (_, Group::Memory) => &[Symptom::OutOfMemory],
        (_, Group::Data) => &[Symptom::Slow],
        _ => &[Symptom::NoEffect],
    };
    (usual, false)
}
