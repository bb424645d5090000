//! # model-by-name-in-fp32
//!
//! A TRL trainer gets the name of a model but no dtype to load it in.
//!
//! ## Why it matters
//! Newer TRL loads such a model in fp32, whatever the dtype of its checkpoint: most are stored in 16 bits, so the weights take twice their
//! size. That may be intended for full fine-tuning (fp32 master weights under bf16 autocast); with adapters it only costs memory.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from trl import SFTConfig, SFTTrainer
//!
//! trainer = SFTTrainer("my-org/tiny", args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]}))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from trl import SFTConfig, SFTTrainer
//!
//! args = SFTConfig("out", model_init_kwargs={"dtype": "auto"})
//! trainer = SFTTrainer("my-org/tiny", args=args, train_dataset=Dataset.from_dict({"text": ["a"]}))
//! ```
//!
//! ## Fix
//! None: either dtype may be intended. `model_init_kwargs={"dtype": "auto"}` keeps that of the checkpoint.
//!
//! ## When it stays silent
//! For models in vramlint's catalog, for which `weights-in-fp32` reports the cost. If the version of trl is known to be older than 0.29.
//!
//! ## Sources
//! trl 1.16.0 `trainer/utils.py:1331`, run; 0.29.0 read.
//!
//! # 中文
//!
//! 给 TRL trainer 的是模型名称，却没有指定以什么 dtype 加载。
//!
//! ## 为什么重要
//! 较新的 TRL 无论检查点是什么类型都按 fp32 加载：多数检查点以 16 位保存，权重因此占用两倍空间。全参数微调时可能正合适（bf16 自动混合精度下的
//! fp32 主权重）；使用适配器时只是浪费显存。
//!
//! ## 修复
//! 无：两种类型都可能是本意。`model_init_kwargs={"dtype": "auto"}` 会保持检查点的类型。
//!
//! ## 何时不报
//! vramlint 目录中的模型：由 `weights-in-fp32` 报告代价；已知 trl 版本早于 0.29。
//!
//! ## 来源
//! trl 1.16.0 `trainer/utils.py:1331`，实际运行；0.29.0 阅读源码。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL407", "model-by-name-in-fp32", Severity::Info, page!("model_by_name_in_fp32.rs"), check)
};

/// TRL's trainers that load a model by name through `create_model_from_path`.
const TRAINERS: &[&str] = &["SFTTrainer", "DPOTrainer", "KTOTrainer", "GRPOTrainer", "RLOOTrainer", "RewardTrainer"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_fully_seen() && TRAINERS.contains(&trainer.name.as_str())) {
        let Some(name) = trainer.model_name() else { continue };
        let silent = match trainer.arguments {
            Some(set) => set.lacks("model_init_kwargs"),
            None => trainer.lacks("args"),
        };
        let span = VersionRange::since("trl", "0.29");
        let holds = version_gate::severity(cx.project, trainer.call.file, &span, RULE.severity);
        if !silent || !trainer.lacks("quantization_config") || cx.models.find(name).is_some() || holds.is_none() {
            continue;
        }
        if reported.insert(trainer.call.place, "") {
            let message = message!(
                "since trl 0.29, `{name}` is loaded in fp32, whatever the dtype of its checkpoint",
                "trl 0.29 起按 fp32 加载 `{name}`，不论检查点是什么 dtype"
            );
            out.push(RULE.finding(trainer.call.place, message).with_help(message!(
                "set `model_init_kwargs={{\"dtype\": \"auto\"}}` to keep the checkpoint's dtype",
                "设置 `model_init_kwargs={{\"dtype\": \"auto\"}}` 以保持检查点的 dtype"
            )));
        }
    }
}
