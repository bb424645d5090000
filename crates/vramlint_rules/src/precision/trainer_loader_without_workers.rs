//! # trainer-loader-without-workers
//!
//! An option of the Trainer's data loader that only worker processes can follow, without workers.
//!
//! ## Why it matters
//! `dataloader_num_workers` is 0 by default: the training process loads the data itself. `dataloader_prefetch_factor` is then refused by
//! `TrainingArguments`; `dataloader_persistent_workers` is taken, and torch's `DataLoader` refuses it when training begins.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", dataloader_persistent_workers=True)
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", dataloader_num_workers=2, dataloader_persistent_workers=True)
//! ```
//!
//! ## Fix
//! Unsafe: two workers.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1803`; torch 2.15.0 `utils/data/dataloader.py`, both run.
//!
//! # 中文
//!
//! 为 Trainer 的数据加载器设置了只有工作进程才能执行的选项，却没有工作进程。
//!
//! ## 为什么重要
//! `dataloader_num_workers` 默认为 0，即由训练进程自己加载数据。此时 `TrainingArguments` 会拒绝 `dataloader_prefetch_factor`；
//! `dataloader_persistent_workers` 会被接受，但训练开始时 torch 的 `DataLoader` 会拒绝。
//!
//! ## 修复
//! 不安全：使用两个工作进程。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1803`；torch 2.15.0 `utils/data/dataloader.py`，均实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    code: "VL432",
    name: "trainer-loader-without-workers",
    group: Group::Precision,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("trainer_loader_without_workers.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| set.int("dataloader_num_workers", 0) == Some(0)) {
        for key in ["dataloader_prefetch_factor", "dataloader_persistent_workers"] {
            let Some(given) = set.get(key) else { continue };
            let asks = match &given.value {
                Some(Value::Int(_)) => key.ends_with("factor"),
                Some(Value::Bool(true)) => key.ends_with("workers"),
                _ => false,
            };
            if !asks || !reported.insert(given.place, "") {
                continue;
            }
            let shown = written(cx.project, given);
            let message = message!(
                "{shown} needs worker processes, and dataloader_num_workers is 0: it is refused",
                "{shown} 需要工作进程，而 dataloader_num_workers 为 0：会被拒绝"
            );
            let mut found = finding(cx, set, &RULE, given.place, message)
                .with_help(message!("set dataloader_num_workers to 2 or more", "把 dataloader_num_workers 设为 2 或更大"));
            if let Some(workers) = set.get("dataloader_num_workers") {
                found = found.with_related(workers.place, message!("no workers", "没有工作进程"));
            }
            let key = "dataloader_num_workers";
            let edit = match set.get(key) {
                Some(workers) => vramlint_semantic::arguments::set_to(cx.project, workers, &Value::Int(2)),
                None => vramlint_semantic::arguments::add(cx.project, set, key, &Value::Int(2)),
            };
            let title = message!("load with two workers", "使用两个工作进程加载");
            out.push(crate::argument_findings::with_fix(found, title, vramlint_base::Applicability::Unsafe, edit));
        }
    }
}
