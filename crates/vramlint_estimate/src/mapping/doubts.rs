//! What reading the code of a project leaves uncertain, and how far that moves the bounds.

use super::Mapping;
use crate::own_loss;
use crate::run_estimate::{RunEstimate, part_of};
use vramlint_base::{Message, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::estimate::Part;
use vramlint_memory::setup::Task;
use vramlint_syntax::python::Module;

/// Code that the estimate takes for something simpler than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A module of the project wraps the model: what it keeps besides is not seen.
    OwnModule,
    /// A module of the project wraps the model and adds a small head only.
    SmallHead,
    /// Code of the project computes the loss in a way that is not followed.
    OwnLoss,
    /// Code of the project's own calls further models.
    OtherModels,
    /// Rows that nothing cuts: every batch has a length of its own, and the allocator keeps segments of each.
    MixedLengths,
    /// Batches of different lengths: a cached block that is a little too small for the next batch stays unused, above all one that holds
    /// the logits of a batch.
    VariedLengths,
    /// Batches of pairs of different lengths that seldom reach the cutoff: large blocks of every length are kept.
    LargeVariedBlocks,
    /// Texts of a sample that differ in length, such as questions and answers, of which the cutoff is all that is known.
    ShortTexts,
    /// Keys and values that are learnt for every block count as rows of prompt tuning.
    Prefix,
}

/// How far reserved memory may be below and above the estimate for a doubt, in thousandths, beside the bounds of the simulation.
///
/// From scripts that were traced after the code that reads them had been written, 90 in all. A module of the project's own: 7, off by 17 %
/// above and 9 % below, a collator that doubles the rows aside; one that adds a small head only: within 1 %. A loss of the project's own:
/// 9, off by 4 %. Further models: 5, off by 17 % above, and by 4 % where their calls are followed. Rows that nothing cuts: 10, of which
/// three reserved 21 to 24 % more. A learnt prefix: 1, which reserved 12 % more. Batches that differ in length: 14 of 32 later scripts, of
/// which one reserved 7 %, one 8 % and one 71 % more; the others were within 3 %, like those whose rows are padded to one length. Losses
/// over all logits of pairs, and reward models, which drop longer rows: 4, of which three reserved 34 to 71 % more. Logits of the project's
/// own rows that take three tenths of the tensors: 5 with adapters, of which two reserved 26 and 31 % more.
const SPREAD: &[(Doubt, u64, u64)] = &[
    (Doubt::OwnModule, 80, 70),
    (Doubt::SmallHead, 30, 30),
    (Doubt::OwnLoss, 15, 20),
    (Doubt::OtherModels, 30, 40),
    (Doubt::MixedLengths, 0, 250),
    (Doubt::VariedLengths, 0, 30),
    (Doubt::LargeVariedBlocks, 0, 480),
    (Doubt::Prefix, 50, 150),
];

/// Functions and classes of torch that compute a loss.
const LOSSES: &[&str] = &[
    "cross_entropy",
    "CrossEntropyLoss",
    "binary_cross_entropy_with_logits",
    "BCEWithLogitsLoss",
    "nll_loss",
    "NLLLoss",
    "mse_loss",
    "MSELoss",
    "kl_div",
    "KLDivLoss",
    "log_softmax",
    "logsigmoid",
    "MarginRankingLoss",
    "triplet_margin_loss",
    "TripletMarginLoss",
    "cosine_similarity",
    "CosineEmbeddingLoss",
];

/// The share of the logits in the tensors of an adapted model from which batches of different lengths keep much unused, and how far
/// reserved memory may then be above the estimate, both in thousandths.
const LARGE_LOGITS: (u64, u64) = (300, 250);

impl Doubt {
    /// How far it moves the bounds of an estimate, in thousandths below and above.
    pub(crate) fn spread(self, of: &RunEstimate) -> (u64, u64) {
        let (share, above) = LARGE_LOGITS;
        let logits = || part_of(&of.estimate, Part::Logits) / share > of.estimate.tensors / 1000;
        if self == Self::VariedLengths && of.setup.lora.is_some() && logits() {
            return (0, above);
        }
        SPREAD.iter().find(|(doubt, ..)| *doubt == self).map_or((0, 0), |(_, below, above)| (*below, *above))
    }

