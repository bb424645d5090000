//! What each setting of a run does, in both languages.

use vramlint_base::Lang;
use vramlint_catalog::Concept;

/// What a setting does.
pub(super) fn about(concept: Concept, lang: Lang) -> &'static str {
    let (en, zh) = bilingual(concept);
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// The unit of a setting; empty if it has none.
pub(super) fn unit(concept: Concept, lang: Lang) -> &'static str {
    let en = concept.unit();
    if lang == Lang::En {
        return en;
    }
    UNITS.iter().find(|(unit, _)| *unit == en).map_or(en, |(_, zh)| zh)
}

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

const fn bilingual(concept: Concept) -> (&'static str, &'static str) {
    use Concept as C;
    match concept {
        C::Model => ("The model to train: a hub id or a folder.", "要训练的模型：Hub 上的 id 或文件夹。"),
        C::Task => ("The training task.", "训练的任务。"),
        C::Method => ("Which weights are trained: all, adapters, or a few layers.", "更新哪些权重：全部、适配器或少数层。"),
        C::DistributedType => ("How accelerate distributes the work over processes.", "accelerate 如何把工作分给各进程。"),
        C::NumProcesses => (
            "Processes that the launcher starts, on all machines together; each uses one GPU.",
            "要求启动器启动的进程数（所有机器合计），每个进程使用一块 GPU。",
        ),
        C::NumMachines => ("Machines in the run.", "参与的机器数。"),
        C::GpuIds => ("The GPUs that the launcher makes visible to its processes.", "启动器让各进程可见的 GPU。"),
        C::VisibleDevices => (
            "The GPUs that a process can see, in this order; CUDA renumbers them from 0.",
            "进程可见的 GPU；CUDA 按此顺序从 0 重新编号。",
        ),
        C::WorldSize => ("Data-parallel processes that actually run.", "实际运行的数据并行进程数。"),
        C::MicroBatch => (
            "Samples per forward pass and process. Activations and logits grow with it; weights do not.",
            "单个进程一次前向的样本数。激活值与 logits 随之增长，权重不变。",
        ),
        C::GradientAccumulationSteps => {
            ("Micro-batches whose gradients are accumulated before an optimizer step.", "优化器更新一次之前累积梯度的微批次数。")
        }
        C::EffectiveBatch => ("Samples per optimizer step over all processes.", "所有进程合计、优化器每步的样本数。"),
        C::SequenceLength => (
            "Tokens of the longest sequence. Activations and logits grow with it.",
            "最长序列的 token 数。激活值与 logits 随之增长。",
        ),
        C::TokensPerStep => (
            "Tokens per optimizer step, if every sequence has the maximum length.",
            "每个序列都取最大长度时，优化器每步的 token 数。",
        ),
        C::NumGenerations => ("Completions per prompt that are compared with each other.", "每个提示生成、互相比较的回复数。"),
        C::StepsPerGeneration => ("Micro-batches that one round of generation supplies.", "一轮生成供给的微批次数。"),
        C::GenerationBatch => ("Completions per round of generation over all processes.", "所有进程合计、一轮生成的回复数。"),
        C::CompletionsPerMicroStep => ("Completions generated per micro-batch.", "为一个微批次生成的回复数。"),
        C::CompletionsPerStep => ("Completions generated per optimizer step.", "为优化器一步生成的回复数。"),
        C::PromptsPerStep => ("Prompts per optimizer step.", "优化器一步用到的提示数。"),
        C::MaxPromptLength => ("Tokens of the longest prompt.", "最长提示的 token 数。"),
        C::MaxCompletionLength => ("Maximum number of tokens generated per prompt.", "每个提示最多生成的 token 数。"),
        C::WeightsDtype => ("The data type in which the weights are loaded.", "权重加载时的数据类型。"),
        C::MixedPrecision => (
            "The data type in which autocast computes; the weights keep the type in which they were loaded.",
            "自动混合精度的计算类型；权重保持加载时的类型。",
        ),
        C::Quantization => ("How the weights of the base model are quantized.", "基座模型权重的量化方式。"),
        C::LoraR => {
            ("Rank of the adapters; their number of parameters is proportional to it.", "适配器的秩；其参数量与之成正比。")
        }
        C::LoraAlpha => ("Scale of the adapters' output; it uses no memory.", "适配器输出的缩放，不占显存。"),
        C::LoraTargets => ("The modules that get adapters.", "加适配器的模块。"),
        C::LoraDropout => ("Dropout before the adapters.", "适配器之前的 dropout。"),
        C::UseDora => ("Whether the adapters also train a magnitude vector (DoRA).", "适配器是否同时学习幅值（DoRA）。"),
        C::LoraModulesToSave => ("Modules that are fully trained in addition to the adapters.", "在适配器之外整体训练的模块。"),
        C::Freeze => {
            ("The frozen part: it has no gradients and no optimizer states.", "保持冻结的部分：没有梯度，也没有优化器状态。")
        }
        C::Optimizer => {
            ("The optimizer; AdamW keeps two states per trained parameter.", "优化器；AdamW 为每个被训练的参数保存两个状态。")
        }
        C::LearningRate => ("The highest learning rate.", "最高学习率。"),
        C::MaxGradNorm => ("The maximum gradient norm; larger gradients are clipped.", "梯度裁剪的最大范数。"),
        C::Epochs => ("Passes over the data.", "遍历数据的轮数。"),
        C::MaxSteps => ("Optimizer steps, regardless of the number of epochs.", "优化器总步数，与轮数无关。"),
        C::GradientCheckpointing => (
            "Whether activations are recomputed in the backward pass instead of stored: less memory, more time.",
            "是否在反向时重算激活值而不保存：更省显存，更费时间。",
        ),
        C::CheckpointingReentrant => {
            ("Whether recomputation uses torch's reentrant implementation.", "重算是否使用 torch 的可重入实现。")
        }
        C::FusedLoss => ("Whether the loss is computed without materializing all logits.", "计算损失时是否不生成全部 logits。"),
        C::UseCache => {
            ("Whether the forward pass keeps keys and values; training does not need them.", "前向是否保存 KV 缓存；训练用不到。")
        }
        C::Attention => ("The attention implementation.", "注意力的实现。"),
        C::Packing => ("Whether several samples are packed into one sequence.", "是否把多个样本拼接为一个序列。"),
        C::PaddingFree => {
            ("Whether the samples of a batch are concatenated without padding.", "一个批次的样本是否无填充地拼接。")
        }
        C::DeviceMap => {
            ("The device on which each module is placed when the model is loaded.", "加载模型时各模块放在哪个设备上。")
        }
        C::ZeroStage => (
            "What DeepSpeed shards over the processes: 1 optimizer states, 2 also gradients, 3 also parameters.",
            "DeepSpeed 在进程间分片的内容：1 优化器状态，2 再加梯度，3 再加参数。",
        ),
        C::OffloadOptimizer => ("Where DeepSpeed keeps the optimizer states.", "DeepSpeed 把优化器状态放在哪里。"),
        C::OffloadParam => ("Where DeepSpeed keeps the parameters.", "DeepSpeed 把参数放在哪里。"),
        C::ReduceBucketSize => {
            ("Gradient elements reduced at a time; a larger bucket uses more memory.", "每次归约的梯度元素数；越大越占显存。")
        }
        C::AllgatherBucketSize => ("Parameter elements gathered at a time.", "每次聚合的参数元素数。"),
        C::Stage3PrefetchBucketSize => ("Parameter elements that ZeRO-3 prefetches.", "ZeRO-3 预取的参数元素数。"),
        C::Stage3MaxLiveParameters => {
            ("Maximum number of gathered parameter elements that ZeRO-3 keeps.", "ZeRO-3 最多同时保留的已聚合参数元素数。")
        }
        C::Stage3ParamPersistenceThreshold => {
            ("Parameters with fewer elements stay gathered under ZeRO-3.", "ZeRO-3 下，元素数更少的参数一直保持聚合。")
        }
        C::SubGroupSize => ("Elements that the optimizer updates at a time under ZeRO-3.", "ZeRO-3 下优化器每次更新的元素数。"),
        C::OverlapComm => ("Whether gradients are reduced during the backward pass.", "是否在反向计算的同时归约梯度。"),
        C::ContiguousGradients => (
            "Whether gradients are copied to a contiguous buffer as they are computed.",
            "是否把梯度随产生随复制到一块连续缓冲区。",
        ),
        C::ZeroHpzPartitionSize => {
            ("Processes that share a secondary copy of the parameters (ZeRO++).", "共享参数第二副本的进程数（ZeRO++）。")
        }
        C::ZeroQuantizedWeights => {
            ("Whether weights are gathered in 8-bit precision (ZeRO++).", "聚合权重时是否使用 8 位精度（ZeRO++）。")
        }
        C::Gather16bitOnSave => {
            ("Whether saving gathers the whole model on one process.", "保存时是否在一个进程上聚合整个模型。")
        }
        C::FsdpVersion => {
            ("The FSDP version: 1 wraps modules, 2 shards each parameter.", "FSDP 的版本：1 包装模块，2 按参数分片。")
        }
        C::FsdpSharding => ("What FSDP shards over the processes.", "FSDP 在进程间分片的内容。"),
        C::FsdpReshard => ("Whether gathered parameters are freed after the forward pass.", "前向之后是否释放已聚合的参数。"),
        C::FsdpWrap => (
            "How FSDP divides the model into units; one unit is gathered at a time.",
            "FSDP 把模型分成哪些单元；每次聚合一个单元。",
        ),
        C::FsdpOffload => ("Whether FSDP keeps its shards in host memory.", "FSDP 是否把分片放在主机内存。"),
        C::FsdpActivationCheckpointing => {
            ("Whether FSDP recomputes activations in the backward pass.", "FSDP 是否在反向时重算激活值。")
        }
        C::FsdpStateDict => ("The format in which FSDP saves the model.", "FSDP 以何种形式保存模型。"),
        C::TensorParallelSize => ("Processes over which each matrix is split.", "切分每个矩阵的进程数。"),
        C::ContextParallelSize => ("Processes over which each sequence is split.", "切分每个序列的进程数。"),
        C::ReferenceModel => ("The reference model for the trained model.", "与被训练模型对照的参考模型。"),
        C::PrecomputeRefLogProbs => {
            ("Whether the reference log-probabilities are computed before training.", "是否在训练前算出参考模型的对数概率。")
        }
        C::KlBeta => ("Weight of the KL divergence from the reference model.", "相对参考模型的 KL 散度的权重。"),
        C::RewardModel => ("The model that scores completions.", "给回复打分的模型。"),
        C::VllmMode => (
            "Where vLLM generates: on the training GPUs, or on a server.",
            "vLLM 在哪里生成：训练所用的 GPU 上，或另外的服务器上。",
        ),
        C::VllmGpuMemoryUtilization => ("The fraction of GPU memory that vLLM reserves.", "vLLM 占用单块 GPU 显存的比例。"),
        C::VllmSleep => ("Whether vLLM frees its memory while the model trains.", "模型训练时 vLLM 是否释放显存。"),
        C::DataloaderWorkers => {
            ("Worker processes of each data loader; they use host memory.", "每个数据加载器的工作进程数，占用主机内存。")
        }
        C::DataloaderPrefetchFactor => ("Batches that each worker prefetches.", "每个工作进程预先准备的批次数。"),
        C::AllocatorConf => ("How torch's allocator requests memory from CUDA.", "torch 分配器如何向 CUDA 申请显存。"),
        C::EmptyCacheSteps => ("Steps between calls of empty_cache.", "两次 empty_cache 之间的步数。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_described_in_both_languages() {
        for concept in Concept::ALL {
            assert!(about(*concept, Lang::En).ends_with('.'), "{concept:?}");
            assert!(about(*concept, Lang::Zh).ends_with('。'), "{concept:?}");
            assert!(concept.unit().is_empty() || !unit(*concept, Lang::Zh).is_empty(), "{concept:?}");
            assert!(concept.unit().is_empty() || UNITS.iter().any(|(en, _)| *en == concept.unit()), "{concept:?}");
        }
    }
}
