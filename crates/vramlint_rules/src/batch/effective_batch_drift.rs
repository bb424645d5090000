//! # effective-batch-drift
//!
//! Two variants of one training use the same learning rate with different effective batch sizes.
//!
//! ## Why it matters
//! A configuration for other GPUs changes the samples per GPU or the number of processes, and thus the samples per optimizer
//! step: 16 × 8 × 3 = 384 becomes 32 × 2 × 3 = 192. The learning rate was tuned for one of them. The runs are no longer
//! comparable, and in one of them the learning rate is too high or too low.
//!
//! ## Example
//! ```bash file=train_8gpu.sh
//! torchrun --nproc_per_node 8 train.py --learning_rate 2e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 2
//! ```
//! ```bash file=train_2gpu.sh
//! torchrun --nproc_per_node 2 train.py --learning_rate 2e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 2
//! ```
//! ```python file=train.py
//! from transformers import HfArgumentParser, Trainer, TrainingArguments
//!
//! (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
//! Trainer(model=None, args=args).train()
//! ```
//!
//! ## Use instead
//! ```bash file=train_8gpu.sh
//! torchrun --nproc_per_node 8 train.py --learning_rate 2e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 2
//! ```
//! ```bash file=train_2gpu.sh
//! torchrun --nproc_per_node 2 train.py --learning_rate 2e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 8
//! ```
//! ```python file=train.py
//! from transformers import HfArgumentParser, Trainer, TrainingArguments
//!
//! (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
//! Trainer(model=None, args=args).train()
//! ```
//!
//! ## Fix
//! Unsafe: sets the accumulation that gives the batch size of the other run. The learning rates by the linear and the
//! square-root rule are only shown. vramlint cannot know which of the two runs was tuned.
//!
//! ## When it stays silent
//! If anything else differs between the runs (model, method, learning rate, epochs, lengths), if a factor is only a default of
//! a script, or if the project declares `[batch] effective` (see effective-batch-declared).
//!
//! ## Sources
//! Goyal et al. 2017, "Accurate, Large Minibatch SGD" (linear rule); Krizhevsky 2014, "One weird trick" (square-root rule).
//!
//! # 中文
//!
//! 同一训练的两个变体学习率相同，有效批大小却不同。
//!
//! ## 为什么重要
//! 为另一批 GPU 改配置时，每个 GPU 的样本数或进程数变了，优化器每步的样本数也随之改变：16 × 8 × 3 = 384 变成 32 × 2 × 3 = 192。
//! 学习率只针对其中一种调过。两次运行不再可比，其中一次的学习率偏高或偏低。
//!
//! ## 修复
//! 不安全：设为能得到另一次运行的批大小的梯度累积步数。按线性规则与平方根规则换算的学习率仅供参考。vramlint 无法得知调过参的是
//! 哪一次运行。
//!
//! ## 何时不报
//! 训练的其他方面有差别时（模型、方法、学习率、轮数、长度）；某个因子只是脚本中的默认值时；项目已声明 `[batch] effective` 时
//! （见 effective-batch-declared）。
//!
//! ## 来源
//! Goyal 等 2017，“Accurate, Large Minibatch SGD”（线性规则）；Krizhevsky 2014，“One weird trick”（平方根规则）。

use crate::batch::claim::check::{self, Numbers};
use crate::batch::claim::factors;
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    needs: needs::BATCH,
    symptoms: &[Symptom::OtherBatch, Symptom::BadLoss],
    ..Rule::new("VL240", "effective-batch-drift", Severity::Info, page!("effective_batch_drift.rs"), check)
};

/// What must be the same for two runs to be variants of one training.
const SAME: &[Concept] = &[
    Concept::Model,
    Concept::Task,
    Concept::Method,
    Concept::LearningRate,
    Concept::Epochs,
    Concept::MaxSteps,
    Concept::SequenceLength,
    Concept::LoraR,
    Concept::NumGenerations,
    Concept::Freeze,
];

/// A run with its batch.
struct Sized<'a> {
    run: &'a Run,
    numbers: Numbers<'a>,
    total: i64,
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let sized: Vec<Sized<'_>> = cx.project.runs.iter().filter_map(|run| sized(cx, run)).collect();
    let mut reported = BTreeSet::new();
    for (index, one) in sized.iter().enumerate() {
        // The first run of a training is what the others are compared with.
        let Some(first) = sized[..index].iter().find(|other| are_variants(other.run, one.run)) else { continue };
        if first.total != one.total && reported.insert((one.run.place.file, first.run.place, one.total)) {
            out.push(finding(cx, one, first));
        }
    }
}

fn sized<'a>(cx: &Context<'a>, run: &'a Run) -> Option<Sized<'a>> {
    let declared = cx.project.policy(run.place.file).effective_batch.is_some();
    if declared || run.launch.is_none() || cx.project.is_documentation_snippet(run.place.file) {
        return None;
    }
    run.value(Concept::LearningRate)?;
    let numbers = check::numbers_of_run(cx.project, run)?;
    let total = numbers.micro.checked_mul(numbers.steps)?.checked_mul(numbers.world?)?;
    (total > 0).then_some(Sized { run, numbers, total })
}

/// Whether two runs are one training for different machines: the same entry, started by other files, and the same in all but the batch.
fn are_variants(one: &Run, other: &Run) -> bool {
    let same = |concept: &Concept| {
        let value = |run: &Run| run.settings.get(concept).map(|setting| setting.value().cloned());
        let (left, right) = (value(one), value(other));
        // Set, and not known: it may differ.
        left == right && left != Some(None)
    };
    one.entry.is_some() && one.entry == other.entry && one.dialect == other.dialect && SAME.iter().all(same)
}

fn finding(cx: &Context<'_>, one: &Sized<'_>, first: &Sized<'_>) -> vramlint_base::Finding {
    let (own, its) = (factors::formula(one.run), factors::formula(first.run));
    let (total, before) = (one.total, first.total);
    let (place, file) = (one.run.place, cx.project.file(first.run.place.file).name());
    let rate = one.run.value(Concept::LearningRate).map(ToString::to_string).unwrap_or_default();
    let mut finding = RULE
        .finding(
            place,
            message!(
                "the effective batch size is {own} = {total}, but {its} = {before} in {file}, with the same learning rate {rate}",
                "有效批大小为 {own} = {total}，而 {file} 中为 {its} = {before}，但学习率同为 {rate}"
            ),
        )
        .with_related(first.run.place, message!("{before} here", "此处为 {before}"))
        .with_run(&one.run.id);
    finding.related.extend(one.numbers.related.iter().cloned());
    // One accumulation that serves both cannot be right for one of them alone.
    let accumulation = |run: &Run| run.settings.get(&Concept::GradientAccumulationSteps)?.winning()?.origin.place();
    if accumulation(one.run) != accumulation(first.run) {
        finding.fixes.extend(factors::restore(one.run, before));
    }
    finding.fixes.extend(factors::rescaled(one.run, before, total));
    finding
}
