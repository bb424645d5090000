//! # adapter-on-lm-head
//!
//! An adapter is applied to `lm_head`, but TRL's loss bypasses it.
//!
//! ## Why it matters
//! TRL computes the log-probabilities directly from the weight of `lm_head`, without materializing the full logits. An adapter there would
//! never be trained, and newer versions of TRL reject it. To train the head itself, add it to `modules_to_save`.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from peft import LoraConfig
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! lora = LoraConfig(r=8, target_modules=["q_proj", "lm_head"])
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
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! lora = LoraConfig(r=8, target_modules=["q_proj", "v_proj"])
//! trainer = SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]}), peft_config=lora)
//! ```
//!
//! ## Fix
//! None: remove it, or move it to `modules_to_save`.
//!
//! ## Severity
//! Info if the version of trl is not known: before 1.15 the adapter works.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:1066`, run; `dpo_trainer.py:835`, `kto_trainer.py`, `grpo_trainer.py:836`, read; the check is in
//! 1.15.0 and not in 1.14.0.
//!
//! # 中文
//!
//! 在 `lm_head` 上加了适配器，而 TRL 的损失会绕过它。
//!
//! ## 为什么重要
//! TRL 直接用 `lm_head` 的权重计算对数概率，从不生成完整的 logits。那里的适配器永远不会被训练：较新的 TRL 会拒绝。若要训练输出头本身，
//! 请放入 `modules_to_save`。
//!
//! ## 修复
//! 无：删除它，或移到 `modules_to_save`。
//!
//! ## 严重程度
//! trl 版本未知时仅作提示：1.15 之前适配器可用。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:1066`，实际运行；`dpo_trainer.py:835`、`kto_trainer.py`、`grpo_trainer.py:836`，阅读源码；1.15.0 有此检查，
//! 1.14.0 没有。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileId, FileRange, Severity, Value, message};
use vramlint_resolve::arguments::ArgumentReader;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL404", "adapter-on-lm-head", Severity::Error, page!("adapter_on_lm_head.rs"), check)
};

/// TRL's trainers that read the weight of the head.
const TRAINERS: &[&str] = &["SFTTrainer", "DPOTrainer", "KTOTrainer", "GRPOTrainer", "RLOOTrainer"];
/// First release that rejects it.
const SINCE: &str = "1.15";

fn names_head(value: &Value) -> bool {
    let is = |item: &Value| item.as_str() == Some("lm_head");
    match value {
        Value::List(items) => items.iter().any(is),
        other => is(other),
    }
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    let mut tell = |file: FileId, place: FileRange, related: Option<FileRange>, out: &mut Sink| {
        let span = VersionRange::since("trl", SINCE);
        let Some(severity) = version_gate::severity(cx.project, file, &span, RULE.severity) else { return };
        if !reported.insert(place, "") {
            return;
        }
        let message = message!(
            "an adapter on `lm_head` would never be trained; trl {SINCE} and later raise an error",
            "`lm_head` 上的适配器不会被训练；trl {SINCE} 起会报错"
        );
        let mut found = RULE.finding(place, message).with_severity(severity).with_help(message!(
            "remove it, or train the whole head with `modules_to_save=[\"lm_head\"]`",
            "删除它，或用 `modules_to_save=[\"lm_head\"]` 完整训练输出头"
        ));
        if let Some(related) = related {
            found = found.with_related(related, message!("the trainer", "trainer"));
        }
        out.push(found);
    };
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_trl() && TRAINERS.contains(&trainer.name.as_str())) {
        let on_model = trainer.model().into_iter().flat_map(|index| trainer.adapting(index)).filter_map(|call| {
            let made = call.argument("peft_config", Some(1))?.sole_value()?;
            if let vramlint_resolve::code::ArgValue::ResultOf(index) = made.value { trainer.code.calls.get(index) } else { None }
        });
        for config in trainer.maker("peft_config").into_iter().chain(on_model) {
            let Some(targets) = config.argument("target_modules", None) else { continue };
            let named = targets
                .sole_value()
                .and_then(vramlint_resolve::code::PossibleValue::to_value)
                .is_some_and(|value| names_head(&value));
            if named && config.name() == "LoraConfig" {
                tell(config.file, targets.place, Some(trainer.call.callee), out);
            }
        }
    }
    for set in
        cx.project.arguments().iter().filter(|set| set.has_class("trl.ModelConfig") && set.reader != ArgumentReader::Unknown)
    {
        let trained = set.training_class().is_some_and(|class| {
            TRAINERS.iter().any(|trainer| {
                class.strip_prefix("trl.").and_then(|c| c.strip_suffix("Config")) == trainer.strip_suffix("Trainer")
            })
        });
        let adapters = set.bool("use_peft", false) == Some(true);
        let Some(targets) = set.get("lora_target_modules").filter(|_| trained && adapters) else { continue };
        if targets.value.as_ref().is_some_and(names_head) {
            tell(targets.place.file, targets.place, None, out);
        }
    }
}
