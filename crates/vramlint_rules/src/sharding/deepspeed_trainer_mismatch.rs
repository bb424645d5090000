//! # deepspeed-trainer-mismatch
//!
//! A number in a DeepSpeed file differs from the matching Trainer argument.
//!
//! ## Why it matters
//! transformers fills `"auto"` from `TrainingArguments`, and compares everything else with them: batch sizes, accumulation,
//! clipping, learning rate, betas, epsilon, decay, warm-up, number of steps, precision. A single difference makes `trainer.train()`
//! stop with `Please correct the following DeepSpeed config values`. A string never equals a number.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
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
//! Unsafe: the value becomes `"auto"`, so that the argument decides.
//!
//! ## When it stays silent
//! When either side is unknown, and for `train_batch_size` if the number of processes is unknown.
//!
//! ## Sources
//! transformers 5.23.0 `integrations/deepspeed.py:100-260`, run with each key; accelerate 1.15.0 `utils/dataclasses.py:1255`
//! (a missing accumulation is 1 if accelerate's file names the JSON), read.
//!
//! # 中文
//!
//! DeepSpeed 文件中的数值与它对应的 Trainer 参数不同。
//!
//! ## 为什么重要
//! transformers 用 `TrainingArguments` 填充 `"auto"`，其余的值则逐一比较：批大小、梯度累积、裁剪、学习率、beta、epsilon、
//! 权重衰减、预热、步数、精度。只要有一处不同，`trainer.train()` 就会以
//! `Please correct the following DeepSpeed config values` 终止。字符串与任何数字都不相等。
//!
//! ## 修复
//! 不安全：把该值改为 `"auto"`，由参数决定。
//!
//! ## 何时不报
//! 任何一侧未知时；进程数未知时的 `train_batch_size`。
//!
//! ## 来源
//! transformers 5.23.0 `integrations/deepspeed.py:100-260`，逐键实际运行；accelerate 1.15.0 `utils/dataclasses.py:1255`（
//! 由 accelerate 的文件指定 JSON 时，缺少的累积步数按 1 处理），阅读。

use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, Evaluated, Finding, Fix, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::trainer_arguments::{self, TrainerArguments, number};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL541", "deepspeed-trainer-mismatch", Severity::Error, page!("deepspeed_trainer_mismatch.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let mut reported = BTreeSet::new();
        for arguments in trainer_arguments::trainer_arguments(cx.project, config) {
            let compared = Compared { config, arguments: &arguments };
            for (path, wanted, fields) in compared.wanted() {
                let Some(item) = config.entry(path) else { continue };
                let Evaluated::Known(said) = config.setting_of(item.value) else { continue };
                if said != Value::Null && !is_no_batch(path, &said) && !wanted.is(&said) && reported.insert(config.place(item)) {
                    out.push(compared.finding(item, path, &wanted, &fields));
                }
            }
            if let Some(finding) = compared.accumulation_by_accelerate().filter(|finding| reported.insert(finding.place)) {
                out.push(finding);
            }
        }
    }
}

/// DeepSpeed rejects a batch key that is not a number above 0, whatever the arguments are; other rules report that.
fn is_no_batch(path: &str, said: &Value) -> bool {
    !path.contains('.') && path != "gradient_clipping" && said.as_float().is_none_or(|number| number <= 0.0)
}

/// What the Trainer has for a key.
enum Wanted {
    /// A number.
    Number(f64),
    /// A pair of numbers.
    Pair(f64, f64),
    /// A boolean.
    Switch(bool),
    /// An unknown number.
    SomeNumber,
}

impl Wanted {
    /// Whether Python considers a JSON value equal; an unknown number differs only from a string.
    fn is(&self, said: &Value) -> bool {
        let number = |value: &Value| value.as_bool().map(|on| f64::from(u8::from(on))).or_else(|| value.as_float());
        #[allow(clippy::float_cmp)] // as Python compares them
        match (self, said) {
            (Self::Number(own), said) => number(said) == Some(*own),
            (Self::Switch(own), said) => number(said) == Some(f64::from(u8::from(*own))),
            (Self::Pair(a, b), Value::List(items)) => {
                matches!(items.as_slice(), [x, y] if number(x) == Some(*a) && number(y) == Some(*b))
            }
            (Self::Pair(..), _) => false,
            (Self::SomeNumber, said) => !matches!(said, Value::Text(_)),
        }
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", Value::Float(*number).to_string().trim_end_matches(".0")),
            Self::Pair(a, b) => write!(f, "[{a}, {b}]"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::SomeNumber => f.write_str("a number"),
        }
    }
}

struct Compared<'a, 'b> {
    config: &'b DeepSpeedConfig<'a>,
    arguments: &'b TrainerArguments<'a>,
}

type Row = (&'static str, Wanted, Vec<&'static str>);

