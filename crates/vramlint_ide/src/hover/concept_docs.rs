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
    ("rows", "行"),
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
        C::Model => ("The model that is trained: an id of the hub, or a folder.", "要训练的模型：Hub 上的 id 或文件夹。"),
        C::Task => ("What is trained.", "训练的任务。"),
        C::Method => ("Which weights get updates: all, adapters, or a few layers.", "更新哪些权重：全部、适配器或少数层。"),
        C::DistributedType => ("How accelerate spreads the work over processes.", "accelerate 如何把工作分给各进程。"),
        C::NumProcesses => (
            "Processes that the launcher is asked for, on all machines together; each drives one GPU.",
            "要求启动器启动的进程数（所有机器合计），每个进程使用一块 GPU。",
        ),
        C::NumMachines => ("Machines that take part.", "参与的机器数。"),
        C::GpuIds => ("The GPUs that the launcher shows to its processes.", "启动器让各进程看到的 GPU。"),
        C::VisibleDevices => (
            "The GPUs that CUDA shows to a process, in this order; it counts them anew from 0.",
            "CUDA 让进程看到的 GPU，按此顺序从 0 重新编号。",
        ),
        C::WorldSize => ("Data-parallel processes that really run.", "实际运行的数据并行进程数。"),
        C::MicroBatch => (
            "Rows of one forward on one process. Activations and logits grow with it; weights do not.",
            "单个进程一次前向的行数。激活值与 logits 随之增长，权重不变。",
        ),
        C::GradientAccumulationSteps => {
            ("Micro-batches whose gradients are added up before the optimizer steps.", "优化器更新一次之前累积梯度的微批次数。")
        }
        C::EffectiveBatch => ("Rows of one optimizer step over all processes.", "所有进程合计、优化器每步的行数。"),
        C::SequenceLength => {
            ("Tokens of the longest row. Activations and logits grow with it.", "最长一行的 token 数。激活值与 logits 随之增长。")
        }
        C::TokensPerStep => {
            ("Tokens of one optimizer step, if every row is as long as allowed.", "每行都取最大长度时，优化器每步的 token 数。")
        }
        C::NumGenerations => {
            ("Completions that are compared with each other for one prompt.", "每个提示生成、互相比较的回复数。")
        }
        C::StepsPerGeneration => ("Micro-batches that one round of generation feeds.", "一轮生成供给的微批次数。"),
        C::GenerationBatch => ("Completions of one round of generation over all processes.", "所有进程合计、一轮生成的回复数。"),
        C::CompletionsPerMicroStep => ("Completions that are generated for one micro-batch.", "为一个微批次生成的回复数。"),
        C::CompletionsPerStep => ("Completions that are generated for one optimizer step.", "为优化器一步生成的回复数。"),
        C::PromptsPerStep => ("Prompts that one optimizer step uses.", "优化器一步用到的提示数。"),
        C::MaxPromptLength => ("Tokens of the longest prompt.", "最长提示的 token 数。"),
        C::MaxCompletionLength => ("Tokens that are generated for a prompt at most.", "每个提示最多生成的 token 数。"),
        C::WeightsDtype => ("The type in which the weights are loaded.", "权重加载时的数据类型。"),
        C::MixedPrecision => (
            "The type in which autocast computes; weights keep the type in which they were loaded.",
            "自动混合精度的计算类型；权重保持加载时的类型。",
        ),
        C::Quantization => ("How the weights of the base are packed.", "基座权重的量化方式。"),
        C::LoraR => ("Rank of the adapters: their parameters grow with it in proportion.", "适配器的秩；其参数量与之成正比。"),
        C::LoraAlpha => ("Scale of what the adapters add; it costs no memory.", "适配器输出的缩放，不占显存。"),
        C::LoraTargets => ("The modules that get adapters.", "加适配器的模块。"),
        C::LoraDropout => ("Dropout before the adapters.", "适配器之前的 dropout。"),
        C::UseDora => ("Whether the adapters also learn a magnitude (DoRA).", "适配器是否同时学习幅值（DoRA）。"),
        C::LoraModulesToSave => ("Modules that are trained whole beside the adapters.", "在适配器之外整体训练的模块。"),
        C::Freeze => {
            ("What stays frozen: it gets no gradients and no optimizer states.", "保持冻结的部分：没有梯度，也没有优化器状态。")
        }
        C::Optimizer => {
            ("The optimizer; AdamW keeps two numbers for each trained parameter.", "优化器；AdamW 为每个被训练的参数保存两个数。")
        }
        C::LearningRate => ("The highest learning rate.", "最高学习率。"),
        C::MaxGradNorm => ("The norm that gradients are clipped to.", "梯度裁剪的范数。"),
        C::Epochs => ("Passes over the data.", "遍历数据的轮数。"),
        C::MaxSteps => ("Optimizer steps, whatever the number of epochs.", "优化器总步数，与轮数无关。"),
        C::GradientCheckpointing => (
            "Whether activations are computed again in the backward instead of kept: less memory, more time.",
            "是否在反向时重算激活值而不保存：更省显存，更费时间。",
        ),
        C::CheckpointingReentrant => {
            ("Whether recomputing uses torch's reentrant implementation.", "重算是否使用 torch 的可重入实现。")
        }
        C::FusedLoss => ("Whether the loss is computed without writing out all logits.", "计算损失时是否不写出全部 logits。"),
        C::UseCache => {
            ("Whether the forward keeps keys and values; training does not need them.", "前向是否保存 KV 缓存；训练用不到。")
        }
        C::Attention => ("The implementation of attention.", "注意力的实现。"),
        C::Packing => ("Whether several examples share one row.", "是否把多个样本拼进一行。"),
        C::PaddingFree => ("Whether the rows of a batch are joined without padding.", "批次各行是否无填充地拼接。"),
        C::DeviceMap => {
            ("On which device each module of the model is placed when it is loaded.", "加载模型时各模块放在哪个设备上。")
        }
        C::ZeroStage => (
            "What DeepSpeed shares among the processes: 1 optimizer states, 2 also gradients, 3 also parameters.",
            "DeepSpeed 在进程间分摊的内容：1 优化器状态，2 再加梯度，3 再加参数。",
        ),
        C::OffloadOptimizer => ("Where DeepSpeed keeps the optimizer states.", "DeepSpeed 把优化器状态放在哪里。"),
        C::OffloadParam => ("Where DeepSpeed keeps the parameters.", "DeepSpeed 把参数放在哪里。"),
        C::ReduceBucketSize => (
            "Elements of gradients that are reduced at a time; a larger bucket takes more memory.",
            "每次归约的梯度元素数；越大越占显存。",
        ),
        C::AllgatherBucketSize => ("Elements of parameters that are gathered at a time.", "每次聚合的参数元素数。"),
        C::Stage3PrefetchBucketSize => ("Elements of parameters that ZeRO 3 fetches ahead.", "ZeRO 3 预取的参数元素数。"),
        C::Stage3MaxLiveParameters => {
            ("Elements of gathered parameters that ZeRO 3 keeps at most.", "ZeRO 3 最多同时保留的已聚合参数元素数。")
        }
        C::Stage3ParamPersistenceThreshold => {
            ("Parameters with fewer elements stay gathered under ZeRO 3.", "ZeRO 3 下，元素数更少的参数一直保持聚合。")
        }
        C::SubGroupSize => ("Elements that the optimizer updates at a time under ZeRO 3.", "ZeRO 3 下优化器每次更新的元素数。"),
        C::OverlapComm => ("Whether gradients are reduced while the backward goes on.", "是否在反向计算的同时归约梯度。"),
        C::ContiguousGradients => {
            ("Whether gradients are copied to one buffer as they are made.", "是否把梯度随产生随复制到一块连续缓冲区。")
        }
        C::ZeroHpzPartitionSize => {
            ("Processes that share a second copy of the parameters (ZeRO++).", "共享参数第二副本的进程数（ZeRO++）。")
        }
        C::ZeroQuantizedWeights => ("Whether weights are gathered in 8 bits (ZeRO++).", "聚合权重时是否用 8 bit（ZeRO++）。"),
        C::Gather16bitOnSave => {
            ("Whether saving gathers the whole model on one process.", "保存时是否在一个进程上聚合整个模型。")
        }
        C::FsdpVersion => ("Which FSDP: 1 wraps modules, 2 shards each parameter.", "FSDP 的版本：1 包装模块，2 按参数分片。"),
        C::FsdpSharding => ("What FSDP shares among the processes.", "FSDP 在进程间分摊的内容。"),
        C::FsdpReshard => ("Whether gathered parameters are freed behind the forward.", "前向之后是否释放已聚合的参数。"),
        C::FsdpWrap => (
            "Into which units FSDP divides the model; one unit is gathered at a time.",
            "FSDP 把模型分成哪些单元；每次聚合一个单元。",
        ),
        C::FsdpOffload => ("Whether FSDP keeps its shards in the memory of the machine.", "FSDP 是否把分片放在主机内存。"),
        C::FsdpActivationCheckpointing => {
            ("Whether FSDP computes activations again in the backward.", "FSDP 是否在反向时重算激活值。")
        }
        C::FsdpStateDict => ("In which form FSDP saves the model.", "FSDP 以何种形式保存模型。"),
        C::TensorParallelSize => ("Processes that share each matrix.", "共同分担每个矩阵的进程数。"),
        C::ContextParallelSize => ("Processes that share each row.", "共同分担每一行的进程数。"),
        C::ReferenceModel => ("The model that the trained one is compared with.", "与被训练模型对照的参考模型。"),
        C::PrecomputeRefLogProbs => ("Whether the reference model is done before training begins.", "是否在训练前算完参考模型。"),
        C::KlBeta => ("Weight of the divergence from the reference model.", "与参考模型偏离的惩罚权重。"),
        C::RewardModel => ("The model that rates completions.", "给回复打分的模型。"),
        C::VllmMode => (
            "Where vLLM generates: on the cards of the training, or on a server.",
            "vLLM 在哪里生成：训练所用的卡上，或另外的服务器上。",
        ),
        C::VllmGpuMemoryUtilization => ("The share of a GPU that vLLM takes for itself.", "vLLM 占用一块 GPU 的比例。"),
        C::VllmSleep => ("Whether vLLM gives its memory back while the model trains.", "模型训练时 vLLM 是否让出显存。"),
        C::DataloaderWorkers => {
            ("Processes of each data loader; they take memory of the host.", "每个数据加载器的工作进程数，占用主机内存。")
        }
        C::DataloaderPrefetchFactor => ("Batches that each worker holds ready.", "每个工作进程预先准备的批次数。"),
        C::AllocatorConf => ("How torch's allocator asks CUDA for memory.", "torch 分配器如何向 CUDA 申请显存。"),
        C::EmptyCacheSteps => ("Steps between two calls of empty_cache.", "两次 empty_cache 之间的步数。"),
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
