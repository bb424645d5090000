//! # trainer-loader-without-workers
//!
//! An option of the Trainer's data loader needs worker processes, but there are none.
//!
//! ## Why it matters
//! `dataloader_num_workers` defaults to 0: the training process loads the data itself. `TrainingArguments` then raises an error for
//! `dataloader_prefetch_factor`; it accepts `dataloader_persistent_workers`, but torch's `DataLoader` raises an error when training begins.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", dataloader_persistent_workers=True)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", dataloader_num_workers=2, dataloader_persistent_workers=True)
//! ```
//!
//! ## Fix
//! Unsafe: uses two workers.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1803`; torch 2.15.0 `utils/data/dataloader.py`, both run.
//!
//! # 中文
//!
//! Trainer 数据加载器的某个选项需要工作进程，但没有工作进程。
//!
//! ## 为什么重要
//! `dataloader_num_workers` 默认为 0，即由训练进程自己加载数据。此时 `TrainingArguments` 遇到 `dataloader_prefetch_factor` 会报错；
//! `dataloader_persistent_workers` 会被接受，但训练开始时 torch 的 `DataLoader` 会报错。
//!
//! ## 修复
//! 不安全：使用两个工作进程。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1803`；torch 2.15.0 `utils/data/dataloader.py`，均实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::arguments::{trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Slow],
    ..Rule::new("VL432", "trainer-loader-without-workers", Severity::Error, page!("trainer_loader_without_workers.rs"), check)
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
                "`{shown}` needs worker processes, but `dataloader_num_workers` is 0; an error is raised",
                "`{shown}` 需要工作进程，但 `dataloader_num_workers` 为 0；会报错"
            );
            let mut found = finding(cx, set, &RULE, given.place, message)
                .with_help(message!("set `dataloader_num_workers` to at least 2", "把 `dataloader_num_workers` 设为 2 或更大"));
            if let Some(workers) = set.get("dataloader_num_workers") {
                found = found.with_related(workers.place, message!("no workers", "没有工作进程"));
            }
            let key = "dataloader_num_workers";
            let edit = match set.get(key) {
                Some(workers) => vramlint_semantic::arguments::set_to(cx.project, workers, &Value::Int(2)),
                None => vramlint_semantic::arguments::add(cx.project, set, key, &Value::Int(2)),
            };
            let title = message!("use two workers", "使用两个工作进程");
            out.push(crate::argument_findings::with_fix(found, title, vramlint_base::Applicability::Unsafe, edit));
        }
    }
}
