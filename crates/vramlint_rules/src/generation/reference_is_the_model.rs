//! # reference-is-the-model
//!
//! The trained model is passed as its own reference.
//!
//! ## Why it matters
//! DPO and KTO compare the policy with a frozen reference. One object in both roles would always agree with itself, so trl raises
//! an error. Without `ref_model` the trainer makes the copy itself; with adapters it needs none.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import DPOConfig, DPOTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! data = Dataset.from_dict({"prompt": ["a"], "chosen": ["b"], "rejected": ["c"]})
//! trainer = DPOTrainer(model, ref_model=model, args=DPOConfig("out"), train_dataset=data)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import DPOConfig, DPOTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! data = Dataset.from_dict({"prompt": ["a"], "chosen": ["b"], "rejected": ["c"]})
//! trainer = DPOTrainer(model, args=DPOConfig("out"), train_dataset=data)
//! ```
//!
//! ## Fix
//! Safe: the argument is removed; the trainer then makes the intended copy.
//!
//! ## Sources
//! trl 1.16.0 `trainer/dpo_trainer.py:590`, run; `kto_trainer.py:644`, read.
//!
//! # 中文
//!
//! 把正在训练的模型作为它自己的参考模型。
//!
//! ## 为什么重要
//! DPO 与 KTO 把策略模型与冻结的参考模型比较。同一个对象总与自己一致，因此 trl 会报错。未设置 `ref_model` 时 trainer 会自行复制；使用适配器时
//! 则不需要副本。
//!
//! ## 修复
//! 安全：删除该参数；trainer 会创建本应有的副本。
//!
//! ## 来源
//! trl 1.16.0 `trainer/dpo_trainer.py:590`，实际运行；`kto_trainer.py:644`，阅读源码。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, message};
use vramlint_resolve::code::{ArgValue, CallArgument};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::BadLoss],
    ..Rule::new("VL905", "reference-is-the-model", Severity::Error, page!("reference_is_the_model.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| matches!(trainer.name.as_str(), "DPOTrainer" | "KTOTrainer")) {
        let (Some(model), Some(reference)) = (trainer.argument("model"), trainer.argument("ref_model")) else { continue };
        let same = thing(model).is_some_and(|model| thing(reference) == Some(model));
        if same && reported.insert(reference.place, "") {
            let message = message!(
                "`ref_model` is the trained model itself; trl raises an error since 0.11",
                "`ref_model` 就是正在训练的模型；trl 自 0.11 起会报错"
            );
            // DPO since 0.11; KTO changed several times between 0.26 and 1.7, and those versions were not read.
            let span =
                if trainer.name == "KTOTrainer" { VersionRange::since("trl", "1.8") } else { VersionRange::since("trl", "0.11") };
            let Some(certain) = version_gate::severity(cx.project, reference.place.file, &span, RULE.severity) else { continue };
            let severity =
                if cx.project.is_documentation_snippet(reference.place.file) { certain.min(Severity::Warning) } else { certain };
            let finding = RULE
                .finding(reference.place, message)
                .with_severity(severity)
                .with_related(model.place, message!("the model", "模型"))
                .with_help(message!("remove `ref_model`: the trainer makes the copy", "删除 `ref_model`：trainer 会自行复制"));
            let file = cx.project.file(trainer.call.file);
            let edit = vramlint_edit::python::remove(file, trainer.call.place.range, "ref_model");
            let title = message!("remove `ref_model`", "删除 `ref_model`");
            let sure = severity == Severity::Error;
            let applicability = if sure { Applicability::Safe } else { Applicability::Unsafe };
            out.push(crate::argument_findings::with_fix(finding, title, applicability, edit));
        }
    }
}

/// The object that an argument certainly is.
fn thing(argument: &CallArgument) -> Option<(bool, usize)> {
    match argument.values.as_slice() {
        [value] => match value.value {
            ArgValue::Model(index) => Some((true, index)),
            ArgValue::ResultOf(index) => Some((false, index)),
            _ => None,
        },
        _ => None,
    }
}
