//! Symptoms: the way into the pages for readers who know what they see and not its cause.

/// What a user sees when a rule applies.
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

    /// In a user's words: English, Chinese.
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
