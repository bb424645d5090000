//! The canonical settings of a training run, by the field's names.

use vramlint_base::Lang;

macro_rules! concepts {
    ($($variant:ident $name:literal $unit:literal $en:literal $zh:literal;)*) => {
        /// A canonical setting of a training run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Concept { $(#[doc = $en] $variant,)* }

        impl Concept {
            /// Every concept, in the order in which `vramlint runs` shows them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in JSON, messages and `vramlint runs`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Unit of the value, empty if it has none.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }

            /// What the setting is, in one or two sentences.
            pub const fn about(self, lang: Lang) -> &'static str {
                match (self, lang) {
                    $((Self::$variant, Lang::En) => $en,)*
                    $((Self::$variant, Lang::Zh) => $zh,)*
                }
            }
        }
    };
}

concepts! {
    Model "model" "" "The model to train: a hub id or a folder." "要训练的模型：Hub 上的 id 或文件夹。";
    // {cls: T5Config, d_model: 768}: the class or the model that it starts from, and the keys that the code sets
    ModelConfig "model_config" "" "The configuration that the code makes the model from." "代码用来创建模型的配置。";
    VocabSize "vocab_size" "tokens" "Rows of the embedding table of a model that the code makes." "代码所创建模型的词表大小。";
    // causal-lm, sft, dpo, grpo, reward, seq-cls
    Task "task" "" "The training task." "训练的任务。";
    // full, lora, qlora, freeze
    Method "method" "" "Which weights are trained: all, adapters, or a few layers." "更新哪些权重：全部、适配器或少数层。";
    // accelerate's own: NO, MULTI_GPU, DEEPSPEED, FSDP…
    DistributedType "distributed_type" "" "How accelerate distributes the work over processes." "accelerate 如何把工作分给各进程。";
    NumProcesses "num_processes" "processes"
        "Processes that the launcher starts, on all machines together; each uses one GPU."
        "要求启动器启动的进程数（所有机器合计），每个进程使用一块 GPU。";
    NumMachines "num_machines" "machines" "Machines in the run." "参与的机器数。";
    GpuIds "gpu_ids" "" "The GPUs that the launcher makes visible to its processes." "启动器让各进程可见的 GPU。";
    VisibleDevices "cuda_visible_devices" ""
        "The GPUs that a process can see, in this order; CUDA renumbers them from 0."
        "进程可见的 GPU；CUDA 按此顺序从 0 重新编号。";
    WorldSize "world_size" "processes" "Data-parallel processes that actually run." "实际运行的数据并行进程数。";
    // under TRL's GRPO completions
    MicroBatch "micro_batch" "rows"
        "Samples per forward pass and process. Activations and logits grow with it; weights do not."
        "单个进程一次前向的样本数。激活值与 logits 随之增长，权重不变。";
    GradientAccumulationSteps "gradient_accumulation_steps" "steps"
        "Micro-batches whose gradients are accumulated before an optimizer step."
        "优化器更新一次之前累积梯度的微批次数。";
    EvaluationBatch "evaluation_batch" "rows" "Samples per forward pass and process of an evaluation." "评估时单个进程一次前向的样本数。";
    EffectiveBatch "effective_batch" "rows" "Samples per optimizer step over all processes." "所有进程合计、优化器每步的样本数。";
    SequenceLength "sequence_length" "tokens"
        "Tokens of the longest sequence. Activations and logits grow with it."
        "最长序列的 token 数。激活值与 logits 随之增长。";
    TokensPerStep "tokens_per_step" "tokens"
        "Tokens per optimizer step, if every sequence has the maximum length."
        "每个序列都取最大长度时，优化器每步的 token 数。";
    NumGenerations "num_generations" "completions" "Completions per prompt that are compared with each other." "每个提示生成、互相比较的回复数。";
    StepsPerGeneration "steps_per_generation" "steps" "Micro-batches that one round of generation supplies." "一轮生成供给的微批次数。";
    GenerationBatch "generation_batch_size" "completions"
        "Completions per round of generation over all processes."
        "所有进程合计、一轮生成的回复数。";
    CompletionsPerMicroStep "completions_per_micro_step" "completions" "Completions generated per micro-batch." "为一个微批次生成的回复数。";
    CompletionsPerStep "completions_per_step" "completions" "Completions generated per optimizer step." "为优化器一步生成的回复数。";
    PromptsPerStep "prompts_per_step" "prompts" "Prompts per optimizer step." "优化器一步用到的提示数。";
    MaxPromptLength "max_prompt_length" "tokens" "Tokens of the longest prompt." "最长提示的 token 数。";
    // of an encoder-decoder model
    TargetLength "target_length" "tokens" "Tokens of the longest target, which the decoder learns." "解码器所学目标的最大 token 数。";
    MaxCompletionLength "max_completion_length" "tokens" "Maximum number of tokens generated per prompt." "每个提示最多生成的 token 数。";
    // fp32, bf16, fp16
    WeightsDtype "weights_dtype" "" "The data type in which the weights are loaded." "权重加载时的数据类型。";
    // no, bf16, fp16, fp8
    MixedPrecision "mixed_precision" ""
        "The data type in which autocast computes; the weights keep the type in which they were loaded."
        "自动混合精度的计算类型；权重保持加载时的类型。";
    // none, int8, nf4, fp4, nf4-double
    Quantization "quantization" "" "How the weights of the base model are quantized." "基座模型权重的量化方式。";
    // of bitsandbytes' 4-bit layers
    QuantizationComputeDtype "quantization_compute_dtype" ""
        "The data type in which 4-bit layers compute."
        "4 bit 层计算时的数据类型。";
    LoraR "lora_r" "" "Rank of the adapters; their number of parameters is proportional to it." "适配器的秩；其参数量与之成正比。";
    LoraAlpha "lora_alpha" "" "Scale of the adapters' output; it uses no memory." "适配器输出的缩放，不占显存。";
    LoraTargets "lora_targets" "" "The modules that get adapters." "加适配器的模块。";
    // of experts in three dimensions
    LoraTargetParameters "lora_target_parameters" ""
        "The parameters outside linear layers that get adapters."
        "线性层之外加适配器的参数。";
    LoraDropout "lora_dropout" "" "Dropout before the adapters." "适配器之前的 dropout。";
    // of TRL's preference trainers
    DisableDropout "disable_dropout" "" "Whether every dropout of the model is turned off." "是否关闭模型中的所有 dropout。";
    UseDora "use_dora" "" "Whether the adapters also train a magnitude vector (DoRA)." "适配器是否同时学习幅值（DoRA）。";
    LoraModulesToSave "lora_modules_to_save" "" "Modules that are fully trained in addition to the adapters." "在适配器之外整体训练的模块。";
    // base, llm, vision, all-but-layers:N
    Freeze "freeze" "" "The frozen part: it has no gradients and no optimizer states." "保持冻结的部分：没有梯度，也没有优化器状态。";
    Optimizer "optimizer" "" "The optimizer; AdamW keeps two states per trained parameter." "优化器；AdamW 为每个被训练的参数保存两个状态。";
    LearningRate "learning_rate" "" "The highest learning rate." "最高学习率。";
    // 0 or less if they are not
    MaxGradNorm "max_grad_norm" "" "The maximum gradient norm; larger gradients are clipped." "梯度裁剪的最大范数。";
    Epochs "epochs" "epochs" "Passes over the data." "遍历数据的轮数。";
    MaxSteps "max_steps" "steps" "Optimizer steps, regardless of the number of epochs." "优化器总步数，与轮数无关。";
    GradientCheckpointing "gradient_checkpointing" ""
        "Whether activations are recomputed in the backward pass instead of stored: less memory, more time."
        "是否在反向时重算激活值而不保存：更省显存，更费时间。";
    CheckpointingReentrant "checkpointing_reentrant" ""
        "Whether recomputation uses torch's reentrant implementation."
        "重算是否使用 torch 的可重入实现。";
    // none, liger, chunked, cut-cross-entropy
    FusedLoss "fused_loss" "" "Whether the loss is computed without materializing all logits." "计算损失时是否不生成全部 logits。";
    UseCache "use_cache" "" "Whether the forward pass keeps keys and values; training does not need them." "前向是否保存 KV 缓存；训练用不到。";
    // eager, sdpa, flash_attention_2…
    Attention "attention" "" "The attention implementation." "注意力的实现。";
    Packing "packing" "" "Whether several samples are packed into one sequence." "是否把多个样本拼接为一个序列。";
    PaddingFree "padding_free" "" "Whether the samples of a batch are concatenated without padding." "一个批次的样本是否无填充地拼接。";
    DeviceMap "device_map" "" "The device on which each module is placed when the model is loaded." "加载模型时各模块放在哪个设备上。";
    ZeroStage "zero_stage" ""
        "What DeepSpeed shards over the processes: 1 optimizer states, 2 also gradients, 3 also parameters."
        "DeepSpeed 在进程间分片的内容：1 优化器状态，2 再加梯度，3 再加参数。";
    // none, cpu, nvme
    OffloadOptimizer "offload_optimizer" "" "Where DeepSpeed keeps the optimizer states." "DeepSpeed 把优化器状态放在哪里。";
    // none, cpu, nvme
    OffloadParam "offload_param" "" "Where DeepSpeed keeps the parameters." "DeepSpeed 把参数放在哪里。";
    ReduceBucketSize "reduce_bucket_size" "elements"
        "Gradient elements reduced at a time; a larger bucket uses more memory."
        "每次归约的梯度元素数；越大越占显存。";
    // stages 1 and 2
    AllgatherBucketSize "allgather_bucket_size" "elements" "Parameter elements gathered at a time." "每次聚合的参数元素数。";
    Stage3PrefetchBucketSize "stage3_prefetch_bucket_size" "elements"
        "Parameter elements that ZeRO-3 prefetches."
        "ZeRO-3 预取的参数元素数。";
    Stage3MaxLiveParameters "stage3_max_live_parameters" "elements"
        "Maximum number of gathered parameter elements that ZeRO-3 keeps."
        "ZeRO-3 最多同时保留的已聚合参数元素数。";
    Stage3ParamPersistenceThreshold "stage3_param_persistence_threshold" "elements"
        "Parameters with fewer elements stay gathered under ZeRO-3."
        "ZeRO-3 下，元素数更少的参数一直保持聚合。";
    SubGroupSize "sub_group_size" "elements" "Elements that the optimizer updates at a time under ZeRO-3." "ZeRO-3 下优化器每次更新的元素数。";
    // with a second bucket
    OverlapComm "overlap_comm" "" "Whether gradients are reduced during the backward pass." "是否在反向计算的同时归约梯度。";
    ContiguousGradients "contiguous_gradients" ""
        "Whether gradients are copied to a contiguous buffer as they are computed."
        "是否把梯度随产生随复制到一块连续缓冲区。";
    ZeroHpzPartitionSize "zero_hpz_partition_size" "processes"
        "Processes that share a secondary copy of the parameters (ZeRO++)."
        "共享参数第二副本的进程数（ZeRO++）。";
    ZeroQuantizedWeights "zero_quantized_weights" ""
        "Whether weights are gathered in 8-bit precision (ZeRO++)."
        "聚合权重时是否使用 8 位精度（ZeRO++）。";
    Gather16bitOnSave "gather_16bit_on_save" "" "Whether saving gathers the whole model on one process." "保存时是否在一个进程上聚合整个模型。";
    FsdpVersion "fsdp_version" "" "The FSDP version: 1 wraps modules, 2 shards each parameter." "FSDP 的版本：1 包装模块，2 按参数分片。";
    // FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2
    FsdpSharding "fsdp_sharding" "" "What FSDP shards over the processes." "FSDP 在进程间分片的内容。";
    FsdpReshard "fsdp_reshard" "" "Whether gathered parameters are freed after the forward pass." "前向之后是否释放已聚合的参数。";
    // TRANSFORMER_BASED_WRAP, SIZE_BASED_WRAP, NO_WRAP
    FsdpWrap "fsdp_wrap" "" "How FSDP divides the model into units; one unit is gathered at a time." "FSDP 把模型分成哪些单元；每次聚合一个单元。";
    FsdpOffload "fsdp_offload" "" "Whether FSDP keeps its shards in host memory." "FSDP 是否把分片放在主机内存。";
    FsdpActivationCheckpointing "fsdp_activation_checkpointing" ""
        "Whether FSDP recomputes activations in the backward pass."
        "FSDP 是否在反向时重算激活值。";
    // FULL_STATE_DICT, SHARDED_STATE_DICT, LOCAL_STATE_DICT
    FsdpStateDict "fsdp_state_dict" "" "The format in which FSDP saves the model." "FSDP 以何种形式保存模型。";
    TensorParallelSize "tensor_parallel_size" "processes" "Processes over which each matrix is split." "切分每个矩阵的进程数。";
    ContextParallelSize "context_parallel_size" "processes" "Processes over which each sequence is split." "切分每个序列的进程数。";
    ReferenceModel "reference_model" "" "The reference model for the trained model." "与被训练模型对照的参考模型。";
    TeacherModel "teacher_model" "" "The model whose distribution is distilled." "被蒸馏的教师模型。";
    PrecomputeRefLogProbs "precompute_ref_log_probs" ""
        "Whether the reference log-probabilities are computed before training."
        "是否在训练前算出参考模型的对数概率。";
    // GRPO loads no reference model with 0
    KlBeta "kl_beta" "" "Weight of the KL divergence from the reference model." "相对参考模型的 KL 散度的权重。";
    RewardModel "reward_model" "" "The model that scores completions." "给回复打分的模型。";
    // colocate, server, none
    VllmMode "vllm_mode" "" "Where vLLM generates: on the training GPUs, or on a server." "vLLM 在哪里生成：训练所用的 GPU 上，或另外的服务器上。";
    VllmGpuMemoryUtilization "vllm_gpu_memory_utilization" ""
        "The fraction of GPU memory that vLLM reserves."
        "vLLM 占用单块 GPU 显存的比例。";
    VllmSleep "vllm_sleep" "" "Whether vLLM frees its memory while the model trains." "模型训练时 vLLM 是否释放显存。";
    DataloaderWorkers "dataloader_num_workers" "processes"
        "Worker processes of each data loader; they use host memory."
        "每个数据加载器的工作进程数，占用主机内存。";
    DataloaderPrefetchFactor "dataloader_prefetch_factor" "batches" "Batches that each worker prefetches." "每个工作进程预先准备的批次数。";
    // PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF
    AllocatorConf "allocator_conf" "" "How torch's allocator requests memory from CUDA." "torch 分配器如何向 CUDA 申请显存。";
    EmptyCacheSteps "empty_cache_steps" "steps" "Steps between calls of empty_cache." "两次 empty_cache 之间的步数。";
}

