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
    Optimizer "optimizer" "" "Optimizer, as the framework names it.";
    LearningRate "learning_rate" "" "Peak learning rate.";
    Epochs "epochs" "epochs" "Passes over the data.";
    MaxSteps "max_steps" "steps" "Optimizer steps, where fixed.";
    GradientCheckpointing "gradient_checkpointing" "" "Whether activations are recomputed.";
    Attention "attention" "" "eager, sdpa, flash_attention_2…";
    Packing "packing" "" "Whether rows are packed to full length.";
    DeviceMap "device_map" "" "How transformers places the modules.";
    ZeroStage "zero_stage" "" "DeepSpeed ZeRO stage, 0 to 3.";
    OffloadOptimizer "offload_optimizer" "" "Where DeepSpeed keeps optimizer states: none, cpu, nvme.";
    OffloadParam "offload_param" "" "Where DeepSpeed keeps parameters: none, cpu, nvme.";
    ReferenceModel "reference_model" "" "Reference model of DPO or GRPO.";
    RewardModel "reward_model" "" "Reward model.";
    DataloaderWorkers "dataloader_num_workers" "processes" "Worker processes of each data loader.";
}

impl Concept {
    /// The concept with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|concept| concept.name() == name)
    }
}
