//! # adapters-twice
//!
//! A model that already has adapters is passed to a trainer together with a `peft_config`, or to `get_peft_model` once more.
//!
//! ## Why it matters
//! The trainer would have to add new adapters to existing ones, and TRL raises an error: either the model comes with its adapters, or the
//! trainer creates them. `get_peft_model` on a model with adapters only warns: layers that already have an adapter of that name get a new one, and
//! what was loaded or trained in the old one is lost.
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
//! Info if the version of trl is not known: before 0.27 some trainers merged the old adapters first. A warning for `get_peft_model`.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:817`, run; the other trainers alike, read; the check is in 0.27.0 and not in 0.24.0.
//! peft `mapping_func.py` (`get_peft_model`, its warning) and `tuners/lora/model.py` (`_create_and_replace`), read.
//!
//! # 中文
//!
//! 把已带适配器的模型与 `peft_config` 一起交给 trainer，或再次交给 `get_peft_model`。
//!
//! ## 为什么重要
//! trainer 将不得不在旧适配器上再加新适配器。TRL 会报错：要么模型自带适配器，要么由 trainer 创建。对已带适配器的模型
//! 再次调用 `get_peft_model` 只有警告：已有同名适配器的层会得到新的适配器，原先加载或训练的内容丢失。
//!
//! ## 修复
//! 不安全：从 trainer 中删除 `peft_config`。
//!
//! ## 严重程度
//! trl 版本未知时仅作提示：0.27 之前部分 trainer 会先合并旧适配器。`get_peft_model` 的情形为警告。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:817`，实际运行；其余 trainer 相同，阅读源码；0.27.0 有此检查，0.24.0 没有。
//! peft `mapping_func.py`（`get_peft_model` 的警告）与 `tuners/lora/model.py`（`_create_and_replace`），阅读源码。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_resolve::code::{ArgValue, LibraryCall};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::trainers::Trainer;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL405", "adapters-twice", Severity::Error, page!("adapters_twice.rs"), check)
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
    second_time(cx, &mut reported, out);
}

/// `get_peft_model` on what another call has put adapters on.
fn second_time(cx: &Context<'_>, reported: &mut ReportedFindings, out: &mut Sink) {
    for run in &cx.project.runs {
        let Some(code) = &run.code else { continue };
        if code.calls.iter().any(|call| matches!(call.name(), "merge_and_unload" | "unload" | "delete_adapter")) {
            continue;
        }
        let certain = |call: &&LibraryCall| call.library() == "peft" && !call.conditional && !call.in_loop && !call.uncalled;
        let adapts = |call: &&LibraryCall| call.name() == "get_peft_model" || call.path.ends_with("PeftModel.from_pretrained");
        let calls: Vec<&LibraryCall> = code.calls.iter().filter(certain).filter(adapts).collect();
        for (index, again) in calls.iter().enumerate().filter(|(_, call)| call.name() == "get_peft_model") {
            let Some(model) = again.argument("model", Some(0)) else { continue };
            let text = model.place.range.slice(&cx.project.file(model.place.file).text);
            let name = text.rsplit('=').next().unwrap_or(text).trim();
            let before = calls[..index].iter().find(|call| {
                call.assigned_to.as_deref() == Some(name)
                    && call.call_chain == again.call_chain
                    && call.file == again.file
                    && adapted_model(call).is_some()
                    && adapted_model(call) == adapted_model(again)
            });
            let named = again.argument("adapter_name", Some(2)).is_some();
            let Some(before) = before.filter(|_| !named && reported.insert(again.place, "")) else { continue };
            let message = message!(
                "the model already has adapters: get_peft_model replaces those of the same name by new ones",
                "模型已带适配器：get_peft_model 会用新的适配器替换同名的适配器"
            );
            out.push(
                RULE.finding(again.place, message)
                    .with_severity(Severity::Warning)
                    .with_related(before.place, message!("the adapters are added here", "在此加上适配器"))
                    .with_run(&run.id)
                    .with_help(message!(
                        "train the adapters that are there (`is_trainable=True`), or merge them first with `merge_and_unload()`",
                        "继续训练已有的适配器（`is_trainable=True`），或先用 `merge_and_unload()` 合并"
                    )),
            );
        }
    }
}

/// The model that a call puts adapters on.
fn adapted_model(call: &LibraryCall) -> Option<usize> {
    match call.argument("model", Some(0))?.sole_value()?.value {
        ArgValue::Model(index) => Some(index),
        _ => None,
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
