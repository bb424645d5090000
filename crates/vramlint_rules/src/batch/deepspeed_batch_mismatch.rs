//! # deepspeed-batch-mismatch
//!
//! The batch keys of a DeepSpeed file contradict each other, or do not fit the number of processes.
//!
//! ## Why it matters
//! DeepSpeed requires `train_batch_size = train_micro_batch_size_per_gpu × gradient_accumulation_steps × processes`. It
//! computes a missing key by integer division, and raises an `AssertionError` if the product differs. Ranks of
//! `tensor_parallel.autotp_size` count as processes in this check; those of `sequence_parallel_size` do not.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_batch_size": 30,
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_batch_size": 32,
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! Unsafe: sets `train_batch_size` to the product. Removing `train_batch_size` works for any number of processes.
//!
//! ## When it stays silent
//! If a number is `auto` or not known. If the number of processes is not known, unless no number of processes fits.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config.py:588-655` (arithmetic), `:456-478` (which processes count), run with simulated worlds.
//!
//! # 中文
//!
//! DeepSpeed 文件中的批大小键彼此矛盾，或与进程数不符。
//!
//! ## 为什么重要
//! DeepSpeed 要求 `train_batch_size = train_micro_batch_size_per_gpu × gradient_accumulation_steps × 进程数`。缺少的键由整除得
//! 出；乘积不等时抛出 `AssertionError`。此项检查把 `tensor_parallel.autotp_size` 的各 rank 也算作进程，`sequence_parallel_size`
//! 的则不算。
//!
//! ## 修复
//! 不安全：把 `train_batch_size` 设为乘积。删除 `train_batch_size` 则对任意进程数都成立。
//!
//! ## 何时不报
//! 某个数为 `auto` 或未知时。进程数未知时也不报，除非任何进程数都无法满足。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config.py:588-655`（算法）、`:456-478`（哪些进程算数），在模拟的进程数下实际运行。

use crate::sharding::deepspeed_parallel_sizes::own_groups;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Evaluated, Fix, Message, Severity, Value, count_noun, message};
use vramlint_catalog::Concept;
use vramlint_edit as edit;
use vramlint_resolve::{Project, Run};
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::OtherBatch],
    ..Rule::new("VL210", "deepspeed-batch-mismatch", Severity::Error, page!("deepspeed_batch_mismatch.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(batch) = Batch::of(config) else { continue };
        // Who completes the file may also change it, but hardly one of three numbers that are all set.
        let whole = batch.train.is_some() && batch.micro.is_some();
        let found = config.uses.iter().find_map(|one| {
            let sure = one.consumers.within(Consumers::KNOWN);
            let world = one.run.filter(|_| sure).and_then(|run| world(cx.project, config, run));
            if !sure && !whole {
                return None;
            }
            // A Trainer compares its own arguments first; that is another rule's business where only some keys are numbers.
            Some((world, one.run, batch.conflict(world)?))
        });
        if let Some((world, run, message)) = found {
            out.push(finding(config, &batch, world, run, message));
        }
    }
}

