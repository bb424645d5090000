//! # adapters-twice
//!
//! A model that already has adapters is passed to a trainer together with a `peft_config`.
//!
//! ## Why it matters
//! The trainer would have to add new adapters to existing ones, and TRL raises an error: either the model comes with its adapters, or the
//! trainer creates them.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! lora = LoraConfig(r=8)
//! model = get_peft_model(AutoModelForCausalLM.from_pretrained("my-org/tiny"), lora)
//! trainer = SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]}), peft_config=lora)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from peft import LoraConfig
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! lora = LoraConfig(r=8)
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! trainer = SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]}), peft_config=lora)
//! ```
//!
//! ## Fix
//! Unsafe: removes `peft_config` from the trainer.
//!
//! ## Severity
//! Info if the version of trl is not known: before 0.27 some trainers merged the old adapters first.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:817`, run; the other trainers alike, read; the check is in 0.27.0 and not in 0.24.0.
//!
//! # 中文
//!
//! 把已带适配器的模型与 `peft_config` 一起交给 trainer。
//!
//! ## 为什么重要
//! trainer 将不得不在旧适配器上再加新适配器。TRL 会报错：要么模型自带适配器，要么由 trainer 创建。
//!
//! ## 修复
//! 不安全：从 trainer 中删除 `peft_config`。
//!
//! ## 严重程度
//! trl 版本未知时仅作提示：0.27 之前部分 trainer 会先合并旧适配器。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:817`，实际运行；其余 trainer 相同，阅读源码；0.27.0 有此检查，0.24.0 没有。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_resolve::code::LibraryCall;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::trainers::Trainer;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL405", "adapters-twice", Severity::Error, include_str!("adapters_twice.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_trl() && trainer.maker("peft_config").is_some()) {
        let (Some(given), Some(adapted)) = (trainer.argument("peft_config"), adapted(cx, trainer)) else { continue };
        let span = VersionRange::since("trl", "0.27");
        let Some(severity) = version_gate::severity(cx.project, trainer.call.file, &span, RULE.severity) else { continue };
        if !reported.insert(given.place, "") {
            continue;
        }
        let message = message!(
            "the model already has adapters, but `peft_config` is set; trl 0.27 and later raise an error",
            "模型已带适配器，又设置了 `peft_config`；trl 0.27 起会报错"
        );
        let mut found = RULE
            .finding(given.place, message)
            .with_severity(trainer.severity(cx.project, severity))
            .with_related(adapted.place, message!("the adapters are added here", "在此加上适配器"))
            .with_help(message!(
                "remove `peft_config`, or pass the model without adapters",
                "去掉 `peft_config`，或传入不带适配器的模型"
            ));
        if let Some(edit) = edit::python::remove(cx.project.file(trainer.call.file), trainer.call.place.range, "peft_config") {
            found = found.with_fix(Fix {
                title: message!("remove `peft_config`", "删除 `peft_config`"),
                applicability: Applicability::Unsafe,
                edits: vec![edit],
            });
        }
        out.push(found);
    }
}

/// The call that adds adapters to the very object that the trainer gets.
fn adapted<'a>(cx: &Context<'a>, trainer: &Trainer<'a>) -> Option<&'a LibraryCall> {
    let index = trainer.model()?;
    let argument = trainer.argument("model")?;
    let text = argument.place.range.slice(&cx.project.file(argument.place.file).text);
    let name = text.strip_prefix("model").and_then(|rest| rest.trim_start().strip_prefix('=')).unwrap_or(text).trim();
    let wraps = |call: &&LibraryCall| {
        (call.name() == "get_peft_model" || call.path.ends_with("PeftModel.from_pretrained"))
            && !call.conditional
            && call.assigned_to.as_deref() == Some(name)
    };
    // A model whose adapters were merged has none.
    let merged = trainer.code.calls.iter().any(|call| call.name() == "merge_and_unload" || call.name() == "unload");
    trainer.adapting(index).filter(|_| !merged).find(wraps)
}
