//! # deepspeed-batch-missing
//!
//! A DeepSpeed file sets no batch size.
//!
//! ## Why it matters
//! DeepSpeed needs `train_batch_size` or `train_micro_batch_size_per_gpu`. accelerate and the Trainer fill in these keys only
//! if the file sets them to `"auto"`. If both are missing, the engine raises
//! `Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided`.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "gradient_accumulation_steps": 2,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_accumulation_steps": 2,
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//!
//! ```sh file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Fix
//! Safe under accelerate and the Trainer: adds `train_micro_batch_size_per_gpu: "auto"`.
//!
//! ## When it stays silent
//! If code may add the key before the engine reads the file, and if no reader of the file is found, as for templates.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config.py:649`, run plain and under transformers 5.23.0 and accelerate 1.15.0.
//!
//! # 中文
//!
//! DeepSpeed 文件中未设置任何批大小。
//!
//! ## 为什么重要
//! DeepSpeed 需要 `train_batch_size` 或 `train_micro_batch_size_per_gpu`。accelerate 与 Trainer 只在文件中写成 `"auto"` 时才填
//! 充这些键。两者都没有时，引擎会报错：`Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided`。
//!
//! ## 修复
//! 在 accelerate 与 Trainer 下为安全修复：加入 `train_micro_batch_size_per_gpu: "auto"`。
//!
//! ## 何时不报
//! 代码可能在引擎读取文件前补上该键时；以及找不到读取该文件的程序时，例如模板。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config.py:649`，分别在原生、transformers 5.23.0 与 accelerate 1.15.0 下实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Evaluated, FileRange, Fix, Severity, TextRange, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::FileKind;
use vramlint_semantic::deepspeed::consumers::{self, Consumers};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL211", "deepspeed-batch-missing", Severity::Error, page!("deepspeed_batch_missing.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    empty(cx, out);
    for config in cx.deepspeed_configs() {
        let absent = |key: &str| matches!(config.setting(key), Evaluated::Absent | Evaluated::Known(Value::Null));
        let Some(one) = config.read_by(Consumers::KNOWN) else { continue };
        if !absent("train_batch_size") || !absent("train_micro_batch_size_per_gpu") {
            continue;
        }
        let message = message!(
            "`train_batch_size` or `train_micro_batch_size_per_gpu` is required by DeepSpeed, but neither is set",
            "DeepSpeed 需要 `train_batch_size` 或 `train_micro_batch_size_per_gpu`，但两者都未设置"
        );
        let auto = one.consumers.within(Consumers::HUGGING_FACE);
        let help = if auto {
            message!("add \"train_micro_batch_size_per_gpu\": \"auto\"", "加入 \"train_micro_batch_size_per_gpu\": \"auto\"")
        } else {
            message!(
                "set \"train_micro_batch_size_per_gpu\" to the number of samples per GPU",
                "把 \"train_micro_batch_size_per_gpu\" 设为每个 GPU 的样本数"
            )
        };
        let mut finding = RULE.finding(config.head(), message).with_help(help);
        let value = Value::Text("auto".to_owned());
        let edit = auto.then(|| edit::put(config.file, &[], "train_micro_batch_size_per_gpu", &value)).flatten();
        if let Some(edit) = edit.filter(|_| config.entry("train_micro_batch_size_per_gpu").is_none()) {
            let title = message!("add it as \"auto\"", "以 \"auto\" 加入");
            finding = finding.with_fix(Fix { title, applicability: Applicability::Safe, edits: vec![edit] });
        }
        out.push(match one.run {
            Some(run) => finding.with_run(&run.id),
            None => finding,
        });
    }
}

/// A file that holds nothing: DeepSpeed's own reader takes it for one without keys. The others are a matter of `syntax-error`.
fn empty(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files_of(FileKind::DeepSpeed).filter(|file| file.host.is_none()) {
        let nothing = file.data().is_some_and(|data| data.root().is_none()) && file.text.trim().is_empty();
        if nothing && consumers::uses(cx.project, file.id).iter().any(|one| one.consumers.within(Consumers::PLAIN)) {
            let message = message!(
                "`train_batch_size` or `train_micro_batch_size_per_gpu` is required by DeepSpeed, but the file is empty",
                "DeepSpeed 需要 `train_batch_size` 或 `train_micro_batch_size_per_gpu`，但文件为空"
            );
            out.push(RULE.finding(FileRange::new(file.id, TextRange::at(0)), message));
        }
    }
}