/// The three numbers with their entries, where all that is written is an integer above 0.
struct Batch<'a> {
    train: Option<(i64, ConfigEntry<'a>)>,
    micro: Option<(i64, ConfigEntry<'a>)>,
    steps: Option<(i64, ConfigEntry<'a>)>,
}

impl<'a> Batch<'a> {
    fn of(config: &DeepSpeedConfig<'a>) -> Option<Self> {
        let number = |key: &str| match config.setting(key) {
            Evaluated::Absent | Evaluated::Known(Value::Null) => Some(None),
            Evaluated::Known(Value::Int(number)) if number > 0 => Some(config.entry(key).map(|item| (number, item))),
            _ => None,
        };
        let batch = Self {
            train: number("train_batch_size")?,
            micro: number("train_micro_batch_size_per_gpu")?,
            steps: number("gradient_accumulation_steps")?,
        };
        batch.train.is_some().then_some(batch)
    }

    /// What does not fit, for a number of processes or for every one.
    fn conflict(&self, world: Option<i64>) -> Option<Message> {
        let (train, _) = self.train?;
        let given = |number: Option<(i64, ConfigEntry<'_>)>| number.map(|(number, _)| number);
        let (micro, steps) = (given(self.micro), given(self.steps));
        let rows = micro.unwrap_or(1).checked_mul(steps.unwrap_or(1))?;
        let Some(world) = world else {
            if train % rows == 0 {
                return None;
            }
            let product = [micro, steps].into_iter().flatten().map(|n| n.to_string()).collect::<Vec<_>>().join(" × ");
            return Some(message!(
                "train_batch_size {train} is not a multiple of {product}, so no number of processes fits",
                "train_batch_size {train} 不是 {product} 的倍数，任何进程数都无法满足"
            ));
        };
        let all = rows.checked_mul(world)?;
        if micro.is_some() && steps.is_some() {
            return (train != all).then(|| {
                let (micro, steps) = (micro.unwrap_or(1), steps.unwrap_or(1));
                let (accumulated, processes) = (count_noun(steps, "step"), count_noun(world, "process"));
                message!(
                    "train_batch_size is {train}, but {micro} per GPU × {accumulated} × {processes} = {all}",
                    "train_batch_size 为 {train}，但每个 GPU {micro} × 累积 {steps} × {world} 个进程 = {all}"
                )
            });
        }
        (train % all != 0).then(|| {
            let left = match (micro, steps) {
                (Some(micro), _) => format!("{micro} × {world}"),
                (None, Some(steps)) => format!("{steps} × {world}"),
                (None, None) => world.to_string(),
            };
            let processes = count_noun(world, "process");
            message!(
                "train_batch_size {train} is not a multiple of {left}: DeepSpeed raises an error with {processes}",
                "train_batch_size {train} 不是 {left} 的倍数：使用 {world} 个进程时 DeepSpeed 会报错"
            )
        })
    }
}

/// The processes that the check counts (config.py:456-478), where they are known.
fn world(project: &Project, config: &DeepSpeedConfig<'_>, run: &Run) -> Option<i64> {
    // An mpu or a pipeline brings its own number of data-parallel ranks.
    if own_groups(project, run) {
        return None;
    }
    let ranks = run.int(Concept::WorldSize).filter(|world| *world > 0)?;
    // The ranks of a run are derived from files; what a dict in code splits them into is not in them.
    if config.file.is_python() {
        let split = ["tensor_parallel.autotp_size", "sequence_parallel_size"].iter().any(|key| config.entry(key).is_some());
        return (!split).then_some(ranks);
    }
    match config.setting("tensor_parallel.autotp_size") {
        Evaluated::Absent => Some(ranks),
        Evaluated::Known(Value::Int(size)) => ranks.checked_mul(size.max(1)),
        _ => None,
    }
}

fn finding(
    config: &DeepSpeedConfig<'_>,
    batch: &Batch<'_>,
    world: Option<i64>,
    run: Option<&Run>,
    message: Message,
) -> vramlint_base::Finding {
    let item = batch.train.or(batch.micro).map_or_else(|| config.head(), |(_, item)| config.place(item));
    let mut finding = RULE.finding(item, message).with_help(message!(
        "set it to the product, or remove `train_batch_size`: DeepSpeed then computes it",
        "改为乘积，或删除 `train_batch_size`：DeepSpeed 会自行计算"
    ));
    for (name, number) in [("train_micro_batch_size_per_gpu", batch.micro), ("gradient_accumulation_steps", batch.steps)] {
        if let Some((value, item)) = number {
            finding = finding.with_related(config.place(item), message!("{name} is {value}", "{name} 为 {value}"));
        }
    }
    if let (Some((micro, _)), Some(world), Some((_, train))) = (batch.micro, world, batch.train) {
        let steps = batch.steps.map_or(1, |(steps, _)| steps);
        if let Some(product) = micro.checked_mul(steps).and_then(|rows| rows.checked_mul(world)) {
            finding = finding.with_fix(Fix {
                title: message!("set train_batch_size to {product}", "把 train_batch_size 设为 {product}"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(config.value_place(train), product.to_string())],
            });
        }
    }
    if let Some(run) = run.filter(|_| world.is_some()) {
        finding = finding.with_run(&run.id);
        if let Some(place) = run.settings.get(&Concept::NumProcesses).and_then(|s| s.winning()).and_then(|c| c.origin.place()) {
            finding = finding.with_related(place, message!("the number of processes", "进程数"));
        }
    }
    finding
}
