//! # effective-batch-drift
//!
//! Two variants of one training keep the learning rate and change the effective batch.
//!
//! ## Why it matters
//! A configuration for other GPUs changes the rows per GPU or the number of processes, and with them the rows per optimizer step:
//! 16 x 8 x 3 = 384 becomes 32 x 2 x 3 = 192. The learning rate was found for one of them. The runs are no longer comparable, and
//! one of them trains with a step that is too long or too short.
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
//! ## Fine
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
//! Unsafe: the accumulation that gives the other run's batch. Shown only: the learning rate by the linear and the square-root rule. We
//! cannot know which of the two runs is the one that was tuned.
//!
//! ## When it is silent
//! Where anything else of the training differs (model, method, learning rate, epochs, lengths), where a factor is only a default of a
//! script, and where the project declares `[batch] effective` (see effective-batch-declared).
//!
//! ## Sources
//! Goyal et al. 2017, "Accurate, Large Minibatch SGD" (linear rule); Krizhevsky 2014, "One weird trick" (square-root rule).
//!
//! # 中文
//!
//! 同一训练的两个变体保持学习率不变，有效 batch 却变了。
//!
//! ## 为什么重要
//! 为另一批显卡改配置时，每卡行数或进程数变了，每个优化器步的行数也随之改变：16 x 8 x 3 = 384 变成 32 x 2 x 3 = 192。学习率是为其中一种调出来
//! 的。两次运行不再可比，其中一次的步长偏大或偏小。
//!
//! ## 修复
//! 不安全：改为能得到另一次运行之 batch 的累积步数。仅供参考：按线性规则与平方根规则换算的学习率。我们无法得知调过参的是哪一次运行。
//!
//! ## 何时不报告
//! 训练的其他方面有差别（模型、方法、学习率、轮数、长度）；某个因子只是脚本中的默认值；项目已声明 `[batch] effective`（见
//! effective-batch-declared）。
//!
//! ## 来源
//! Goyal 等 2017，“Accurate, Large Minibatch SGD”（线性规则）；Krizhevsky 2014，“One weird trick”（平方根规则）。

use crate::batch::claim::check::{self, Numbers};
use crate::batch::claim::factors;
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    code: "VL240",
    name: "effective-batch-drift",
    group: Group::Batch,
    severity: Severity::Info,
    since: "0.1.0",
    source: include_str!("effective_batch_drift.rs"),
    check: Some(check),
    needs: needs::BATCH,
    symptoms: &[Symptom::OtherBatch, Symptom::BadLoss],
    ..Rule::DEFAULT
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
                "the effective batch is {own} = {total}, and {its} = {before} in {file}, with the same learning rate {rate}",
                "有效 batch 为 {own} = {total}，{file} 中则为 {its} = {before}，而学习率同为 {rate}"
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
