//! # argument-not-read
//!
//! The DeepSpeed file makes the Trainer ignore one of its arguments.
//!
//! ## Why it matters
//! transformers fills only keys that are `"auto"` in the file. A missing key stays missing, and DeepSpeed's default applies:
//! without `gradient_clipping` it clips at 1.0 (not at all before 0.19.3), whatever `max_grad_norm` is, and an `optimizer` without
//! `lr` trains with 1e-3. A `train_batch_size` of `"auto"` without `gradient_accumulation_steps` is rejected, because it is
//! computed with an accumulation that the engine does not use.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8, max_grad_norm=0.3)
//!     Trainer(model=model, args=args, train_dataset=dataset).train()
//! ```
//!
//! ```sh file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "gradient_clipping": "auto",
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8, max_grad_norm=0.3)
//!     Trainer(model=model, args=args, train_dataset=dataset).train()
//! ```
//!
//! ```sh file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Fix
//! Unsafe: the key is added as `"auto"`. Safe if the run would be rejected.
//!
//! ## Severity
//! Info for an accumulation that is missing only in the engine's statistics.
//!
//! ## When it stays silent
//! When the argument is not set or unknown, or equals what DeepSpeed does anyway.
//!
//! ## Sources
//! transformers 5.23.0 `integrations/deepspeed.py:100`, accelerate 1.15.0 `utils/dataclasses.py:1255`, DeepSpeed 0.19.8
//! `runtime/config.py:602`; measured by training.
//!
//! # 中文
//!
//! 由于 DeepSpeed 文件的写法，Trainer 的某个参数被忽略。
//!
//! ## 为什么重要
//! transformers 只填充文件中写成 `"auto"` 的键。未写的键不会补上，而是采用 DeepSpeed 的默认值：没有
//! `gradient_clipping` 时，无论 `max_grad_norm` 写了什么，都按 1.0 裁剪（0.19.3 之前则不裁剪）；`optimizer` 中没有 `lr`
//! 时以 1e-3 训练。`train_batch_size` 为 `"auto"` 而没有 `gradient_accumulation_steps` 会被拒绝，因为填入的累积步数引擎并
//! 不采用。
//!
//! ## 修复
//! 不安全：以 `"auto"` 加入该键。若运行会被拒绝则为安全修复。
//!
//! ## 严重程度
//! 只影响引擎自身统计数字的累积步数，仅作提示。
//!
//! ## 何时不报
//! 参数未给出或未知，或与 DeepSpeed 的做法一致时。
//!
//! ## 来源
//! transformers 5.23.0 `integrations/deepspeed.py:100`，accelerate 1.15.0 `utils/dataclasses.py:1255`，DeepSpeed 0.19.8
//! `runtime/config.py:602`；以实际训练测得。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, Evaluated, FileRange, Finding, Fix, Message, Severity, UnknownReason, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;
use vramlint_semantic::deepspeed::optimizers::{self, Schedule};
use vramlint_semantic::deepspeed::trainer_arguments::{self, TrainerArguments, number};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL542", "argument-not-read", Severity::Warning, page!("argument_not_read.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let mut reported = BTreeSet::new();
        for arguments in trainer_arguments::trainer_arguments(cx.project, config) {
            let reading = Reading { cx, config, arguments: &arguments };
            let found = [reading.clipping(), reading.accumulation()].into_iter().flatten().chain(reading.optimizer());
            out.findings.extend(found.filter(|finding| reported.insert(finding.place)));
        }
    }
}

struct Reading<'a, 'b> {
    cx: &'b Context<'a>,
    config: &'b DeepSpeedConfig<'a>,
    arguments: &'b TrainerArguments<'a>,
}

impl Reading<'_, '_> {
    fn finding(&self, at: FileRange, severity: Severity, message: Message, path: &[&str], key: &str) -> Finding {
        let help = message!("add \"{key}\": \"auto\"", "加入 \"{key}\": \"auto\"");
        let mut finding = RULE.finding(at, message).with_severity(severity).with_help(help);
        if let Some(edit) = edit::put(self.config.file, path, key, &Value::Text("auto".to_owned())) {
            let title = message!("add \"{key}\": \"auto\"", "加入 \"{key}\": \"auto\"");
            let applicability = if severity == Severity::Error { Applicability::Safe } else { Applicability::Unsafe };
            finding = finding.with_fix(Fix { title, applicability, edits: vec![edit] });
        }
        match self.arguments.one.run {
            Some(run) => finding.with_run(&run.id),
            None => finding,
        }
    }

