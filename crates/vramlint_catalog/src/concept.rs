//! The canonical settings of a training run, by the field's names.

macro_rules! concepts {
    ($($variant:ident $name:literal $unit:literal $doc:literal;)*) => {
        /// A canonical setting of a training run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Concept { $(#[doc = $doc] $variant,)* }

        impl Concept {
            /// Every concept, in the order in which `vramlint runs` shows them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in JSON, messages and `vramlint runs`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Unit of the value, empty where it has none.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }
        }
    };
}

concepts! {
    Model "model" "" "Model id or folder.";
    Task "task" "" "What is trained: causal-lm, sft, dpo, grpo, reward, seq-cls.";
    Method "method" "" "full, lora, qlora or freeze.";
    DistributedType "distributed_type" "" "accelerate's distributed type: NO, MULTI_GPU, DEEPSPEED, FSDP…";
    NumProcesses "num_processes" "processes" "Processes that the launcher is asked for, on all machines.";
    NumMachines "num_machines" "machines" "Machines (nodes).";
    GpuIds "gpu_ids" "" "The GPUs that the launcher shows to the processes.";
    VisibleDevices "cuda_visible_devices" "" "CUDA_VISIBLE_DEVICES.";
    WorldSize "world_size" "processes" "Data-parallel processes that really run.";
    MicroBatch "micro_batch" "rows" "Rows per forward per process. Under TRL's GRPO: completions.";
    GradientAccumulationSteps "gradient_accumulation_steps" "steps" "Micro-batches per optimizer step.";
    EffectiveBatch "effective_batch" "rows" "Rows per optimizer step over all processes.";
    SequenceLength "sequence_length" "tokens" "Longest row.";
    TokensPerStep "tokens_per_step" "tokens" "Tokens per optimizer step at the longest row.";
    NumGenerations "num_generations" "completions" "Completions per prompt.";
    StepsPerGeneration "steps_per_generation" "steps" "Micro-batches per round of generation.";
    GenerationBatch "generation_batch_size" "completions" "Completions per round of generation over all processes.";
    CompletionsPerMicroStep "completions_per_micro_step" "completions" "Completions generated for one micro-batch.";
    CompletionsPerStep "completions_per_step" "completions" "Completions generated for one optimizer step.";
    PromptsPerStep "prompts_per_step" "prompts" "Prompts used for one optimizer step.";
    MaxPromptLength "max_prompt_length" "tokens" "Longest prompt.";
    MaxCompletionLength "max_completion_length" "tokens" "Longest completion.";
    WeightsDtype "weights_dtype" "" "Type of the weights as loaded: fp32, bf16, fp16.";
    MixedPrecision "mixed_precision" "" "Autocast: no, bf16, fp16, fp8.";
    Quantization "quantization" "" "none, int8, nf4, fp4, nf4-double.";
    LoraR "lora_r" "" "Rank of the adapters.";
    LoraAlpha "lora_alpha" "" "Scale of the adapters.";
    LoraTargets "lora_targets" "" "Modules that get adapters.";
    LoraDropout "lora_dropout" "" "Dropout before the adapters.";
    UseDora "use_dora" "" "Whether adapters are DoRA's.";
    LoraModulesToSave "lora_modules_to_save" "" "Modules that are trained whole beside the adapters.";
    Freeze "freeze" "" "What stays frozen where a framework or the code says it: base, llm, all-but-layers:N.";
    Optimizer "optimizer" "" "Optimizer, as the framework names it.";
    LearningRate "learning_rate" "" "Peak learning rate.";
    MaxGradNorm "max_grad_norm" "" "Norm that gradients are clipped to; 0 or less where they are not.";
    Epochs "epochs" "epochs" "Passes over the data.";
    MaxSteps "max_steps" "steps" "Optimizer steps, where fixed.";
    GradientCheckpointing "gradient_checkpointing" "" "Whether activations are recomputed.";
    CheckpointingReentrant "checkpointing_reentrant" "" "Whether recomputing uses torch's reentrant way.";
    FusedLoss "fused_loss" "" "How the loss avoids whole logits: none, liger, chunked, cut-cross-entropy.";
    UseCache "use_cache" "" "Whether keys and values are kept for generation.";
    Attention "attention" "" "eager, sdpa, flash_attention_2…";
    Packing "packing" "" "Whether rows are packed to full length.";
    PaddingFree "padding_free" "" "Whether the rows of a batch are joined without padding.";
    DeviceMap "device_map" "" "How transformers places the modules.";
    ZeroStage "zero_stage" "" "DeepSpeed ZeRO stage, 0 to 3.";
    OffloadOptimizer "offload_optimizer" "" "Where DeepSpeed keeps optimizer states: none, cpu, nvme.";
    OffloadParam "offload_param" "" "Where DeepSpeed keeps parameters: none, cpu, nvme.";
    ReduceBucketSize "reduce_bucket_size" "elements" "DeepSpeed: gradients reduced at a time.";
    AllgatherBucketSize "allgather_bucket_size" "elements" "DeepSpeed: parameters gathered at a time, stages 1 and 2.";
    Stage3PrefetchBucketSize "stage3_prefetch_bucket_size" "elements" "ZeRO 3: parameters fetched ahead.";
    Stage3MaxLiveParameters "stage3_max_live_parameters" "elements" "ZeRO 3: gathered parameters at most.";
    Stage3ParamPersistenceThreshold "stage3_param_persistence_threshold" "elements" "ZeRO 3: smaller parameters stay gathered.";
    SubGroupSize "sub_group_size" "elements" "ZeRO 3: parameters updated at a time.";
    OverlapComm "overlap_comm" "" "DeepSpeed: whether reducing overlaps the backward, with a second bucket.";
    ContiguousGradients "contiguous_gradients" "" "DeepSpeed: whether gradients are copied to one buffer.";
    ZeroHpzPartitionSize "zero_hpz_partition_size" "processes" "ZeRO++: ranks that share a second copy of the parameters.";
    ZeroQuantizedWeights "zero_quantized_weights" "" "ZeRO++: whether weights are gathered in 8 bits.";
    Gather16bitOnSave "gather_16bit_on_save" "" "ZeRO 3: whether saving gathers the whole model.";
    FsdpVersion "fsdp_version" "" "1 or 2.";
    FsdpSharding "fsdp_sharding" "" "FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2.";
    FsdpReshard "fsdp_reshard" "" "FSDP 2: whether parameters are freed behind the forward.";
    FsdpWrap "fsdp_wrap" "" "TRANSFORMER_BASED_WRAP, SIZE_BASED_WRAP, NO_WRAP.";
    FsdpOffload "fsdp_offload" "" "Whether FSDP keeps shards in the memory of the machine.";
    FsdpActivationCheckpointing "fsdp_activation_checkpointing" "" "Whether FSDP recomputes activations.";
    FsdpStateDict "fsdp_state_dict" "" "FULL_STATE_DICT, SHARDED_STATE_DICT, LOCAL_STATE_DICT.";
    TensorParallelSize "tensor_parallel_size" "processes" "Processes that share each matrix.";
    ContextParallelSize "context_parallel_size" "processes" "Processes that share each row (context or sequence parallel).";
    ReferenceModel "reference_model" "" "Reference model of DPO or GRPO.";
    PrecomputeRefLogProbs "precompute_ref_log_probs" "" "Whether the reference model is gone before training.";
    KlBeta "kl_beta" "" "Weight of the divergence from the reference model; GRPO with 0 loads none.";
    RewardModel "reward_model" "" "Reward model.";
    VllmMode "vllm_mode" "" "Where vLLM generates: colocate, server, none.";
    VllmGpuMemoryUtilization "vllm_gpu_memory_utilization" "" "Share of a GPU that vLLM takes, 0 to 1.";
    VllmSleep "vllm_sleep" "" "Whether vLLM gives its memory back while the model trains.";
    DataloaderWorkers "dataloader_num_workers" "processes" "Worker processes of each data loader.";
    DataloaderPrefetchFactor "dataloader_prefetch_factor" "batches" "Batches that each worker holds ready.";
    AllocatorConf "allocator_conf" "" "PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF.";
    EmptyCacheSteps "empty_cache_steps" "steps" "Steps between two calls of empty_cache.";
}

impl Concept {
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

    /// Whether it is a detail that is worth showing only where somebody set it.
    pub const fn is_detail(self) -> bool {
        matches!(
            self,
            Self::LoraDropout
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
