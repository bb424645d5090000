//! # reference-model-beside-adapters
//!
//! A second model is kept as the reference, although the policy is trained with adapters.
//!
//! ## Why it matters
//! With `peft_config` the reference is the same model with its adapters disabled, at no cost. A `ref_model` passed anyway stays on
//! the GPU as a second full copy of the weights; trl does not warn. `DPOTrainer` before trl 0.28 raises an error instead, unless
//! `force_use_ref_model` is set.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from peft import LoraConfig
//! from transformers import AutoModelForCausalLM
//! from trl import DPOConfig, DPOTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! reference = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! data = Dataset.from_dict({"prompt": ["a"], "chosen": ["b"], "rejected": ["c"]})
//! trainer = DPOTrainer(model, ref_model=reference, args=DPOConfig("out"), train_dataset=data, peft_config=LoraConfig(r=8))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from peft import LoraConfig
//! from transformers import AutoModelForCausalLM
//! from trl import DPOConfig, DPOTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! data = Dataset.from_dict({"prompt": ["a"], "chosen": ["b"], "rejected": ["c"]})
//! trainer = DPOTrainer(model, args=DPOConfig("out"), train_dataset=data, peft_config=LoraConfig(r=8))
//! ```
//!
//! ## Fix
//! None: the reference may be another model on purpose.
//!
//! ## Severity
//! Info if the reference is a different checkpoint from the model.
//!
//! ## Sources
//! trl 1.16.0 `trainer/dpo_trainer.py`, run: both copies stay. trl 0.7.11 to 0.27.0, read: the error.
//!
//! # 中文
//!
//! 策略模型用适配器训练，却仍保留第二个模型作为参考。
//!
//! ## 为什么重要
//! 有 `peft_config` 时，参考就是关闭适配器的同一个模型，没有额外开销。若仍传入 `ref_model`，它会作为第二份完整权重留在 GPU 上，trl 不会警告。
//! trl 0.28 之前的 `DPOTrainer` 则会报错，除非设置了 `force_use_ref_model`。
//!
//! ## 修复
//! 无：参考模型可能是有意选用的另一个模型。
//!
//! ## 严重程度
//! 参考模型与训练模型是不同的检查点时为 info。
//!
//! ## 来源
//! trl 1.16.0 `trainer/dpo_trainer.py`，实际运行：两份都会保留。trl 0.7.11 至 0.27.0，阅读源码：报错。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_resolve::code::{ArgValue, PossibleValue};
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::trainers::Trainer;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory, Symptom::RefusedAtStart],
    ..Rule::new("VL906", "reference-model-beside-adapters", Severity::Warning, page!("reference_model_beside_adapters.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| matches!(trainer.name.as_str(), "DPOTrainer" | "KTOTrainer")) {
        let (Some(reference), Some(adapters)) = (trainer.argument("ref_model"), trainer.maker("peft_config")) else { continue };
        // The object itself, or a name that the trainer loads.
        let loaded = |value: &PossibleValue| match &value.value {
            ArgValue::Model(_) => true,
            ArgValue::Known(value) => matches!(value, Value::Text(_)),
            _ => false,
        };
        let same_object = same(trainer, true);
        if !reference.values.iter().all(loaded)
            || reference.values.len() != 1
            || same_object
            || !reported.insert(reference.place, "")
        {
            continue;
        }
        let refuses = refusing_releases(cx, trainer);
        let (severity, message) = if refuses == RangeMatch::Always {
            (
                RULE.severity,
                message!(
                    "trl before 0.28 rejects `ref_model` together with `peft_config`: the reference is the model with adapters disabled",
                    "trl 0.28 之前拒绝同时传入 `ref_model` 与 `peft_config`：参考就是关闭适配器的模型"
                ),
            )
        } else if same(trainer, false) {
            (
                RULE.severity,
                message!(
                    "`ref_model` stays in memory as a second copy: with `peft_config` the reference is the model with adapters disabled",
                    "`ref_model` 会作为第二份副本留在显存中：有 `peft_config` 时参考就是关闭适配器的模型"
                ),
            )
        } else {
            (
                Severity::Info,
                message!(
                    "`ref_model` stays in memory as a second model: with `peft_config` the model itself can be the reference, adapters disabled",
                    "`ref_model` 会作为第二个模型留在显存中：有 `peft_config` 时可用关闭适配器的模型作参考"
                ),
            )
        };
        out.push(
            RULE.finding(reference.place, message)
                .with_severity(severity)
                .with_related(adapters.place, message!("adapters are configured here", "适配器在此配置"))
                .with_help(match refuses {
                    RangeMatch::Sometimes => {
                        message!("remove `ref_model`: trl before 0.28 rejects it", "删除 `ref_model`：trl 0.28 之前会拒绝它")
                    }
                    _ => message!("remove `ref_model`", "删除 `ref_model`"),
                }),
        );
    }
}

/// Whether the releases that may be installed raise an error for both at once (trl 0.7.11 to 0.27.0 trainer/dpo_trainer.py, read).
fn refusing_releases(cx: &Context<'_>, trainer: &Trainer<'_>) -> RangeMatch {
    let file = trainer.call.file;
    // A switch of these releases lets both pass.
    if trainer.name != "DPOTrainer" || cx.project.file(file).mentions("force_use_ref_model") {
        return RangeMatch::Never;
    }
    cx.project.version_matches(file, &VersionRange { library: "trl", since: Some("0.7.11"), until: Some("0.28") })
}

/// Whether model and reference are one object, or the same checkpoint.
fn same(trainer: &Trainer<'_>, object: bool) -> bool {
    let find = |name: &str| match trainer.argument(name)?.values.as_slice() {
        [PossibleValue { value: ArgValue::Model(index), .. }] => Some((Some(*index), trainer.code.model(*index)?.model.clone()?)),
        [PossibleValue { value: ArgValue::Known(value @ Value::Text(_)), .. }] => Some((None, value.clone())),
        _ => None,
    };
    let (Some((a, first)), Some((b, second))) = (find("model"), find("ref_model")) else { return false };
    if object { a.is_some() && a == b } else { first == second }
}