/// The units in Chinese.
const UNITS: &[(&str, &str)] = &[
    ("processes", "进程"),
    ("machines", "台机器"),
    ("rows", "样本"),
    ("samples", "样本"),
    ("sequences", "个序列"),
    ("steps", "步"),
    ("tokens", "token"),
    ("completions", "个回复"),
    ("prompts", "个提示"),
    ("epochs", "轮"),
    ("elements", "个元素"),
    ("batches", "个批次"),
];

impl Concept {
    /// Unit of the value in a language, empty if it has none.
    pub fn unit_in(self, lang: Lang) -> &'static str {
        let en = self.unit();
        match lang {
            Lang::En => en,
            Lang::Zh => UNITS.iter().find(|(own, _)| *own == en).map_or(en, |(_, zh)| zh),
        }
    }

    /// Whether only DeepSpeed or FSDP reads it, beyond the stage and what is offloaded.
    pub const fn is_sharding(self) -> bool {
        matches!(
            self,
            Self::ReduceBucketSize
                | Self::AllgatherBucketSize
                | Self::Stage3PrefetchBucketSize
                | Self::Stage3MaxLiveParameters
                | Self::Stage3ParamPersistenceThreshold
                | Self::SubGroupSize
                | Self::OverlapComm
                | Self::ContiguousGradients
                | Self::ZeroHpzPartitionSize
                | Self::ZeroQuantizedWeights
                | Self::Gather16bitOnSave
                | Self::FsdpVersion
                | Self::FsdpSharding
                | Self::FsdpReshard
                | Self::FsdpWrap
                | Self::FsdpOffload
                | Self::FsdpActivationCheckpointing
                | Self::FsdpStateDict
        )
    }

    /// Whether a script gets it by a call that it may leave out: adapters, quantization, checkpointing, freezing.
    pub const fn is_turned_on(self) -> bool {
        matches!(self, Self::Method | Self::Quantization | Self::GradientCheckpointing | Self::Freeze)
    }

    /// Whether it describes adapters, and means nothing without them.
    pub const fn is_of_adapters(self) -> bool {
        matches!(
            self,
            Self::LoraR | Self::LoraAlpha | Self::LoraTargets | Self::LoraTargetParameters | Self::LoraDropout | Self::UseDora
        )
    }

    /// Whether its values are numbers, which only words such as `auto` stand for.
    pub const fn is_number(self) -> bool {
        matches!(
            self,
            Self::NumProcesses
                | Self::NumMachines
                | Self::WorldSize
                | Self::MicroBatch
                | Self::GradientAccumulationSteps
                | Self::EffectiveBatch
                | Self::SequenceLength
                | Self::NumGenerations
                | Self::MaxPromptLength
                | Self::EvaluationBatch
                | Self::MaxCompletionLength
                | Self::TargetLength
                | Self::LoraR
                | Self::LoraAlpha
                | Self::LoraDropout
                | Self::LearningRate
                | Self::MaxGradNorm
                | Self::Epochs
                | Self::MaxSteps
                | Self::ZeroStage
        )
    }

    /// Whether it is a detail that is worth showing only if it is set.
    pub const fn is_detail(self) -> bool {
        matches!(
            self,
            Self::ModelConfig
                | Self::VocabSize
                | Self::EvaluationBatch
                | Self::QuantizationComputeDtype
                | Self::TargetLength
                | Self::LoraTargetParameters
                | Self::LoraDropout
                | Self::DisableDropout
                | Self::UseDora
                | Self::MaxGradNorm
                | Self::CheckpointingReentrant
                | Self::FusedLoss
                | Self::UseCache
                | Self::PaddingFree
                | Self::PrecomputeRefLogProbs
                | Self::KlBeta
                | Self::VllmMode
                | Self::VllmGpuMemoryUtilization
                | Self::VllmSleep
        ) || self.is_sharding()
    }

    /// The concept with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|concept| concept.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_concept_is_described_in_both_languages() {
        for concept in Concept::ALL {
            assert!(concept.about(Lang::En).ends_with('.'), "{concept:?}");
            assert!(concept.about(Lang::Zh).ends_with('。'), "{concept:?}");
            assert!(concept.unit().is_empty() || UNITS.iter().any(|(en, _)| *en == concept.unit()), "{concept:?}");
            assert_eq!(Concept::from_name(concept.name()), Some(*concept));
        }
    }
}