impl<'a> Compared<'a, '_> {
    /// Every compared key, with the value from the arguments and the fields it comes from.
    fn wanted(&self) -> Vec<Row> {
        let arguments = self.arguments;
        let field = |path: &'static str, name: &'static str| -> Row {
            (path, arguments.number(name).map_or(Wanted::SomeNumber, Wanted::Number), vec![name])
        };
        let mut rows = vec![
            field("gradient_accumulation_steps", "gradient_accumulation_steps"),
            field("gradient_clipping", "max_grad_norm"),
            field("optimizer.params.lr", "learning_rate"),
            field("optimizer.params.eps", "adam_epsilon"),
            field("optimizer.params.weight_decay", "weight_decay"),
            field("scheduler.params.warmup_max_lr", "learning_rate"),
        ];
        if arguments.switch("auto_find_batch_size") == Some(false) || arguments.set.lacks("auto_find_batch_size") {
            rows.push(field("train_micro_batch_size_per_gpu", "per_device_train_batch_size"));
            rows.extend(self.whole_batch());
        }
        if let (Some(first), Some(second)) = (arguments.number("adam_beta1"), arguments.number("adam_beta2")) {
            rows.push(("optimizer.params.betas", Wanted::Pair(first, second), vec!["adam_beta1", "adam_beta2"]));
        }
        for (path, name, full) in [("fp16.enabled", "fp16", "fp16_full_eval"), ("bf16.enabled", "bf16", "bf16_full_eval")] {
            let full = arguments.switch(full).or_else(|| arguments.set.lacks(full).then_some(false));
            if let (Some(on), Some(full)) = (arguments.switch(name), full) {
                rows.push((path, Wanted::Switch(on || full), vec![name]));
            }
        }
        rows.extend(self.schedule());
        rows
    }

    #[allow(clippy::cast_precision_loss)] // processes are few
    fn whole_batch(&self) -> Option<Row> {
        let arguments = self.arguments;
        let world = arguments.one.run?.int(Concept::WorldSize).filter(|_| self.config.entry("tensor_parallel").is_none())?;
        let (rows, steps) = (arguments.number("per_device_train_batch_size")?, arguments.number("gradient_accumulation_steps")?);
        Some((
            "train_batch_size",
            Wanted::Number(rows * steps * world as f64),
            vec!["per_device_train_batch_size", "gradient_accumulation_steps"],
        ))
    }

    /// The number of steps, if it is fixed, and the warm-up, if it is counted in steps.
    fn schedule(&self) -> Vec<Row> {
        let arguments = self.arguments;
        let mut rows = Vec::new();
        if let Some(steps) = arguments.entry("max_steps").and_then(|given| number(arguments.set.reader, given.value.as_ref()?))
            && steps > 0.0
        {
            rows.push(("scheduler.params.total_num_steps", Wanted::Number(steps), vec!["max_steps"]));
        }
        let warmup = match arguments.entry("warmup_steps") {
            Some(given) => given.value.as_ref().and_then(|value| number(arguments.set.reader, value)),
            None => arguments.set.lacks("warmup_steps").then_some(0.0),
        };
        // A ratio of the steps needs the number of steps.
        if let Some(steps) = warmup.filter(|steps| (*steps >= 1.0 || *steps == 0.0) && arguments.set.lacks("warmup_ratio")) {
            rows.push(("scheduler.params.warmup_num_steps", Wanted::Number(steps.max(1.0)), vec!["warmup_steps"]));
        }
        rows
    }

    fn finding(&self, item: ConfigEntry<'a>, path: &str, wanted: &Wanted, fields: &[&str]) -> Finding {
        let written = item.value.range().slice(&self.config.file.text);
        let names = fields.join(if matches!(wanted, Wanted::Pair(..)) { ", " } else { " × " });
        let is = if matches!(wanted, Wanted::Pair(..)) { "are" } else { "is" };
        let message = match wanted {
            Wanted::SomeNumber => message!(
                "`{path}` is the string {written}, which never equals the number {names}; the Trainer raises an error",
                "`{path}` 是字符串 {written}，永远不等于数字 {names}；Trainer 会报错"
            ),
            _ => message!(
                "`{path}` is {written}, but {names} {is} {wanted}; the Trainer raises an error",
                "`{path}` 为 {written}，而 {names} 为 {wanted}；Trainer 会报错"
            ),
        };
        let mut finding = RULE
            .finding(self.config.place(item), message)
            .with_help(message!("set it to \"auto\" to use the argument", "设为 \"auto\" 以采用参数的值"));
        for place in fields.iter().filter_map(|field| self.arguments.place(field)) {
            finding = finding.with_related(place, message!("the argument", "参数"));
        }
        if let Some(edit) = edit::set(self.config.file, item.value, &Value::Text("auto".to_owned())) {
            let title = message!("set it to \"auto\"", "设为 \"auto\"");
            finding = finding.with_fix(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] });
        }
        match self.arguments.one.run {
            Some(run) => finding.with_run(&run.id),
            None => finding,
        }
    }

    /// If accelerate's own file names the JSON, accelerate reads a missing accumulation as 1 before the Trainer compares.
    fn accumulation_by_accelerate(&self) -> Option<Finding> {
        let arguments = self.arguments;
        let run = arguments.one.run.filter(|run| run.accelerate.is_some() && arguments.set.lacks("deepspeed"))?;
        let given = arguments.entry("gradient_accumulation_steps")?;
        let steps = number(arguments.set.reader, given.value.as_ref()?).filter(|steps| *steps > 1.0)?;
        if self.config.entry("gradient_accumulation_steps").is_some() {
            return None;
        }
        let message = message!(
            "`gradient_accumulation_steps` is not set, so accelerate uses 1; the Trainer has {steps} and raises an error",
            "未设置 `gradient_accumulation_steps`，accelerate 取 1；Trainer 的值为 {steps}，会报错"
        );
        let help = message!("add \"gradient_accumulation_steps\": \"auto\"", "加入 \"gradient_accumulation_steps\": \"auto\"");
        let mut finding = RULE
            .finding(self.config.head(), message)
            .with_help(help)
            .with_related(given.place, message!("the argument", "参数"))
            .with_run(&run.id);
        let auto = Value::Text("auto".to_owned());
        if let Some(edit) = edit::put(self.config.file, &[], "gradient_accumulation_steps", &auto) {
            let title = message!("add it as \"auto\"", "以 \"auto\" 加入");
            finding = finding.with_fix(Fix { title, applicability: Applicability::Safe, edits: vec![edit] });
        }
        Some(finding)
    }
}