    fn clipping(&self) -> Option<Finding> {
        let given = self.arguments.entry("max_grad_norm").filter(|_| self.config.entry("gradient_clipping").is_none())?;
        let norm = number(self.arguments.set.reader, given.value.as_ref()?)?;
        let own = match self.cx.project.version_matches(self.config.file.id, &VersionRange::since("deepspeed", "0.19.3")) {
            RangeMatch::Never => 0.0,
            _ => 1.0,
        };
        if (norm - own).abs() < f64::EPSILON {
            return None;
        }
        let message = message!(
            "max_grad_norm {norm} is ignored: the DeepSpeed file does not set `gradient_clipping`, so {own} applies",
            "max_grad_norm {norm} 被忽略：DeepSpeed 文件未设置 `gradient_clipping`，实际为 {own}"
        );
        let finding = self.finding(given.place, Severity::Warning, message, &[], "gradient_clipping");
        Some(finding.with_related(self.config.head(), message!("this file does not set it", "该文件未设置它")))
    }

    /// The engine's accumulation is 1 if the file sets none.
    fn accumulation(&self) -> Option<Finding> {
        let given = self.arguments.entry("gradient_accumulation_steps")?;
        let by_trainer = self.config.entry("gradient_accumulation_steps").is_none() && !self.arguments.set.lacks("deepspeed");
        let steps = number(self.arguments.set.reader, given.value.as_ref()?).filter(|steps| *steps > 1.0 && by_trainer)?;
        let key = "gradient_accumulation_steps";
        let finding = match (self.config.entry("train_batch_size"), self.config.setting("train_batch_size")) {
            // Before 4.30 transformers started DeepSpeed itself, which divides the batch by the processes.
            (Some(_), Evaluated::Unknown(UnknownReason::Auto))
                if self.cx.project.version_matches(self.config.file.id, &VersionRange::since("transformers", "4.30.0"))
                    == RangeMatch::Never =>
            {
                return None;
            }
            (Some(item), Evaluated::Unknown(UnknownReason::Auto)) => {
                let message = message!(
                    "train_batch_size \"auto\" is computed with {steps} accumulation steps, but the engine uses 1 and rejects it",
                    "train_batch_size 的 \"auto\" 按累积 {steps} 步计算，而引擎按 1 步处理，因此会拒绝"
                );
                self.finding(self.config.place(item), Severity::Error, message, &[], key)
            }
            (None, _) => {
                let message = message!(
                    "the file does not set `gradient_accumulation_steps`: the Trainer accumulates {steps}, the engine's statistics count 1",
                    "文件未设置 `gradient_accumulation_steps`：Trainer 累积 {steps} 步，引擎的统计却按 1 步"
                );
                self.finding(self.config.head(), Severity::Info, message, &[], key)
            }
            _ => return None,
        };
        Some(finding.with_related(given.place, message!("the argument", "参数")))
    }

    /// An optimizer or schedule in the file, which takes only its `auto` values from the arguments.
    fn optimizer(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let rows = [
            ("optimizer", "lr", "learning_rate"),
            ("optimizer", "weight_decay", "weight_decay"),
            ("optimizer", "eps", "adam_epsilon"),
            ("scheduler", "warmup_num_steps", "warmup_steps"),
        ];
        for (block, key, field) in rows {
            let Some(kind) = self.config.value(&format!("{block}.type")) else { continue };
            let takes = kind.as_str().is_some_and(|kind| match optimizers::schedule(kind) {
                _ if block == "optimizer" => {
                    optimizers::takes(optimizers::optimizer(kind), false).is_some_and(|names| names.contains(&key))
                }
                Schedule::Own(_, names) => names.contains(&key),
                _ => false,
            });
            let absent = self.config.entry(&format!("{block}.params.{key}")).is_none();
            let Some(item) = self.config.entry(block).filter(|_| takes && absent) else { continue };
            let given = self.arguments.entry(field);
            let value = given.and_then(|given| number(self.arguments.set.reader, given.value.as_ref()?));
            let differs = match (key, given) {
                // The default of the argument differs from that of the optimizer, too.
                ("lr", None) => self.arguments.is_transformers() && !self.arguments.set.open,
                ("lr", Some(_)) => value.is_some_and(|rate| (rate - 1e-3).abs() > f64::EPSILON),
                (_, Some(_)) => value.is_some_and(|value| value > 0.0 && (key != "eps" || (value - 1e-8).abs() > 1e-12)),
                (_, None) => false,
            };
            if !differs {
                continue;
            }
            let message = if key == "lr" {
                message!(
                    "`learning_rate` is ignored: the optimizer in the DeepSpeed file does not set `lr`, so 1e-3 applies",
                    "`learning_rate` 被忽略：DeepSpeed 文件的 optimizer 未设置 `lr`，实际为 1e-3"
                )
            } else {
                message!(
                    "`{field}` is ignored: the {block} in the DeepSpeed file does not set `{key}`, so its default applies",
                    "`{field}` 被忽略：DeepSpeed 文件的 {block} 未设置 `{key}`，采用其默认值"
                )
            };
            let mut finding = self.finding(self.config.key_place(item), Severity::Warning, message, &[block, "params"], key);
            if let Some(given) = given {
                finding = finding.with_related(given.place, message!("the argument", "参数"));
            }
            found.push(finding);
        }
        // One place, one finding: the first is the one that matters most.
        found.truncate(1);
        found
    }
}
