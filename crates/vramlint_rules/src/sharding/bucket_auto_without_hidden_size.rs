//! # bucket-auto-without-hidden-size
//!
//! A bucket size of `"auto"` for a model whose configuration has no `hidden_size`.
//!
//! ## Why it matters
//! The Trainer computes `reduce_bucket_size`, `stage3_prefetch_bucket_size` and `stage3_param_persistence_threshold` from
//! `model.config.hidden_size` (or `hidden_sizes`, or those of `text_config`). If a custom configuration class has another name for
//! its width, `trainer.train()` raises an error.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "gradient_clipping": "auto",
//!   "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}
//! }
//! ```
//!
//! ```python file=train.py
//! import torch
//! from transformers import PreTrainedConfig, PreTrainedModel, Trainer, TrainingArguments
//!
//!
//! class ScorerConfig(PreTrainedConfig):
//!     def __init__(self, width=64, **kwargs):
//!         super().__init__(**kwargs)
//!         self.width = width
//!
//!
//! class Scorer(PreTrainedModel):
//!     config_class = ScorerConfig
//!
//!     def __init__(self, config):
//!         super().__init__(config)
//!         self.block = torch.nn.Linear(config.width, 1)
//!
//!
//! def main(dataset):
//!     model = Scorer(ScorerConfig())
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8)
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
//!   "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}
//! }
//! ```
//!
//! ```python file=train.py
//! import torch
//! from transformers import PreTrainedConfig, PreTrainedModel, Trainer, TrainingArguments
//!
//!
//! class ScorerConfig(PreTrainedConfig):
//!     def __init__(self, hidden_size=64, **kwargs):
//!         super().__init__(**kwargs)
//!         self.hidden_size = hidden_size
//!
//!
//! class Scorer(PreTrainedModel):
//!     config_class = ScorerConfig
//!
//!     def __init__(self, config):
//!         super().__init__(config)
//!         self.block = torch.nn.Linear(config.hidden_size, 1)
//!
//!
//! def main(dataset):
//!     model = Scorer(ScorerConfig())
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8)
//!     Trainer(model=model, args=args, train_dataset=dataset).train()
//! ```
//!
//! ```sh file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Fix
//! None: write numbers, or add a `hidden_size` to the class (an `attribute_map` is enough).
//!
//! ## When it stays silent
//! Unless the model is visibly built from classes of the same file.
//!
//! ## Sources
//! transformers 5.23.0 `integrations/deepspeed.py:225`, run.
//!
//! # 中文
//!
//! 桶大小为 `"auto"`，而模型的配置没有 `hidden_size`。
//!
//! ## 为什么重要
//! Trainer 由 `model.config.hidden_size`（或 `hidden_sizes`，或 `text_config` 中的这些字段）计算 `reduce_bucket_size`、
//! `stage3_prefetch_bucket_size` 与 `stage3_param_persistence_threshold`。自定义的配置类若使用别的名字，`trainer.train()` 会报错。
//!
//! ## 修复
//! 无：写出数值，或为配置类提供 `hidden_size`（用 `attribute_map` 亦可）。
//!
//! ## 何时不报
//! 看不出模型由同一文件中的类创建时。
//!
//! ## 来源
//! transformers 5.23.0 `integrations/deepspeed.py:225`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Severity, UnknownReason, message};
use vramlint_resolve::code::LibraryCall;
use vramlint_resolve::{Feature, FileFeatures, SourceFile};
use vramlint_semantic::deepspeed::consumers::Consumers;
use vramlint_syntax::python::{Class, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL554", "bucket-auto-without-hidden-size", Severity::Error, page!("bucket_auto_without_hidden_size.rs"), check)
};

/// Keys computed from the model's width.
const KEYS: &[&str] = &["reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let path = |key: &str| format!("zero_optimization.{key}");
        let Some(key) = KEYS.iter().find(|key| config.setting(&path(key)) == Evaluated::Unknown(UnknownReason::Auto)) else {
            continue;
        };
        let Some(item) = config.entry(&path(key)) else { continue };
        for one in config.uses.iter().filter(|one| one.consumers.within(Consumers::TRAINER)) {
            let Some(run) = one.run else { continue };
            let calls = run.code.iter().flat_map(|code| &code.calls);
            let mut trainers = calls.filter(|call| call.path.starts_with("transformers.") && call.name().ends_with("Trainer"));
            let found = trainers.find_map(|call| narrow_class(cx.project.file(call.file), call));
            if let Some(place) = found {
                let message = message!(
                    "`{key}`: \"auto\" is computed from `hidden_size`, which the model's configuration does not have",
                    "`{key}` 的 \"auto\" 由 `hidden_size` 计算，而模型的配置没有它"
                );
                let help = message!("write a number, for example 5e8", "请写出数值，例如 5e8");
                let finding = RULE.finding(config.place(item), message).with_help(help);
                out.push(finding.with_related(place, message!("the configuration of the model", "模型的配置")).with_run(&run.id));
                break;
            }
        }
    }
}

/// The configuration class of a trainer's model, if both classes are in the file and the configuration has no width.
fn narrow_class(file: &SourceFile, call: &LibraryCall) -> Option<FileRange> {
    let argument = call.argument("model", Some(0))?;
    let written = argument.place.range.slice(&file.text);
    let name = written.rsplit('=').next()?.trim();
    let model = maker(&file.text, name)?;
    let classes = || file.python().into_iter().flat_map(|module| &module.body);
    let class = |wanted: &str| {
        classes().find_map(|statement| match &statement.kind {
            StmtKind::Class(class) if class.name == wanted => Some((statement.range, class)),
            _ => None,
        })
    };
    let derives = |class: &Class, base: &[&str]| {
        class.bases.iter().any(|own| base.iter().any(|base| own.range.slice(&file.text).ends_with(base)))
    };
    let (range, own) = class(model)?;
    let text = range.slice(&file.text);
    let config = text.lines().find_map(|line| line.trim().strip_prefix("config_class")?.trim_start().strip_prefix('='))?.trim();
    let (range, settings) = class(config).filter(|(_, settings)| {
        derives(own, &["PreTrainedModel"]) && derives(settings, &["PreTrainedConfig", "PretrainedConfig"])
    })?;
    let known = ["hidden_size", "text_config", "attribute_map"].iter().any(|word| range.slice(&file.text).contains(word));
    (!known && !FileFeatures::scan(text).has(Feature::HiddenSize)).then(|| FileRange::new(file.id, settings.name_range))
}

/// The name of the callee that creates a variable; `None` unless the file assigns the variable once.
fn maker<'a>(text: &'a str, variable: &str) -> Option<&'a str> {
    let mut made = text.lines().filter_map(|line| line.trim().strip_prefix(variable)?.trim_start().strip_prefix('='));
    let value = made.next().filter(|_| made.next().is_none())?.trim();
    let name = value.split('(').next()?;
    (value.len() > name.len() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}
