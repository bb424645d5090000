//! # loading-option-unused
//!
//! A TRL trainer gets options for loading a model that is already loaded.
//!
//! ## Why it matters
//! `model_init_kwargs` and `quantization_config` only matter if the trainer loads the model by its name. With a loaded model they are
//! ignored, with one line in the log: the model keeps its dtype and size. The `quantization_config` of DPO and KTO raises an error instead.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", dtype="float32")
//! args = SFTConfig("out", model_init_kwargs={"dtype": "bfloat16"})
//! trainer = SFTTrainer(model, args=args, train_dataset=Dataset.from_dict({"text": ["a"]}))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", dtype="bfloat16")
//! trainer = SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]}))
//! ```
//!
//! ## Fix
//! Unsafe: removes the option. Set it where the model is loaded.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:699` and `dpo_trainer.py:577`, run; older versions ignore or reject it.
//!
//! # 中文
//!
//! 把加载模型的选项交给了 TRL trainer，而模型已经加载。
//!
//! ## 为什么重要
//! 只有 trainer 按名称加载模型时，`model_init_kwargs` 和 `quantization_config` 才有意义。对已加载的模型，它们会被忽略，日志中只有一行提示：模型保持原有的
//! dtype 和大小。DPO 与 KTO 的 `quantization_config` 则会报错。
//!
//! ## 修复
//! 不安全：删除该选项。请在加载模型处给出。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:699` 与 `dpo_trainer.py:577`，实际运行；旧版本会忽略或拒绝。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::PassedBy;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL408", "loading-option-unused", Severity::Warning, page!("loading_option_unused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_trl()) {
        let Some(model) = trainer.model().and_then(|index| trainer.code.model(index)) else { continue };
        if let Some(set) = trainer.arguments
            && let Some(kwargs) = set.get("model_init_kwargs")
        {
            let given = !kwargs.entries.is_empty() || matches!(&kwargs.value, Some(Value::Map(entries)) if !entries.is_empty());
            if given && reported.insert(kwargs.place, "") {
                let message = message!(
                    "`model_init_kwargs` has no effect: the trainer gets a loaded model",
                    "`model_init_kwargs` 不起作用：trainer 拿到的是已加载的模型"
                );
                let mut found = finding(cx, set, &RULE, kwargs.place, message)
                    .with_related(model.place, message!("loaded here", "在此加载"))
                    .with_help(message!("pass the options to `from_pretrained`", "把这些选项交给 `from_pretrained`"));
                let call = set.library_call().filter(|_| kwargs.by == PassedBy::Keyword);
                let edit =
                    call.and_then(|call| edit::python::remove(cx.project.file(call.file), call.place.range, "model_init_kwargs"));
                if let Some(edit) = edit {
                    found = found.with_fix(Fix {
                        title: message!("remove `model_init_kwargs`", "删除 `model_init_kwargs`"),
                        applicability: Applicability::Unsafe,
                        edits: vec![edit],
                    });
                }
                out.push(found);
            }
        }
        if let (Some(argument), Some(_)) = (trainer.argument("quantization_config"), trainer.maker("quantization_config"))
            && reported.insert(argument.place, "")
        {
            let refused = matches!(trainer.name.as_str(), "DPOTrainer" | "KTOTrainer");
            let name = &trainer.name;
            let (severity, message) = if refused {
                (
                    Severity::Error,
                    message!(
                        "{name} rejects `quantization_config` for a model that is already loaded",
                        "模型已加载时，{name} 拒绝 `quantization_config`"
                    ),
                )
            } else {
                (
                    RULE.severity,
                    message!(
                        "`quantization_config` has no effect: the trainer gets a loaded model",
                        "`quantization_config` 不起作用：trainer 拿到的是已加载的模型"
                    ),
                )
            };
            out.push(
                RULE.finding(argument.place, message)
                    .with_severity(trainer.severity(cx.project, severity))
                    .with_related(model.place, message!("loaded here", "在此加载"))
                    .with_help(message!("pass it to `from_pretrained`", "把它交给 `from_pretrained`")),
            );
        }
    }
}