    fn message(self) -> Message {
        match self {
            Self::OwnModule => message!(
                "a module of the project wraps the model: the bounds are wider",
                "模型被项目自己的模块包裹：上下界相应放宽"
            ),
            Self::SmallHead => {
                message!("the head is a module of the project: the bounds are wider", "头部是项目自己的模块：上下界相应放宽")
            }
            Self::OwnLoss => message!(
                "the loss is code of the project that is not followed: the bounds are wider",
                "损失由项目代码计算且未能追踪：上下界相应放宽"
            ),
            Self::OtherModels => {
                message!("the code calls further models: the bounds are wider", "代码还调用其他模型：上下界相应放宽")
            }
            Self::MixedLengths => message!(
                "nothing cuts the rows, so every batch has another length: the upper bound allows for memory that is kept for each",
                "样本不截断，每批长度不同：上界计入分配器为各种长度保留的显存"
            ),
            Self::VariedLengths | Self::LargeVariedBlocks => message!(
                "batches differ in length: the upper bound allows for memory that is kept for each",
                "各批长度不同：上界计入分配器为各种长度保留的显存"
            ),
            Self::ShortTexts => message!(
                "the texts of a sample differ in length: the lower bound takes half the cutoff for all",
                "同一样本的各段文本长短不一：下界一律按截断长度的一半计"
            ),
            Self::Prefix => message!(
                "a learnt prefix counts as a learnt prompt of its length: the bounds are wider",
                "前缀微调按同样长度的提示微调计：上下界相应放宽"
            ),
        }
    }
}

impl Mapping<'_> {
    /// The doubts about the run, each said.
    pub(super) fn doubts(&mut self) -> Vec<Doubt> {
        let own_loop = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        let own = own_loop || self.run.dialect == Dialect::HfTrainer;
        let mixes = self.upper.padding_mask && self.public_rows_count;
        let computes =
            if own_loop { LOSSES.iter().any(|name| self.code_calls(name)) } else { own && self.has_own_compute_loss() };
        let (wraps, small) = (own && self.wraps_models(), self.adds_small_heads());
        let large = self.batches_vary() && self.keeps_large_blocks();
        let prefix = self.text(Concept::Method).as_deref() == Some("prefixtuning");
        let follows = self.upper.own_loss.is_some();
        let others = own && !follows && self.upper.residents.iter().any(|resident| !resident.trained);
        let doubts = [
            (Doubt::OwnModule, wraps && !small),
            (Doubt::SmallHead, wraps && small),
            (Doubt::OwnLoss, computes && !follows),
            (Doubt::OtherModels, others),
            (Doubt::MixedLengths, mixes),
            (Doubt::VariedLengths, !mixes && self.batches_vary() && !large),
            (Doubt::LargeVariedBlocks, large),
            (Doubt::ShortTexts, self.embeds_texts_up_to_a_cutoff()),
            (Doubt::Prefix, prefix),
        ];
        let found: Vec<Doubt> = doubts.into_iter().filter_map(|(doubt, holds)| holds.then_some(doubt)).collect();
        for doubt in &found {
            self.assume(doubt.message());
        }
        found
    }

    /// Whether batches differ in length: rows are padded to the longest of their batch, or joined until a batch is nearly full.
    fn batches_vary(&self) -> bool {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate);
        if own {
            return self.upper.padding_mask && !self.pads_to_the_cutoff();
        }
        self.run.dialect == Dialect::Trl && !matches!(self.upper.task, Task::Grpo)
    }

    /// Whether texts of several columns are embedded whose length only a cutoff bounds.
    fn embeds_texts_up_to_a_cutoff(&self) -> bool {
        let embeds = matches!(self.upper.task, Task::EmbeddingPairs | Task::EmbeddingTriplets);
        embeds && self.longest_row.is_none() && !self.pads_to_the_cutoff()
    }

    /// Whether blocks that grow with the length are large: pairs whose logits come in one piece, and reward models, of which TRL drops the
    /// rows that are longer than the cutoff (trl 1.16.0 trainer/reward_trainer.py).
    fn keeps_large_blocks(&self) -> bool {
        matches!(self.upper.task, Task::Bco | Task::Orpo | Task::Simpo | Task::Tpo | Task::Reward)
    }

    /// Whether a trainer of the project computes its own loss.
    fn has_own_compute_loss(&self) -> bool {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules: Vec<&Module> = files.filter_map(|file| self.project.file(*file).python()).collect();
        own_loss::has_compute_loss(&modules)
    }
}
